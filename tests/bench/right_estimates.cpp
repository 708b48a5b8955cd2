#include "right_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "choice_samples.hpp"
#include "metrics/contrast.hpp"
#include "results/choice.hpp"

namespace fairfront::bench {
namespace {

/// Of every number of hits in so many rows its probability, and its one-sided limits.
struct Binomial {
  Binomial(std::size_t rows, double rate) {
    const auto n = static_cast<double>(rows);
    for (std::size_t hits = 0; hits <= rows; ++hits) {
      const auto h = static_cast<double>(hits);
      const double ways = std::lgamma(n + 1) - std::lgamma(h + 1) - std::lgamma(n - h + 1);
      probability.push_back(std::exp(ways + h * std::log(rate) + (n - h) * std::log1p(-rate)));
      limits.push_back(metrics::limits_of(metrics::proportion(h, n), 1 - confidence));
    }
  }
  std::vector<double> probability;
  std::vector<metrics::Limits> limits;
};

/// With which probability two groups of so many rows show the bound.
double exact_power(std::size_t rows, double rate, double other, double bound) {
  const Binomial a(rows, rate), b(rows, other);
  double power = 0;
  for (std::size_t i = 0; i <= rows; ++i) {
    if (a.probability[i] < 1e-12) continue;
    for (std::size_t j = 0; j <= rows; ++j) {
      const metrics::Limits &x = a.limits[i], &y = b.limits[j];
      const double up = x.value - y.value + std::hypot(x.above, y.below);
      const double down = y.value - x.value + std::hypot(y.above, x.below);
      if (std::max(up, down) <= bound) power += a.probability[i] * b.probability[j];
    }
  }
  return power;
}

/// Two groups with hits of so many rows each, on the part that decides and on the one that tests.
struct RightEstimates {
  double rows = 0;
  double hits = 0;
  double more = 0;  ///< hits of the other group
  double bound = 0;

  [[nodiscard]] double power(bool groups_known) const {
    Sample sample{{rows, rows}, {}, {}};
    for (auto& of_point : sample.hits) of_point = {hits, hits + more};
    results::Content content = content_of(sample, sample, 2 * rows);
    results::Measure& gap = content.measures.front();
    gap.at_groups = results::AtGroups::made_by;
    if (!groups_known) forget_groups(gap);
    const results::Choice choice = results::choose(
        content, {0}, {.bounds = {{"gap", true, bound}}, .confidence = confidence}, confidence);
    if (!choice.first_tested || std::isinf(choice.rows_needed)) return std::nan("");
    const double called = std::ceil(choice.rows_needed * rows);
    if (called > 3000) return std::nan("");  // there limits are those of normal numbers
    return exact_power(static_cast<std::size_t>(called), hits / rows, (hits + more) / rows, bound);
  }

 private:
  static void forget_groups(results::Measure& gap) {
    const std::size_t cells = gap.groups.size();
    for (std::size_t i = 0; i < gap.values.size() / 3; ++i) {
      if (i % cells == 0) continue;
      for (std::size_t end = 0; end < 3; ++end) gap.values[3 * i + end] = std::nan("");
    }
  }
};

}  // namespace

bool simulate_right_estimates() {
  fmt::print("\n{:24}{:>7}{:>7}{:>8}{:>8}{:>15}{:>12}\n", "right estimates", "rows", "hits", "more",
             "bound", "groups known", "one limit");
  bool met = true;
  for (const double rows : {30.0, 60.0, 120.0}) {
    for (const double rate : {0.1, 0.3, 0.5}) {
      for (const double more : {0.0, 0.05, 0.1}) {
        for (const double bound : {0.1, 0.15, 0.2, 0.3}) {
          const RightEstimates right{rows, std::round(rate * rows), std::round(more * rows), bound};
          const double known = right.power(true), limit = right.power(false);
          if (std::isnan(known) && std::isnan(limit)) continue;
          if (!(right.more / rows < bound)) continue;  // no number suffices
          fmt::print("{:24}{:7.0f}{:7.0f}{:8.0f}{:8.2f}{:15.3f}{:12.3f}\n", "2 groups", rows,
                     right.hits, right.more, bound, known, limit);
          met = met && !(known < 0.85) && !(limit < 0.85);
        }
      }
    }
  }
  return met;
}

}  // namespace fairfront::bench
