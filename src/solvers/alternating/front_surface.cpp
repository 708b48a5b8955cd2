#include "solvers/alternating/front_surface.hpp"

#include <algorithm>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <stdexcept>
#include <utility>

#include "base/random.hpp"
#include "optimise/projected_lbfgs.hpp"
#include "pareto/front.hpp"
#include "solvers/alternating/level_merit.hpp"
#include "solvers/alternating/second_stage.hpp"
#include "solvers/alternating/spread_places.hpp"
#include "solvers/alternating/surface_merit.hpp"

namespace fairfront::alternating {
namespace {

constexpr double free_weight = 1e-3;  // of objectives that no level holds
constexpr double level_error = 0.1;   // of the grid's side: where exactly a point lies is no matter
constexpr double descent_error = 1e-5;  // promised decrease that is no longer sought
constexpr double surface_step = 0.15;   // of the intervals
constexpr double smooth_slope = 0.02;   // ProjectedLbfgs::slope_left(): kinks leave ten times that
constexpr double weightless = 1e-4;     // of multipliers, whose sum is 1
constexpr double doubtful_weight = 0.02;  // where there are kinks
constexpr int most_updates = 4;
constexpr std::int64_t most_in_vain = 3;  // more unproven ends of cuts than proven ones
constexpr std::array shares_of_starts{1.0, 0.5, 0.25, 0.1};  // of their way from the middle

using Values = SurfaceMerit::Values;

/// A cell of the grid of triangles: a corner of them.
struct Cell {
  std::int64_t a = 0;
  std::int64_t b = 0;
  friend auto operator<=>(const Cell&, const Cell&) = default;
  friend Cell operator+(const Cell& l, const Cell& r) { return {l.a + r.a, l.b + r.b}; }
};

/// In the order of the circle: neighbours of each other, and opposite ones three places apart.
constexpr std::array<Cell, 6> neighbours{{{1, 0}, {0, 1}, {-1, 1}, {-1, 0}, {0, -1}, {1, -1}}};

/// The plane sum z = 0 with its grid.
class LevelPlane {
 public:
  explicit LevelPlane(double side) : side_{side} {}

  [[nodiscard]] Values at(const Cell& cell) const {
    const double first = side_ * (static_cast<double>(cell.a) + 0.5 * static_cast<double>(cell.b));
    const double second = side_ * std::sqrt(0.75) * static_cast<double>(cell.b);
    const double one = first / std::sqrt(2.0);
    const double two = second / std::sqrt(6.0);
    return {one + two, two - one, -2 * two};
  }
  /// One that is near.
  [[nodiscard]] Cell near(const Values& u) const {
    const double first = (u[0] - u[1]) / std::sqrt(2.0);
    const double second = (u[0] + u[1] - 2 * u[2]) / std::sqrt(6.0);
    const double b = std::round(second / (side_ * std::sqrt(0.75)));
    return {static_cast<std::int64_t>(std::round(first / side_ - 0.5 * b)),
            static_cast<std::int64_t>(b)};
  }

 private:
  double side_;
};

class SurfaceTracer {
 public:
  SurfaceTracer(const ObjectiveFunctions& problem, const FrontSurfaceOptions& options,
                const solvers::Control& control)
      : options_{options},
        oracle_{problem, options.most_gradients, control},
        merit_{oracle_},
        widths_{widths_of(problem.box)},
        plane_{options.spacing} {}

  FrontSurface trace(const base::StreamKey& samples) {
    const std::vector<SurfacePoint> starts = begin_at_samples(samples);
    for (const double share : shares_of_starts) {
      for (const SurfacePoint& start : starts) begin_at(start, share);
    }
    return finish();
  }

 private:
  struct Guess {
    std::vector<double> x;
    Values weights;
  };

  /// What is known of a cell that was tried.
  struct Trial {
    std::optional<std::size_t> point;  ///< in points_, where one is on the front
    bool is_kinked = false;            ///< the descent to it ended at a kink, or was not made
  };

  static std::vector<double> widths_of(const optimise::Box& box) {
    std::vector<double> widths;
    for (std::size_t j = 0; j < box.lower().size(); ++j) {
      widths.push_back(box.upper()[j] - box.lower()[j]);
    }
    return widths;
  }

  /// Above a start in the plane, or nearer to the middle of the ends: samples far behind the front
  /// lie above cells beyond its edge.
  void begin_at(const SurfacePoint& start, double share) {
    if (!oracle_.may_go_on()) return;
    Values u = merit_.normalised(start.values);
    for (std::size_t i = 0; i < 3; ++i) u[i] = middle_[i] + share * (u[i] - middle_[i]);
    const Cell cell = plane_.near(u);
    if (tried_.contains(cell)) return;
    try_cell(cell, {start.x, start.weights});
    flood();
  }

  void queue_neighbours_of(const Cell& cell) {
    for (const Cell& step : neighbours) {
      const Cell next = cell + step;
      if (!tried_.contains(next)) queue_.push_back(next);
    }
  }

  /// Finds the ranges from the minima of each objective. @return  where the search may begin.
  std::vector<SurfacePoint> begin_at_samples(const base::StreamKey& key) {
    const auto sample = [&](std::uint64_t k) {
      base::Stream stream(key, k);
      return oracle_.box().random_point(stream);
    };
    pareto::Points points(3);
    for (std::uint64_t k = 0; k < static_cast<std::uint64_t>(options_.samples); ++k) {
      oracle_.stop_point();
      points.add(oracle_.values(sample(k)), k);
    }
    const pareto::Front best(points);
    set_ranges(best.points());
    const Values of_samples = merit_.range;
    set_ranges(pareto::Front(ends_of(best, sample)).points());
    begin_second_stage();
    for (std::size_t k = 0; k < points_.size(); ++k) {
      points_[k].weights = in_new_ranges(points_[k].weights, of_samples);
      keep(points_[k], slopes_of_ends_[k]);
    }
    std::vector<SurfacePoint> starts(points_.begin(), points_.end());
    for (const SurfacePoint& end : points_) {
      const Values u = merit_.normalised(end.values);
      for (std::size_t i = 0; i < 3; ++i) middle_[i] += u[i] / static_cast<double>(points_.size());
    }
    for (const std::size_t place : spread_places(best, merit_.range, options_.starts)) {
      starts.push_back({sample(best.origin(place)),
                        {best[place][0], best[place][1], best[place][2]},
                        {1.0 / 3, 1.0 / 3, 1.0 / 3}});
    }
    std::rotate(starts.begin(), starts.begin() + 6, starts.end());  // the inside first
    return starts;
  }

  /// It knows what the descents have looked at.
  void begin_second_stage() {
    if (std::ssize(widths_) > most_variables_of_second_stage) return;
    second_stage_.emplace(oracle_, SurfaceUnits{merit_.lowest, merit_.range}, widths_);
    merit_.observer = [this](auto x, const Values& values, const auto& gradients) {
      second_stage_->observe(x, values, gradients);
    };
  }

  /// The minimum of every objective, and of all others: of a concave front the first ones may all
  /// lie in one corner.
  template <class Sample>
  pareto::Points ends_of(const pareto::Front& best, const Sample& sample) {
    pareto::Points ends(3);
    for (const bool alone : {true, false}) {
      for (std::size_t i = 0; i < 3; ++i) {
        Values weights;
        weights.fill(alone ? free_weight : 1.0);
        weights[i] = alone ? 1.0 : free_weight;
        std::size_t least = 0;
        for (std::size_t k = 1; k < best.size(); ++k) {
          if (weighted(best[k], weights) < weighted(best[least], weights)) least = k;
        }
        ends.add(minimise(sample(best.origin(least)), weights).values, ends.size());
      }
    }
    return ends;
  }

  [[nodiscard]] double weighted(std::span<const double> values, const Values& weights) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) sum += weights[i] * values[i] / merit_.range[i];
    return sum;
  }

  /// Weights of objectives in units of `former` ranges, in units of those that count now; sum 1.
  [[nodiscard]] Values in_new_ranges(Values weights, const Values& former) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      weights[i] *= merit_.range[i] / former[i];
      sum += weights[i];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  void set_ranges(const pareto::Points& points) {
    for (std::size_t i = 0; i < 3; ++i) {
      double least = std::numeric_limits<double>::infinity();
      double greatest = -least;
      for (std::size_t k = 0; k < points.size(); ++k) {
        least = std::min(least, points[k][i]);
        greatest = std::max(greatest, points[k][i]);
      }
      merit_.lowest[i] = least;
      merit_.range[i] = greatest > least ? greatest - least : 1.0;
    }
  }

  /// An end of the front: no level is held.
  const SurfacePoint& minimise(std::vector<double> x, const Values& weights) {
    optimise::ProjectedLbfgs descent(oracle_.box(), widths_,
                                     {.iterations = 4 * options_.descent_iterations});
    merit_.held = {};
    merit_.weights = weights;
    descent.minimise(merit_, x);
    slopes_of_ends_.push_back(descent.slope_left());
    const Values values = oracle_.values(x);
    return points_.emplace_back(SurfacePoint{std::move(x), values, weights});
  }

  void flood() {
    while (!queue_.empty() && oracle_.may_go_on()) {
      const Cell cell = queue_.front();
      queue_.pop_front();
      if (tried_.contains(cell)) continue;
      try_cell(cell, guess_at(cell));
    }
  }

  void try_cell(const Cell& cell, Guess guess) {
    tried_.insert({cell, {}});
    ++result_.levels;
    merit_.target = plane_.at(cell);
    if (is_among_kinks(cell) && place_by_cuts(cell, guess)) return;
    const auto found = solve(guess.x, guess.weights, {true, true, true});
    const bool is_kinked = descent_of({true, true, true}).slope_left() > smooth_slope;
    const bool has_ended =
        found && *std::min_element(found->weights.begin(), found->weights.end()) < 0;
    if (is_kinked && (!found || has_ended) && place_by_cuts(cell, guess)) return;
    if (!found) {
      ++result_.unplaced;
    } else if (has_ended) {
      end_of_front(*found);
    } else {
      keep(*found, descent_of({true, true, true}).slope_left());
      place(cell, *found, is_kinked);
    }
  }

  void place(const Cell& cell, SurfacePoint point, bool is_kinked) {
    tried_[cell] = {points_.size(), is_kinked};
    points_.push_back(std::move(point));
    queue_neighbours_of(cell);
  }

  /// At kinks descents end anywhere, and it is of no use to make more of them near by.
  [[nodiscard]] bool is_among_kinks(const Cell& cell) const {
    int kinked = 0;
    for (const Cell& step : neighbours) {
      const auto near = tried_.find(cell + step);
      if (near == tried_.end() || !near->second.point) continue;
      kinked += near->second.is_kinked ? 1 : -1;
    }
    return kinked > 0;
  }

  /// Where no objective is below its level the point is that of the cell; where one is, the cell is
  /// beyond the front's edge, or the front lies along that objective's axis there, and the point is
  /// that of another cell.
  ///
  /// @return  whether the point is proven: if not, the cell is as if it had not been tried.
  bool place_by_cuts(const Cell& cell, const Guess& guess) {
    if (!second_stage_ || reached_in_vain_ > reached_ + most_in_vain) return false;
    SurfacePoint point{guess.x, oracle_.values(guess.x), guess.weights};
    if (!second_stage_->reach(point, merit_.target)) {
      ++reached_in_vain_;
      return false;
    }
    ++reached_;
    found_.push_back(point);
    proven_.push_back(true);
    const Values u = merit_.normalised(point.values);
    merit_.held = {true, true, true};
    double largest = 0;
    for (const double c : merit_.excess(u)) largest = std::max(largest, std::abs(c));
    double sum = 0;
    for (const double weight : point.weights) sum += weight;
    for (double& weight : point.weights) weight /= sum;
    const Cell own = largest <= level_error * options_.spacing ? cell : plane_.near(u);
    if (own == cell || !tried_.contains(own)) place(own, std::move(point), true);
    return true;
  }

  /// The point of the front's edge that belongs to a cell beyond it.
  void end_of_front(const SurfacePoint& beyond) {
    Values weights = beyond.weights;
    std::array<bool, 3> held{};
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      held[i] = weights[i] >= 0;
      if (held[i]) sum += weights[i];
    }
    for (std::size_t i = 0; i < 3; ++i) weights[i] = held[i] ? weights[i] / sum : free_weight;
    if (std::count(held.begin(), held.end(), true) < 2) return;
    const auto edge = solve(beyond.x, weights, held);
    // A point with a negative weight is beyond this edge, too: it ends at an end of the front.
    if (!edge || *std::min_element(edge->weights.begin(), edge->weights.end()) < 0) return;
    keep(*edge, descent_of(held).slope_left());
  }

  /// Where kinks hold a level, or an objective has no weight, several points meet it, and the one
  /// found may be weakly efficient only: then the front has the efficient one below it. The search
  /// itself goes on from the one found, which is where its cell is.
  ///
  /// @param slope_left  of the descent that ended there.
  void keep(SurfacePoint point, double slope_left) {
    const double least = *std::min_element(point.weights.begin(), point.weights.end());
    const bool doubtful =
        slope_left > smooth_slope || least < (reached_ > 0 ? doubtful_weight : weightless);
    bool is_proven = !doubtful;
    if (doubtful && second_stage_) {
      is_proven = second_stage_->improve(point);
      if (!oracle_.may_go_on() && !found_.empty()) return;  // it may have been cut off
    }
    found_.push_back(std::move(point));
    proven_.push_back(is_proven);
  }

  /// @return  nothing where the levels could not be met.
  std::optional<SurfacePoint> solve(std::vector<double> x, const Values& weights,
                                    const std::array<bool, 3>& held) {
    optimise::ProjectedLbfgs& descent = descent_of(held);
    merit_.held = held;
    merit_.weights = weights;
    for (int k = 0; k < most_updates; ++k) {
      descent.minimise(merit_, x);
      const Values values = oracle_.values(x);
      const Values c = merit_.excess(merit_.normalised(values));
      Values now = merit_.weights;
      double largest = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        now[i] += SurfaceMerit::penalty * c[i];
        largest = std::max(largest, std::abs(c[i]));
      }
      if (largest <= level_error * options_.spacing) return SurfacePoint{x, values, now};
      if (!oracle_.may_go_on()) break;
      merit_.weights = now;
    }
    return std::nullopt;
  }

  /// What it has learnt of the curvature serves the next cell.
  optimise::ProjectedLbfgs& descent_of(const std::array<bool, 3>& held) {
    auto& descent = descents_[held];
    if (!descent) {
      descent.emplace(oracle_.box(), widths_,
                      optimise::ProjectedLbfgsOptions{.iterations = options_.descent_iterations,
                                                      .tolerance = descent_error,
                                                      .longest_step = surface_step});
    }
    return *descent;
  }

  [[nodiscard]] const SurfacePoint* point_at(const Cell& cell) const {
    const auto found = tried_.find(cell);
    const bool is_placed = found != tried_.end() && found->second.point;
    return is_placed ? &points_[*found->second.point] : nullptr;
  }

  /// The mean of what straight lines through points around it say; of neighbours, if there are
  /// none.
  [[nodiscard]] Guess guess_at(const Cell& cell) const {
    Guess sum{std::vector<double>(widths_.size(), 0.0), {}};
    double count = 0;
    const auto add = [&](const SurfacePoint& point, double factor) {
      for (std::size_t j = 0; j < sum.x.size(); ++j) sum.x[j] += factor * point.x[j];
      for (std::size_t i = 0; i < 3; ++i) sum.weights[i] += factor * point.weights[i];
    };
    for (std::size_t k = 0; k < 6; ++k) {  // from the other side, and from two that are next to it
      const SurfacePoint* near = point_at(cell + neighbours[k]);
      if (near == nullptr) continue;
      const SurfacePoint* far = point_at(cell + neighbours[k] + neighbours[k]);
      if (far != nullptr) {
        add(*near, 2);
        add(*far, -1);
        count += 1;
      }
      const SurfacePoint* next = point_at(cell + neighbours[(k + 1) % 6]);
      const SurfacePoint* both = point_at(cell + neighbours[k] + neighbours[(k + 1) % 6]);
      if (next != nullptr && both != nullptr) {
        add(*near, 1);
        add(*next, 1);
        add(*both, -1);
        count += 1;
      }
    }
    for (std::size_t k = 0; k < 6 && count == 0; ++k) {
      const SurfacePoint* near = point_at(cell + neighbours[k]);
      if (near == nullptr) continue;
      add(*near, 1);
      count = 1;
    }
    for (double& component : sum.x) component /= count;
    for (double& weight : sum.weights) weight /= count;
    oracle_.box().project(sum.x);
    return sum;
  }

  /// Of the objectives themselves, weights >= 0 with sum 1.
  [[nodiscard]] Values weights_of_objectives(Values weights) const {
    double sum = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      weights[i] = std::max(0.0, weights[i]) / merit_.range[i];
      sum += weights[i];
    }
    for (double& weight : weights) weight /= sum;
    return weights;
  }

  FrontSurface finish() {
    pareto::Points all(3);
    for (std::size_t k = 0; k < found_.size(); ++k) all.add(found_[k].values, k);
    const pareto::Front front(all);
    for (std::size_t k = 0; k < front.size(); ++k) {
      SurfacePoint& point = found_[front.origin(k)];
      point.weights = weights_of_objectives(point.weights);
      result_.front.push_back(point);
      result_.unproven += proven_[front.origin(k)] ? 0 : 1;
    }
    result_.dominated = std::ssize(found_) - std::ssize(result_.front);
    result_.exhausted = !oracle_.may_go_on();
    result_.gradients = oracle_.gradients();
    result_.values = oracle_.evaluations();
    return std::move(result_);
  }

  FrontSurfaceOptions options_;
  Oracle<3> oracle_;
  SurfaceMerit merit_;
  std::vector<double> widths_;
  LevelPlane plane_;
  std::vector<SurfacePoint> points_;  // the ends, and those of cells
  std::vector<double> slopes_of_ends_;
  std::vector<SurfacePoint> found_;  // what the front is of
  std::vector<bool> proven_;         // of those: to be efficient
  Values middle_{};                  // of the ends, normalised
  std::map<Cell, Trial> tried_;
  std::deque<Cell> queue_;
  std::map<std::array<bool, 3>, std::optional<optimise::ProjectedLbfgs>> descents_;
  std::optional<SecondStage> second_stage_;
  std::int64_t reached_ = 0;          // cells by cuts
  std::int64_t reached_in_vain_ = 0;  // as where objectives are not convex
  FrontSurface result_;
};

}  // namespace

base::OptionTable options_of(FrontSurfaceOptions& options) {
  base::OptionTable table("epsilon_constraint");
  table
      .add("samples", options.samples, base::between<std::int64_t>(1, 100'000'000), "",
           "This many points are drawn in the box, whose values are compared; the search begins at "
           "the best.")
      .add("starts", options.starts, base::between<std::int64_t>(1, 1'000'000), "",
           "The search begins from this many nondominated samples where it has not yet been.")
      .add("spacing", options.spacing, base::between(1e-4, 1.0), "share",
           "A side of the triangles of the grid of levels is this long, in units of the front's "
           "ranges.")
      .add("most_gradients", options.most_gradients,
           base::between<std::int64_t>(3, 1'000'000'000'000), "gradients",
           "The run ends when it has drawn so many gradients of single objectives.")
      .add("descent_iterations", options.descent_iterations,
           base::between<std::int64_t>(1, 1'000'000), "iterations",
           "The quasi-Newton descent for one multiplier makes at most this many iterations.");
  return table;
}

void validate(const FrontSurfaceOptions& options) {
  const auto require = [](bool holds, const char* rule) {
    if (!holds) throw std::invalid_argument(rule);
  };
  require(options.samples >= 1, "FrontSurfaceOptions::samples must be >= 1");
  require(options.starts >= 1, "FrontSurfaceOptions::starts must be >= 1");
  require(options.spacing > 0, "FrontSurfaceOptions::spacing must be > 0");
  require(options.most_gradients >= 3, "FrontSurfaceOptions::most_gradients must be >= 3");
  require(options.descent_iterations >= 1, "FrontSurfaceOptions::descent_iterations must be >= 1");
}

FrontSurface front_surface(const ObjectiveFunctions& problem, const FrontSurfaceOptions& options,
                           std::uint64_t seed, const std::string& task_key,
                           const solvers::Control& control) {
  validate(options);
  return SurfaceTracer(problem, options, control)
      .trace(base::StreamKey(seed, task_key, "epsilon_constraint/samples"));
}

}  // namespace fairfront::alternating
