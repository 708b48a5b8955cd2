#include "experiments/alternating_fronts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "base/condition.hpp"
#include "experiments/alternating_evaluations.hpp"
#include "experiments/alternating_measures.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/remarks.hpp"
#include "pareto/hypervolume.hpp"
#include "pareto/indicators.hpp"
#include "solvers/alternating/data_minimum.hpp"
#include "solvers/alternating/noise.hpp"

namespace fairfront::experiments {
namespace {

using alternating::EpsilonConstraintResult;

constexpr double coverage_radius = 0.02;

constexpr const char* pf_smg_paper = "Liu and Vicente (2021), PF-SMG, Algorithm 3";

std::vector<double> ranges_of(const pareto::Points& front) {
  std::vector<double> range(front.objectives());
  for (std::size_t i = 0; i < range.size(); ++i) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (std::size_t k = 0; k < front.size(); ++k) {
      least = std::min(least, front[k][i]);
      greatest = std::max(greatest, front[k][i]);
    }
    range[i] = greatest > least ? greatest - least : 1.0;
  }
  return range;
}

/// What each sample of a front stands for: on a curve half the way to its two neighbours, holes
/// aside; on a surface as much as any other.
template <class SquareDistance>
std::vector<double> shares_of_samples(const pareto::Points& front, double hole,
                                      const SquareDistance& square_distance) {
  if (front.objectives() != 2 || front.size() < 2) return std::vector<double>(front.size(), 1.0);
  std::vector<std::size_t> order(front.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::sort(order, {}, [&](std::size_t k) { return std::pair(front[k][0], k); });
  std::vector<double> shares(front.size(), 0.0);
  for (std::size_t k = 1; k < order.size(); ++k) {
    const double step = std::sqrt(square_distance(front[order[k - 1]], front[order[k]]));
    if (step > hole) continue;
    shares[order[k - 1]] += 0.5 * step;
    shares[order[k]] += 0.5 * step;
  }
  if (std::ranges::all_of(shares, [](double share) { return share == 0; })) {
    std::ranges::fill(shares, 1.0);
  }
  return shares;
}

/// The front that a task has found, and how much of the known one it is.
/// @param points  of the values in `found`, in their order.
void add_front(sweep::TaskResult& result, const AlternatingProblem& problem,
               const pareto::Points& found, std::vector<std::vector<double>> points) {
  const auto values = found.values();
  result.front = {{values.begin(), values.end()},
                  problem.reference,
                  pareto::hypervolume(pareto::Front(found), problem.reference)};
  for (std::vector<double>& x : points) {
    if (problem.tested) {
      std::ranges::copy(alternating::values_at(*problem.tested, x),
                        std::back_inserter(result.front.report));
    }
    result.solutions["x"].emplace_back(std::move(x));
  }
  if (!problem.front.empty()) {
    double sum = 0;
    for (std::size_t k = 0; k < found.size(); ++k)
      sum += distance_to_front(found[k], problem.front);
    result.metrics["distance"] = sum / static_cast<double>(found.size());
    result.metrics["coverage"] = coverage(found, problem.front, coverage_radius);
  }
  result.model = model_of(problem.problem);
  add_measures(result, problem, result);
}

/// What the user should know of a front that may lack parts; empty where nothing is missing.
/// @param covered  the share of the known front; nothing where it is not known.
std::string remark_on(const EpsilonConstraintResult& traced,
                      const alternating::EpsilonConstraintOptions& options,
                      std::optional<double> covered) {
  constexpr double whole = 0.95;
  std::string remark;
  if (covered && *covered < whole) {
    append(remark, fmt::format("{:.0f} % of the known front have no point within {} of its ranges",
                               100 * (1 - *covered), coverage_radius));
  }
  // Fronts in pieces have levels that no point meets.
  if (!(covered >= whole) && traced.unplaced > 0 && traced.open_gap > options.spacing) {
    append(remark, fmt::format("{} of {} levels could not be placed: no point near enough to their "
                               "neighbours met f_i = eps",
                               traced.unplaced, traced.levels));
  }
  if (traced.exhausted) {
    append(
        remark,
        fmt::format("the {} gradients (epsilon_constraint.most_gradients) ended before every gap "
                    "was closed; the largest one left is {:.3g} of the front's ranges",
                    options.most_gradients, traced.open_gap));
  } else if (!(covered >= whole) && traced.open_gap > options.spacing) {
    append(remark, fmt::format("the front keeps a gap of {:.3g} of its ranges, more than {:.3g} "
                               "(epsilon_constraint.spacing)",
                               traced.open_gap, options.spacing));
  }
  return remark;
}

/// Where a front that was to be exact is not.
std::string remark_on(const alternating::FrontProof& proof, const EpsilonConstraintResult& traced,
                      const alternating::FrontPrecision& wanted) {
  std::string remark;
  if (proof.unproven > 0) {
    append(remark,
           fmt::format(
               "{} of {} points are not proven to {:.3g} (epsilon_constraint.certified_excess, "
               "absolute): one may be better in an objective by {:.3g}, as Newton "
               "steps find no lower value; scaled features have smaller bounds",
               proof.unproven, traced.front.size(), wanted.gap, proof.largest));
  }
  return remark;
}

/// Of gradients and values that were computed of all objectives alike.
template <class Traced>
std::int64_t evaluations_of_levels(const AlternatingProblem& problem, const Traced& traced) {
  const std::int64_t objectives = problem.objectives();
  return evaluations_of(problem.problem, {.estimates = {},
                                          .gradients = of_each(traced.gradients, objectives),
                                          .values = of_each(traced.values, objectives)});
}

/// What both traced fronts have.
/// @param traced  EpsilonConstraintResult or FrontSurface; its points are moved away.
template <class Traced>
sweep::TaskResult result_of(const AlternatingProblem& problem, Traced& traced,
                            std::int64_t evaluations) {
  std::vector<std::vector<double>> points;
  pareto::Points found(problem.reference.size());
  sweep::TaskResult result;
  for (auto& point : traced.front) {
    found.add(point.values, found.size());
    points.push_back(std::move(point.x));
    result.solutions["weights"].emplace_back(
        std::vector<double>(point.weights.begin(), point.weights.end()));
  }
  result.metrics = {{"gradients", static_cast<double>(traced.gradients)},
                    {"value_evaluations", static_cast<double>(traced.values)},
                    {"levels_tried", static_cast<double>(traced.levels)},
                    {"levels_dominated", static_cast<double>(traced.dominated)},
                    {"levels_unplaced", static_cast<double>(traced.unplaced)}};
  add_evaluations(result, evaluations);
  add_front(result, problem, found, std::move(points));
  return result;
}

sweep::TaskResult move_list(const Run<AlternatingProblem, PfSmgSection>& run) {
  const auto solve = [&](const auto& p) {
    return alternating::pf_smg(run.team, p, run.problem.reference, run.options.solver, run.seed,
                               run.key, run.control);
  };
  const alternating::ProblemView view = view_of(run.problem.problem);
  alternating::PfSmgResult found = run.options.noise == 0
                                       ? solve(view)
                                       : solve(alternating::GaussianNoise(view, run.options.noise));
  sweep::TaskResult result;
  if (!run.team.is_root()) return result;
  result.metrics = {{"gradients", static_cast<double>(found.gradients)},
                    {"value_evaluations", static_cast<double>(found.values)}};
  const std::int64_t objectives = run.problem.objectives();
  add_evaluations(result, evaluations_of(run.problem.problem,
                                         {.estimates = of_each(found.gradients, objectives),
                                          .gradients = {},
                                          .values = of_each(found.values, objectives)}));
  for (const alternating::PfSmgIteration& step : found.trace) {
    add_to_series(result, "list_length", step.iteration, static_cast<double>(step.list_length));
    add_to_series(result, "hypervolume", step.iteration, step.hypervolume);
  }
  add_front(result, run.problem, found.front.points(), std::move(found.x));
  return result;
}

/// Every point of a convex problem on data becomes the minimum of a weighted sum.
/// @return evaluations of rows that this took.
std::int64_t improve(const AlternatingProblem& problem, EpsilonConstraintResult& traced,
                     const alternating::FrontPrecision& wanted, std::string& remark) {
  const auto* const data = std::get_if<alternating::DataProblem>(&problem.problem);
  if (data == nullptr || wanted.gap == 0) return 0;
  if (!data->convex()) {
    append(remark,
           "points are as traced, with no certified gap: model.fairness = loss_gap is not convex, "
           "covariance is");
    return 0;
  }
  if (problem.variables() > alternating::most_weights_of_minimum) {
    append(remark, fmt::format("points are as traced, not improved to a certified gap: the model "
                               "has more than {} weights",
                               alternating::most_weights_of_minimum));
    return 0;
  }
  const auto proof = alternating::improve_front(*data, traced, wanted);
  append(remark, remark_on(proof, traced, wanted));
  return proof.evaluations;
}

sweep::TaskResult trace(const Run<AlternatingProblem, EpsilonConstraintSection>& run) {
  const alternating::ProblemView view = view_of(run.problem.problem);
  const auto* const data = std::get_if<alternating::DataProblem>(&run.problem.problem);
  EpsilonConstraintResult traced = alternating::epsilon_constraint(
      data == nullptr ? alternating::functions_of(view) : alternating::functions_of(*data),
      run.options.solver, run.seed, run.key, run.control);
  std::string remark;
  std::int64_t evaluations = evaluations_of_levels(run.problem, traced);
  evaluations += improve(
      run.problem, traced,
      {.gap = run.options.certified_excess, .largest_gap = run.options.solver.spacing}, remark);
  sweep::TaskResult result = result_of(run.problem, traced, evaluations);
  std::optional<double> covered;
  if (const auto known = result.metrics.find("coverage"); known != result.metrics.end()) {
    covered = known->second;
  }
  append(remark, remark_on(traced, run.options.solver, covered));
  result.metrics["open_gap"] = traced.open_gap;
  append(result.remark, remark);
  return result;
}

/// Smooth fronts have some such points along their edges; empty where there are no more.
std::string remark_on_weak_points(const alternating::FrontSurface& traced) {
  constexpr std::size_t one_in = 4;
  pareto::Points points(3);
  for (const auto& point : traced.front) points.add(point.values, points.size());
  const std::size_t weak = points.empty() ? 0 : nearly_dominated(points);
  if (one_in * weak <= points.size()) return "";
  return fmt::format(
      "{} of {} points are only weakly efficient, or nearly so: another one is better by more than "
      "5 % of an objective's range and worse by .2 % at most in the others. The levels are for "
      "objectives that are smooth and all move",
      weak, points.size());
}

/// Few do not change what a front looks like; empty then.
std::string remark_on_unproven_points(const alternating::FrontSurface& traced) {
  constexpr std::int64_t one_in = 20;
  const std::int64_t points = std::ssize(traced.front);
  if (one_in * traced.unproven <= points) return "";
  return fmt::format(
      "{} of {} points at kinks, or where an objective has no weight, are not proven to be "
      "efficient: others may be better in every objective, as where curved objectives bound each "
      "other",
      traced.unproven, points);
}

sweep::TaskResult trace_surface(const Run<AlternatingProblem, FrontSurfaceSection>& run) {
  alternating::FrontSurface traced = alternating::front_surface(
      view_of(run.problem.problem), run.options.solver, run.seed, run.key, run.control);
  std::string remark;
  if (traced.exhausted) {
    remark = fmt::format(
        "the {} gradients (epsilon_constraint.most_gradients) ended before the search was at every "
        "edge of the front",
        run.options.solver.most_gradients);
  }
  if (4 * traced.unplaced > traced.levels) {
    append(remark, fmt::format("{} of {} levels were not met: where they are not beyond its edge, "
                               "the front may lack parts",
                               traced.unplaced, traced.levels));
  }
  append(remark, remark_on_weak_points(traced));
  append(remark, remark_on_unproven_points(traced));
  sweep::TaskResult result =
      result_of(run.problem, traced, evaluations_of_levels(run.problem, traced));
  append(result.remark, remark);
  return result;
}

sweep::Work work_of(const AlternatingProblem& problem, const FrontSurfaceSection& options) {
  // Every cell has a point and some six draw no gradients of their own; nor do the samples.
  const auto most = static_cast<double>(options.solver.most_gradients);
  const double points = most / 3;
  // As of `elastic`, where neighbours help each other.
  const double gradients = std::min(most, 2000 + 1350 / options.solver.spacing);
  return {points * sizeof(double) * static_cast<double>(problem.variables() + 20),
          static_cast<double>(options.solver.samples) + gradients, "gradients"};
}

sweep::Work work_of(const AlternatingProblem& problem, const EpsilonConstraintSection& options) {
  constexpr double vectors = 300;  // of one value per variable: points kept, pairs of the descent
  // Measured on four test problems and on German, with gaps of .003 to .05.
  constexpr double of_level = 25;
  const auto& solver = options.solver;
  const double levels =
      std::min(static_cast<double>(solver.most_gradients) / of_level,
               static_cast<double>(solver.starts + solver.walk_levels) + 2.7 / solver.spacing);
  // Finding the place of a level among the others takes long only beside cheap gradients.
  const bool reads_data = std::holds_alternative<alternating::DataProblem>(problem.problem);
  const double of_pair = reads_data ? 0 : 0.25;
  return {vectors * sizeof(double) * static_cast<double>(problem.variables()),
          static_cast<double>(solver.samples) + levels * (of_level + of_pair * levels),
          "gradients"};
}

sweep::Work work_of(const AlternatingProblem& problem, const PfSmgSection& options) {
  const alternating::PfSmgOptions& solver = options.solver;
  const double candidates = static_cast<double>(solver.list_budget) *
                            static_cast<double>((solver.copies + 1) * solver.runs);
  const double point = static_cast<double>(problem.variables() + 20) * sizeof(double);
  return {(candidates + static_cast<double>(2 * solver.list_budget)) * point,
          static_cast<double>(solver.most_gradients), "gradients"};
}

sweep::Columns columns_of_fronts() {
  using base::Direction;
  return {
      .metrics = {
          {"coverage",
           fmt::format("share of the analytic front's length, of three objectives of its samples, "
                       "within {} of a point found, objectives in units of the front's ranges; "
                       "where the front is known",
                       coverage_radius),
           "share", Direction::maximise, ""},
          {"value_evaluations", "values of single objectives computed", "", Direction::none, ""}}};
}

sweep::Columns columns_of_lists() {
  using base::Direction;
  sweep::Columns columns = columns_of_fronts();
  columns.series = {
      {{"list_length", "entries of the list", "", Direction::none, pf_smg_paper}},
      {{"hypervolume", "hypervolume of the list", "", Direction::maximise, pf_smg_paper}}};
  return columns;
}

sweep::Columns columns_of_levels() {
  using base::Direction;
  const std::string source = "Haimes, Lasdon, Wismer (1971)";
  sweep::Columns columns = columns_of_fronts();
  columns.metrics.insert(
      columns.metrics.end(),
      {{"levels_tried", "levels that were solved for", "", Direction::none, source},
       {"levels_dominated",
        "levels whose point another point found dominates, as in a hole of the front", "",
        Direction::none, ""},
       {"levels_unplaced",
        "levels between the front's ends, of starts, and beyond a surface's edge, that were not "
        "met",
        "", Direction::minimise, ""}});
  columns.solutions = {{"weights",
                        "of the objectives, sum 1: the point is stationary for this weighted sum, "
                        "nearly or with a certified gap",
                        "", Direction::none, source}};
  return columns;
}

sweep::Columns columns_of_curves() {
  sweep::Columns columns = columns_of_levels();
  columns.metrics.push_back(
      {"open_gap",
       "largest Euclidean distance of neighbours on the front found, in units of its ranges", "",
       base::Direction::none, ""});
  return columns;
}

/// A method that traces a whole front.
void add_conditions(base::OptionTable& table, const char* method) {
  table.only_if({"alternating.n_total", "alternating.iterations", "alternating.trace_points",
                 "alternating.data_minimum"},
                base::never(), fmt::format("[{}] takes no alternating steps", method));
}

}  // namespace

base::OptionTable options_of(EpsilonConstraintSection& options) {
  base::OptionTable table = alternating::options_of(options.solver);
  table.add("certified_excess", options.certified_excess, base::at_least(0.0), "",
            "On data with fairness = covariance every point is improved until it is proven that "
            "none is better in one objective by more than this, in units of the objective, and no "
            "worse in the other, and both ends are computed. With 0 points stay as traced.");
  table.formerly("certified_excess", "certified_gap");
  add_conditions(table, "epsilon_constraint");
  table.only_if({"model.batch"}, base::never(), "[epsilon_constraint] takes exact gradients");
  table.only_if({"certified_excess"}, base::is("alternating.problem", {"data"}),
                "alternating.problem = {} reads no data");
  table.only_if({"certified_excess"}, base::is("model.fairness", {"covariance"}),
                "model.fairness = {} is not convex: no minimum can be proven");
  return table;
}

base::OptionTable options_of(FrontSurfaceSection& options) {
  base::OptionTable table = alternating::options_of(options.solver);
  add_conditions(table, "epsilon_constraint");
  return table;
}

base::OptionTable options_of(PfSmgSection& options) {
  base::OptionTable table = alternating::options_of(options.solver);
  table.add("noise", options.noise, base::at_least(0.0), "",
            "Every component of every gradient has Gaussian noise of this standard deviation.");
  add_conditions(table, "pf_smg");
  table.only_if({"perturbation"}, base::above("copies", 0), "pf_smg.copies = {} perturbs nothing");
  return table;
}
void validate_for(const AlternatingProblem& /*problem*/, const PfSmgSection& options) {
  alternating::validate(options.solver);
}

double coverage(const pareto::Points& found, const pareto::Points& front, double radius) {
  const std::vector<double> range = ranges_of(front);
  const auto square_distance = [&](std::span<const double> a, std::span<const double> b) {
    double square = 0;
    for (std::size_t i = 0; i < range.size(); ++i) {
      const double distance = (a[i] - b[i]) / range[i];
      square += distance * distance;
    }
    return square;
  };
  const auto is_near = [&](std::span<const double> sample) {
    for (std::size_t p = 0; p < found.size(); ++p) {
      if (square_distance(sample, found[p]) <= radius * radius) return true;
    }
    return false;
  };
  const std::vector<double> shares = shares_of_samples(front, radius, square_distance);
  double covered = 0;
  double all = 0;
  for (std::size_t k = 0; k < front.size(); ++k) {
    all += shares[k];
    if (is_near(front[k])) covered += shares[k];
  }
  return covered / all;
}

std::size_t nearly_dominated(const pareto::Points& front) {
  constexpr double much = 0.05;
  constexpr double almost_nothing = 0.002;
  constexpr std::size_t looked_at = 1000;
  const std::vector<double> range = ranges_of(front);
  const auto betters = [&](std::span<const double> one, std::span<const double> other) {
    double most = 0;
    for (std::size_t i = 0; i < range.size(); ++i) {
      const double better = (other[i] - one[i]) / range[i];
      if (better < -almost_nothing) return false;
      most = std::max(most, better);
    }
    return most > much;
  };
  const std::size_t step = 1 + (front.size() - 1) / looked_at;
  std::size_t count = 0;
  for (std::size_t k = 0; k < front.size(); k += step) {
    for (std::size_t other = 0; other < front.size(); ++other) {
      if (!betters(front[other], front[k])) continue;
      count += std::min(step, front.size() - k);
      break;
    }
  }
  return count;
}

Method<AlternatingProblem> epsilon_constraint_method() {
  return make_method<AlternatingProblem, EpsilonConstraintSection>(
      {.name = "epsilon_constraint",
       .title = "a whole front of two objectives, level by level, by augmented Lagrangians",
       .source = "Haimes, Lasdon, Wismer (1971); Nocedal, Wright (2006), Algorithm 17.4",
       .revision = 6},  // 6: the end without unfairness is the least loss there
      columns_of_curves(), [](auto& p, auto& o) { return work_of(p, o); },
      [](auto& run) { return trace(run); });
}

Method<AlternatingProblem> front_surface_method() {
  return make_method<AlternatingProblem, FrontSurfaceSection>(
      {.name = "epsilon_constraint",
       .title = "a whole front of three objectives, level by level, by augmented Lagrangians",
       .source =
           "Pascoletti, Serafini (1984); Nocedal, Wright (2006), Algorithm 17.4; Benson (1978)",
       .revision = 7},  // 7: levels at kinks are met
      columns_of_levels(), [](auto& p, auto& o) { return work_of(p, o); },
      [](auto& run) { return trace_surface(run); });
}

Method<AlternatingProblem> pf_smg_method(std::int64_t objectives) {
  return make_method<AlternatingProblem, PfSmgSection>(
      {.name = "pf_smg",
       .title = "a list of points moved by stochastic multi-gradient steps together",
       .source = pf_smg_paper,
       .coupled = true,
       .revision = revision_of(3, objectives)},  // 3: evaluations are counted
      columns_of_lists(), [](auto& p, auto& o) { return work_of(p, o); },
      [](auto& run) { return move_list(run); });
}

}  // namespace fairfront::experiments
