#include "metrics/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double length(double a, double b) { return std::sqrt(a * a + b * b); }

std::vector<Limits> limits_of(std::span<const Estimate> estimates, double tail) {
  std::vector<Limits> limits;
  limits.reserve(estimates.size());
  for (const Estimate& estimate : estimates) limits.push_back(limits_of(estimate, tail));
  return limits;
}

/// Clopper and Pearson's limits of v of n draws, which need not be whole numbers.
Limits proportion_limits(double v, double n, double tail) {
  Limits limits{v, v, 1 - v, 0};
  const double hits = v * n;
  if (v > 0) limits.below = v - beta_quantile(tail, hits, n - hits + 1);
  if (v < 1) limits.above = 1 - v - beta_quantile(tail, n - hits, hits + 1);
  return limits;
}

/// The tail at which the limits are taken for an upper end at `tail`.
double tail_of_limits(double tail) { return takes_box(tail) ? tail / 2 : tail; }

double high_at(const Limits& a, const Limits& b, double tail) {
  return a.value - b.value + b.bias +
         (takes_box(tail) ? a.above + b.below : length(a.above, b.below));
}

/// visit(a, b) for every ordered pair.
template <class Visit>
void for_each_pair(std::span<const Limits> limits, Visit visit) {
  for (std::size_t a = 0; a < limits.size(); ++a) {
    for (std::size_t b = 0; b < limits.size(); ++b) {
      if (a != b) visit(limits[a], limits[b]);
    }
  }
}

double pairs_of(std::size_t groups) {
  const auto count = static_cast<double>(groups);
  return count * (count - 1);
}

/// The limits of a ratio a / b of proportions: where those of a - R b are 0. Donner, Zou (2012).
double ratio_low(const Limits& a, const Limits& b, double tail) {
  const double low_a = a.value - a.below;
  const double high_b = b.value + b.above;
  if (takes_box(tail)) return low_a / high_b;
  const double constant = low_a * (2 * a.value - low_a);
  if (constant <= 0) return 0;
  const double middle = a.value * b.value;
  const double square = high_b * (2 * b.value - high_b);
  return constant / (middle + std::sqrt(std::max(0.0, middle * middle - square * constant)));
}
double ratio_high(const Limits& a, const Limits& b, double /*tail*/) {
  const double high_a = a.value + a.above;
  const double low_b = b.value - b.below;
  const double square = low_b * (2 * b.value - low_b);
  if (square <= 0) return infinite;
  const double middle = a.value * b.value;
  const double constant = high_a * (2 * a.value - high_a);
  return (middle + std::sqrt(std::max(0.0, middle * middle - square * constant))) / square;
}

/// A contrast and how far its limit lies away; of those with larger values only the ones with a
/// limit farther out can make the extreme of a sum.
struct Reach {
  double value;
  double length;
};

/// Keeps the contrasts that can make the extreme sum: sign +1 where the length is added, -1 where
/// it is taken off.
std::vector<Reach> extremes(std::vector<Reach> reaches, double sign) {
  std::ranges::sort(reaches, [&](const Reach& a, const Reach& b) {
    return a.value != b.value ? a.value > b.value : sign * a.length > sign * b.length;
  });
  std::vector<Reach> kept;
  for (const Reach& reach : reaches) {
    if (kept.empty() || sign * reach.length > sign * kept.back().length) kept.push_back(reach);
  }
  return kept;
}

/// The differences of all pairs whose limits, with those of another pair, can be the extreme.
/// @param add  how two deviations come together.
template <class Add>
std::vector<Reach> reaches_of(std::span<const Estimate> estimates, double tail, double sign,
                              Add add) {
  std::vector<Reach> reaches;
  for_each_pair(limits_of(estimates, tail), [&](const Limits& a, const Limits& b) {
    reaches.push_back(
        {a.value - b.value, sign > 0 ? add(a.above, b.below) : add(a.below, b.above)});
  });
  return extremes(std::move(reaches), sign);
}

template <class Add>
double largest_sum(std::span<const Estimate> first, std::span<const Estimate> second, double tail,
                   double sign, Add add) {
  const std::vector<Reach> of_second = reaches_of(second, tail, sign, add);
  double largest = -infinite;
  for (const Reach& a : reaches_of(first, tail, sign, add)) {
    for (const Reach& b : of_second) {
      largest = std::max(largest, a.value + b.value + sign * add(a.length, b.length));
    }
  }
  return largest;
}

/// Root of sum_ij correlation_ij a_i a_j for signed deviations a.
double joint_length(std::span<const double> signed_deviations,
                    std::span<const double> correlations) {
  const std::size_t count = signed_deviations.size();
  double square = 0;
  for (std::size_t i = 0; i < count; ++i) {
    square += signed_deviations[i] * signed_deviations[i];
    for (std::size_t j = 0; j < i && !correlations.empty(); ++j) {
      square += 2 * correlations[i * count + j] * signed_deviations[i] * signed_deviations[j];
    }
  }
  return std::sqrt(std::max(0.0, square));
}

double negated(const Estimate& estimate, double tail, bool high) {
  const Limits limits = limits_of(estimate, tail);
  return high ? -limits.low() : -limits.high();
}

}  // namespace

bool takes_box(double tail) {
  constexpr double least_mover_tail = 0.005 * (1 + 1e-12);
  return tail <= least_mover_tail;
}

double Moments::standard_error() const noexcept {
  if (rows < 2) return std::numeric_limits<double>::quiet_NaN();
  return std::sqrt(squares / (rows * (rows - 1)));
}

Limits limits_of(const Estimate& estimate, double tail) {
  const double v = estimate.value;
  const double s = estimate.standard_error;
  Limits limits{v, 0, 0, estimate.bias};
  switch (estimate.law) {
    case Law::proportion:
      limits = proportion_limits(v, estimate.size, tail);
      limits.bias = estimate.bias;
      break;
    case Law::positive_mean: {
      if (s == 0) break;
      const double t = student_quantile(tail, estimate.size - 1);
      limits.below = t * s;
      limits.above = v * base::expm1(t * s / v);
      break;
    }
    case Law::mean:
      if (s == 0) break;
      limits.below = limits.above = student_quantile(tail, estimate.size - 1) * s;
      break;
    case Law::normal:
      limits.below = limits.above = -normal_quantile(tail) * s;
      break;
  }
  return limits;
}

Estimate proportion(double hits, double of) { return {hits / of, Law::proportion, of}; }

Estimate bounded_mean(double value, double rows, double standard_error) {
  const double variance = standard_error * standard_error;
  // Without a deviation the rows are all that is known.
  const double worth = variance > 0 ? value * (1 - value) / variance : rows;
  return {value, Law::proportion, std::max(rows, worth)};
}

Interval interval_of_largest(const Contrasts& contrasts, double level) {
  const double tail = (1 - level) / 2;
  return {contrasts.largest_low(tail / contrasts.count), contrasts.largest_high(tail), {}};
}

Interval interval_of_smallest(const Contrasts& negatives, double level) {
  const Interval largest = interval_of_largest(negatives, level);
  return {-largest.high, -largest.low, {}};
}

double difference_low(const Limits& a, const Limits& b) {
  return a.value - b.value - a.bias - length(a.below, b.above);
}

double difference_high(const Estimate& a, const Estimate& b, double tail) {
  const double of_limits = tail_of_limits(tail);
  return high_at(limits_of(a, of_limits), limits_of(b, of_limits), tail);
}

Contrasts differences(std::vector<Estimate> of_groups) {
  const double count = pairs_of(of_groups.size());
  const auto low = [of_groups](double tail) {
    double largest = -infinite;
    for_each_pair(limits_of(of_groups, tail), [&](const Limits& a, const Limits& b) {
      largest = std::max(largest, difference_low(a, b));
    });
    return largest;
  };
  const auto high = [of_groups](double tail) {
    double largest = -infinite;
    for_each_pair(limits_of(of_groups, tail_of_limits(tail)),
                  [&](const Limits& a, const Limits& b) {
                    largest = std::max(largest, high_at(a, b, tail));
                  });
    return largest;
  };
  return {count, low, high};
}

Contrasts against_rest(std::vector<AgainstRest> groups) {
  const double count = 2 * static_cast<double>(groups.size());
  const auto low = [groups](double tail) {
    double largest = -infinite;
    for (const auto& [group, rest, weight] : groups) {
      const Limits of_group = limits_of(group, tail);
      const Limits of_rest = limits_of(rest, tail);
      largest = std::max({largest, weight * difference_low(of_group, of_rest),
                          weight * difference_low(of_rest, of_group)});
    }
    return largest;
  };
  const auto high = [groups](double tail) {
    double largest = -infinite;
    for (const auto& [group, rest, weight] : groups) {
      largest = std::max({largest, weight * difference_high(group, rest, tail),
                          weight * difference_high(rest, group, tail)});
    }
    return largest;
  };
  return {count, low, high};
}

Contrasts values(std::vector<Estimate> of_groups) {
  const auto largest = [of_groups](double tail, double (Limits::*end)() const noexcept) {
    double found = -infinite;
    for (const Estimate& estimate : of_groups) {
      found = std::max(found, (limits_of(estimate, tail).*end)());
    }
    return found;
  };
  return {static_cast<double>(of_groups.size()),
          [largest](double tail) { return largest(tail, &Limits::low); },
          [largest](double tail) { return largest(tail, &Limits::high); }};
}

Contrasts negative_values(std::vector<Estimate> of_groups) {
  const auto largest = [of_groups](double tail, bool high) {
    double found = -infinite;
    for (const Estimate& estimate : of_groups) {
      found = std::max(found, negated(estimate, tail, high));
    }
    return found;
  };
  return {static_cast<double>(of_groups.size()),
          [largest](double tail) { return largest(tail, false); },
          [largest](double tail) { return largest(tail, true); }};
}

Contrasts negative_ratios(std::vector<Estimate> of_groups) {
  using End = double (*)(const Limits&, const Limits&, double);
  const double count = pairs_of(of_groups.size());
  const auto largest = [of_groups](double tail, double of_limits, End end) {
    double found = -infinite;
    for_each_pair(limits_of(of_groups, of_limits), [&](const Limits& a, const Limits& b) {
      found = std::max(found, -end(a, b, tail));
    });
    return found;
  };
  return {count, [largest](double tail) { return largest(tail, tail, ratio_high); },
          [largest](double tail) { return largest(tail, tail_of_limits(tail), ratio_low); }};
}

Limits limits_of(const WeightedSum& sum, double tail) {
  std::vector<double> above;
  std::vector<double> below;
  Limits limits{sum.constant, 0, 0, 0};
  for (std::size_t i = 0; i < sum.estimates.size(); ++i) {
    const double weight = sum.weights[i];
    const Limits of_term = limits_of(sum.estimates[i], tail);
    limits.value += weight * of_term.value;
    above.push_back(weight * (weight > 0 ? of_term.above : of_term.below));
    below.push_back(weight * (weight > 0 ? of_term.below : of_term.above));
  }
  limits.above = joint_length(above, sum.correlations);
  limits.below = joint_length(below, sum.correlations);
  return limits;
}

double high_of(const WeightedSum& sum, double tail) {
  if (!takes_box(tail)) return limits_of(sum, tail).high();
  double high = sum.constant;
  const double of_each = tail / static_cast<double>(sum.estimates.size());
  for (std::size_t i = 0; i < sum.estimates.size(); ++i) {
    const double weight = sum.weights[i];
    const Limits limits = limits_of(sum.estimates[i], of_each);
    high += weight * (weight > 0 ? limits.high() : limits.low());
  }
  return high;
}

WeightedSum negative(WeightedSum sum) {
  sum.constant = -sum.constant;
  for (double& weight : sum.weights) weight = -weight;
  return sum;
}

Contrasts absolute_values(std::vector<WeightedSum> sums) {
  const double count = 2 * static_cast<double>(sums.size());
  std::vector<WeightedSum> both = sums;
  for (WeightedSum& sum : sums) both.push_back(negative(std::move(sum)));
  const auto low = [both](double tail) {
    double largest = -infinite;
    for (const WeightedSum& sum : both) {
      base::stop_point();
      largest = std::max(largest, limits_of(sum, tail).low());
    }
    return largest;
  };
  const auto high = [both](double tail) {
    double largest = -infinite;
    for (const WeightedSum& sum : both) {
      base::stop_point();
      largest = std::max(largest, high_of(sum, tail));
    }
    return largest;
  };
  return {count, low, high};
}

Contrasts either(Contrasts a, Contrasts b) {
  return {a.count + b.count,
          [low_a = std::move(a.largest_low), low_b = std::move(b.largest_low)](double tail) {
            return std::max(low_a(tail), low_b(tail));
          },
          [high_a = std::move(a.largest_high), high_b = std::move(b.largest_high)](double tail) {
            return std::max(high_a(tail), high_b(tail));
          }};
}

Contrasts sums_of_differences(std::vector<Estimate> first, std::vector<Estimate> second) {
  const double count = pairs_of(first.size()) * pairs_of(second.size());
  const auto low = [first, second](double tail) {
    return largest_sum(first, second, tail, -1, length);
  };
  const auto high = [first, second](double tail) {
    if (!takes_box(tail)) return largest_sum(first, second, tail, 1, length);
    return largest_sum(first, second, tail / 4, 1, std::plus{});
  };
  return {count, low, high};
}

}  // namespace fairfront::metrics
