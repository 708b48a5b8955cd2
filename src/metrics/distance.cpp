#include "metrics/distance.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "metrics/extremes.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

using Groups = std::vector<std::vector<double>>;

/// Visits the pieces of [0, 1] on which both quantile functions are constant:
/// visit(quantile of a, quantile of b, mass). Masses are whole numbers over n m before the
/// division, so that they add up to 1 exactly.
template <class Visit>
void for_each_quantile(std::span<const double> a, std::span<const double> b, Visit visit) {
  const auto n = static_cast<std::int64_t>(a.size());
  const auto m = static_cast<std::int64_t>(b.size());
  const double all = static_cast<double>(n) * static_cast<double>(m);
  std::int64_t left_a = m;  // mass that a value still has; all of it is 1 / n = m / (n m)
  std::int64_t left_b = n;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const std::int64_t mass = std::min(left_a, left_b);
    visit(a[i], b[j], static_cast<double>(mass) / all);
    left_a -= mass;
    left_b -= mass;
    if (left_a == 0) {
      ++i;
      left_a = m;
    }
    if (left_b == 0) {
      ++j;
      left_b = n;
    }
  }
}

/// Why there is no distance, or "".
std::string missing(const Groups& groups, bool finite) {
  for (std::size_t g = 0; g < groups.size(); ++g) {
    if (groups[g].empty()) return fmt::format("no row in group {}", g);
    if (finite && !(std::isfinite(groups[g].front()) && std::isfinite(groups[g].back()))) {
      return fmt::format("a score of group {} is infinite", g);
    }
  }
  return {};
}

template <class Distance>
Value largest_over_pairs(const Scored& scored, bool finite, Distance distance) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  const Groups groups = sorted_by_group(scored);
  if (std::string reason = missing(groups, finite); !reason.empty()) {
    return undefined(std::move(reason));
  }
  Value largest = defined(0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      largest = larger(std::move(largest), distance(groups[g], groups[h]), g, h);
    }
  }
  return largest;
}

/// The right edges of equal bins over the range of `values`, and their left end in front.
std::vector<double> bin_edges(std::span<const double> values, std::int64_t bins) {
  const bool point = values.front() == values.back();
  const double low = values.front() - (point ? 0.5 : 0);
  const double high = values.back() + (point ? 0.5 : 0);
  std::vector<double> edges;
  for (std::int64_t i = 0; i < bins; ++i) {
    edges.push_back(low + static_cast<double>(i) * ((high - low) / static_cast<double>(bins)));
  }
  edges.push_back(high);
  return edges;
}

/// Every value that lies in a bin, moved to the bin's right edge.
std::vector<double> to_right_edges(std::span<const double> values,
                                   const std::vector<double>& edges) {
  std::vector<double> moved;
  for (const double value : values) {
    if (value < edges.front() || value > edges.back()) continue;
    // Bins are closed on the left, the last one on both sides.
    const auto right = std::upper_bound(edges.begin(), edges.end() - 1, value);
    moved.push_back(*right);
  }
  return moved;
}

}  // namespace

double wasserstein_1(std::span<const double> a, std::span<const double> b) {
  double distance = 0;
  for_each_quantile(a, b,
                    [&](double x, double y, double mass) { distance += mass * std::abs(x - y); });
  return distance;
}

double wasserstein_2_squared(std::span<const double> a, std::span<const double> b) {
  double distance = 0;
  for_each_quantile(
      a, b, [&](double x, double y, double mass) { distance += mass * ((x - y) * (x - y)); });
  return distance;
}

Value binned_wasserstein_2_squared(std::span<const double> reference, std::span<const double> other,
                                   std::int64_t bins) {
  const std::vector<double> edges = bin_edges(reference, bins);
  const std::vector<double> inside = to_right_edges(other, edges);
  if (inside.empty()) return undefined("no score of a group within the range of the largest group");
  return defined(wasserstein_2_squared(to_right_edges(reference, edges), inside));
}

double kolmogorov_smirnov(std::span<const double> a, std::span<const double> b) {
  const auto n = static_cast<std::int64_t>(a.size());
  const auto m = static_cast<std::int64_t>(b.size());
  std::int64_t largest = 0;  // of |i m - j n|
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    const double value = std::min(a[i], b[j]);
    while (i < a.size() && a[i] == value) ++i;
    while (j < b.size() && b[j] == value) ++j;
    largest = std::max(
        largest, std::abs(static_cast<std::int64_t>(i) * m - static_cast<std::int64_t>(j) * n));
  }
  return static_cast<double>(largest) / (static_cast<double>(n) * static_cast<double>(m));
}

Value wasserstein_1(const Scored& scored) {
  return largest_over_pairs(scored, true, [](const auto& a, const auto& b) {
    return wasserstein_1(std::span<const double>{a}, std::span<const double>{b});
  });
}

Value wasserstein_2_squared(const Scored& scored) {
  return largest_over_pairs(scored, true, [](const auto& a, const auto& b) {
    return wasserstein_2_squared(std::span<const double>{a}, std::span<const double>{b});
  });
}

Value kolmogorov_smirnov(const Scored& scored) {
  return largest_over_pairs(scored, false, [](const auto& a, const auto& b) {
    return kolmogorov_smirnov(std::span<const double>{a}, std::span<const double>{b});
  });
}

Value binned_wasserstein_2_squared(const Scored& scored) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  const Groups groups = sorted_by_group(scored);
  if (std::string reason = missing(groups, true); !reason.empty()) {
    return undefined(std::move(reason));
  }
  const auto reference = std::ranges::max_element(
      groups, {}, [](const std::vector<double>& scores) { return scores.size(); });
  Value largest = defined(0);
  const auto number = [&](auto group) { return static_cast<std::size_t>(group - groups.begin()); };
  for (auto other = groups.begin(); other != groups.end(); ++other) {
    if (other == reference) continue;
    const Value distance = binned_wasserstein_2_squared(*reference, *other);
    if (!distance.defined()) return distance;
    largest = larger(std::move(largest), distance.value, number(reference), number(other));
  }
  return largest;
}

Value kolmogorov_smirnov_to_all(const Scored& scored) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return undefined(alone);
  const Groups groups = sorted_by_group(scored);
  if (std::string reason = missing(groups, false); !reason.empty()) {
    return undefined(std::move(reason));
  }
  std::vector<double> all(scored.score.begin(), scored.score.end());
  sort_ascending(all);
  Value largest = defined(0);
  for (std::size_t g = 0; g < groups.size(); ++g) {
    largest = larger(std::move(largest), kolmogorov_smirnov(groups[g], all), g);
  }
  return largest;
}

}  // namespace fairfront::metrics
