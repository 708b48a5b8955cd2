#include "metrics/contrast.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <map>
#include <tuple>
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

/// The draws that a proportion is worth at a tail: less where its standard error is itself an
/// estimate, by how much Student's quantile is above the normal one. Korn, Graubard (1998).
double size_at(const Estimate& estimate, double tail) {
  if (estimate.degrees == 0) return estimate.size;
  const double ratio = normal_quantile(tail) / student_quantile(tail, estimate.degrees);
  return std::max(estimate.least_size, estimate.size * ratio * ratio);
}

/// Of a - b, from limits that are those of the box at half the tail each.
double high_at(const Limits& a, const Limits& b, bool box) {
  return a.value - b.value + b.bias + (box ? a.above + b.below : length(a.above, b.below));
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

/// Estimates of which equal ones, as the rest of one of two groups is the other one, have their
/// limits taken once.
class SharedLimits {
 public:
  std::size_t number_of(const Estimate& estimate) {
    const auto [found, is_new] = numbers_.try_emplace(key_of(estimate), estimates_.size());
    if (is_new) estimates_.push_back(estimate);
    return found->second;
  }
  [[nodiscard]] std::span<const Estimate> estimates() const noexcept { return estimates_; }

 private:
  using Key = std::tuple<double, Law, double, double, double, double, double, double, double>;
  static Key key_of(const Estimate& e) {
    return {e.value,   e.law,        e.size,        e.standard_error, e.bias,
            e.degrees, e.least_size, e.error_above, e.mean_above};
  }

  std::map<Key, std::size_t> numbers_;
  std::vector<Estimate> estimates_;
};

/// Of an AgainstRest, by the numbers of its estimates.
struct SharedPair {
  std::size_t group;
  std::size_t rest;
  double weight;
};

double pairs_of(std::size_t groups) {
  const auto count = static_cast<double>(groups);
  return count * (count - 1);
}

/// The limits of a ratio a / b of proportions: where those of a - R b are 0. Donner, Zou (2012).
double ratio_low(const Limits& a, const Limits& b, bool box) {
  const double low_a = a.value - a.below;
  const double high_b = b.value + b.above;
  if (box) return low_a / high_b;
  const double constant = low_a * (2 * a.value - low_a);
  if (constant <= 0) return 0;
  const double middle = a.value * b.value;
  const double square = high_b * (2 * b.value - high_b);
  return constant / (middle + std::sqrt(std::max(0.0, middle * middle - square * constant)));
}
double ratio_high(const Limits& a, const Limits& b) {
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

/// The differences of all pairs of estimates.
/// @param add  how two deviations come together.
template <class Add>
std::vector<Reach> reaches_of(std::span<const Estimate> estimates, double tail, double sign,
                              Add add) {
  std::vector<Reach> reaches;
  for_each_pair(limits_of(estimates, tail), [&](const Limits& a, const Limits& b) {
    reaches.push_back(
        {a.value - b.value, sign > 0 ? add(a.above, b.below) : add(a.below, b.above)});
  });
  return reaches;
}

template <class Add>
double largest_sum(const Reach& a, std::span<const Reach> others, double sign, Add add) {
  double largest = -infinite;
  for (const Reach& b : others) {
    largest = std::max(largest, a.value + b.value + sign * add(a.length, b.length));
  }
  return largest;
}

template <class Add>
double largest_sum(std::span<const Estimate> first, std::span<const Estimate> second, double tail,
                   double sign, Add add) {
  const std::vector<Reach> of_second = extremes(reaches_of(second, tail, sign, add), sign);
  double largest = -infinite;
  for (const Reach& a : extremes(reaches_of(first, tail, sign, add), sign)) {
    largest = std::max(largest, largest_sum(a, of_second, sign, add));
  }
  return largest;
}

/// Of every difference of two estimates, its largest upper limit with a difference of `others`.
std::vector<double> best_sums(std::span<const Estimate> estimates, std::span<const Estimate> others,
                              double tail) {
  const std::vector<Reach> of_others = extremes(reaches_of(others, tail, 1, length), 1);
  std::vector<double> best;
  for (const Reach& a : reaches_of(estimates, tail, 1, length)) {
    best.push_back(largest_sum(a, of_others, 1, length));
  }
  return best;
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

/// The largest lower limit at tails that are shared by those that can be the largest.
double narrowed_low(const Contrasts& contrasts, double alpha) {
  constexpr int most_rounds = 5;
  const double of_choice = alpha / 20;
  const Reaching reaching = contrasts.reaching(of_choice / contrasts.count);
  double low = contrasts.least;
  for (int round = 0; round < most_rounds; ++round) {
    const double count = std::max(1.0, reaching(low));
    const double next = contrasts.largest_low((alpha / 2 - of_choice) / count);
    if (next <= low) break;
    low = next;
  }
  return low;
}

}  // namespace

double number_reaching(const std::vector<double>& limits, double bar) {
  return static_cast<double>(
      std::ranges::count_if(limits, [&](double limit) { return limit >= bar; }));
}

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
      limits = proportion_limits(v, size_at(estimate, tail), tail);
      limits.bias = estimate.bias;
      break;
    case Law::positive_mean: {
      if (s == 0) break;
      const double t = student_quantile(tail, estimate.size - 1);
      const double error = std::max(s, estimate.error_above);
      const double mean = std::max({v, estimate.mean_above, error});
      limits.below = t * s;
      limits.above = mean * base::expm1(t * error / mean);
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
  Estimate estimate{value, Law::proportion, rows};
  // Without a deviation the rows are all that is known.
  if (!(variance > 0)) return estimate;
  estimate.size = std::max(rows, value * (1 - value) / variance);
  estimate.degrees = rows - 1;
  estimate.least_size = rows;
  return estimate;
}

Interval interval_of_largest(const Contrasts& contrasts, double level) {
  const double alpha = 1 - level;
  return {narrowed_low(contrasts, alpha), contrasts.largest_high(alpha / 2), {}};
}

Interval interval_of_smallest(const Contrasts& negatives, double level) {
  const Interval largest = interval_of_largest(negatives, level);
  return {-largest.high, -largest.low, {}};
}

double difference_low(const Limits& a, const Limits& b) {
  return a.value - b.value - a.bias - length(a.below, b.above);
}

double difference_high(const Estimate& a, const Estimate& b, double tail) {
  const bool box = takes_box(tail);
  const double of_limits = box ? tail / 2 : tail;
  return high_at(limits_of(a, of_limits), limits_of(b, of_limits), box);
}

Contrasts differences(std::vector<Estimate> of_groups) {
  return contrasts_of(
      pairs_of(of_groups.size()), 0,
      [of_groups](double tail, auto visit) {
        for_each_pair(limits_of(of_groups, tail),
                      [&](const Limits& a, const Limits& b) { visit(difference_low(a, b)); });
      },
      [of_groups](double tail, bool box, auto visit) {
        for_each_pair(limits_of(of_groups, box ? tail / 2 : tail),
                      [&](const Limits& a, const Limits& b) { visit(high_at(a, b, box)); });
      });
}

Contrasts against_rest(std::vector<AgainstRest> groups) {
  const double count = 2 * static_cast<double>(groups.size());
  SharedLimits shared;
  std::vector<SharedPair> pairs;
  for (const auto& [group, rest, weight] : groups) {
    pairs.push_back({shared.number_of(group), shared.number_of(rest), weight});
  }
  return contrasts_of(
      count, 0,
      [shared, pairs](double tail, auto visit) {
        const std::vector<Limits> limits = limits_of(shared.estimates(), tail);
        for (const auto& [group, rest, weight] : pairs) {
          visit(weight * difference_low(limits[group], limits[rest]));
          visit(weight * difference_low(limits[rest], limits[group]));
        }
      },
      [shared, pairs](double tail, bool box, auto visit) {
        const std::vector<Limits> limits = limits_of(shared.estimates(), box ? tail / 2 : tail);
        for (const auto& [group, rest, weight] : pairs) {
          visit(weight * high_at(limits[group], limits[rest], box));
          visit(weight * high_at(limits[rest], limits[group], box));
        }
      });
}

Contrasts values(std::vector<Estimate> of_groups) {
  return contrasts_of(
      static_cast<double>(of_groups.size()), -infinite,
      [of_groups](double tail, auto visit) {
        for (const Limits& limits : limits_of(of_groups, tail)) visit(limits.low());
      },
      [of_groups](double tail, bool /*box*/, auto visit) {
        for (const Limits& limits : limits_of(of_groups, tail)) visit(limits.high());
      });
}

Contrasts negative_values(std::vector<Estimate> of_groups) {
  return contrasts_of(
      static_cast<double>(of_groups.size()), -infinite,
      [of_groups](double tail, auto visit) {
        for (const Limits& limits : limits_of(of_groups, tail)) visit(-limits.high());
      },
      [of_groups](double tail, bool /*box*/, auto visit) {
        for (const Limits& limits : limits_of(of_groups, tail)) visit(-limits.low());
      });
}

Contrasts negative_ratios(std::vector<Estimate> of_groups) {
  return contrasts_of(
      pairs_of(of_groups.size()), -1,
      [of_groups](double tail, auto visit) {
        for_each_pair(limits_of(of_groups, tail),
                      [&](const Limits& a, const Limits& b) { visit(-ratio_high(a, b)); });
      },
      [of_groups](double tail, bool box, auto visit) {
        for_each_pair(limits_of(of_groups, box ? tail / 2 : tail),
                      [&](const Limits& a, const Limits& b) { visit(-ratio_low(a, b, box)); });
      });
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

Limits outer_limits_of(const WeightedSum& sum, double tail) {
  if (!takes_box(tail)) return limits_of(sum, tail);
  Limits limits{sum.constant, 0, 0, 0};
  const double of_each = tail / static_cast<double>(sum.estimates.size());
  for (std::size_t i = 0; i < sum.estimates.size(); ++i) {
    const double weight = sum.weights[i];
    const Limits of_term = limits_of(sum.estimates[i], of_each);
    limits.value += weight * of_term.value;
    limits.above += std::abs(weight) * (weight > 0 ? of_term.above : of_term.below);
    limits.below += std::abs(weight) * (weight > 0 ? of_term.below : of_term.above);
  }
  return limits;
}

Contrasts absolute_values(std::vector<WeightedSum> sums) {
  const double count = 2 * static_cast<double>(sums.size());
  return contrasts_of(
      count, 0,
      [sums](double tail, auto visit) {
        for (const WeightedSum& sum : sums) {
          base::stop_point();
          const Limits limits = limits_of(sum, tail);
          visit(limits.low());
          visit(-limits.high());
        }
      },
      [sums](double tail, bool box, auto visit) {
        for (const WeightedSum& sum : sums) {
          base::stop_point();
          const Limits limits = box ? outer_limits_of(sum, tail) : limits_of(sum, tail);
          visit(limits.high());
          visit(-limits.low());
        }
      });
}

Contrasts either(Contrasts a, Contrasts b) {
  return {a.count + b.count, std::max(a.least, b.least),
          [low_a = std::move(a.largest_low), low_b = std::move(b.largest_low)](double tail) {
            return std::max(low_a(tail), low_b(tail));
          },
          [high_a = std::move(a.largest_high), high_b = std::move(b.largest_high)](double tail) {
            return std::max(high_a(tail), high_b(tail));
          },
          [of_a = std::move(a.reaching), of_b = std::move(b.reaching)](double tail) -> Reaching {
            return [in_a = of_a(tail), in_b = of_b(tail)](double bar) {
              return in_a(bar) + in_b(bar);
            };
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
  // At most so many: the differences that reach the bar with some of the other.
  const auto reaching = [first, second](double tail) -> Reaching {
    return [of_first = best_sums(first, second, tail),
            of_second = best_sums(second, first, tail)](double bar) {
      return number_reaching(of_first, bar) * number_reaching(of_second, bar);
    };
  };
  return {count, 0, low, high, reaching};
}

}  // namespace fairfront::metrics
