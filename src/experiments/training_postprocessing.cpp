#include "experiments/training_postprocessing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/measured.hpp"
#include "experiments/randomised_thresholds.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_postprocessed.hpp"
#include "experiments/training_rates.hpp"
#include "experiments/training_results.hpp"
#include "models/fitted_model.hpp"
#include "models/weighted_logistic.hpp"
#include "solvers/training/aimed.hpp"
#include "solvers/training/certified.hpp"

namespace fairfront::experiments {
namespace {

using sweep::TaskResult;
using Problem = TrainingProblem;

struct PostprocessingOptions {
  training::RateKind rate = training::RateKind::demographic_parity;
  training::BoundOf bound_of = training::BoundOf::gap;
  double bound = 0.05;  ///< of what `bound_of` says, in [0, 1]
  double l2 = 1e-4;     ///< of the logistic regression, >= 0
};

training::RateLimit limit_of(const PostprocessingOptions& options) {
  return {options.rate, options.bound_of, options.bound};
}

base::OptionTable options_of(PostprocessingOptions& options) {
  base::OptionTable table("postprocessing");
  table.add_choice<training::RateKind>(
      "rate", options.rate, training::rate_names(),
      "These rates of decisions are to be close: those of 1 in each group; in its rows with label "
      "1; in those with label 1 and in those with label 0; in those with label 0; or of wrong "
      "decisions in each group.");
  training::add_bound_of(table, options.bound_of);
  table.add(
      "bound", options.bound, base::between(0.0, 1.0), "share",
      "It is the bound of the gap, or of what else bound_of names, of expected rates on the "
      "training part; with a gap of 1 or a ratio of 0 thresholds are those of the least error.");
  table.assign_role(base::Role::trade_off, {"bound"});
  table.add("l2", options.l2, base::between(0.0, 1e6), "",
            "Half of it times the squared weights is added to the mean loss of a linear score.");
  table.only_if({"l2"}, is_fitted_exactly(), "it is of logistic regression: model.hidden empty");
  table.only_if({"training.trace_points"}, base::never(), "[postprocessing] has no trajectory");
  table.only_if({"seed", "model.initialisation", "training.budget", "training.iterations"},
                is_trained(), "[postprocessing] fits a linear score exactly");
  return table;
}

/// Bounds that nothing reaches.
training::CertifiedOptions without_bounds() { return {.delta = 1e3}; }

void validate_for(const Problem& problem, const PostprocessingOptions& options) {
  training::require_errors(limit_of(options), "postprocessing");
  require_rows_of_rate(problem, options.rate, "postprocessing.rate");
  if (problem.is_logistic_regression()) return;
  training::Certified::validate_for(problem.problem, without_bounds(), problem.options.run);
}

// ---- the model without bounds

using PostprocessingRun = Run<Problem, PostprocessingOptions>;
using Unconstrained = UnconstrainedModels::Model;

Unconstrained unconstrained_logistic(const Problem& problem, double l2) {
  const training::RateProblem train = rate_problem(problem, data::Part::train);
  const std::vector<double> weights(train.labels.size(), 1.0);
  const std::vector<double> start(static_cast<std::size_t>(train.rows.columns() + 1), 0.0);
  optimise::MinimiseResult found = models::fit_weighted_logistic(
      models::MixedRows(train.rows), train.labels, weights, start, {.l2 = l2});
  // A network's bias comes last.
  std::rotate(found.weights.begin(), found.weights.begin() + 1, found.weights.end());
  return {std::move(found.weights), found.iterations, found.evaluations * train.rows.size(),
          found.converged() ? ""
                            : fmt::format("the logistic regression ends with a gradient of {:.3g}",
                                          found.gradient_norm)};
}

Unconstrained unconstrained_network(const PostprocessingRun& run) {
  const training::Problem& problem = run.problem.problem;
  training::AimedResult found = training::aimed_training(
      problem, without_bounds(), {run.seed, run.key},
      training::initial_weights(problem.model, run.problem.network.initialisation, run.seed),
      run.problem.options.run, run.control);
  return {std::move(found.result.w), found.result.iterations, found.result.evaluations, ""};
}

const Unconstrained& unconstrained(const PostprocessingRun& run) {
  auto& known = run.problem.unconstrained->known;
  const UnconstrainedModels::Address address{run.seed, run.key, run.options.l2};
  const auto found = known.find(address);
  if (found != known.end()) return found->second;
  return known[address] = run.problem.is_logistic_regression()
                              ? unconstrained_logistic(run.problem, run.options.l2)
                              : unconstrained_network(run);
}

// ---- its thresholds

/// Thresholds as far as can be from the scores of the training part, which are decided as before: a
/// score that is the threshold hangs on its last bit. Beyond the group's scores by 1 at least, so
/// that there is a score less the threshold.
void move_between_scores(std::vector<DrawnThreshold>& draw, const metrics::Scored& scored) {
  for (DrawnThreshold& one : draw) {
    constexpr double inf = std::numeric_limits<double>::infinity();
    double below = -inf, above = inf;
    for (std::size_t i = 0; i < scored.rows(); ++i) {
      if (scored.group[i] != one.group) continue;
      double& side = scored.score[i] < one.threshold ? below : above;
      side = scored.score[i] < one.threshold ? std::max(side, scored.score[i])
                                             : std::min(side, scored.score[i]);
    }
    const auto beyond = [](double end) { return std::max(1.0, 1e-6 * std::abs(end)); };
    if (below == -inf) below = above - 2 * beyond(above);
    if (above == inf) above = below + 2 * beyond(below);
    const double middle = below + (above - below) / 2;
    one.threshold = middle > below ? middle : above;  // neighbours among doubles
  }
}

/// @param remark  gets what is odd about the scores.
DrawnWithin draw_within(const PostprocessingRun& run, std::span<const double> w,
                        std::string& remark) {
  const std::vector<double> scores = scores_of(run.problem, data::Part::train, w, run.control);
  const auto [least, most] = std::ranges::minmax(scores);
  if (least == most) {
    append(remark, "the unconstrained model has one score for all rows" +
                       training::remark_on_large_features(run.problem.problem));
  }
  const TrainingPart& part = run.problem.parts[static_cast<std::size_t>(data::Part::train)];
  const metrics::Scored scored{.score = scores,
                               .label = part.label,
                               .group = part.group,
                               .groups = run.problem.set->set.num_groups(),
                               .threshold = 0};
  DrawnWithin found = drawn_thresholds_within(scored, limit_of(run.options));
  if (!found.undefined_reason.empty()) {
    throw base::InputError(fmt::format("postprocessing.rate: {}", found.undefined_reason));
  }
  move_between_scores(found.point.draw, scored);
  return found;
}

std::string model_text(const Problem& problem) {
  models::ModelText text{.kind = "drawn_thresholds", .options = {{"thresholds", "thresholds"}}};
  const models::ModelText score = models::ModelText::parse(model_of(problem));
  for (const char* option : {"hidden", "activation", "weights"}) {
    text.options[option] = score.at(option);
  }
  return text.text();
}

/// A bound below what there is, what rounding may leave of a ratio of small rates, and rates of 0.
std::string remark_on_bound(const TaskResult& result, const training::RateLimit& limit,
                            double least_bound) {
  constexpr double rounding = 1e-9;
  if (least_bound > limit.bound + rounding) {
    return fmt::format(
        "no draw among the groups' thresholds has an error of at most postprocessing.bound = {} in "
        "every group of the training part: the least bound that one keeps is {:.6g}, which is that "
        "of the draw returned",
        limit.bound, least_bound);
  }
  if (limit.of != training::BoundOf::ratio) return "";
  const double ratio = bounded_on_train(result, limit, "");
  if (std::isnan(ratio)) return "the rates are 0 in every group, of which there is no ratio";
  if (ratio >= limit.bound - rounding) return "";
  return fmt::format(
      "rounding leaves a ratio of {:.6g} on the training part, below postprocessing.bound = {}",
      ratio, limit.bound);
}

TaskResult run_postprocessing(const PostprocessingRun& run) {
  const Unconstrained& base = unconstrained(run);
  // From here on a checkpoint has nothing more to keep.
  const solvers::Control rest{.report = run.control.report, .request = run.control.request};
  TaskResult result;
  append(result.remark, base.remark);
  DrawnWithin found = draw_within(run, base.w, result.remark);
  DrawnPoint& point = found.point;
  result.metrics["iterations"] = static_cast<double>(base.iterations);
  // The thresholds are found among the scores of all training rows.
  add_evaluations(result, base.evaluations + run.problem.problem.train.size());
  result.metrics["optimum_gap"] = point.error - point.lower;
  result.solutions["weights"].emplace_back(base.w);
  result.solutions["thresholds"].emplace_back(numbers_of(point.draw));
  result.model = model_text(run.problem);
  add_measures_of(result,
                  {run.problem, base.w, std::move(point.draw), limit_of(run.options), rest});
  if (!std::isnan(found.least_bound)) result.metrics["least_bound"] = found.least_bound;
  append(result.remark, remark_on_bound(result, limit_of(run.options), found.least_bound));
  return result;
}

sweep::Work postprocessing_work(const Problem& problem, const PostprocessingOptions&) {
  if (!problem.is_logistic_regression()) {
    return training_work(problem, static_cast<double>(without_bounds().batch));
  }
  constexpr double newton_steps = 8;
  sweep::Work work = training_work(problem, 0);
  const auto rows = static_cast<double>(problem.problem.train.size());
  const auto weights = static_cast<double>(problem.problem.parameters());
  work.bytes_per_rank += 2 * rows * weights;  // as MixedRows, of a table of categories
  work.amount = rows * (6 + newton_steps * (2 + weights / 8));
  return work;
}

sweep::Columns postprocessing_columns() {
  using base::Direction;
  sweep::Columns columns = rate_columns();
  columns.metrics.push_back(
      {"optimum_gap",
       "proven: how far the expected error on the training part is above the least that draws "
       "among the groups' thresholds have within the bound",
       "share", Direction::minimise, "Hardt, Price, Srebro (2016)"});
  columns.metrics.push_back(least_bound_column());
  columns.solutions.push_back(
      {"thresholds",
       "of the score, drawn for each row of a group: group, threshold, probability, and so on; "
       "decided 1 where score >= threshold",
       "score", Direction::none, "Hardt, Price, Srebro (2016)"});
  return columns;
}

}  // namespace

results::Measures measures_of_postprocessing(const TrainingProblem& problem,
                                             const sweep::Task& task,
                                             const results::Findings& findings) {
  const auto options = sweep::read_section<PostprocessingOptions>(task, task.method);
  std::vector<double> w = only_vector(findings, "weights");
  if (w.size() != static_cast<std::size_t>(problem.problem.parameters())) {
    throw base::DamagedError("the weights of a task are not those of its network");
  }
  const solvers::Control unwatched;
  TaskResult result;
  add_measures_of(result, {problem, std::move(w), draw_of(only_vector(findings, "thresholds")),
                           limit_of(options), unwatched});
  return std::move(result.measured);
}

Method<TrainingProblem> postprocessing_method() {
  return make_method<TrainingProblem, PostprocessingOptions>(
      {.name = "postprocessing",
       .title = "the unconstrained model post-processed: decides by drawn thresholds of the group",
       .source = "Hardt, Price, Srebro (2016); Cruz, Hardt (2024)",
       .revision = 6},  // 6: evaluations of a linear score and of thresholds are counted
      postprocessing_columns(), postprocessing_work, run_postprocessing);
}

}  // namespace fairfront::experiments
