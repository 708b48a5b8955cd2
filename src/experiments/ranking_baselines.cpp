#include "experiments/ranking_baselines.hpp"

#include <fmt/format.h>

#include <cmath>
#include <span>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/ranking_models.hpp"
#include "experiments/ranking_results.hpp"
#include "experiments/ranking_selection.hpp"
#include "solvers/ranking/penalised.hpp"
#include "solvers/ranking/score_postprocessing.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;
using Problem = RankingProblem;

/// What the sections have in common.
struct BaselineOptions {
  ModelKind model = ModelKind::linear;
  NetworkModelOptions network{};
  double level = 1;
  std::int64_t look_every = 100;
};
void add_options(base::OptionTable& table, BaselineOptions& options) {
  table.add_choice<ModelKind>("model", options.model,
                              {{"linear", ModelKind::linear}, {"network", ModelKind::network}},
                              "The score is linear, or that of a network with one hidden layer.");
  add_options(table, options.network);
  table.only_if({"hidden_units", "network_radius"}, base::is("model", {"network"}),
                "model = {} has none");
  table.only_if({"ranking.radius_factor"}, base::is("model", {"linear"}),
                "model = {} has network_radius in its place");
  add_level(table, options.level);
}

/// Calls run(surrogate problem, start, scores of a model).
template <class Runs>
TaskResult with_model(const Problem& problem, const BaselineOptions& options, double kappa,
                      std::uint64_t seed, const std::string& key, Runs run) {
  if (options.model == ModelKind::network) {
    const NetworkModel network(problem, options.network);
    return run(network.surrogate(kappa), network.start(seed, key), network.scores());
  }
  const auto columns = static_cast<std::size_t>(problem.training.columns());
  return run(linear_surrogate(problem, kappa), std::vector<double>(columns, 0.0),
             linear_scores(problem));
}

/// Any kappa: the method has no constraint.
double some_kappa(const Problem& problem) {
  return problem.exact.losses().surrogate().infeasible_kappa() + 1;
}

/// Of all steps.
std::int64_t evaluations_of(const ranking::DescentOptions& descent) {
  return descent.steps * descent.batch;
}

/// The rest of a result, of the last iterate w.
template <class Surrogate>
TaskResult result_of(const Problem& problem, const BaselineOptions& options,
                     const Surrogate& surrogate, const ModelScores& scores,
                     const SelectedModels& selected, std::span<const double> w,
                     const Resampling& resampling) {
  TaskResult result;
  add_model(result, problem, scores, w, resampling);
  add_losses(result, surrogate, w);
  selected.put_into(result);
  selected.put_best(result, options.level);
  return result;
}

sweep::Columns shared_columns() {
  sweep::Columns columns = linear_columns();
  add_columns(columns, best_columns());
  return columns;
}

template <class Options>
sweep::Work work_of(const Problem& problem, const Options& options) {
  constexpr double beside = 10;  // of a step, in rows
  const ranking::DescentOptions& descent = options.descent;
  const sweep::Work work =
      rows_of_steps(problem, static_cast<double>(descent.steps),
                    beside + static_cast<double>(descent.batch), options.shared.look_every);
  return options.shared.model == ModelKind::network ? with_network(work, options.shared.network)
                                                    : work;
}

// ---- [proxy_lagrangian]

struct ProxyOptions {
  BaselineOptions shared{.level = 0.05};
  double kappa = 0.2;
  ranking::DescentOptions descent{};
};
base::OptionTable options_of(ProxyOptions& options) {
  base::OptionTable table("proxy_lagrangian");
  add_kappa(table, options.kappa);
  add_options(table, options.shared);
  add_looks(table, options.shared.look_every);
  ranking::add_options(table, options.descent);
  return table;
}
void validate_for(const Problem& problem, const ProxyOptions& options) {
  check_one_comparison(problem, "proxy_lagrangian");
  check_kappa(problem, "proxy_lagrangian", options.kappa);
}

TaskResult run_proxy(const Run<Problem, ProxyOptions>& run) {
  const Problem& problem = run.problem;
  const ProxyOptions& options = run.options;
  const auto trained = [&](const auto& surrogate, const std::vector<double>& start,
                           const ModelScores& scores) {
    SelectedModels selected(problem, scores);
    const IterateLooks looks(selected, options.shared.look_every, run.control);
    const auto found =
        ranking::proxy_lagrangian(surrogate, {options.descent, options.shared.level}, start,
                                  run.seed, run.key, looks.control(), looks.watch());
    selected.look(found.w);
    if (run.is_trial) return selected.of_trial(options.shared.level);
    TaskResult result =
        result_of(problem, options.shared, surrogate, scores, selected, found.w, run.resampling);
    if (options.shared.model == ModelKind::linear) {
      add_distance_to_optimum(result, problem, found.w, options.kappa);
    }
    add_evaluations(result, evaluations_of(options.descent));
    result.metrics["multiplier"] = found.multipliers[0] + found.multipliers[1];
    result.metrics["tilt"] = found.multipliers[0] - found.multipliers[1];
    return result;
  };
  return with_model(problem, options.shared, options.kappa, run.seed, run.key, trained);
}

sweep::Columns proxy_columns() {
  sweep::Columns columns = shared_columns();
  add_columns(columns, optimum_distance_columns());
  add_columns(columns, multiplier_columns());
  return columns;
}

// ---- [correlation_penalty]

struct CorrelationOptions {
  BaselineOptions shared{};
  double weight = 0.1;
  ranking::DescentOptions descent{};
};
base::OptionTable options_of(CorrelationOptions& options) {
  base::OptionTable table("correlation_penalty");
  table.add("weight", options.weight, base::at_least(0.0), "",
            "The size of the correlation of score and group has this weight beside the surrogate, "
            "the paper's lambda; with 0 "
            "it is training without fairness. It is meant for the metric `group`.");
  table.assign_role(base::Role::trade_off, {"weight"});
  add_options(table, options.shared);
  add_looks(table, options.shared.look_every);
  ranking::add_options(table, options.descent);
  return table;
}
void validate_for(const Problem& problem, const CorrelationOptions&) {
  check_two_groups(problem, "correlation_penalty");
}

TaskResult run_correlation(const Run<Problem, CorrelationOptions>& run) {
  const Problem& problem = run.problem;
  const CorrelationOptions& options = run.options;
  const auto trained = [&](const auto& surrogate, const std::vector<double>& start,
                           const ModelScores& scores) {
    SelectedModels selected(problem, scores);
    const IterateLooks looks(selected, options.shared.look_every, run.control);
    const std::vector<double> w =
        ranking::correlation_penalty(surrogate, {options.descent, options.weight}, start, run.seed,
                                     run.key, looks.control(), looks.watch());
    selected.look(w);
    if (run.is_trial) return selected.of_trial(options.shared.level);
    TaskResult result =
        result_of(problem, options.shared, surrogate, scores, selected, w, run.resampling);
    add_evaluations(result, evaluations_of(options.descent));
    result.metrics.erase("excess");  // there is no constraint
    if (options.shared.model == ModelKind::linear) add_distance_at_own_kappa(result, problem, w);
    return result;
  };
  return with_model(problem, options.shared, some_kappa(problem), run.seed, run.key, trained);
}

sweep::Columns correlation_columns() {
  sweep::Columns columns = shared_columns();
  add_columns(columns, own_kappa_columns());
  return columns;
}

// ---- [score_postprocessing]

struct PostprocessingOptions {
  BaselineOptions shared{};
  ranking::MoveGrid grid{};
  ranking::DescentOptions descent{};
};
base::OptionTable options_of(PostprocessingOptions& options) {
  base::OptionTable table("score_postprocessing");
  add_options(table, options.shared);
  table.add("factor_step", options.grid.factor_step, base::above(0.0), "",
            "The factors of the protected group's scores are this far apart, from 0 on.");
  table.add("most_factor", options.grid.most_factor, base::above(0.0), "",
            "The largest factor that is tried is this.");
  table.add("shift_step", options.grid.shift_step, base::above(0.0), "",
            "The numbers that are added to these scores are this far apart.");
  table.add("most_shift", options.grid.most_shift, base::above(0.0), "",
            "The largest number that is added or taken off is this.");
  ranking::add_options(table, options.descent);
  table.only_if({"step", "steps", "batch", "seed"}, base::is("model", {"network"}),
                "the linear score is the exact optimum");
  table.only_if({"tuning.*"}, base::is("model", {"network"}),
                "[score_postprocessing] takes no steps that could be tuned");
  return table;
}
void validate_for(const Problem& problem, const PostprocessingOptions& options) {
  check_two_groups(problem, "score_postprocessing");
  constexpr double most = 100'000;
  const auto check = [most](const char* end, const char* step, double quotient) {
    if (quotient <= most) return;
    throw base::InputError(
        fmt::format("score_postprocessing.{} must be at most {} times {}", end, most, step));
  };
  const ranking::MoveGrid& grid = options.grid;
  if (!(grid.factor_step <= grid.most_factor * (1 + 1e-9))) {
    throw base::InputError(fmt::format(
        "score_postprocessing.factor_step = {} must be at most most_factor = {}: the only factor "
        "tried would be 0, which gives all rows of the protected group one score",
        base::format_double(grid.factor_step), base::format_double(grid.most_factor)));
  }
  check("most_factor", "factor_step", grid.most_factor / grid.factor_step);
  check("most_shift", "shift_step", grid.most_shift / grid.shift_step);
}

/// Scores of (w, factor, shift) by those of w.
ModelScores moved_scores(const ModelScores& scores) {
  const auto of = [&scores](const RankingPart& part, std::span<const double> solution) {
    std::vector<double> score = scores(part, solution.first(solution.size() - 2));
    const double factor = solution[solution.size() - 2];
    for (std::size_t i = 0; i < score.size(); ++i) {
      if (part.group[i] == 1) score[i] = factor * score[i] + solution.back();
    }
    return score;
  };
  models::ModelText text = scores.text;
  text.options.emplace("moved_group", "1");
  return {of, text};
}

/// Every move of the grid is tried on the validation part.
void select_moves(SelectedModels& selected, const Problem& problem,
                  const PostprocessingOptions& options, const ModelScores& scores,
                  std::span<const double> w) {
  const RankingPart& part = problem.validation;
  std::vector<std::uint8_t> cells;
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    cells.push_back(ranking::cell_of(part.label[i] > 0, part.group[i] == 1));
  }
  std::vector<double> solution(w.begin(), w.end());
  solution.resize(w.size() + 2);
  ranking::try_moves(scores(part, w), cells, problem.pairs, options.grid,
                     [&](const ranking::ScoreMove& by, const ranking::MovedAucs& found) {
                       solution[w.size()] = by.factor;
                       solution[w.size() + 1] = by.shift;
                       selected.add({found.auc, std::abs(found.difference)}, solution);
                     });
}

/// Measures and surrogate of the scores after the move that is best within the level, or, where
/// none is within it, of the one with the smallest gap.
template <class Surrogate>
void add_moved_model(TaskResult& result, const Problem& problem, const Surrogate& surrogate,
                     const ModelScores& moved, std::span<const double> solution,
                     const Resampling& resampling) {
  add_measures(
      result, problem, [&](const RankingPart& part) { return moved(part, solution); }, resampling);
  const std::vector<double> score = moved(problem.train, solution);
  ranking::CellSums sums;
  for (std::size_t i = 0; i < score.size(); ++i) sums.add(surrogate.rows.cells()[i], score[i]);
  result.metrics["objective"] =
      ranking::losses_of(sums, surrogate.pairs, surrogate.surrogate).objective;
  result.metrics["weight_norm"] = norm_of(solution.first(solution.size() - 2));
  result.metrics["factor"] = solution[solution.size() - 2];
  result.metrics["shift"] = solution.back();
  result.solutions["measured"].emplace_back(std::vector<double>(solution.begin(), solution.end()));
}

TaskResult run_postprocessing(const Run<Problem, PostprocessingOptions>& run) {
  const Problem& problem = run.problem;
  const PostprocessingOptions& options = run.options;
  const auto trained = [&](const auto& surrogate, const std::vector<double>& start,
                           const ModelScores& scores) {
    std::vector<double> w;
    std::int64_t evaluations = std::ssize(problem.validation.rows);  // scored once, then moved
    if (options.shared.model == ModelKind::linear) {
      w = problem.exact.unconstrained().w;
      evaluations += problem.training.rows();
    } else {
      evaluations += evaluations_of(options.descent);
      w = ranking::correlation_penalty(surrogate, {options.descent, 0}, start, run.seed, run.key,
                                       run.control);
    }
    const ModelScores moved = moved_scores(scores);
    SelectedModels selected(problem, moved);
    select_moves(selected, problem, options, scores, w);
    if (run.is_trial) return selected.of_trial(options.shared.level);
    TaskResult result;
    add_evaluations(result, evaluations);
    add_moved_model(result, problem, surrogate, moved,
                    selected.nearest_to_level(options.shared.level), run.resampling);
    selected.put_into(result);
    selected.put_best(result, options.shared.level);
    return result;
  };
  return with_model(problem, options.shared, some_kappa(problem), run.seed, run.key, trained);
}

sweep::Columns postprocessing_columns() {
  sweep::Columns columns = shared_columns();
  add_columns(columns,
              {.metrics = {{"factor",
                            "of the protected group's scores, of the move that the measures "
                            "are of: the largest AUC on the validation part within `bound`, or, "
                            "where no move is within it, the smallest gap",
                            "", Direction::none, "Kallus, Zhou (2019)"},
                           {"shift", "added to these scores after the factor", "", Direction::none,
                            "Kallus, Zhou (2019)"}}});
  return columns;
}

}  // namespace

Method<Problem> proxy_lagrangian_method() {
  return make_method<Problem, ProxyOptions>(
      {.name = "proxy_lagrangian",
       .title = "gradient steps on surrogates, multipliers by the AUCs of the batch",
       .source = "Cotter et al. (2019)",
       .revision = 6},  // 6: evaluations are counted
      proxy_columns(), work_of<ProxyOptions>, run_proxy);
}

Method<Problem> correlation_penalty_method() {
  return make_method<Problem, CorrelationOptions>(
      {.name = "correlation_penalty",
       .title = "gradient steps with a penalty on the correlation of score and group",
       .source = "Beutel et al. (2019)",
       .revision = 7},  // 7: evaluations are counted
      correlation_columns(), work_of<CorrelationOptions>, run_correlation);
}

Method<Problem> score_postprocessing_method() {
  return make_method<Problem, PostprocessingOptions>(
      {.name = "score_postprocessing",
       .title = "a factor and a shift of the protected group's scores, chosen on validation",
       .source = "Kallus, Zhou (2019)",
       .revision = 6},  // 6: evaluations are counted
      postprocessing_columns(),
      [](auto& p, auto& o) {
        // Of scoring a row: a moved score is only put in order. Measured on a9a and COMPAS.
        constexpr double of_moved = 0.1;
        const bool trains = o.shared.model == ModelKind::network;
        const double steps = trains ? static_cast<double>(o.descent.steps * o.descent.batch) : 0;
        const double moves = (o.grid.most_factor / o.grid.factor_step + 1) *
                             (2 * o.grid.most_shift / o.grid.shift_step + 1);
        const auto rows = static_cast<double>(p.validation.rows.size());
        const sweep::Work fit = rows_scored(p, steps);
        sweep::Work work = trains ? with_network(fit, o.shared.network) : fit;
        work.amount += of_moved * moves * rows;
        return work;
      },
      run_postprocessing);
}

}  // namespace fairfront::experiments
