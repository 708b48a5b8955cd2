#include "metrics/paired_gap.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
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

/// Rate of group `more` less that of group `less`.
struct PairOfGroups {
  std::size_t more, less;
  double difference;
};

/// The pairs that can be the largest difference, but for an error of `error`.
std::vector<PairOfGroups> possible_extremes(const std::vector<Estimate>& rates, double error) {
  const auto groups = static_cast<double>(rates.size());
  const double tail = error / (2 * groups * (groups - 1));
  std::vector<Limits> limits;
  for (const Estimate& rate : rates) limits.push_back(limits_of(rate, tail));
  double reached = 0;  // by the largest difference
  for (const Limits& a : limits) {
    for (const Limits& b : limits) {
      if (&a != &b) reached = std::max(reached, difference_low(a, b));
    }
  }
  std::vector<PairOfGroups> possible;
  for (std::size_t a = 0; a < rates.size(); ++a) {
    for (std::size_t b = 0; b < rates.size(); ++b) {
      if (a == b || limits[a].high() - limits[b].low() < reached) continue;
      possible.push_back({a, b, rates[a].value - rates[b].value});
    }
  }
  return possible;
}

/// Of the first model's difference less the second's.
double standard_error(const std::vector<PairedRates>& groups, const PairOfGroups& first,
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
    const PairedRates& rates = groups[*g];
    variance +=
        x * x * rates.variance_first + y * y * rates.variance_second - 2 * x * y * rates.covariance;
  }
  return std::sqrt(std::max(0.0, variance));
}

double upper_end(const std::vector<PairedRates>& groups, double alpha) {
  std::vector<Estimate> first, second;
  for (const PairedRates& rates : groups) {
    first.push_back(rates.first);
    second.push_back(rates.second);
  }
  const double error = alpha / 40;
  const std::vector<PairOfGroups> of_first = possible_extremes(first, error);
  const std::vector<PairOfGroups> of_second = possible_extremes(second, error);
  const double tail = (alpha / 2 - 2 * error) / static_cast<double>(of_second.size());
  const double reach = -normal_quantile(tail);
  double largest = -std::numeric_limits<double>::infinity();
  for (const PairOfGroups& k : of_first) {
    base::stop_point();
    double least = std::numeric_limits<double>::infinity();
    for (const PairOfGroups& l : of_second) {
      least = std::min(least, k.difference - l.difference + reach * standard_error(groups, k, l));
    }
    largest = std::max(largest, least);
  }
  return largest;
}

}  // namespace

Interval paired_gap_interval(std::span<const PairedShare> groups, double level) {
  std::string reason = missing_pair(std::ssize(groups));
  std::vector<PairedRates> rates;
  std::vector<PairedRates> exchanged;
  for (std::size_t g = 0; g < groups.size() && reason.empty(); ++g) {
    if (groups[g].rows() == 0) reason = fmt::format("no row in group {}", g);
    const auto& [both, first, second, neither] = groups[g];
    rates.push_back(rates_of(groups[g]));
    exchanged.push_back(rates_of({both, second, first, neither}));
  }
  if (!reason.empty()) return {.undefined_reason = std::move(reason)};
  return {std::max(-1.0, -upper_end(exchanged, 1 - level)),
          std::min(1.0, upper_end(rates, 1 - level)),
          {}};
}

}  // namespace fairfront::metrics
