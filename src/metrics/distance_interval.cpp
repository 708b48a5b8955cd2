#include "metrics/distance_interval.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <numbers>
#include <span>
#include <string>
#include <utility>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "metrics/contrast.hpp"
#include "metrics/distance.hpp"
#include "metrics/quantile.hpp"
#include "metrics/sorting.hpp"

namespace fairfront::metrics {
namespace {

using Scores = std::vector<double>;

/// How far a proportion of n rows may lie above its estimate, at one tail: exact for few rows, else
/// between nodes that are dense towards 0 and 1, to 1e-4 of it.
class StepLimits {
 public:
  StepLimits(double rows, double tail) {
    constexpr double most = 128;
    const double last = std::min(rows, most);
    for (double node = 0; node <= last; ++node) {
      const double sine = base::sin(std::numbers::pi * node / (2 * last));
      share_.push_back(rows <= most ? node / rows : sine * sine);
    }
    share_.back() = 1;
    // What is above a share is below the one that is opposite.
    above_.resize(share_.size());
    for (std::size_t node = 0; 2 * node < share_.size(); ++node) {
      const Limits limits = limits_of(Estimate{share_[node], Law::proportion, rows}, tail);
      above_[node] = limits.above;
      above_[share_.size() - 1 - node] = limits.below;
      farthest_ = std::max({farthest_, limits.above, limits.below});
    }
  }
  [[nodiscard]] double above(double share) const {
    const auto right = std::ranges::upper_bound(share_, share);
    if (right == share_.end()) return above_.back();
    const auto i = static_cast<std::size_t>(right - share_.begin());
    const double part = (share - share_[i - 1]) / (share_[i] - share_[i - 1]);
    return above_[i - 1] + part * (above_[i] - above_[i - 1]);
  }
  [[nodiscard]] double below(double share) const { return above(1 - share); }
  [[nodiscard]] double farthest() const { return farthest_; }

 private:
  std::vector<double> share_;
  std::vector<double> above_;
  double farthest_ = 0;  ///< of `above_`
};

/// One for each number of rows.
class LimitsByRows {
 public:
  explicit LimitsByRows(double tail) : tail_{tail} {}
  const StepLimits& of(double rows) {
    const auto found = limits_.find(rows);
    if (found != limits_.end()) return found->second;
    return limits_.emplace(rows, StepLimits(rows, tail_)).first->second;
  }

 private:
  double tail_;
  std::map<double, StepLimits> limits_;
};

/// x with Pr(X + Y > x) = tail of two variables with Pr(X > x) = exp(-2 n x^2) and
/// Pr(Y > x) = exp(-2 m x^2): an upper bound of it, closer than 1e-3.
double sum_of_deviations(double n, double m, double tail) {
  const double a = 2 * n;
  const double b = 2 * m;
  const double both = a * b / (a + b);
  const auto probability = [&](double x) {
    const double square = x * x;
    return (b * base::exp(-a * square) + a * base::exp(-b * square)) / (a + b) +
           2 * both * x * std::sqrt(std::numbers::pi / (a + b)) * base::exp(-both * square);
  };
  double low = std::sqrt(-base::log(tail) / both);  // where the last factor alone is the tail
  double high = low;
  while (probability(high) > tail) high *= 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (probability(middle) > tail ? low : high) = middle;
  }
  return high;
}

/// Largest upper limit over the pieces and both signs.
double largest_step_high(const ComparedSteps& pair, LimitsByRows& limits, bool box) {
  const StepLimits& of_a = limits.of(pair.rows_a);
  const StepLimits& of_b = limits.of(pair.rows_b);
  const auto reach = [&](double above, double below) {
    return box ? above + below : std::sqrt(above * above + below * below);
  };
  const double farthest = reach(of_a.farthest(), of_b.farthest());
  double largest = 0;
  pair.steps([&](double a, double b) {
    // Most pieces lie so close that none of their limits is the largest.
    if (a - b + farthest > largest) {
      largest = std::max(largest, a - b + reach(of_a.above(a), of_b.below(b)));
    }
    if (b - a + farthest > largest) {
      largest = std::max(largest, b - a + reach(of_b.above(b), of_a.below(a)));
    }
  });
  return std::min(1.0, largest);
}

/// Walks through two ascending lists: visit(F_a, F_b, from, to) on every piece between two
/// neighbouring values; `to` is infinite behind the last, `from` minus infinite before the first.
template <class Visit>
void for_each_piece(const Scores& a, const Scores& b, Visit visit) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto n = static_cast<double>(a.size());
  const auto m = static_cast<double>(b.size());
  double from = -infinite;
  for (std::size_t i = 0, j = 0;;) {
    const double to = std::min(i < a.size() ? a[i] : infinite, j < b.size() ? b[j] : infinite);
    visit(static_cast<double>(i) / n, static_cast<double>(j) / m, from, to);
    if (i == a.size() && j == b.size()) return;
    while (i < a.size() && a[i] == to) ++i;
    while (j < b.size() && b[j] == to) ++j;
    from = to;
  }
}

ComparedSteps compared(const Scores& a, const Scores& b, double weight) {
  return {static_cast<double>(a.size()), static_cast<double>(b.size()), kolmogorov_smirnov(a, b),
          weight, [&a, &b](const std::function<void(double, double)>& visit) {
            for_each_piece(a, b,
                           [&](double of_a, double of_b, double, double) { visit(of_a, of_b); });
          }};
}

/// The groups' scores, or why there is no interval.
struct SortedGroups {
  std::vector<Scores> of_group;
  std::string missing;
};
SortedGroups sorted_groups(const Scored& scored) {
  if (std::string alone = missing_pair(scored.groups); !alone.empty()) return {{}, alone};
  SortedGroups groups{sorted_by_group(scored), {}};
  for (std::size_t g = 0; g < groups.of_group.size(); ++g) {
    if (groups.of_group[g].empty()) return {{}, fmt::format("no row in group {}", g)};
  }
  return groups;
}

Moments moments_of(const Scores& scores) {
  Moments moments;
  for (const double score : scores) moments.add(score);
  return moments;
}

MovedMass moved_mass(const Scores& a, const Scores& b, double error_a, double error_b) {
  MovedMass found;
  found.distance = wasserstein_1(a, b);
  found.standard_error = std::sqrt(error_a * error_a + error_b * error_b);
  found.degrees = static_cast<double>(std::min(a.size(), b.size()) - 1);
  const auto n = static_cast<double>(a.size() - 1);
  const auto m = static_cast<double>(b.size() - 1);
  double integral = 0;
  for_each_piece(a, b, [&](double of_a, double of_b, double from, double to) {
    const double variance = of_a * (1 - of_a) / n + of_b * (1 - of_b) / m;
    if (variance > 0) integral += std::sqrt(variance) * (to - from);
  });
  found.bias = std::sqrt(2 / std::numbers::pi) * integral;
  return found;
}

}  // namespace

Interval interval_of_distances(const std::vector<ComparedSteps>& pairs, double level) {
  return interval_of_largest(
      contrasts_of(
          2 * static_cast<double>(pairs.size()), 0,
          [&pairs](double tail, auto visit) {
            for (const ComparedSteps& pair : pairs) {
              visit(pair.weight *
                    (pair.distance - sum_of_deviations(pair.rows_a, pair.rows_b, tail)));
            }
          },
          [&pairs](double tail, bool box, auto visit) {
            LimitsByRows limits(box ? tail / 2 : tail);
            for (const ComparedSteps& pair : pairs) {
              base::stop_point();
              const double high = pair.weight * largest_step_high(pair, limits, box);
              visit(high);
              visit(high);  // a contrast each of F_a - F_b and of F_b - F_a
            }
          }),
      level);
}

Interval interval_of_distances(const std::vector<MovedMass>& pairs, double level) {
  const auto reach = [](const MovedMass& pair, double tail) {
    return student_quantile(tail, pair.degrees) * pair.standard_error;
  };
  return interval_of_largest(contrasts_of(
                                 static_cast<double>(pairs.size()), 0,
                                 [&pairs, reach](double tail, auto visit) {
                                   for (const MovedMass& pair : pairs) {
                                     visit(pair.distance - pair.bias - reach(pair, tail));
                                   }
                                 },
                                 [&pairs, reach](double tail, bool /*box*/, auto visit) {
                                   for (const MovedMass& pair : pairs)
                                     visit(pair.distance + reach(pair, tail));
                                 }),
                             level);
}

Interval kolmogorov_smirnov_interval(const Scored& scored, double level) {
  const SortedGroups groups = sorted_groups(scored);
  if (!groups.missing.empty()) return {.undefined_reason = groups.missing};
  std::vector<ComparedSteps> pairs;
  for (std::size_t g = 0; g < groups.of_group.size(); ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      pairs.push_back(compared(groups.of_group[g], groups.of_group[h], 1));
    }
  }
  return interval_of_distances(pairs, level);
}

Interval kolmogorov_smirnov_to_all_interval(const Scored& scored, double level) {
  const SortedGroups groups = sorted_groups(scored);
  if (!groups.missing.empty()) return {.undefined_reason = groups.missing};
  Scores all(scored.score.begin(), scored.score.end());
  sort_ascending(all);
  std::vector<Scores> rests;
  for (const Scores& group : groups.of_group) {
    std::ranges::set_difference(all, group, std::back_inserter(rests.emplace_back()));
  }
  std::vector<ComparedSteps> pairs;
  for (std::size_t g = 0; g < rests.size(); ++g) {
    const double weight = static_cast<double>(rests[g].size()) / static_cast<double>(all.size());
    pairs.push_back(compared(groups.of_group[g], rests[g], weight));
  }
  return interval_of_distances(pairs, level);
}

Interval wasserstein_1_interval(const Scored& scored, double level) {
  const SortedGroups groups = sorted_groups(scored);
  if (!groups.missing.empty()) return {.undefined_reason = groups.missing};
  std::vector<double> errors;
  for (std::size_t g = 0; g < groups.of_group.size(); ++g) {
    const Scores& scores = groups.of_group[g];
    if (scores.size() < 2) return {.undefined_reason = fmt::format("a single row in group {}", g)};
    if (!std::isfinite(scores.front()) || !std::isfinite(scores.back())) {
      return {.undefined_reason = fmt::format("a score of group {} is infinite", g)};
    }
    if (scores.front() == scores.back()) {
      return {.undefined_reason = fmt::format("the same score in all rows of group {}", g)};
    }
    errors.push_back(moments_of(scores).standard_error());
  }
  std::vector<MovedMass> pairs;
  for (std::size_t g = 0; g < errors.size(); ++g) {
    for (std::size_t h = 0; h < g; ++h) {
      base::stop_point();
      pairs.push_back(moved_mass(groups.of_group[g], groups.of_group[h], errors[g], errors[h]));
    }
  }
  return interval_of_distances(pairs, level);
}

Interval no_interval_of_wasserstein_2(const Scored& /*scored*/, double /*level*/) {
  return {.undefined_reason =
              "no interval of a 2-Wasserstein distance is known that holds for equal groups"};
}

}  // namespace fairfront::metrics
