#include "experiments/training_exact.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_bounds.hpp"
#include "experiments/training_rates.hpp"
#include "experiments/training_results.hpp"
#include "solvers/training/confidence.hpp"
#include "solvers/training/full_data.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;
using Problem = TrainingProblem;

struct ExactTrainingOptions : training::ExactOptions {};
base::OptionTable options_of(ExactTrainingOptions& options) {
  auto table = training::options_of(static_cast<training::ExactOptions&>(options));
  return table
      .only_if({"seed", "model.initialisation"}, base::never(), "[exact_training] draws nothing")
      .only_if({"training.budget", "training.iterations", "training.trace_points"}, base::never(),
               "[exact_training] takes no steps of a budget");
}

void validate_for(const Problem& problem, const ExactTrainingOptions&) {
  if (training::has_exact_optimum(problem.problem)) return;
  throw std::invalid_argument(
      "[exact_training] needs a linear score and a smooth loss that is bounded: model.hidden "
      "empty, "
      "training.loss = logistic or square, and training.rate = none");
}

/// Rows times squared weights: of one Hessian.
double products(const training::Problem& problem) {
  const auto weights = static_cast<double>(problem.parameters());
  return static_cast<double>(problem.train.size()) * weights * weights;
}

TaskResult run_exact(const Run<Problem, ExactTrainingOptions>& run) {
  training::ExactOptimum best =
      training::exact_training(run.problem.problem, run.options, run.control);
  TaskResult result;
  add_measures(result, run.problem, best.w, run.control);
  add_gap_bounds(result, run.problem, best.w, run.options.delta, run.control);
  training::TrainingResult found;
  found.w = std::move(best.w);
  const AskedBound asked(run.problem, run.options.delta);
  training::FullData full(asked.problem(), run.control, training::any_mean_loss);
  add_feasibility(result, found, asked, full.derivatives(found.w));
  add_kept_bound(result, asked, best.least_bound);
  // By the multipliers that were found, in the place of estimates.
  result.metrics["kkt_stationarity"] = best.stationarity;
  result.metrics["kkt_violation"] = best.violation;
  result.metrics["kkt_complementarity"] = best.complementarity;
  result.metrics["iterations"] = static_cast<double>(best.steps);
  add_evaluations(result, best.passes * run.problem.problem.train.size());
  result.metrics["optimum_lower"] = best.lower;
  if (!std::isnan(best.least_bound)) result.metrics["least_bound_lower"] = best.least_bound_lower;
  result.metrics["starts_converged"] = static_cast<double>(best.ended);
  result.metrics["end_points"] = static_cast<double>(best.distinct);
  result.metrics["starts_at_best"] = static_cast<double>(best.best);
  result.solutions["multipliers"].emplace_back(std::move(best.multipliers));
  if (!best.converged) {
    append(
        result.remark,
        "no start reached exact_training.tolerance in exact_training.rounds: the bounds are kept, "
        "but better weights may be near");
  }
  return result;
}

sweep::Work exact_work(const Problem& problem, const ExactTrainingOptions& options) {
  constexpr double steps = 20;  // from a start, about
  sweep::Work work = training_work(problem, 0);
  const double scored = static_cast<double>(problem.problem.train.size());
  const auto weights = static_cast<double>(problem.problem.parameters());
  work.bytes_per_rank += sizeof(double) * scored * weights;  // rows by cell
  work.amount =
      scored * (3 + steps * (static_cast<double>(options.starts) + 8) * (1 + weights / 8));
  if (training::can_search_bound(problem.problem)) {
    constexpr double products = 250;  // of a cell, in the units above
    work.amount += scored * static_cast<double>(options.cells) * weights * weights * weights *
                   weights / products;
  }
  return work;
}

sweep::Columns exact_columns() {
  sweep::Columns columns = feasibility_columns();
  add_columns(columns, {.metrics = {training_optimum_columns().metrics.back()}});
  columns.metrics.push_back(least_bound_column());
  columns.metrics.push_back({"least_bound_lower",
                             "proven: no linear score keeps a smaller bound on the training part",
                             "loss", Direction::none, ""});
  columns.metrics.push_back(
      {"starts_converged", "starts that ended at a KKT point", "", Direction::none, ""});
  columns.metrics.push_back(
      {"end_points", "different KKT points among the ends of starts_converged: local optima", "",
       Direction::none, ""});
  columns.metrics.push_back({"starts_at_best",
                             "of starts_converged, those that ended at the point returned: at "
                             "nearly the same scores, not only the same loss",
                             "", Direction::none, ""});
  columns.solutions.push_back({"multipliers", "of every gap: of its upper less of its lower bound",
                               "", Direction::none, ""});
  return columns;
}

}  // namespace

TrainingOptima::Known TrainingOptima::get(const training::Problem& problem, double delta,
                                          const solvers::Control& control) {
  const auto known = by_delta_.find(delta);
  if (known != by_delta_.end()) return known->second;
  // Many runs ask: the search for a better lower bound is left to [exact_training].
  const training::ExactOptimum best =
      training::exact_training(problem, {.delta = delta, .cells = 0}, control);
  return by_delta_[delta] = {best.loss, best.lower, best.least_bound, best.converged};
}

double add_distance_to_optimum(TaskResult& result, const Problem& problem, double delta,
                               const solvers::Control& control) {
  constexpr double most_products = 1e9;  // some hundreds of Hessians then take minutes
  if (delta <= 0 || !training::has_exact_optimum(problem.problem) ||
      products(problem.problem) > most_products) {
    return std::nan("");
  }
  const TrainingOptima::Known best = problem.optima->get(problem.problem, delta, control);
  // Nothing is within a bound that is out of reach, and so nothing the optimum there.
  if (!best.converged || best.least_bound > delta) return best.least_bound;
  result.metrics["optimum"] = best.loss;
  const double gap = value_of(result, "loss", "train") - best.loss;
  result.metrics["objective_gap"] = gap;
  constexpr double rounding = 1e-7;
  if (gap < -rounding && result.metrics["feasible"] == 1) {
    append(result.remark,
           fmt::format("optimum = {:.6g} is a local optimum, and not the least loss within delta = "
                       "{}: this run has {:.6g}; [exact_training] with more starts may find it",
                       best.loss, delta, best.loss + gap));
  }
  result.metrics["optimum_lower"] = best.lower;
  return best.least_bound;
}

sweep::Columns training_optimum_columns() {
  return {.metrics = {
              {"optimum",
               "loss_train of [exact_training] with this delta; of linear scores with a smooth "
               "loss, and rows times squared weights up to 1e9",
               "loss", Direction::none, ""},
              {"objective_gap",
               "loss_train less the optimum; below 0 where excess is above 0, or where the optimum "
               "is a local one only, which a remark says",
               "loss", Direction::minimise, ""},
              {"optimum_lower",
               "proven: no weights within the bounds have a smaller loss_train; the least value of "
               "a convex Lagrangian, raised by exact_training.cells in [exact_training] itself",
               "loss", Direction::none, ""}}};
}

void add_gap_bounds(TaskResult& result, const Problem& problem, std::optional<double> delta,
                    const std::function<std::vector<double>(data::Part)>& values_of) {
  for (const data::Part which : {data::Part::validation, data::Part::test}) {
    const training::Part& part = problem.rows(which);
    if (part.size() == 0 || problem.options.bound_of == training::BoundOf::ratio) continue;
    const std::vector<double> values = values_of(which);
    std::vector<double> bounds =
        training::gap_bounds(problem.problem.constraints, part, values, training_confidence);
    const std::string name = fmt::format("gap_bound_{}", data::name_of(which));
    const double largest = std::ranges::max(bounds);
    add_value(result, "gap_bound", data::name_of(which), largest);
    if (which == data::Part::validation && delta) {
      result.metrics["confident"] = largest <= *delta ? 1 : 0;
    }
    result.solutions[name].emplace_back(std::move(bounds));
  }
}

void add_gap_bounds(TaskResult& result, const Problem& problem, std::span<const double> w,
                    std::optional<double> delta, const solvers::Control& control) {
  training::FullData full(problem.problem, control, training::any_mean_loss);
  add_gap_bounds(result, problem, delta, [&](data::Part which) {
    const training::Part& part = problem.rows(which);
    return bounded_values(problem, part, full.scores(part, w));
  });
}

sweep::Columns gap_bound_columns() {
  sweep::Columns columns;
  for (const char* part : {"validation", "test"}) {
    const std::string definition = fmt::format(
        "with 95 % confidence no |gap| of the population is larger, by the rows of the {} part: "
        "normal approximation, all gaps at once by Bonferroni",
        part);
    columns.solutions.push_back({fmt::format("gap_bound_{}", part), "of every gap: " + definition,
                                 "loss", Direction::minimise, ""});
  }
  columns.measures.push_back(
      {{"gap_bound",
        "with 95 % confidence no |gap| of the population is larger, by the rows of the part: "
        "normal approximation, all gaps at once by Bonferroni",
        "loss", Direction::minimise, ""},
       {"validation", "test"}});
  columns.metrics.push_back({"confident",
                             "1 where gap_bound on the validation part is at most delta, else 0",
                             "", Direction::maximise, ""});
  return columns;
}

Method<Problem> exact_training_method() {
  return make_method<Problem, ExactTrainingOptions>(
      {.name = "exact_training",
       .title = "exact training: the optimum for a linear score and a smooth loss, to rounding",
       .source = "Nocedal, Wright (2006), section 18.4",
       .revision = 16},  // 16: looks again where all scores are nearly alike
      exact_columns(), exact_work, run_exact);
}

}  // namespace fairfront::experiments
