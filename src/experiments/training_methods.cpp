#include "experiments/training_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_bounds.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_postprocessed.hpp"
#include "experiments/training_postprocessing.hpp"
#include "experiments/training_rates.hpp"
#include "experiments/training_reductions.hpp"
#include "experiments/training_results.hpp"
#include "solvers/training/aimed.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/constant_score.hpp"
#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/fairret.hpp"
#include "solvers/training/row_pieces.hpp"
#include "solvers/training/row_team.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/switching_subgradient.hpp"

namespace fairfront::experiments {

namespace {

auto& delta_of(auto& options) requires requires { options.delta; }
{ return options.delta; }
auto& delta_of(auto& options) requires requires { options.subproblem.delta; }
{ return options.subproblem.delta; }

/// Whether a method has constraints; the others only have gaps.
template <class Options>
concept has_delta = requires(const Options& options) {
  delta_of(options);
};

/// @throws base::InputError  both are 0: nothing draws towards the bound.
void require_either(const std::string& method, std::string_view one, double value,
                    std::string_view other, double other_value) {
  if (value > 0 || other_value > 0) return;
  throw base::InputError(fmt::format(
      "{}.{} = 0 and {}.{} = 0: nothing holds {}.delta; [sgd] is descent on the loss alone", method,
      one, method, other, method));
}

/// With a penalty alone it is the penalty method, without either descent on the loss alone.
void check_that_it_bounds(const std::string& method, const auto& options) {
  if constexpr (requires { options.dual_step + options.penalty; }) {
    require_either(method, "dual_step", options.dual_step, "penalty", options.penalty);
  } else if constexpr (requires { options.integral + options.proportional; }) {
    require_either(method, "integral", options.integral, "proportional", options.proportional);
  }
}

}  // namespace

/// Found by make_method(), which looks in the namespace of the problem.
template <has_delta Options>
static void validate_for(const TrainingProblem& problem, const Options& options) {
  Options copy = options;
  check_delta(problem, options_of(copy).owner(), delta_of(options));
  check_that_it_bounds(options_of(copy).owner(), options);
}
static void validate_for(const TrainingProblem& problem,
                         const training::ClampedAlmOptions& options) {
  check_delta(problem, "clamped_alm", options.delta);
  check_that_it_bounds("clamped_alm", options);
  training::check_penalties(options);
}
static void validate_for(const TrainingProblem& problem,
                         const training::FairretOptions& /*options*/) {
  if (problem.options.bound_of != training::BoundOf::gap) {
    throw base::InputError(
        "[fairret] makes a statistic of all groups alike: training.bound_of must be gap");
  }
  if (training::Fairret::suits(problem.problem)) return;
  throw base::InputError(
      "[fairret] compares one statistic of every group: equalised_odds, in training.fairness or "
      "training.rate, has two");
}

/// Found in the same way. Ranks wait for each other at every step that they share.
template <class Options>
static bool is_shared(const TrainingProblem& problem, const Options& options) {
  if constexpr (requires { options.batch; }) {
    return training::is_shared_batch(options.batch, problem.problem.model.parameters());
  } else {
    return false;
  }
}

namespace {

using sweep::TaskResult;
using Problem = TrainingProblem;

struct CertifiedMethodOptions : training::CertifiedOptions {};
base::OptionTable options_of(CertifiedMethodOptions& options) {
  auto table = training::options_of(static_cast<training::CertifiedOptions&>(options));
  table.only_if({"folds"}, base::is("shift", {"folds"}), "they are of shift = folds");
  table.only_if({"draw_evaluations"}, base::is("classifier", {"randomised"}),
                "they are of classifier = randomised");
  table.only_if({"shift_factor"}, base::is_not("shift", {"none"}),
                "nothing is aimed with shift = none");
  return table;
}

void validate_for(const Problem& problem, const CertifiedMethodOptions& options) {
  check_delta(problem, "certified_training", options.delta);
  training::Certified::validate_for(problem.problem, options, problem.options.run);
}

/// A last layer of many rows is shared, whatever the batch.
bool is_shared(const Problem& problem, const CertifiedMethodOptions& options) {
  return training::are_shared_rows(problem.problem.train.size()) ||
         training::is_shared_batch(options.batch, problem.problem.model.parameters());
}

/// What a confidence asked for has come to.
void add_tightening(TaskResult& result, const training::Tightening& found,
                    const training::CertifiedOptions& options) {
  if (found.tests == 0) return;
  const bool sure = found.scale > 0;
  result.metrics["assured"] = sure ? 1 : 0;
  result.metrics["assured_bound"] = sure ? found.bound : found.least_bound;
  result.metrics["output_scale"] = sure ? found.scale : 1;
  result.metrics["scales_tested"] = static_cast<double>(found.tests);
  if (sure) return;
  append(
      result.remark,
      fmt::format(
          "no scale of the output is within delta = {} for the population with confidence {}: the "
          "smallest bound by the validation part is {:.3g}",
          options.delta, options.confidence, found.least_bound));
}

sweep::Columns tightening_columns() {
  using base::Direction;
  return {.metrics = {
              {"assured",
               "1 where no |gap| of the population is above delta with the confidence asked for, "
               "by the validation part; 0 where no scale of the output is sure",
               "", Direction::maximise, ""},
              {"assured_bound",
               "upper bound of every |gap| of the population with the confidence asked for; where "
               "it is not within delta the smallest one of the scales tested",
               "loss", Direction::minimise, ""},
              {"output_scale", "factor of the output that this took; 1 where no scale is sure", "",
               Direction::none, ""},
              {"scales_tested", "scales tested in a fixed order, each at full confidence", "",
               Direction::none, ""}}};
}

sweep::Columns aim_columns() {
  using base::Direction;
  return {.metrics = {{"held_out_gap",
                       "largest |gap| of the held-out rows, by the runs that had not learnt from "
                       "them",
                       "loss", Direction::none, ""},
                      {"aim_factor",
                       "how many times the held-out rows' gaps, less their noise, the last run "
                       "was aimed to the other side",
                       "", Direction::none, ""},
                      {"largest_aim",
                       "largest |gap| of the training part that the last run was aimed at", "loss",
                       Direction::none, ""}},
          .solutions = {{"offset",
                         "added to the mean losses of the training part's groups, or groups and "
                         "labels, wherever the last run means the bounds",
                         "loss", Direction::none, ""}}};
}

/// Says so where a group has fewer rows than are drawn of it at a time.
template <class Options>
std::string remark_on_small_groups(const Problem& problem, const Options& options) {
  std::vector<std::string> small;
  const auto& of_cell = problem.problem.train.of_cell;
  for (std::size_t k = 0; k < of_cell.size(); ++k) {
    if (std::ssize(of_cell[k]) >= options.group_batch) continue;
    small.push_back(fmt::format("{} ({} training rows)",
                                name_of(problem.problem.constraints.cells()[k], *problem.set),
                                of_cell[k].size()));
  }
  if (small.empty()) return "";
  return fmt::format("fewer rows than group_batch = {}, so that batches have some twice: {}",
                     options.group_batch, base::join(small, ", "));
}

std::vector<double> start_of(const Problem& problem, std::uint64_t seed) {
  return training::initial_weights(problem.problem.model, problem.network.initialisation, seed);
}

/// The ranks of a run's team, where there are several, as those that share its rows.
class SharedRows {
 public:
  template <class Options>
  explicit SharedRows(const Run<Problem, Options>& run) : control_{run.control} {
    if (run.team.size() > 1) team_.emplace(run.team, run.control);
  }
  SharedRows(const SharedRows&) = delete;
  SharedRows& operator=(const SharedRows&) = delete;

  /// The problem as they share it; it must outlive this.
  [[nodiscard]] const training::Problem& of(const training::Problem& problem) {
    if (!team_) return problem;
    const auto shared = shared_.try_emplace(&problem, problem).first;
    shared->second.team = &*team_;
    return shared->second;
  }
  [[nodiscard]] const solvers::Control& control() const {
    return team_ ? team_->control() : control_;
  }
  /// What `work` makes, by the one rank that has the result; nothing on the others.
  [[nodiscard]] TaskResult on_root(const std::function<TaskResult()>& work) const {
    if (!team_) return work();
    TaskResult result;
    team_->on_root([&] { result = work(); });
    return result;
  }

 private:
  const solvers::Control& control_;
  std::optional<training::RowTeam> team_;
  std::map<const training::Problem*, training::Problem> shared_;  ///< each a copy of its own
};

/// What passes over all rows say of the weights that a run has ended with.
struct AtEnd {
  std::map<data::Part, PartScores> parts;
  std::optional<training::Derivatives> derivatives;  ///< where there are constraints

  [[nodiscard]] const std::vector<double>& scores(data::Part which) const {
    return parts.at(which).scores;
  }
};
/// @param asked  of a method with a delta.
template <class Options>
AtEnd at_end(const Run<Problem, Options>& run, SharedRows& rows, const AskedBound* asked,
             std::span<const double> w) {
  // From here on a checkpoint has nothing more to keep.
  solvers::Control rest = rows.control();
  rest.save = nullptr;
  AtEnd found{part_scores_at(run.problem, rows.of(run.problem.problem), w, rest), std::nullopt};
  if (asked == nullptr) return found;
  training::FullData full(rows.of(asked->problem()), rest, training::any_mean_loss);
  found.derivatives = full.derivatives(w);
  return found;
}

/// What a training::Algorithm over its options has found, as a method's result.
/// @param asked  of a method with a delta.
template <class Options>
TaskResult result_of(const Run<Problem, Options>& run, const training::TrainingResult& found,
                     const AskedBound* asked, const AtEnd& end) {
  const solvers::Control rest{.report = run.control.report, .request = run.control.request};
  TaskResult result;
  add_measures(result, run.problem, [&](data::Part which) { return end.parts.at(which); });
  add_weights(result, run.problem, found.w);
  add_bounded_rates(result, run.problem, [&](data::Part which) { return end.scores(which); });
  add_series(result, found.trace);
  result.metrics["iterations"] = static_cast<double>(found.iterations);
  add_evaluations(result, found.evaluations);
  const auto values_of = [&](data::Part which) {
    return bounded_values(run.problem, run.problem.rows(which), end.scores(which));
  };
  add_gap_bounds(result, run.problem, asked ? std::optional(asked->asked()) : std::nullopt,
                 values_of);
  if constexpr (has_delta<Options>) {
    add_feasibility(result, found, *asked, *end.derivatives);
    const double least_bound = add_distance_to_optimum(result, run.problem, asked->asked(), rest);
    add_kept_bound(result, *asked, least_bound);
  }
  if constexpr (requires { run.options.group_batch; }) {
    append(result.remark, remark_on_small_groups(run.problem, run.options));
  }
  return result;
}

/// Says so where the budget ends a run before its first step.
template <class Options>
std::string remark_on_no_step(const Run<Problem, Options>& run,
                              const training::TrainingResult& found) {
  if (found.iterations > 0) return "";
  return fmt::format("training.budget = {} pays for no step: the result is the first weights",
                     run.problem.options.run.budget);
}

/// Says so where no iteration comes to where `violation` would decay, though how it does was set.
template <class Options>
std::string remark_on_no_decay(const Run<Problem, Options>& run,
                               const training::TrainingResult& found) {
  if constexpr (requires { run.options.tolerance_decay; }) {
    const Options usual;
    const bool is_set = run.options.tolerance_decay != usual.tolerance_decay ||
                        run.options.decay_from != usual.decay_from;
    const std::int64_t epoch = run.options.epoch(run.problem.problem.train.size());
    const std::int64_t from = run.options.first_decay();
    if (!is_set || run.options.tolerance == 0 || run.options.tolerance_decay == 1 ||
        std::min(epoch, found.iterations) > from) {
      return "";
    }
    return fmt::format(
        "violation_decay and decay_from change nothing: the first iteration of an epoch in which "
        "`violation` decays has number {} (from 0), an epoch has {} iterations, and the run {}",
        from, epoch, found.iterations);
  }
  return "";
}

/// A method that is one training::Algorithm over its options.
template <class Algorithm, class Options>
TaskResult run_training(const Run<Problem, Options>& run) {
  Options options = run.options;
  std::optional<AskedBound> asked;
  if constexpr (has_delta<Options>) {
    asked.emplace(run.problem, delta_of(run.options));
    delta_of(options) = asked->delta();
  }
  SharedRows rows(run);
  const training::Problem& problem = rows.of(asked ? asked->problem() : run.problem.problem);
  Algorithm algorithm(problem, options, {run.seed, run.key});
  const training::TrainingResult found = training::train(
      problem, algorithm, start_of(run.problem, run.seed), run.problem.options.run, rows.control());
  const AskedBound* const bound = asked ? &*asked : nullptr;
  const AtEnd end = at_end(run, rows, bound, found.w);
  return rows.on_root([&] {
    TaskResult result = result_of(run, found, bound, end);
    append(result.remark, remark_on_no_step(run, found));
    append(result.remark, remark_on_no_decay(run, found));
    return result;
  });
}

/// Whether the score is the same for every row, whatever it holds.
bool is_constant(const training::Problem& problem, std::span<const double> w) {
  const auto& last = problem.model.layers().back();
  const auto weights =
      w.subspan(static_cast<std::size_t>(last.weights), static_cast<std::size_t>(last.inputs));
  return std::ranges::all_of(weights, [](double weight) { return weight == 0; });
}

/// What the decisions of training rows have against them, which weights do not say; or nothing.
std::string remark_on_decisions(const Run<Problem, CertifiedMethodOptions>& run, const AtEnd& end) {
  if (!training::has_decisions(run.problem.problem)) return "";
  const std::vector<double>& scores = end.scores(data::Part::train);
  const auto& rows = run.problem.problem.train.rows;
  std::size_t ones = 0, wrong = 0;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const bool decision = scores[i] >= 0;
    ones += decision ? 1 : 0;
    const double label = run.problem.problem.labels[static_cast<std::size_t>(rows[i])];
    wrong += decision == (label > 0) ? 0 : 1;
  }
  if (ones == 0 || ones == scores.size()) return "all training rows are decided alike";
  return 2 * wrong > scores.size() ? "more training rows are decided wrongly than rightly" : "";
}

/// Names the cells that no aim keeps within delta on other rows.
std::string remark_on_unsure(const Run<Problem, CertifiedMethodOptions>& run,
                             const std::vector<training::UnsureCell>& unsure) {
  if (unsure.empty()) return "";
  std::vector<std::string> named;
  for (const training::UnsureCell& one : unsure) {
    const training::Cell& cell = run.problem.problem.constraints.cells()[one.cell];
    named.push_back(fmt::format("{} ({} rows, standard error {:.2g})",
                                name_of(cell, *run.problem.set), one.rows, one.error));
  }
  return fmt::format(
      "too few held-out rows to keep delta = {} on rows to come, as more than half of what lies "
      "beside it may be noise: {}",
      run.options.delta, base::join(named, ", "));
}

/// Says so where held-out rows are beyond delta and have called for no aim.
std::string remark_on_no_aim(const training::AimedResult& found, double held_out_gap,
                             double delta) {
  if (!(held_out_gap > delta) || training::largest_size(found.offset) > 0) return "";
  return fmt::format(
      "nothing was aimed beside zero: the held-out rows' largest gap of {:.2g} is no more than "
      "noise, or does not follow an aim",
      held_out_gap);
}

/// Names the evaluations that were asked for and that the budget does not pay for.
std::string remark_on_unpaid(const Run<Problem, CertifiedMethodOptions>& run,
                             const training::Problem& problem) {
  const training::CertifiedOptions usual;
  if (run.options.last_layer_evaluations == usual.last_layer_evaluations &&
      run.options.draw_evaluations == usual.draw_evaluations) {
    return "";
  }
  const std::int64_t budget = run.problem.options.run.budget;
  const training::Certified algorithm(problem, run.options, {run.seed, run.key});
  const training::Certified::LastEvaluations paid = algorithm.last_evaluations(budget);
  std::string remark;
  const auto tell = [&](const char* name, std::int64_t asked, std::int64_t by_default,
                        std::int64_t of_these) {
    if (paid.are_all || asked == by_default || asked <= of_these) return;
    append(remark, fmt::format("training.budget = {} pays for {} of certified_training.{} = {}: "
                               "more of them change nothing",
                               budget, of_these, name, asked));
  };
  tell("last_layer_evaluations", run.options.last_layer_evaluations, usual.last_layer_evaluations,
       paid.single);
  if (run.options.classifier == training::Classifier::randomised) {
    tell("draw_evaluations", run.options.draw_evaluations, usual.draw_evaluations, paid.draw);
  }
  return remark;
}

/// The draw, its measures, and how far they are from its bounds.
void add_draw_found(TaskResult& result, const Run<Problem, CertifiedMethodOptions>& run,
                    const training::RandomisedClassifier& found) {
  if (found.members.empty()) return;
  Draw draw = add_draw(result, {found.members, found.shares});
  const training::RateLimit limit = bounded_rate(run.problem.options, run.options.delta);
  add_randomised_rates(result, run.problem, limit, decisions_of(run.problem, std::move(draw)));
  const double bounded = bounded_on_train(result, limit, "randomised_");
  const bool is_kept = training::keeps_to_rounding(limit, bounded);
  result.metrics["randomised_feasible"] = is_kept ? 1 : 0;
  const bool is_aimed = run.options.shift != training::Shift::none;  // beyond delta on purpose
  if (is_kept || is_aimed) return;
  append(result.remark,
         fmt::format("no draw among the classifiers found is within delta = {} on the training "
                     "part: the nearest has {:.6g}",
                     run.options.delta, bounded));
}

/// What the draw keeps of bounds on the worst group, and what a constant score does.
void lower_least_bound(TaskResult& result, const Run<Problem, CertifiedMethodOptions>& run,
                       const training::Problem& problem) {
  constexpr double none = std::numeric_limits<double>::min();  // that a bound may be
  double& least = result.metrics["least_bound"];
  least = std::min(least, training::best_constant_score(problem, none).gap);
  if (!problem.constraints.rate()) return;
  const double drawn =
      bounded_on_train(result, bounded_rate(run.problem.options, run.options.delta), "randomised_");
  least = std::fmin(least, drawn);
}

TaskResult certified_result(const Run<Problem, CertifiedMethodOptions>& run,
                            const AskedBound& asked, const training::AimedResult& found,
                            const AtEnd& end) {
  const training::Problem& problem = asked.problem();
  TaskResult result = result_of(run, found.result, &asked, end);
  const bool is_aimed = training::largest_size(found.offset) > 0;  // beyond delta on purpose
  if (result.metrics["feasible"] == 0 && asked.of() == training::BoundOf::gap && !is_aimed) {
    append(result.remark,
           fmt::format("no weights within delta = {} were found: {:.3g} above it is the least",
                       run.options.delta, result.metrics["excess"]));
  }
  if (result.metrics["feasible"] == 1 && is_constant(problem, found.result.w)) {
    append(result.remark,
           fmt::format("no weights within delta = {} were found that are better than a constant "
                       "score, which is the result{}; a larger training.budget, with more "
                       "certified_training.last_layer_evaluations, may find some",
                       run.options.delta, training::remark_on_large_features(problem)));
  }
  if (!is_constant(problem, found.result.w)) {
    append(result.remark, remark_on_decisions(run, end));
  }
  add_draw_found(result, run, found.draw);
  if (asked.of() == training::BoundOf::worst_group) lower_least_bound(result, run, problem);
  add_tightening(result, found.tightening, run.options);
  append(result.remark, remark_on_unsure(run, found.unsure));
  append(result.remark, remark_on_unpaid(run, problem));
  if (found.offset.empty()) return result;
  std::vector<double> gaps(static_cast<std::size_t>(problem.constraints.gaps()));
  problem.constraints.gaps_of(found.held_out, gaps);
  const double held_out_gap = training::largest_size(gaps);
  result.metrics["held_out_gap"] = held_out_gap;
  append(result.remark, remark_on_no_aim(found, held_out_gap, run.options.delta));
  problem.constraints.gaps_of(found.offset, gaps);
  result.metrics["largest_aim"] = training::largest_size(gaps);
  result.metrics["aim_factor"] = found.factor;
  result.solutions["offset"].emplace_back(found.offset);
  return result;
}

TaskResult run_certified(const Run<Problem, CertifiedMethodOptions>& run) {
  const AskedBound asked(run.problem, run.options.delta);
  CertifiedMethodOptions options = run.options;
  options.delta = asked.delta();
  // Of ratios that delta is 1, and rates are a part of it.
  if (asked.of() == training::BoundOf::ratio) {
    options.reserve = std::max(0.2 * options.reserve, 1e-9);
  }
  SharedRows rows(run);
  const training::AimedResult found = training::aimed_training(
      rows.of(asked.problem()), options, {run.seed, run.key}, start_of(run.problem, run.seed),
      run.problem.options.run, rows.control());
  const AtEnd end = at_end(run, rows, &asked, found.result.w);
  return rows.on_root([&] { return certified_result(run, asked, found, end); });
}

/// What a batch takes: activations of all layers and slopes of the widest two, row by row.
template <class Options>
double batch_bytes(const Problem& problem, const Options& options) {
  if constexpr (requires { options.batch; }) {
    double units = 0, widest = 0;
    for (const models::Layer& layer : problem.problem.model.layers()) {
      units += static_cast<double>(layer.inputs);
      widest = std::max(widest, static_cast<double>(layer.inputs));
    }
    constexpr double beside = 6;  // label, score, loss and their like
    return sizeof(double) * static_cast<double>(options.batch) * (units + 2 * widest + beside);
  } else {
    return 0;
  }
}

template <class Algorithm, class Options>
Method<Problem> training_method(config::Section section) {
  section.coupled = true;
  sweep::Columns columns;
  if constexpr (has_delta<Options>) {
    columns = feasibility_columns();
    add_columns(columns, training_optimum_columns());
  }
  add_columns(columns, kept_bound_columns());
  return make_method<Problem, Options>(
      std::move(section), std::move(columns),
      [](const Problem& problem, const Options& options) {
        const Algorithm algorithm(problem.problem, options, {});
        sweep::Work work = training_work(problem, algorithm.mean_cost());
        work.bytes_per_rank += batch_bytes(problem, options);
        return work;
      },
      run_training<Algorithm, Options>);
}

Method<Problem> certified_method(config::Section section) {
  section.coupled = true;
  sweep::Columns columns = feasibility_columns();
  add_columns(columns, training_optimum_columns());
  add_columns(columns, tightening_columns());
  add_columns(columns, aim_columns());
  add_columns(columns, kept_bound_columns());
  add_columns(columns, randomised_rate_columns());
  add_columns(columns, draw_columns());
  columns.metrics.push_back({"randomised_feasible",
                             "1 where the randomised classifier's expected rates are within delta "
                             "on the training part, counted anew",
                             "", base::Direction::maximise, ""});
  return make_method<Problem, CertifiedMethodOptions>(
      std::move(section), std::move(columns),
      [](const Problem& problem, const CertifiedMethodOptions& options) {
        sweep::Work work = training_work(problem, static_cast<double>(options.batch));
        work.amount *= static_cast<double>(training::runs_of(options));
        work.bytes_per_rank += batch_bytes(problem, options);
        return work;
      },
      run_certified);
}

}  // namespace

std::vector<Method<TrainingProblem>> training_methods() {
  using namespace training;
  return {
      training_method<Sgd, SgdOptions>({.name = "sgd",
                                        .title = "stochastic gradient descent on the loss alone",
                                        .source = training_paper,
                                        .revision = 4}),
      training_method<SslAlm, AlmOptions>(
          {.name = "alm",
           .title = "linearised augmented Lagrangian with slacks, one sample a step",
           .source = "Kliachkin et al. (2025), Algorithm 2 with mu = 0",
           .revision = 5}),
      training_method<SslAlm, SslAlmOptions>(
          {.name = "ssl_alm",
           .title = "stochastic smoothed and linearised augmented Lagrangian",
           .source = "Huang, Zhang, Alacaoglu (2025); Kliachkin et al. (2025), Algorithm 2",
           .revision = 5}),
      training_method<SwitchingSubgradient, SwitchingOptions>(
          {.name = "switching_subgradient",
           .title = "steps on the objective or on the largest constraint",
           .source = "Huang, Lin (2023); Kliachkin et al. (2025), Algorithm 3",
           .revision = 5}),
      training_method<StochasticGhost, GhostOptions>(
          {.name = "stochastic_ghost",
           .title = "directions of a linearised subproblem, unbiased by randomised levels",
           .source = "Facchinei, Kungurtsev (2023); Kliachkin et al. (2025), Algorithm 1",
           .revision = 6}),  // 6: levels are drawn among those that the budget pays for
      training_method<Fairret, FairretOptions>(
          {.name = "fairret",
           .title = "gradient descent with a fairness regulariser",
           .source = "Buyl, Defrance, De Bie (2024)",
           .revision = 5}),
      training_method<ClampedAlm, ClampedAlmOptions>(
          {.name = "clamped_alm",
           .title = "augmented Lagrangian with clamped duals and a growing penalty",
           .source = "Bertsekas (1982), with samples",
           .revision = 5}),
      training_method<PiDuals, PiDualsOptions>(
          {.name = "pi_duals",
           .title = "Lagrangian whose duals a PI controller moves",
           .source = "Sohrabi et al. (2024)",
           .revision = 5}),
      certified_method({.name = "certified_training",
                        .title = "an augmented Lagrangian that ends within the bounds, always",
                        .revision = 19}),  // 19: rounded hinges
      exact_training_method(),
      reductions_method(),
      postprocessing_method()};
}

}  // namespace fairfront::experiments
