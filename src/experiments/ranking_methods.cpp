#include "experiments/ranking_methods.hpp"

#include <fmt/format.h>

#include <cmath>
#include <vector>

#include "base/condition.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/ranking_baselines.hpp"
#include "experiments/ranking_models.hpp"
#include "experiments/ranking_results.hpp"
#include "experiments/ranking_selection.hpp"
#include "experiments/ranking_stochastic.hpp"
#include "experiments/ranking_tuning.hpp"
#include "solvers/ranking/direct_auc.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;
using Problem = RankingProblem;

/// Measures and front of one linear score.
TaskResult result_of(const Problem& problem, std::span<const double> w,
                     const Resampling& resampling) {
  TaskResult result;
  const OnBothParts found = add_linear(result, problem, w, resampling);
  SelectedModels selected(problem, linear_scores(problem));
  selected.add(found.validation, w, found.test);
  selected.put_into(result);
  return result;
}

// ---- [unconstrained_auc]

struct UnconstrainedOptions {
  double ridge = 0;
};
base::OptionTable options_of(UnconstrainedOptions& options) {
  base::OptionTable table("unconstrained_auc");
  table.add("ridge", options.ridge, base::at_least(0.0), "",
            "Scale times this times the squared norm of the weights is added to the surrogate; 0 "
            "takes of all optima the one of least norm.");
  table.assign_role(base::Role::tuning, {"ridge"});
  table.only_if({"seed"}, base::never(), "[unconstrained_auc] draws nothing");
  return table;
}

Method<Problem> unconstrained_method() {
  return make_method<Problem, UnconstrainedOptions>(
      {.name = "unconstrained_auc",
       .title = "exact optimum of the surrogate without constraints, no fairness",
       .revision = 4},  // 4: evaluations are counted
      linear_columns(), [](auto& p, auto&) { return rows_scored(p, 0); },
      [](const Run<Problem, UnconstrainedOptions>& run) {
        const ranking::ExactAuc& exact = run.problem.exact;
        const double ridge = run.options.ridge;
        TaskResult result =
            result_of(run.problem, ridge > 0 ? exact.penalised(ridge) : exact.unconstrained().w,
                      run.resampling);
        add_evaluations(result, run.problem.training.rows());
        return result;
      });
}

// ---- [exact_auc]

struct ExactAucOptions {
  double kappa = 0.2;
};
base::OptionTable options_of(ExactAucOptions& options) {
  base::OptionTable table("exact_auc");
  add_kappa(table, options.kappa);
  table.only_if({"seed"}, base::never(), "[exact_auc] draws nothing");
  return table;
}
void validate_for(const Problem& problem, const ExactAucOptions& options) {
  check_kappa(problem, "exact_auc", options.kappa);
}

TaskResult run_exact(const Run<Problem, ExactAucOptions>& run) {
  const double kappa = run.options.kappa;
  const ranking::ExactOptimum found = run.problem.exact.solve(kappa);
  TaskResult result = result_of(run.problem, found.w, run.resampling);
  add_evaluations(result, run.problem.training.rows());  // for the sums of the surrogate
  result.metrics["excess"] = found.losses.excess(kappa);
  result.metrics["dual_gap"] = found.losses.objective - found.dual_value;
  result.metrics["kkt_residual"] = found.kkt_residual;
  double multiplier = 0;
  for (const optimise::BoundMultipliers& of : found.multipliers) multiplier += of.sum;
  result.metrics["multiplier"] = multiplier;
  if (found.multipliers.size() == 1) {
    result.metrics["tilt"] = found.multipliers[0].difference;
  } else {
    std::vector<double> each;
    for (const auto& [sum, difference] : found.multipliers) {
      each.insert(each.end(), {(sum + difference) / 2, (sum - difference) / 2});
    }
    result.solutions["multipliers"].emplace_back(std::move(each));
  }
  result.metrics["void_kappa"] = run.problem.exact.void_kappa();
  return result;
}

sweep::Columns exact_columns() {
  sweep::Columns columns = linear_columns();
  add_columns(columns, {.metrics = {optimum_distance_columns().metrics.front()}});
  add_columns(
      columns,
      {.metrics = {{"dual_gap", "f0 less the value of the dual, below which no feasible w is", "",
                    Direction::minimise, ""},
                   {"kkt_residual", "largest component of the Lagrangian's gradient over that at 0",
                    "", Direction::minimise, ""},
                   {"void_kappa", "least kappa for which the constraints are void", "",
                    Direction::none, ""}}});
  add_columns(columns, multiplier_columns());
  columns.solutions.push_back({"multipliers",
                               "of several comparisons the multipliers of f1 and f2 of each", "",
                               Direction::none, ""});
  return columns;
}

Method<Problem> exact_method() {
  return make_method<Problem, ExactAucOptions>(
      {.name = "exact_auc",
       .title = "exact optimum of the surrogate problem for a linear score",
       .revision = 4},  // 4: evaluations are counted
      exact_columns(), [](auto& p, auto&) { return rows_scored(p, 0); }, run_exact);
}

// ---- [auc_front]

struct AucFrontOptions {
  double level = 0.05;
  ranking::DirectAucOptions solver{};
};
base::OptionTable options_of(AucFrontOptions& options) {
  base::OptionTable table("auc_front");
  table.add("bound", options.level, base::between(0.0, 1.0), "probability",
            "The AUC is maximised within this bound of the gap on the training part.");
  table.formerly("bound", "level");
  table.assign_role(base::Role::trade_off, {"bound"});
  ranking::add_options(table, options.solver);
  table.only_if({"seed"}, base::never(), "[auc_front] draws the same directions for every seed");
  return table;
}

void validate_for(const Problem& problem, const AucFrontOptions&) {
  check_one_comparison(problem, "auc_front");
}

/// A score beyond the bound is no model of it: it is not measured, and no point of the front.
void tell_least_gap(TaskResult& result, const Problem& problem, double gap, double bound) {
  add_remark(result,
             fmt::format("[auc_front] found no score with a gap of at most auc_front.bound = {} on "
                         "the training part; the least gap that it found is {:.3g}, of a score "
                         "that is not measured: try a larger bound, or more of auc_front.starts",
                         bound, gap));
  SelectedModels(problem, linear_scores(problem)).put_into(result);
}

TaskResult run_auc_front(const Run<Problem, AucFrontOptions>& run) {
  const Problem& problem = run.problem;
  const auto found = ranking::direct_auc(problem.training, problem.pairs, problem.exact,
                                         run.options.level, run.options.solver, run.control);
  TaskResult result;
  if (found.feasible) {
    result = result_of(problem, found.w, run.resampling);
    result.metrics["start_auc"] = found.start_auc;
  } else {
    tell_least_gap(result, problem, std::abs(found.difference), run.options.level);
  }
  add_evaluations(result, problem.training.rows() + found.evaluations);
  result.metrics["feasible_train"] = found.feasible ? 1 : 0;
  result.metrics["least_gap_train"] = found.least_difference;
  return result;
}

sweep::Columns auc_front_columns() {
  sweep::Columns columns = linear_columns();
  add_columns(columns,
              {.metrics = {{"start_auc", "AUC on the training part of the best start",
                            "probability", Direction::maximise, ""},
                           {"feasible_train",
                            "1: the gap on the training part is at most `bound`; 0: no score found "
                            "has such a gap, and there are no measures",
                            "", Direction::none, ""},
                           {"least_gap_train",
                            "least gap on the training part of all scores that were tried",
                            "probability", Direction::none, ""}}});
  return columns;
}

Method<Problem> auc_front_method() {
  return make_method<Problem, AucFrontOptions>(
      {.name = "auc_front",
       .title = "AUC under a bound on the difference of AUCs, both searched directly, linear score",
       .revision = 6},  // 6: of few rows and features every step of the AUCs is counted
      auc_front_columns(),
      [](auto& p, auto& o) {
        const double looks = static_cast<double>(3 * o.solver.starts +
                                                 (8 + 2 * o.solver.rounds) * o.solver.iterations);
        return rows_scored(p, looks * static_cast<double>(p.training.rows()));
      },
      run_auc_front);
}

}  // namespace

std::vector<Method<RankingProblem>> ranking_methods() {
  return {without_tuning(unconstrained_method()),
          without_tuning(exact_method()),
          with_tuned_step(level_set_method()),
          with_tuned_step(iqrc_method()),
          with_tuned_step(proxy_lagrangian_method()),
          with_tuned_step(correlation_penalty_method()),
          with_tuned_step(score_postprocessing_method()),
          without_tuning(auc_front_method())};
}

}  // namespace fairfront::experiments
