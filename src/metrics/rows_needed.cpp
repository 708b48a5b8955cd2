#include "metrics/rows_needed.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <limits>
#include <utility>

#include "base/elementary.hpp"
#include "metrics/quantile.hpp"

namespace fairfront::metrics {
namespace {

constexpr std::int64_t draws = 16'384;
constexpr std::int64_t truths = 256;
constexpr std::int64_t draws_of_truth = 128;

/// The first primes.
std::vector<double> primes(std::size_t count) {
  std::vector<double> found;
  for (std::int64_t next = 2; found.size() < count; ++next) {
    const bool composite = std::ranges::any_of(
        found, [&](double p) { return next % static_cast<std::int64_t>(p) == 0; });
    if (!composite) found.push_back(static_cast<double>(next));
  }
  return found;
}

std::vector<double> roots_of_primes(std::size_t count) {
  std::vector<double> roots = primes(count);
  for (double& root : roots) root = std::sqrt(root);
  return roots;
}

/// A point of the sequence, in (0, 1) in every direction.
double place(std::int64_t draw, double root) {
  const double along = static_cast<double>(draw) * root;
  return std::clamp(along - std::floor(along), 1e-12, 1 - 1e-12);
}

/// Standard normal, of every direction one.
std::vector<double> normals(std::int64_t draw, std::span<const double> roots) {
  std::vector<double> x;
  for (const double root : roots) x.push_back(normal_quantile(place(draw, root)));
  return x;
}

/// The largest r at which every pair of the gap passes; infinite where all do at any.
double largest_scale(const BoundedGap& gap, std::span<const double> x, double tail) {
  double largest = std::numeric_limits<double>::infinity();
  const std::vector<double>& value = gap.of_groups.value;
  const std::vector<double>& error = gap.of_groups.error;
  for (std::size_t a = 0; a < value.size(); ++a) {
    for (std::size_t b = 0; b < value.size(); ++b) {
      if (a == b) continue;
      const double rises = error[a] * x[a] - error[b] * x[b] +
                           tail * std::sqrt(error[a] * error[a] + error[b] * error[b]);
      if (rises > 0) largest = std::min(largest, (gap.bound - (value[a] - value[b])) / rises);
    }
  }
  return largest;
}

/// Of all gaps, with the normals of one after those of the other.
double largest_scale(std::span<const BoundedGap> gaps, std::span<const double> x, double tail) {
  double scale = std::numeric_limits<double>::infinity();
  std::size_t first = 0;
  for (const BoundedGap& gap : gaps) {
    const std::size_t count = gap.of_groups.value.size();
    scale = std::min(scale, largest_scale(gap, x.subspan(first, count), tail));
    first += count;
  }
  return scale;
}

bool keeps(const BoundedGap& gap) {
  const auto [least, most] = std::ranges::minmax(gap.of_groups.value);
  return most - least < gap.bound;
}

/// The mean range of so many standard normals.
double expected_range(std::size_t groups) {
  const std::vector<double> roots = roots_of_primes(groups);
  double sum = 0;
  for (std::int64_t draw = 1; draw <= draws; ++draw) {
    const std::vector<double> x = normals(draw, roots);
    const auto [least, most] = std::ranges::minmax(x);
    sum += most - least;
  }
  return sum / static_cast<double>(draws);
}

/// What the numbers of a gap's groups may be in truth, of a point that was only picked.
class BeliefOfPicked {
 public:
  explicit BeliefOfPicked(const SeenGap& gap) : seen_{pooled(gap.tested, gap.decided)} {
    constexpr int steps = 40;
    const double largest = gap.bound / expected_range(seen_.value.size());
    std::vector<double> logs;
    for (int step = 0; step < steps; ++step) {
      deviation_.push_back((step + 0.5) / steps * largest);
      logs.push_back(log_likelihood(deviation_.back()));
    }
    const double most = std::ranges::max(logs);
    double sum = 0;
    for (const double log : logs) probability_.push_back(sum += base::exp(log - most));
    for (double& probability : probability_) probability /= sum;
  }

  /// @param along  of the deviations, in (0, 1).
  /// @param x      standard normals: one of each group, and one of their mean.
  [[nodiscard]] std::vector<double> truth(double along, std::span<const double> x) const {
    const auto found = std::ranges::lower_bound(probability_, along);
    const auto last = static_cast<std::ptrdiff_t>(deviation_.size()) - 1;
    const double deviation = deviation_[static_cast<std::size_t>(
        std::min(last, std::ranges::distance(probability_.begin(), found)))];
    const Mean mean = mean_at(deviation);
    const double centre = mean.value + x[seen_.value.size()] / std::sqrt(mean.weights);
    std::vector<double> numbers;
    for (std::size_t g = 0; g < seen_.value.size(); ++g) {
      const double kept = deviation * deviation / variance_at(deviation, g);
      numbers.push_back(centre + kept * (seen_.value[g] - centre) +
                        std::sqrt(kept) * seen_.error[g] * x[g]);
    }
    return numbers;
  }

 private:
  struct Mean {
    double value = 0;
    double weights = 0;
  };
  [[nodiscard]] double variance_at(double deviation, std::size_t g) const {
    return deviation * deviation + seen_.error[g] * seen_.error[g];
  }
  [[nodiscard]] Mean mean_at(double deviation) const {
    double sum = 0, weights = 0;
    for (std::size_t g = 0; g < seen_.value.size(); ++g) {
      weights += 1 / variance_at(deviation, g);
      sum += seen_.value[g] / variance_at(deviation, g);
    }
    return {sum / weights, weights};
  }
  /// Of what was seen, over all means: Gelman, Carlin, Stern, Dunson, Vehtari, Rubin (2013),
  /// (5.21).
  [[nodiscard]] double log_likelihood(double deviation) const {
    const Mean mean = mean_at(deviation);
    double sum = base::log(mean.weights);
    for (std::size_t g = 0; g < seen_.value.size(); ++g) {
      const double off = seen_.value[g] - mean.value;
      const double variance = variance_at(deviation, g);
      sum += base::log(variance) + off * off / variance;
    }
    return -sum / 2;
  }

  GroupNumbers seen_;
  std::vector<double> deviation_;
  std::vector<double> probability_;  ///< of this deviation or a smaller one
};

/// The same of a point that was fitted to the rows that decide: any numbers around what both parts
/// say, also such as differ more than those of picked points would.
class BeliefOfFitted {
 public:
  explicit BeliefOfFitted(const SeenGap& gap) : seen_{pooled(gap.tested, gap.decided)} {}

  /// As of BeliefOfPicked; there is no deviation, and no mean.
  [[nodiscard]] std::vector<double> truth(double /*along*/, std::span<const double> x) const {
    std::vector<double> numbers;
    for (std::size_t g = 0; g < seen_.value.size(); ++g) {
      numbers.push_back(seen_.value[g] + seen_.error[g] * x[g]);
    }
    return numbers;
  }

 private:
  GroupNumbers seen_;
};

/// What all gaps may be in truth, draw by draw.
template <class Belief>
class Truths {
 public:
  Truths(std::span<const SeenGap> gaps, std::span<const double> roots) : roots_{roots} {
    for (const SeenGap& gap : gaps) {
      beliefs_.emplace_back(gap);
      gaps_.push_back({gap.tested, gap.bound});
    }
  }
  /// Valid until the next call.
  std::span<const BoundedGap> draw(std::int64_t number) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < gaps_.size(); ++i) {
      const std::size_t count = gaps_[i].of_groups.value.size() + 1;
      gaps_[i].of_groups.value = beliefs_[i].truth(place(number, roots_[first + count]),
                                                   normals(number, roots_.subspan(first, count)));
      first += count + 1;
    }
    return gaps_;
  }

 private:
  std::span<const double> roots_;
  std::vector<Belief> beliefs_;
  std::vector<BoundedGap> gaps_;
};

/// The growth of one draw of the rows to come, and how much it counts.
struct WeightedGrowth {
  double growth;
  double weight;
};

struct Growths {
  std::vector<WeightedGrowth> of_draws;  ///< ascend; none: the bounds are rather broken than kept
  double weights = 0;                    ///< their sum
};

template <class Belief>
Growths growths_of(std::span<const SeenGap> gaps, double tail) {
  std::size_t groups = 0;
  for (const SeenGap& gap : gaps) groups += gap.tested.value.size();
  // Of the rows to come a direction for every group; of the truth also one for the mean of each
  // gap's groups and one for their deviation.
  const std::vector<double> roots = roots_of_primes(2 * groups + 2 * gaps.size());
  const std::span<const double> of_rows = std::span(roots).first(groups);
  Truths<Belief> belief(gaps, std::span(roots).subspan(groups));
  Growths growths;
  double weights = 0, kept = 0;
  for (std::int64_t truth = 0; truth < truths; ++truth) {
    const std::span<const BoundedGap> true_gaps = belief.draw(truth + 1);
    if (!std::ranges::all_of(true_gaps, keeps)) {
      weights += 1;  // next to all of its draws fail
      continue;
    }
    std::vector<double> scales;
    for (std::int64_t draw = 1; draw <= draws_of_truth; ++draw) {
      scales.push_back(
          largest_scale(true_gaps, normals(truth * draws_of_truth + draw, of_rows), tail));
    }
    const auto failures = std::ranges::count_if(scales, [](double scale) { return scale < 1; });
    const double weight = static_cast<double>(draws_of_truth) /
                          static_cast<double>(std::max<std::ptrdiff_t>(1, failures));
    weights += weight;
    kept += weight;
    for (const double scale : scales) {
      growths.of_draws.push_back({1 / (scale * scale), weight});
      growths.weights += weight;
    }
  }
  if (2 * kept < weights) return {};
  std::ranges::sort(growths.of_draws, {}, &WeightedGrowth::growth);
  return growths;
}

}  // namespace

GroupNumbers pooled(const GroupNumbers& a, const GroupNumbers& b) {
  GroupNumbers both;
  for (std::size_t g = 0; g < a.value.size(); ++g) {
    const double of_a = 1 / (a.error[g] * a.error[g]);
    const double of_b = 1 / (b.error[g] * b.error[g]);
    both.value.push_back((of_a * a.value[g] + of_b * b.value[g]) / (of_a + of_b));
    both.error.push_back(1 / std::sqrt(of_a + of_b));
  }
  return both;
}

RowsToCome::RowsToCome(std::size_t groups, std::int64_t draws) : groups_{groups} {
  const std::vector<double> roots = roots_of_primes(groups);
  normals_.reserve(static_cast<std::size_t>(draws) * groups);
  for (std::int64_t draw = 1; draw <= draws; ++draw) {
    std::ranges::copy(normals(draw, roots), std::back_inserter(normals_));
  }
}

double RowsToCome::growth(std::span<const BoundedGap> gaps, double tail, double power) const {
  if (!std::ranges::all_of(gaps, keeps)) return std::numeric_limits<double>::infinity();
  std::vector<double> growths;
  for (std::size_t first = 0; first < normals_.size(); first += groups_) {
    const double scale = largest_scale(gaps, std::span(normals_).subspan(first, groups_), tail);
    growths.push_back(1 / (scale * scale));
  }
  const double count = static_cast<double>(growths.size());
  const auto at = static_cast<std::ptrdiff_t>(std::ceil(power * count)) - 1;
  std::ranges::nth_element(growths, growths.begin() + at);
  return growths[static_cast<std::size_t>(at)];
}

double growth_for_power(std::span<const BoundedGap> gaps, double tail, double power) {
  std::size_t groups = 0;
  for (const BoundedGap& gap : gaps) groups += gap.of_groups.value.size();
  return RowsToCome(groups, draws).growth(gaps, tail, power);
}

double growth_after_failure(std::span<const SeenGap> gaps, double tail, double power) {
  const Growths growths = growths_of<BeliefOfPicked>(gaps, tail);
  if (growths.of_draws.empty()) return std::numeric_limits<double>::infinity();
  double reached = 0;
  for (const WeightedGrowth& of_draw : growths.of_draws) {
    reached += of_draw.weight;
    if (reached >= power * growths.weights) return of_draw.growth;
  }
  return growths.of_draws.back().growth;
}

double growth_after_fit(std::span<const SeenGap> gaps, double tail) {
  constexpr double gain_of_doubling = 0.065;
  const Growths growths = growths_of<BeliefOfFitted>(gaps, tail);
  double best = std::numeric_limits<double>::infinity();
  double most = -best;
  double reached = 0;
  for (const WeightedGrowth& of_draw : growths.of_draws) {
    reached += of_draw.weight;
    const double growth = std::max(1.0, of_draw.growth);
    const double worth = reached / growths.weights - gain_of_doubling * base::log2(growth);
    if (worth <= most) continue;
    most = worth;
    best = growth;
  }
  return best;
}

}  // namespace fairfront::metrics
