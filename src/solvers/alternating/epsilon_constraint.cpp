#include "solvers/alternating/epsilon_constraint.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "optimise/projected_lbfgs.hpp"
#include "pareto/front.hpp"
#include "solvers/alternating/fair_end.hpp"
#include "solvers/alternating/level_merit.hpp"
#include "solvers/alternating/spread_places.hpp"
#include "solvers/common/stages.hpp"

namespace fairfront::alternating {

template <solvers::MaybeConst<TracedPoint> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.x, self.values, self.weights);
}

namespace {

constexpr double inner_box = 0.15;   // half width around a warm start, of the intervals
constexpr double end_weight = 1e-3;  // of the other objective at an end of the front
constexpr double beyond = 0.5;       // of the range of f_1, walked past the end of the front
constexpr double whole_box = 1;
constexpr double first_penalty = 10;  // in units of the normalised objectives
constexpr double greatest_penalty = 1e6;
constexpr int most_multipliers = 8;
constexpr double shortest_step = 1e-6;  // of the intervals, between neighbours that are one point

/// A level that would close a gap of the front.
struct Gap {
  std::size_t left = 0;  // indices of points
  std::size_t right = 0;
  std::size_t objective = 0;
  double target = 0;
  double size = 0;
};

/// Weights >= 0 with sum 1; one of them is above 0.
std::array<double, 2> normalised(std::array<double, 2> weights) {
  for (double& weight : weights) weight = std::max(0.0, weight);
  const double sum = weights[0] + weights[1];
  return {weights[0] / sum, weights[1] / sum};
}

/// A piece's answer, and what else the next ones need of it.
template <class Answer>
struct TracedPiece {
  Answer answer;
  Oracle<2>::Counts counts;
  double penalty = 0;
};
template <solvers::MaybeConstOf<TracedPiece> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.answer, self.counts, self.penalty);
}

class Tracer {
 public:
  Tracer(const ObjectiveFunctions& problem, const EpsilonConstraintOptions& options,
         const solvers::Control& control)
      : options_{options},
        stages_{control, "epsilon_constraint 2\n"},
        oracle_{problem, options.most_gradients, stages_.control()} {
    const optimise::Box& box = problem.box;
    for (std::size_t j = 0; j < box.lower().size(); ++j) {
      widths_.push_back(box.upper()[j] - box.lower()[j]);
    }
  }

  EpsilonConstraintResult trace(const base::StreamKey& samples) {
    begin_at_differences();
    begin_at_samples(samples);
    walk();
    while (oracle_.may_go_on() && (mend_ends() || close_largest_gap())) {
    }
    return finish();
  }

 private:
  using Values = std::array<double, 2>;
  struct Level {
    std::size_t objective;
    double target;
  };
  /// How a level is reached from its starts.
  struct Approach {
    double multiplier;    ///< to begin with, in units of the normalised objectives
    double longest_step;  ///< as a share of the intervals
    double box;           ///< half width of the inner box, as a share of the intervals
  };

  TracedPoint least_first(const TracedPoint& start, std::int64_t iterations) {
    LevelMerit merit(oracle_);
    merit.weights = {1 / positive(std::abs(start.values[0])), 0};
    optimise::ProjectedLbfgs descent(oracle_.box(), widths_,
                                     {.iterations = iterations, .tolerance = 1e-13});
    std::vector<double> x = start.x;
    descent.minimise(merit, x);
    const Values values = oracle_.values(x);
    return {std::move(x), values, {1, 0}};
  }

  /// Beyond the known end nothing is of the front.
  [[nodiscard]] bool is_past_ends(const TracedPoint& point) const {
    return knows_ends_ && point.values[0] >= points_[front_.back()].values[0];
  }

  /// The nondominated samples give the first two ends and some levels all along the front. Only a
  /// sample can find a well that gradients elsewhere do not see.
  void begin_at_samples(const base::StreamKey& key) {
    const auto sample = [&](std::uint64_t k) {
      base::Stream stream(key, k);  // each has its own: none need be kept
      return oracle_.box().random_point(stream);
    };
    const pareto::Front best(values_of_samples(sample));
    const auto start = [&](std::size_t place) -> TracedPoint {
      return {sample(best.origin(place)), {best[place][0], best[place][1]}};
    };
    if (!knows_ends_) {
      const std::size_t last = best.size() - 1;
      ranges_ = {positive(best[last][0] - best[0][0]), positive(best[0][1] - best[last][1])};
      points_.push_back(end_from(start(0), 0, whole_box));
      points_.push_back(end_from(start(last), 1, whole_box));
      update_front();
    }
    for (const std::size_t place : spread_places(best, ranges_, options_.starts)) {
      const TracedPoint from = start(place);
      if (is_past_ends(from)) continue;
      (void)place_level({0, from.values[0]}, {&from}, {0, whole_box, whole_box});
    }
  }

  /// A stage of the run: its answer, with counts and penalty behind it.
  template <class Piece, class Fits>
  auto staged(Piece&& piece, Fits&& fits) {
    using Answer = decltype(piece());
    auto found = stages_.next(
        [&] {
          Answer answer = piece();
          return TracedPiece<Answer>{std::move(answer), oracle_.counts(), penalty_};
        },
        [&](const TracedPiece<Answer>& kept) { return fits(kept.answer); });
    oracle_.set_counts(found.counts);
    penalty_ = found.penalty;
    return std::move(found.answer);
  }

  /// Both ends where f_2 is squares of differences: see step 0 of epsilon_constraint().
  void begin_at_differences() {
    if (oracle_.differences().count == 0) return;
    const std::int64_t iterations = 10 * options_.descent_iterations;
    for (const std::vector<double>& x : oracle_.plain_points()) {
      points_.push_back({x, oracle_.values(x), {0, 1}});
    }
    points_.push_back(staged([&] { return least_first(points_.front(), iterations); },
                             [&](const TracedPoint& kept) { return is_of_this(kept); }));
    const std::vector<TracedPoint> starts = points_;
    const Values& least = starts.back().values;
    const FairEndUnits units{positive(starts.front().values[0] - least[0]), positive(least[1])};
    for (const TracedPoint& start : starts) {
      const auto found = staged(
          [&] { return fair_end(oracle_, start.x, units, widths_, iterations); },
          [&](const std::optional<TracedPoint>& kept) { return !kept || is_of_this(*kept); });
      if (!found) continue;
      points_.push_back(*found);
      knows_ends_ = true;
    }
    update_front();
  }

  template <class Sample>
  [[nodiscard]] pareto::Points values_of_samples(const Sample& sample) {
    constexpr std::int64_t in_a_stage = 64;
    pareto::Points points(2);
    for (std::int64_t from = 0; from < options_.samples; from += in_a_stage) {
      const std::int64_t count = std::min(in_a_stage, options_.samples - from);
      const auto values_of_stage = [&] {
        std::vector<Values> values;
        for (std::int64_t k = from; k < from + count; ++k) {
          oracle_.stop_point();
          values.push_back(oracle_.values(sample(static_cast<std::uint64_t>(k))));
        }
        return values;
      };
      const auto all = staged(values_of_stage, solvers::of_size(static_cast<std::size_t>(count)));
      for (const Values& values : all) points.add(values, points.size());
    }
    return points;
  }

  [[nodiscard]] bool is_of_this(const TracedPoint& kept) const {
    return kept.x.size() == widths_.size();
  }

  /// Levels of the first objective in steps of 1 / (walk_levels + 1) of its range, each from the
  /// point before, also where f_2 is dominated: past the end of the front, as long as a better end
  /// comes up there, then down the whole range.
  void walk() {
    do {
      (void)mend_ends();
      const std::int64_t unplaced = result_.unplaced;
      walk_by(walk_step(), past_levels());
      result_.unplaced = unplaced;  // past the end nothing needs to be there
    } while (oracle_.may_go_on() && end_has_moved());
    walk_by(-walk_step(), options_.walk_levels);
  }

  [[nodiscard]] double walk_step() const {
    return ranges_[0] / static_cast<double>(options_.walk_levels + 1);
  }
  [[nodiscard]] std::int64_t past_levels() const {
    if (knows_ends_) return 0;
    return static_cast<std::int64_t>(beyond * static_cast<double>(options_.walk_levels));
  }
  [[nodiscard]] bool end_has_moved() {
    update_front();
    return !anchored(1, points_[front_.back()].values);
  }

  /// From the end of the front where f_2 is least.
  void walk_by(double step, std::int64_t levels) {
    TracedPoint at = points_[front_.back()];
    const double first = at.values[0];
    for (std::int64_t k = 1; k <= levels; ++k) {
      if (!oracle_.may_go_on()) return;
      const auto placed =
          place_level({0, first + static_cast<double>(k) * step}, {&at}, {0, inner_box, inner_box});
      if (placed) at = *placed;
    }
  }

  /// Minimises an objective from each end of the front that has moved since.
  [[nodiscard]] bool mend_ends() {
    update_front();
    bool mended = false;
    for (const std::size_t objective : {0U, 1U}) {
      const std::size_t end = objective == 0 ? front_.front() : front_.back();
      if (anchored(objective, points_[end].values)) continue;
      points_.push_back(end_from(points_[end], objective, inner_box));
      update_front();
      anchors_[objective] = points_[objective == 0 ? front_.front() : front_.back()].values;
      mended = true;
    }
    return mended;
  }

  /// Whether the end of the front was last minimised here.
  [[nodiscard]] bool anchored(std::size_t objective, const Values& values) const {
    const auto& anchor = anchors_[objective];
    if (!anchor) return false;
    for (const std::size_t i : {0U, 1U}) {
      if (std::abs(values[i] - (*anchor)[i]) > 0.1 * options_.spacing * ranges_[i]) return false;
    }
    return true;
  }

  [[nodiscard]] bool close_largest_gap() {
    const std::optional<Gap> gap = largest_gap();
    if (!gap) return false;
    const TracedPoint left = points_[gap->left];
    const TracedPoint right = points_[gap->right];
    tried_[{gap->left, gap->right}].emplace_back(gap->objective, gap->target);
    const std::size_t i = gap->objective;
    const std::size_t other = 1 - i;
    // On the front the multiplier is the slope, here that of the chord.
    const double run = (right.values[i] - left.values[i]) / ranges_[i];
    const double multiplier = -(right.values[other] - left.values[other]) / ranges_[other] / run;
    const double step = std::max(distance(left.x, right.x), shortest_step);
    (void)place_level({i, gap->target}, {&left, &right}, {multiplier, step, inner_box});
    update_front();
    return true;
  }

  /// The largest one among the variables, as a share of its interval.
  [[nodiscard]] double distance(std::span<const double> a, std::span<const double> b) const {
    double largest = 0;
    for (std::size_t j = 0; j < widths_.size(); ++j) {
      if (widths_[j] > 0) largest = std::max(largest, std::abs(a[j] - b[j]) / widths_[j]);
    }
    return largest;
  }

  /// Solves a level from each start and keeps the best point that meets it.
  std::optional<TracedPoint> place_level(const Level& level,
                                         const std::vector<const TracedPoint*>& starts,
                                         const Approach& approach) {
    std::optional<TracedPoint> best;
    const std::size_t other = 1 - level.objective;
    ++result_.levels;
    for (const TracedPoint* start : starts) {
      auto found = staged(
          [&] { return solve(level, *start, approach); },
          [&](const std::optional<TracedPoint>& kept) { return !kept || is_of_this(*kept); });
      if (!found) continue;
      if (!best || found->values[other] < best->values[other]) best = std::move(found);
    }
    if (!best) {
      ++result_.unplaced;
      return best;
    }
    result_.dominated += std::any_of(points_.begin(), points_.end(), [&](const TracedPoint& point) {
      return pareto::dominates(point.values, best->values);
    });
    points_.push_back(*best);
    return best;
  }

  /// min f_other subject to f_i = eps by augmented Lagrangians. The multiplier has no sign: with
  /// f_i <= eps instead a level of ZDT2 ends at x_1 = 0, where df_2/dx_1 = 0.
  /// @return  nothing where the equality could not be met.
  std::optional<TracedPoint> solve(const Level& level, const TracedPoint& start,
                                   const Approach& approach) {
    const std::size_t other = 1 - level.objective;
    LevelMerit merit(oracle_);
    merit.level = level.objective;
    merit.target = level.target;
    merit.range = ranges_[level.objective];
    merit.weights[other] = 1 / ranges_[other];
    // A penalty too small for the bends of dominated parts leads away: that of the last level
    // knows.
    merit.penalty = std::max(first_penalty, penalty_ / 2);
    optimise::ProjectedLbfgs descent(
        box_around(start.x, approach.box), widths_,
        {.iterations = options_.descent_iterations, .longest_step = approach.longest_step});
    double multiplier = approach.multiplier;
    std::vector<double> x = start.x;
    double last = std::numeric_limits<double>::infinity();
    for (int k = 0; k < most_multipliers; ++k) {
      merit.weights[level.objective] = multiplier / merit.range;
      descent.minimise(merit, x);
      const Values values = oracle_.values(x);
      const double violation = merit.violation_at(values);
      if (std::abs(violation) <= options_.constraint_error) {
        penalty_ = merit.penalty;
        std::array<double, 2> weights = merit.weights;
        weights[level.objective] += merit.penalty * violation / merit.range;
        return TracedPoint{x, values, normalised(weights)};
      }
      if (!oracle_.may_go_on()) break;
      multiplier += merit.penalty * violation;
      if (std::abs(violation) > 0.25 * last && merit.penalty < greatest_penalty) {
        merit.penalty *= 10;
        descent.forget();
      }
      last = std::abs(violation);
    }
    return std::nullopt;
  }

  /// Minimises an objective with a little of the other one, so that the end is nondominated.
  TracedPoint end_from(const TracedPoint& start, std::size_t objective, double longest_step) {
    return staged([&] { return minimise_end(start, objective, longest_step); },
                  [&](const TracedPoint& kept) { return is_of_this(kept); });
  }
  TracedPoint minimise_end(const TracedPoint& start, std::size_t objective, double longest_step) {
    LevelMerit merit(oracle_);
    merit.weights[objective] = 1 / ranges_[objective];
    merit.weights[1 - objective] = end_weight / ranges_[1 - objective];
    optimise::ProjectedLbfgs descent(
        oracle_.box(), widths_,
        {.iterations = 4 * options_.descent_iterations, .longest_step = longest_step});
    std::vector<double> x = start.x;
    descent.minimise(merit, x);
    const Values values = oracle_.values(x);
    return {std::move(x), values, normalised(merit.weights)};
  }

  [[nodiscard]] optimise::Box box_around(std::span<const double> x, double share) const {
    std::vector<double> lower(x.size());
    std::vector<double> upper(x.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      lower[j] = std::max(oracle_.box().lower()[j], x[j] - share * widths_[j]);
      upper[j] = std::min(oracle_.box().upper()[j], x[j] + share * widths_[j]);
    }
    return {std::move(lower), std::move(upper)};
  }

  [[nodiscard]] std::optional<Gap> largest_gap() const {
    std::optional<Gap> largest;
    for (std::size_t k = 1; k < front_.size(); ++k) {
      const std::size_t left = front_[k - 1];
      const std::size_t right = front_[k];
      if (length(left, right) <= options_.spacing) continue;
      for (const std::size_t i : {0U, 1U}) {
        const Gap gap = widest_part(left, right, i);
        if (gap.size > 0.5 * options_.spacing && (!largest || gap.size > largest->size)) {
          largest = gap;
        }
      }
    }
    return largest;
  }

  /// Of a gap, as a share of the front's ranges.
  [[nodiscard]] double length(std::size_t left, std::size_t right) const {
    const Values& a = points_[left].values;
    const Values& b = points_[right].values;
    const double first = (a[0] - b[0]) / ranges_[0];
    const double second = (a[1] - b[1]) / ranges_[1];
    return std::sqrt(first * first + second * second);
  }

  /// The wider one of a gap's outer parts, which end at the levels of one objective that were tried
  /// in it: what lies between tried levels is a hole of the front.
  [[nodiscard]] Gap widest_part(std::size_t left, std::size_t right, std::size_t objective) const {
    std::vector<double> levels{points_[left].values[objective], points_[right].values[objective]};
    if (const auto tried = tried_.find({left, right}); tried != tried_.end()) {
      for (const auto& [of, level] : tried->second) {
        if (of == objective) levels.push_back(level);
      }
    }
    std::sort(levels.begin(), levels.end());
    Gap widest{left, right, objective, 0, 0};
    for (const std::size_t k : {std::size_t{1}, levels.size() - 1}) {
      const double size = (levels[k] - levels[k - 1]) / ranges_[objective];
      if (size > widest.size) {
        widest.size = size;
        widest.target = 0.5 * (levels[k] + levels[k - 1]);
      }
    }
    return widest;
  }

  static double positive(double range) { return range > 0 ? range : 1.0; }

  /// Finds the nondominated points and their ranges. What f_2 has above its least value by less
  /// than a tolerance is no difference, see `fair_end_tolerance`.
  void update_front() {
    const pareto::Front front = front_above(-std::numeric_limits<double>::infinity());
    const std::size_t last = front.size() - 1;
    const double range = front[0][1] - front[last][1];
    take_front(front_above(front[last][1] + fair_end_tolerance * range));
  }

  /// The front of the points, f_2 of each at least this.
  [[nodiscard]] pareto::Front front_above(double floor) const {
    pareto::Points values(2);
    for (std::size_t k = 0; k < points_.size(); ++k) {
      const Values& at = points_[k].values;
      values.add(Values{at[0], std::max(at[1], floor)}, k);
    }
    return pareto::Front(values);
  }

  void take_front(const pareto::Front& front) {
    front_.assign(front.points().origins().begin(), front.points().origins().end());
    const Values& first = points_[front_.front()].values;
    const Values& last = points_[front_.back()].values;
    ranges_ = {positive(last[0] - first[0]), positive(first[1] - last[1])};
  }

  EpsilonConstraintResult finish() {
    update_front();
    for (std::size_t k = 0; k < front_.size(); ++k) {
      result_.front.push_back(points_[front_[k]]);
    }
    result_.open_gap = widest_gap(result_.front);
    result_.exhausted = !oracle_.may_go_on();
    result_.gradients = oracle_.gradients();
    result_.values = oracle_.evaluations();
    return std::move(result_);
  }

  EpsilonConstraintOptions options_;
  solvers::Stages stages_;
  Oracle<2> oracle_;
  std::vector<double> widths_;
  Values ranges_{1, 1};
  double penalty_ = first_penalty;  // that met the last level
  bool knows_ends_ = false;         // of a sum of squares of differences
  std::vector<TracedPoint> points_;
  std::vector<std::size_t> front_;  // of points_, by ascending f_1
  std::array<std::optional<Values>, 2> anchors_;
  std::map<std::pair<std::size_t, std::size_t>, std::vector<std::pair<std::size_t, double>>> tried_;
  EpsilonConstraintResult result_;
};

}  // namespace

double widest_gap(std::span<const TracedPoint> front) {
  if (front.size() < 2) return 0;
  const auto range = [&](std::size_t i) {
    const double width = std::abs(front.back().values[i] - front.front().values[i]);
    return width > 0 ? width : 1.0;
  };
  const std::array ranges{range(0), range(1)};
  double widest = 0;
  for (std::size_t k = 1; k < front.size(); ++k) {
    const double first = (front[k].values[0] - front[k - 1].values[0]) / ranges[0];
    const double second = (front[k].values[1] - front[k - 1].values[1]) / ranges[1];
    widest = std::max(widest, std::sqrt(first * first + second * second));
  }
  return widest;
}

base::OptionTable options_of(EpsilonConstraintOptions& options) {
  base::OptionTable table("epsilon_constraint");
  table
      .add("samples", options.samples, base::between<std::int64_t>(1, 100'000'000), "",
           "This many points are drawn in the box, whose values are compared; a narrow well is "
           "found where one falls into it.")
      .add("starts", options.starts, base::between<std::int64_t>(1, 1'000'000), "",
           "Levels are solved from this many nondominated samples.")
      .add("walk_levels", options.walk_levels, base::between<std::int64_t>(0, 1'000'000), "",
           "The walk down the first objective, which goes through dominated parts, too, has this "
           "many levels.")
      .add("spacing", options.spacing, base::between(1e-6, 1.0), "share",
           "Neighbours on the front that are farther apart than this share of its ranges get one "
           "between them.")
      .add("most_gradients", options.most_gradients,
           base::between<std::int64_t>(2, 1'000'000'000'000), "gradients",
           "Levels are tried until so many gradients of single objectives have been drawn; the "
           "proof of the points of a data problem draws some more.")
      .add("descent_iterations", options.descent_iterations,
           base::between<std::int64_t>(1, 1'000'000), "iterations",
           "The quasi-Newton descent for one multiplier makes at most this many iterations.")
      .add("constraint_error", options.constraint_error, base::between(1e-12, 0.1), "share",
           "An objective may be this far from its level, as a share of the objective's range.")
      .formerly("spacing", "largest_gap");
  return table;
}

void validate(const EpsilonConstraintOptions& options) {
  const auto require = [](bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument(rule);
  };
  require(options.samples >= 1, "EpsilonConstraintOptions::samples must be >= 1");
  require(options.starts >= 1, "EpsilonConstraintOptions::starts must be >= 1");
  require(options.walk_levels >= 0, "EpsilonConstraintOptions::walk_levels must be >= 0");
  require(options.spacing > 0, "EpsilonConstraintOptions::spacing must be > 0");
  require(options.most_gradients >= 2, "EpsilonConstraintOptions::most_gradients must be >= 2");
  require(options.descent_iterations >= 1,
          "EpsilonConstraintOptions::descent_iterations must be >= 1");
  require(options.constraint_error > 0, "EpsilonConstraintOptions::constraint_error must be > 0");
}

EpsilonConstraintResult epsilon_constraint(const ObjectiveFunctions& problem,
                                           const EpsilonConstraintOptions& options,
                                           std::uint64_t seed, const std::string& task_key,
                                           const solvers::Control& control) {
  validate(options);
  return Tracer(problem, options, control)
      .trace(base::StreamKey(seed, task_key, "epsilon_constraint/samples"));
}

}  // namespace fairfront::alternating
