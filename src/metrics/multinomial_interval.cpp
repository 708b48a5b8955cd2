#include "metrics/multinomial_interval.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

/// The share at which P(more than `rows`) + P(as many) / 2 is `probability`, 0 < rows + 1 and at
/// least one of the two distributions not degenerate.
double mid_p_share(double rows, double of, double probability) {
  const auto at_least = [&](double count, double share) {
    if (count <= 0) return 1.0;
    if (count > of) return 0.0;
    return incomplete_beta(count, of - count + 1, share, 1 - share);
  };
  double low = rows > 0 ? beta_quantile(probability, rows, of - rows + 1) : 0.0;
  double high = rows < of ? beta_quantile(probability, rows + 1, of - rows) : 1.0;
  // The two are those of a row less and of the rows: less than a few rows apart.
  constexpr int halvings = 40;
  for (int i = 0; i < halvings; ++i) {
    const double middle = low + (high - low) / 2;
    const double found = (at_least(rows, middle) + at_least(rows + 1, middle)) / 2;
    (found < probability ? low : high) = middle;
  }
  return low + (high - low) / 2;
}

/// How far the sum reaches by one kind, and how this goes with the others.
struct KindReach {
  double up = 0, down = 0;  ///< of the sum, >= 0
  double odds_root = 0;     ///< sqrt(p / (1 - p)), p the kind's share
  bool rises = true;        ///< the sum with the kind's rows
};

std::vector<WeightedRows> of_different_weights(std::span<const WeightedRows> kinds) {
  std::vector<WeightedRows> merged;
  for (const WeightedRows& kind : kinds) {
    if (kind.weight == 0) continue;
    const auto same = std::ranges::find(merged, kind.weight, &WeightedRows::weight);
    if (same == merged.end()) {
      merged.push_back(kind);
    } else {
      same->rows += kind.rows;
    }
  }
  return merged;
}

double joint(const std::vector<KindReach>& reaches, double KindReach::*side) {
  double sum = 0;
  for (std::size_t i = 0; i < reaches.size(); ++i) {
    const KindReach& one = reaches[i];
    sum += one.*side * (one.*side);
    for (std::size_t j = 0; j < i; ++j) {
      const KindReach& other = reaches[j];
      const double sign = one.rises == other.rises ? -1 : 1;
      sum += 2 * sign * one.odds_root * other.odds_root * (one.*side) * (other.*side);
    }
  }
  return std::sqrt(std::max(0.0, sum));
}

}  // namespace

CountLimits mid_p_limits(double rows, double of, double tail) {
  return {rows > 0 ? of * mid_p_share(rows, of, tail) : 0.0,
          rows < of ? of * mid_p_share(rows, of, 1 - tail) : of};
}

Interval multinomial_interval(double value, std::span<const WeightedRows> kinds, double tail) {
  double of = 0;
  for (const WeightedRows& kind : kinds) of += kind.rows;
  std::vector<KindReach> reaches;
  for (const WeightedRows& kind : of_different_weights(kinds)) {
    const CountLimits limits = mid_p_limits(kind.rows, of, tail);
    const double size = std::abs(kind.weight);
    const double more = size * (limits.high - kind.rows);
    const double fewer = size * (kind.rows - limits.low);
    const bool rises = kind.weight > 0;
    reaches.push_back({rises ? more : fewer, rises ? fewer : more,
                       std::sqrt((kind.rows + 0.5) / (of - kind.rows + 0.5)), rises});
  }
  return {value - joint(reaches, &KindReach::down), value + joint(reaches, &KindReach::up), {}};
}

}  // namespace fairfront::metrics
