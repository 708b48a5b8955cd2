#include "experiments/ranking_stochastic.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <span>
#include <string_view>

#include "base/error.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/ranking_models.hpp"
#include "experiments/ranking_results.hpp"
#include "experiments/ranking_selection.hpp"
#include "solvers/ranking/iqrc.hpp"
#include "solvers/ranking/level_set.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;
using Problem = RankingProblem;

/// @throws base::InputError  batches that cannot have a row of every label and group.
void check_balance(const Problem& problem, std::string_view method,
                   const ranking::MirrorDescentOptions& options) {
  const std::int64_t cells = 2 * problem.groups();
  if (options.rows != ranking::RowOrder::balanced || options.batch >= cells) return;
  throw base::InputError(
      fmt::format("{0}.batch = {1}, but rows = balanced takes a row of each label and group, which "
                  "are {2}: at least {2}, or {0}.rows = drawn",
                  method, options.batch, cells));
}

/// Whether the method has a result beside its start, a constant score, and what to do if not. A
/// constant score is no model: it is not measured.
bool told_as_found(TaskResult& result, bool found, std::string_view method) {
  result.metrics["found_model"] = found ? 1 : 0;
  if (!found) {
    add_remark(result, fmt::format("[{0}] found no score better than a constant one, which is not "
                                   "measured: try another {0}.step, or more of {0}.evaluations",
                                   method));
  }
  return found;
}

/// Measured on COMPAS and synthetic rows: what is beside the batch takes as long as 20 to 170 rows.
double rows_of_step(const ranking::MirrorDescentOptions& descent) {
  constexpr double beside = 40;
  return static_cast<double>(descent.batch) + beside;
}

// ---- [sfls]

struct LevelSetMethodOptions {
  double kappa = 0.2;
  double level = 1;
  std::int64_t look_every = 100;
  ranking::LevelSetOptions solver{};
};
base::OptionTable options_of(LevelSetMethodOptions& options) {
  base::OptionTable table("sfls");
  add_kappa(table, options.kappa);
  add_level(table, options.level);
  add_looks(table, options.look_every);
  ranking::add_options(table, options.solver);
  return table;
}
void validate_for(const Problem& problem, const LevelSetMethodOptions& options) {
  check_kappa(problem, "sfls", options.kappa);
  check_balance(problem, "sfls", options.solver.descent);
}

/// A code for the metric `stop`.
double code_of(ranking::LevelSetStop stop) { return static_cast<double>(stop); }

/// Of a LevelSetResult or an IqrcResult.
template <class Found>
void add_calls(TaskResult& result, const Found& found) {
  result.metrics["calls"] = static_cast<double>(found.calls.size());
  result.metrics["steps"] = static_cast<double>(found.steps);
  add_evaluations(result, found.evaluations);
  for (std::size_t k = 0; k < found.calls.size(); ++k) {
    const auto call = static_cast<std::int64_t>(k);
    add_to_series(result, "level", call, found.calls[k].level);
    add_to_series(result, "upper_bound", call, found.calls[k].upper_bound);
  }
}

TaskResult run_level_set(const Run<Problem, LevelSetMethodOptions>& run) {
  const Problem& problem = run.problem;
  const auto& options = run.options;
  SelectedModels selected(problem, linear_scores(problem));
  const IterateLooks looks(selected, options.look_every, run.control);
  const auto found = ranking::level_set(linear_surrogate(problem, options.kappa), options.solver,
                                        run.seed, run.key, looks.control(), looks.watch());
  if (found.found) selected.look(found.w);
  if (run.is_trial) return selected.of_trial(options.level);
  TaskResult result;
  if (told_as_found(result, found.found, "sfls")) {
    add_linear(result, problem, found.w, run.resampling);
    add_distance_to_optimum(result, problem, found.w, options.kappa);
  }
  selected.put_into(result);
  selected.put_best(result, options.level);
  add_calls(result, found);
  result.metrics["stop"] = code_of(found.stop);
  return result;
}

sweep::Columns call_columns() {
  return {.metrics = {{"calls", "calls of stochastic mirror descent", "", Direction::none,
                       ranking_paper},
                      {"steps", "steps of all calls", "", Direction::none, ranking_paper},
                      evaluations_row(),
                      {"found_model",
                       "1: the result is better than a constant score; 0: none was, and there are "
                       "no measures",
                       "", Direction::none, ""}},
          .series = {
              {{"level", "r of each call", "", Direction::minimise, ranking_paper}, "call"},
              {{"upper_bound", "U(r) of each call", "", Direction::none, ranking_paper}, "call"}}};
}

sweep::Columns level_set_columns() {
  sweep::Columns columns = linear_columns();
  add_columns(columns, optimum_distance_columns());
  add_columns(columns, best_columns());
  add_columns(columns, call_columns());
  add_columns(columns, {.metrics = {{"stop",
                                     "0: U within the tolerance; 1: U > 0 after most_doublings; 2: "
                                     "most_calls were spent; 3: evaluations were",
                                     "", Direction::none, ranking_paper}}});
  return columns;
}

// ---- [iqrc]

struct IqrcMethodOptions {
  double kappa = 0.2;
  double level = 1;
  std::int64_t look_every = 100;
  NetworkModelOptions network{};
  ranking::IqrcOptions solver{};
};
base::OptionTable options_of(IqrcMethodOptions& options) {
  base::OptionTable table("iqrc");
  add_kappa(table, options.kappa);
  add_level(table, options.level);
  add_looks(table, options.look_every);
  add_options(table, options.network);
  ranking::add_options(table, options.solver);
  return table;
}
void validate_for(const Problem& problem, const IqrcMethodOptions& options) {
  check_kappa(problem, "iqrc", options.kappa);
  check_balance(problem, "iqrc", options.solver.level.descent);
}

TaskResult run_iqrc(const Run<Problem, IqrcMethodOptions>& run) {
  const Problem& problem = run.problem;
  const auto& options = run.options;
  const NetworkModel network(problem, options.network);
  SelectedModels selected(problem, network.scores());
  const IterateLooks looks(selected, options.look_every, run.control);
  const auto surrogate = network.surrogate(options.kappa);
  const auto found = ranking::iqrc(surrogate, options.solver, network.start(run.seed, run.key),
                                   run.seed, run.key, looks.control(), looks.watch());
  if (found.improved > 0) selected.look(found.w);
  if (run.is_trial) return selected.of_trial(options.level);
  TaskResult result;
  if (told_as_found(result, found.improved > 0, "iqrc")) {
    add_model(result, problem, network.scores(), found.w, run.resampling);
    add_losses(result, surrogate, found.w);
  }
  selected.put_into(result);
  selected.put_best(result, options.level);
  add_calls(result, found);
  result.metrics["improved_iterations"] = static_cast<double>(found.improved);
  return result;
}

sweep::Columns iqrc_columns() {
  sweep::Columns columns = loss_columns();
  add_columns(columns, best_columns());
  add_columns(columns, call_columns());
  add_columns(columns, {.metrics = {{"improved_iterations",
                                     "iterations that found a feasible score with a smaller "
                                     "objective",
                                     "", Direction::none, ranking_paper}}});
  return columns;
}

}  // namespace

Method<Problem> level_set_method() {
  return make_method<Problem, LevelSetMethodOptions>(
      {.name = "sfls",
       .title = "stochastic feasible level-set method with mirror descent, linear score",
       .source = "Yao, Lin, Yang (2023), Algorithms 1 and 2",
       .revision = 7},
      level_set_columns(),
      [](auto& p, auto& o) {
        return rows_of_steps(p, ranking::expected_steps(o.solver), rows_of_step(o.solver.descent),
                             o.look_every);
      },
      run_level_set);
}

Method<Problem> iqrc_method() {
  return make_method<Problem, IqrcMethodOptions>(
      {.name = "iqrc",
       .title = "inexact quadratically regularised constrained method, two-layer network",
       .source = "Yao, Lin, Yang (2023), Algorithm 3",
       .revision = 5},
      iqrc_columns(),
      [](auto& p, auto& o) {
        return with_network(rows_of_steps(p, ranking::expected_steps(o.solver),
                                          rows_of_step(o.solver.level.descent), o.look_every),
                            o.network);
      },
      run_iqrc);
}

}  // namespace fairfront::experiments
