#include "metrics/paired_gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "metrics/contrast.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

/// Both rates of a group, and the variances of their estimates.
struct PairedRates {
  Estimate first, second;
  double variance_first = 0;
  double variance_second = 0;
  double covariance = 0;
};

PairedRates rates_of(const PairedShare& share) {
  const auto n = static_cast<double>(share.rows());
  const double more = n + 2;  // one half in each of the four counts
  const double first = (static_cast<double>(share.both + share.first_only) + 1) / more;
  const double second = (static_cast<double>(share.both + share.second_only) + 1) / more;
  const double both = (static_cast<double>(share.both) + 0.5) / more;
  return {proportion(static_cast<double>(share.both + share.first_only), n),
          proportion(static_cast<double>(share.both + share.second_only), n),
          first * (1 - first) / n, second * (1 - second) / n, (both - first * second) / n};
}

/// Rate of group `more` less that of group `less`, counted through all rates.
struct PairOfGroups {
  std::size_t more, less;
  double difference;
};

/// Calls visit(a, b) for two groups of one rate each.
template <class Visit>
void each_pair(std::size_t shares, std::size_t groups, Visit visit) {
  for (std::size_t a = 0; a < shares; ++a) {
    const std::size_t first = a / groups * groups;
    for (std::size_t b = first; b < first + groups; ++b) {
      if (a != b) visit(a, b);
    }
  }
}

/// The pairs that can be the largest difference, but for an error of `error`, the largest first, so
/// that few of them are compared with many.
std::vector<PairOfGroups> possible_extremes(const std::vector<Estimate>& shares, std::size_t groups,
                                            double error) {
  const auto pairs = static_cast<double>(shares.size()) * static_cast<double>(groups - 1);
  const double tail = error / (2 * pairs);
  std::vector<Limits> limits;
  for (const Estimate& share : shares) limits.push_back(limits_of(share, tail));
  double reached = 0;  // by the largest difference
  each_pair(shares.size(), groups, [&](std::size_t a, std::size_t b) {
    reached = std::max(reached, difference_low(limits[a], limits[b]));
  });
  std::vector<PairOfGroups> possible;
  each_pair(shares.size(), groups, [&](std::size_t a, std::size_t b) {
    if (limits[a].high() - limits[b].low() < reached) return;
    possible.push_back({a, b, shares[a].value - shares[b].value});
  });
  std::ranges::stable_sort(possible, std::ranges::greater{}, &PairOfGroups::difference);
  return possible;
}

/// Of the first model's difference less the second's.
double standard_error(const std::vector<PairedRates>& shares, const PairOfGroups& first,
                      const PairOfGroups& second) {
  const auto factor = [](const PairOfGroups& pair, std::size_t g) {
    return (pair.more == g ? 1.0 : 0.0) - (pair.less == g ? 1.0 : 0.0);
  };
  std::array<std::size_t, 4> involved{first.more, first.less, second.more, second.less};
  std::ranges::sort(involved);
  const auto end = std::unique(involved.begin(), involved.end());
  double variance = 0;
  for (auto g = involved.begin(); g != end; ++g) {
    const double x = factor(first, *g);
    const double y = factor(second, *g);
    const PairedRates& rates = shares[*g];
    variance +=
        x * x * rates.variance_first + y * y * rates.variance_second - 2 * x * y * rates.covariance;
  }
  return std::sqrt(std::max(0.0, variance));
}

double upper_end(const std::vector<PairedRates>& shares, std::size_t groups, double alpha) {
  std::vector<Estimate> first, second;
  for (const PairedRates& rates : shares) {
    first.push_back(rates.first);
    second.push_back(rates.second);
  }
  const double error = alpha / 40;
  const std::vector<PairOfGroups> of_first = possible_extremes(first, groups, error);
  const std::vector<PairOfGroups> of_second = possible_extremes(second, groups, error);
  const double tail = (alpha / 2 - 2 * error) / static_cast<double>(of_second.size());
  const double reach = -normal_quantile(tail);
  double largest = -std::numeric_limits<double>::infinity();
  for (const PairOfGroups& k : of_first) {
    base::stop_point();
    double least = std::numeric_limits<double>::infinity();
    for (const PairOfGroups& l : of_second) {
      if (least <= largest) break;  // k does not raise it
      least = std::min(least, k.difference - l.difference + reach * standard_error(shares, k, l));
    }
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace

Interval paired_gap_interval(std::span<const PairedShare> shares, double level,
                             std::int64_t rates) {
  const std::size_t groups = shares.size() / static_cast<std::size_t>(rates);
  std::string reason = missing_pair(static_cast<std::int64_t>(groups));
  std::vector<PairedRates> of_groups;
  std::vector<PairedRates> exchanged;
  for (std::size_t i = 0; i < shares.size() && reason.empty(); ++i) {
    if (shares[i].rows() == 0) reason = fmt::format("no row in group {}", i % groups);
    const auto& [both, first, second, neither] = shares[i];
    of_groups.push_back(rates_of(shares[i]));
    exchanged.push_back(rates_of({both, second, first, neither}));
  }
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  return {std::max(-1.0, -upper_end(exchanged, groups, 1 - level)),
          std::min(1.0, upper_end(of_groups, groups, 1 - level)),
          {}};
}

}  // namespace fairfront::metrics
