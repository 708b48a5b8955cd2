#include "experiments/training_reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/condition.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_grid.hpp"
#include "experiments/training_rates.hpp"
#include "experiments/training_results.hpp"
#include "models/fitted_model.hpp"
#include "solvers/training/reductions.hpp"

namespace fairfront::experiments {
namespace {

struct ReducedTrainingOptions : training::ReductionsOptions {};
base::OptionTable options_of(ReducedTrainingOptions& options) {
  auto table = training::options_of(static_cast<training::ReductionsOptions&>(options));
  table.only_if({"step", "rounds", "tolerance"}, base::is("search", {"mixture"}),
                "search = {} has no rounds");
  table.only_if({"grid_size", "grid_limit"}, base::is("search", {"grid"}),
                "search = {} has no grid");
  table.only_if({"learner_tolerance"}, is_fitted_exactly(),
                "it is of logistic regression: model.hidden empty");
  table.only_if({"training.trace_points"}, base::never(), "[reductions] has no trajectory");
  table.only_if({"seed", "model.initialisation"}, is_trained(),
                "[reductions] draws nothing for a linear score");
  table.only_if({"training.budget", "training.iterations", "learner_step", "batch"}, is_trained(),
                "[reductions] fits a linear score exactly");
  return table;
}

training::RateLimit limit_of(const ReducedTrainingOptions& options) {
  return {options.rate, options.bound_of, options.bound};
}

void validate_for(const TrainingProblem& problem, const ReducedTrainingOptions& options) {
  training::require_errors(limit_of(options), "reductions");
  require_rows_of_rate(problem, options.rate, "reductions.rate");
  training::require_grid(options, problem.set->set.num_groups());
}

bool is_grid(const ReducedTrainingOptions& options) {
  return options.search == training::Search::grid;
}

/// The rates of both classifiers that were found.
void add_rates(sweep::TaskResult& result, const TrainingProblem& problem,
               const training::RateLimit& limit, std::vector<double> single, Draw draw) {
  add_rate_gaps(result, problem, limit, decisions_of(problem, {{std::move(single)}, {1.0}}));
  add_randomised_rates(result, problem, limit, decisions_of(problem, std::move(draw)));
}

std::string_view fairest(training::BoundOf of) {
  switch (of) {
    case training::BoundOf::ratio:
      return "largest ratio";
    case training::BoundOf::worst_group:
      return "least error of the worst group";
    case training::BoundOf::gap:
      break;
  }
  return "least gap";
}

/// Of the single classifier where it is not within the bound, and of the randomised one where
/// largest_multiplier makes errors dearer than an excess, or where nothing found is within.
/// @param least_bound  that a draw among the classifiers found keeps; NaN: any.
std::string remark_on_bounds(const sweep::TaskResult& result, const ReducedTrainingOptions& options,
                             double least_bound) {
  constexpr double rounding = 1e-9;
  const training::RateLimit limit = limit_of(options);
  std::string remark;
  const double single = bounded_on_train(result, limit, "");
  if (!training::keeps(limit, single)) {
    remark = fmt::format(
        "no single classifier found is within reductions.bound = {} on the training part: the one "
        "of {}, {:.3g}, is returned",
        limit.bound, fairest(limit.of), single);
    if (is_grid(options)) remark += "; a larger reductions.grid_size or grid_limit may have one";
  } else if (std::isnan(single)) {
    remark = "the single classifier's rates are 0 in every group, of which there is no ratio";
  }
  const double mixed = bounded_on_train(result, limit, "randomised_");
  const double rounded = limit.of == training::BoundOf::ratio ? mixed + rounding : mixed - rounding;
  if (training::keeps(limit, rounded)) return remark;
  if (least_bound > limit.bound + rounding) {
    append(remark, fmt::format("no draw among the classifiers found has an error of at most "
                               "reductions.bound = {} in every group of the training part: the "
                               "least bound that one keeps is {:.6g}, which is that of the "
                               "randomised classifier",
                               limit.bound, least_bound));
  } else {
    append(remark,
           fmt::format("the randomised classifier is beyond reductions.bound = {} with {:.6g} on "
                       "the training part: raise reductions.{}",
                       limit.bound, mixed,
                       is_grid(options) ? "grid_size, grid_limit or largest_multiplier"
                                        : "largest_multiplier"));
  }
  return remark;
}

sweep::TaskResult run_reductions(const Run<TrainingProblem, ReducedTrainingOptions>& run) {
  training::ReductionsResult found =
      reductions_of(run.problem, run.options, {run.seed, run.key}, run.control);
  const std::vector<double> w = found.members[found.best];
  sweep::TaskResult result;
  add_measures(result, run.problem, w, run.control);
  add_gap_bounds(result, run.problem, w, std::nullopt, run.control);
  result.metrics["duality_gap"] = found.duality_gap;
  result.metrics["lower"] = found.lower;
  result.metrics["iterations"] = static_cast<double>(found.rounds);
  result.metrics["fits"] = static_cast<double>(found.fits);
  add_evaluations(result, found.evaluations);
  Draw draw = add_draw(result, {std::move(found.members), std::move(found.shares)});
  add_rates(result, run.problem, limit_of(run.options), w, std::move(draw));
  if (is_grid(run.options)) {
    add_grid(result, run.problem, run.options.rate, found.grid);
  } else if (!found.converged) {
    append(result.remark,
           fmt::format("the duality gap {}is {:.3g}, above reductions.tolerance",
                       run.problem.is_logistic_regression() ? "of the randomised classifier "
                                                            : "among the networks found ",
                       found.duality_gap));
  }
  if (std::all_of(w.begin(), w.end() - 1, [](double weight) { return weight == 0; })) {
    append(result.remark,
           "the best single classifier found within the bound decides all rows alike");
  }
  if (!std::isnan(found.least_bound)) result.metrics["least_bound"] = found.least_bound;
  append(result.remark, remark_on_bounds(result, run.options, found.least_bound));
  return result;
}

sweep::Work reductions_work(const TrainingProblem& problem, const ReducedTrainingOptions& options) {
  constexpr double newton_steps = 6;
  const bool is_exact = problem.is_logistic_regression();
  sweep::Work work = training_work(problem, is_exact ? 0 : static_cast<double>(options.batch));
  const auto rows = static_cast<double>(problem.problem.train.size());
  const auto weights = static_cast<double>(problem.problem.parameters());
  const double fits = is_grid(options)
                          ? static_cast<double>(options.grid_size)
                          : 2 * std::min(20.0, static_cast<double>(options.rounds)) + 1;
  if (is_exact) {
    work.bytes_per_rank += 2 * rows * weights;  // as MixedRows, of a table of categories
    work.amount = rows * (3 + fits * newton_steps * (2 + weights / 8));
  } else {
    const double later = training::forecast(training::later_fit(problem.options.run),
                                            static_cast<double>(options.batch));
    work.amount += (fits - 1) * (later + rows);
  }
  if (is_grid(options)) work.result_bytes = sizeof(double) * fits * weights;
  return work;
}

sweep::Columns reductions_columns() {
  using base::Direction;
  constexpr const char* source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)";
  sweep::Columns columns = rate_columns();
  columns.metrics.push_back(
      {"duality_gap",
       "error of the randomised classifier on the training part plus largest_multiplier times its "
       "excess over the bound, less lower; 0: no classifier found is a better answer, which proves "
       "nothing of those that were not",
       "share", Direction::minimise, source});
  columns.metrics.push_back(
      {"lower",
       "largest over multipliers of the least Lagrangian of the classifiers found: "
       "bounds the error within the bound as far as the learner answers best",
       "share", Direction::none, source});
  columns.metrics.push_back(least_bound_column());
  columns.metrics.push_back({"fits", "of the learner", "", Direction::none, ""});
  add_columns(columns, draw_columns());
  add_columns(columns, grid_columns());
  return columns;
}

}  // namespace

std::vector<sweep::Claim> claims_of_reductions(const TrainingProblem& problem,
                                               const sweep::Task& task,
                                               const results::Findings& findings) {
  const auto options = sweep::read_section<ReducedTrainingOptions>(task, task.method);
  if (!is_grid(options)) return {};
  return claims_of_grid(problem, limit_of(options), findings);
}

results::Measures rates_of_reductions(const TrainingProblem& problem, const sweep::Task& task,
                                      const results::Findings& findings) {
  const auto options = sweep::read_section<ReducedTrainingOptions>(task, task.method);
  sweep::TaskResult result;
  add_rates(result, problem, limit_of(options), only_vector(findings, "weights"),
            draw_of(findings));
  return std::move(result.measured);
}

Method<TrainingProblem> reductions_method() {
  return make_method<TrainingProblem, ReducedTrainingOptions>(
      {.name = "reductions",
       .title = "bounds on rates of decisions by fits to weighted labels, randomised",
       .source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)",
       .revision = 5},  // 5: evaluations are counted
      reductions_columns(), reductions_work, run_reductions);
}

}  // namespace fairfront::experiments
