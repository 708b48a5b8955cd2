#include "experiments/alternating_fronts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

#include "experiments/alternating_measures.hpp"
#include "experiments/remarks.hpp"
#include "pareto/hypervolume.hpp"
#include "pareto/indicators.hpp"
#include "solvers/alternating/data_minimum.hpp"

namespace fairfront::experiments {
namespace {

using alternating::EpsilonConstraintResult;

constexpr double coverage_radius = 0.02;

/// What the user should know of a front that may lack parts; empty where nothing is missing.
std::string remark_on(const EpsilonConstraintResult& traced,
                      const alternating::EpsilonConstraintOptions& options) {
  std::string remark;
  if (traced.unplaced > 0) {
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
  }
  return remark;
}

sweep::TaskResult result_of(const AlternatingProblem& problem, EpsilonConstraintResult&& traced) {
  sweep::TaskResult result;
  pareto::Points found(2);
  for (alternating::TracedPoint& point : traced.front) {
    found.add(point.values, found.size());
    result.solutions["x"].emplace_back(std::move(point.x));
    result.solutions["weights"].emplace_back(
        std::vector<double>(point.weights.begin(), point.weights.end()));
  }
  const auto values = found.values();
  result.front = {{values.begin(), values.end()},
                  problem.reference,
                  pareto::hypervolume(pareto::Front(found), problem.reference)};
  result.metrics = {{"gradients", static_cast<double>(traced.gradients)},
                    {"value_evaluations", static_cast<double>(traced.values)},
                    {"levels_tried", static_cast<double>(traced.levels)},
                    {"levels_dominated", static_cast<double>(traced.dominated)},
                    {"levels_unplaced", static_cast<double>(traced.unplaced)},
                    {"open_gap", traced.open_gap}};
  if (!problem.front.empty()) {
    result.metrics["distance"] = pareto::generational_distance(found, problem.front);
    result.metrics["coverage"] = coverage(found, problem.front, coverage_radius);
  }
  result.model = model_of(problem.problem);
  result.measured = measures_of(problem, result);
  return result;
}

/// Every point of a convex problem on data becomes the minimum of a weighted sum.
void improve(const AlternatingProblem& problem, EpsilonConstraintResult& traced,
             const alternating::FrontPrecision& wanted, std::string& remark) {
  const auto* const data = std::get_if<alternating::DataProblem>(&problem.problem);
  if (data == nullptr || !data->convex() || wanted.gap == 0) return;
  if (problem.variables() > alternating::most_weights_of_minimum) {
    append(remark, fmt::format("points are as traced, not improved to a certified gap: the model "
                               "has more than {} weights",
                               alternating::most_weights_of_minimum));
    return;
  }
  alternating::improve_front(*data, traced, wanted);
}

sweep::TaskResult trace(const Run<AlternatingProblem, EpsilonConstraintSection>& run) {
  EpsilonConstraintResult traced = std::visit(
      [&](const auto& p) {
        return alternating::epsilon_constraint(p, run.options.solver, run.seed, run.key,
                                               run.control);
      },
      run.problem.problem);
  std::string remark;
  improve(run.problem, traced,
          {.gap = run.options.certified_gap, .largest_gap = run.options.solver.largest_gap},
          remark);
  append(remark, remark_on(traced, run.options.solver));
  sweep::TaskResult result = result_of(run.problem, std::move(traced));
  result.remark = std::move(remark);
  return result;
}

sweep::Work work_of(const AlternatingProblem& problem, const EpsilonConstraintSection& options) {
  constexpr double vectors = 300;  // of one value per variable: points kept, pairs of the descent
  return {vectors * sizeof(double) * static_cast<double>(problem.variables()) +
              static_cast<double>(problem.bytes),
          static_cast<double>(options.solver.most_gradients), "gradients"};
}

sweep::Columns columns() {
  using base::Direction;
  const std::string source = "Haimes, Lasdon, Wismer (1971)";
  return {
      .metrics =
          {{"coverage",
            fmt::format("share of the points of the analytic front within {} of a point found, "
                        "objectives in units of the front's ranges; where the front is known",
                        coverage_radius),
            "share", Direction::maximise, ""},
           {"value_evaluations", "values of single objectives computed", "", Direction::none, ""},
           {"levels_tried", "levels f_i = eps that were solved for", "", Direction::none, source},
           {"levels_dominated",
            "levels whose point a point found before dominates, as in a hole of the front", "",
            Direction::none, ""},
           {"levels_unplaced", "levels between the front's ends, and of starts, that were not met",
            "", Direction::minimise, ""},
           {"open_gap",
            "largest Euclidean distance of neighbours on the front found, in units of its ranges",
            "", Direction::none, ""}},
      .solutions = {{"weights",
                     "of both objectives, sum 1: the point is stationary for this weighted sum, "
                     "nearly or with a certified gap",
                     "", Direction::none, source}}};
}

}  // namespace

base::OptionTable options_of(EpsilonConstraintSection& options) {
  base::OptionTable table = alternating::options_of(options.solver);
  table.add(
      "certified_gap", options.certified_gap, base::at_least(0.0), "",
      "on data with fairness = covariance every point is improved until it is proven that none is "
      "better in one objective by more than this and no worse in the other; 0: points stay as "
      "traced");
  return table;
}

std::vector<sweep::IdleOption> idle_options(const EpsilonConstraintSection& /*options*/) {
  std::vector<sweep::IdleOption> idle;
  for (const char* name : {"alternating.n_total", "alternating.iterations",
                           "alternating.trace_points", "alternating.data_minimum"}) {
    idle.push_back({name, "[epsilon_constraint] takes no alternating steps"});
  }
  idle.push_back({"model.batch", "[epsilon_constraint] takes exact gradients"});
  return idle;
}

double coverage(const pareto::Points& found, const pareto::Points& front, double radius) {
  std::array<double, 2> range{};
  for (std::size_t i = 0; i < 2; ++i) {
    double least = std::numeric_limits<double>::infinity();
    double greatest = -least;
    for (std::size_t k = 0; k < front.size(); ++k) {
      least = std::min(least, front[k][i]);
      greatest = std::max(greatest, front[k][i]);
    }
    range[i] = greatest > least ? greatest - least : 1.0;
  }
  std::size_t covered = 0;
  for (std::size_t k = 0; k < front.size(); ++k) {
    for (std::size_t p = 0; p < found.size(); ++p) {
      const double first = (front[k][0] - found[p][0]) / range[0];
      const double second = (front[k][1] - found[p][1]) / range[1];
      if (first * first + second * second > radius * radius) continue;
      ++covered;
      break;
    }
  }
  return static_cast<double>(covered) / static_cast<double>(front.size());
}

Method<AlternatingProblem> epsilon_constraint_method() {
  return make_method<AlternatingProblem, EpsilonConstraintSection>(
      {.name = "epsilon_constraint",
       .title = "a whole front of two objectives, level by level, by augmented Lagrangians",
       .source = "Haimes, Lasdon, Wismer (1971); Nocedal, Wright (2006), Algorithm 17.4",
       .revision = 2},
      columns(), work_of, [](auto& run) { return trace(run); });
}

}  // namespace fairfront::experiments
