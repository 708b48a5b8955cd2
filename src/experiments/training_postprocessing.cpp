#include "experiments/training_postprocessing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/random.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/randomised_thresholds.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_exact.hpp"
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
  double bound = 0.05;  ///< of every difference of two groups' rates, in [0, 1]
  double l2 = 1e-4;     ///< of the logistic regression, >= 0
};

base::OptionTable options_of(PostprocessingOptions& options) {
  base::OptionTable table("postprocessing");
  table.add_choice<training::RateKind>(
      "rate", options.rate, training::rate_names(),
      "Which rates of decisions are to be close: those of 1 in each group; in its rows with label "
      "1; in those with label 1 and in those with label 0; in those with label 0; or of wrong "
      "decisions in each group.");
  table.add("bound", options.bound, base::between(0.0, 1.0), "share",
            "It is the bound of the gap, which is the largest difference of two groups' expected "
            "rates on the training part; with 1 thresholds are those of the least error.");
  table.assign_role(base::Role::trade_off, {"bound"});
  table.add("l2", options.l2, base::between(0.0, 1e6), "",
            "Half of it times the squared weights is added to the mean loss of a linear score.");
  return table;
}

/// Bounds that nothing reaches.
training::CertifiedOptions without_bounds() { return {.delta = 1e3}; }

bool is_logistic_regression(const Problem& problem) {
  return std::ssize(problem.problem.model.layers()) == 1 &&
         problem.options.loss == models::LossKind::logistic;
}

void validate_for(const Problem& problem, const PostprocessingOptions& options) {
  require_rows_of_rate(problem, options.rate, "postprocessing.rate");
  if (is_logistic_regression(problem)) return;
  training::Certified::validate_for(problem.problem, without_bounds(), problem.options.run);
}

// ---- the model without bounds

using PostprocessingRun = Run<Problem, PostprocessingOptions>;
using Unconstrained = UnconstrainedModels::Model;

Unconstrained unconstrained_logistic(const Problem& problem, double l2) {
  const training::RateProblem train = rate_problem(problem, data::Part::train);
  const std::vector<double> weights(train.labels.size(), 1.0);
  const std::vector<double> start(static_cast<std::size_t>(train.rows.columns() + 1), 0.0);
  models::MinimiseResult found =
      models::fit_weighted_logistic(train.rows, train.labels, weights, start, {.l2 = l2});
  // A network's bias comes last.
  std::rotate(found.weights.begin(), found.weights.begin() + 1, found.weights.end());
  return {std::move(found.weights), found.iterations, 0,
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
  return known[address] = is_logistic_regression(run.problem)
                              ? unconstrained_logistic(run.problem, run.options.l2)
                              : unconstrained_network(run);
}

// ---- its decisions

/// A model whose score has drawn thresholds.
struct Postprocessed {
  const Problem& problem;
  std::vector<double> w;
  std::vector<DrawnThreshold> draw;
  training::RateKind rate;
  const solvers::Control& control;
};

std::vector<double> scores_of(const Problem& problem, data::Part which, std::span<const double> w,
                              const solvers::Control& control) {
  return training::FullData(problem.problem, control, training::any_mean_loss)
      .scores(problem.rows(which), w);
}

/// Scores less the threshold that is drawn of each row's group, so that 0 is that of decisions: the
/// same row has the same draw, whatever the bound.
std::vector<double> drawn_scores(const Postprocessed& model, data::Part which) {
  std::vector<double> scores = scores_of(model.problem, which, model.w, model.control);
  const std::vector<std::int64_t>& rows = model.problem.rows(which).rows;
  const TrainingPart& part = model.problem.parts[static_cast<std::size_t>(which)];
  const base::StreamKey key(0, "training", "drawn decisions");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double rest = base::Stream(key, static_cast<std::uint64_t>(rows[i])).uniform();
    const DrawnThreshold* drawn = nullptr;
    for (const DrawnThreshold& one : model.draw) {
      if (one.group != part.group[i]) continue;
      drawn = &one;
      rest -= one.probability;
      if (rest < 0) break;
    }
    scores[i] -= drawn->threshold;
  }
  return scores;
}

DecisionsOf expected_decisions_of(const Postprocessed& model) {
  return [&model](data::Part which, std::span<double> decisions) {
    const std::vector<double> scores = scores_of(model.problem, which, model.w, model.control);
    const TrainingPart& part = model.problem.parts[static_cast<std::size_t>(which)];
    for (std::size_t i = 0; i < scores.size(); ++i) {
      decisions[i] = 0;
      for (const DrawnThreshold& one : model.draw) {
        const bool reached = one.group == part.group[i] && scores[i] >= one.threshold;
        if (reached) decisions[i] += one.probability;
      }
    }
  };
}

/// Where decisions are bounded by training.rate, their gaps are expected ones.
std::vector<double> expected_gaps(const Postprocessed& model, data::Part which) {
  const training::GapConstraints& constraints = model.problem.problem.constraints;
  const training::Part& part = model.problem.rows(which);
  const TrainingPart& rows = model.problem.parts[static_cast<std::size_t>(which)];
  const training::RateKind kind = constraints.rate()->kind;
  std::vector<double> decisions(rows.label.size());
  expected_decisions_of(model)(which, decisions);
  std::vector<double> of_cell(part.of_cell.size(), 0.0);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (part.cell[i] < 0) continue;
    const auto cell = static_cast<std::size_t>(part.cell[i]);
    const bool positive = rows.label[i] > 0;
    of_cell[cell] += (training::RateCells::at_zero_of(kind, positive) +
                      training::RateCells::slope_of(kind, positive) * decisions[i]) /
                     static_cast<double>(part.of_cell[cell].size());
  }
  std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps()));
  constraints.gaps_of(of_cell, gaps);
  return gaps;
}

PartScores drawn_part(const Postprocessed& model, data::Part which) {
  PartScores part = with_losses(model.problem, which, drawn_scores(model, which));
  const auto& bounded = model.problem.problem.constraints.rate();
  if (bounded && bounded->of == training::RateOf::decisions) {
    part.losses.gaps = expected_gaps(model, which);
  }
  return part;
}

/// Errors and gaps of rates become those of the expected decisions; intervals hold them.
void expect(TaskResult& result) {
  std::vector<std::string> names{"error", "gap", "rate_gap"};
  for (const auto& [text, kind] : training::rate_names()) {
    names.emplace_back(training::gap_measure_of(kind));
  }
  for (const std::string& name : names) {
    const auto drawn = result.measured.find(name);
    const auto expected = result.measured.find("randomised_" + name);
    if (drawn == result.measured.end()) continue;
    for (auto& [rows, value] : drawn->second) {
      if (rows != sweep::MeasuredRows{rows.part}) continue;  // of a group
      if (expected != result.measured.end() && expected->second.contains(rows)) {
        value.value = expected->second.at(rows).value;
      }
      value.low = std::min(value.low, value.value);
      value.high = std::max(value.high, value.value);
    }
  }
}

/// The measure of single groups that is the rate of a kind; "" of a pair of rates.
std::string_view measure_of_groups(training::RateKind kind) {
  using training::RateKind;
  switch (kind) {
    case RateKind::demographic_parity:
      return "positive_rate";
    case RateKind::equal_opportunity:
      return "true_positive_rate";
    case RateKind::predictive_equality:
      return "false_positive_rate";
    case RateKind::error_rate_parity:
      return "error";
    case RateKind::equalised_odds:
      break;
  }
  return "";
}

/// Where it is known, the value becomes this one, which the interval holds.
void expect_at(TaskResult& result, std::string_view measure, const sweep::MeasuredRows& rows,
               double expected) {
  const auto found = result.measured.find(std::string{measure});
  if (found == result.measured.end() || std::isnan(expected)) return;
  const auto at = found->second.find(rows);
  if (at == found->second.end()) return;
  at->second.value = expected;
  at->second.low = std::min(at->second.low, expected);
  at->second.high = std::max(at->second.high, expected);
}

bool is_nan(double value) { return std::isnan(value); }

void erase_groups(std::map<sweep::MeasuredRows, results::Measured>& of_rows,
                  std::string_view part) {
  std::erase_if(of_rows, [&](const auto& at) {
    return at.first.part == part && at.first.group != sweep::MeasuredRows{}.group;
  });
}

/// The groups with the largest difference of a rate, which stand in the measure's cells.
void expect_makers(TaskResult& result, const MeasuredGroups& groups, training::RateKind kind,
                   std::span<const double> of_cell) {
  const std::string measure{training::gap_measure_of(kind)};
  const auto found = result.measured.find(measure);
  if (found == result.measured.end() || std::ranges::any_of(of_cell, is_nan)) return;
  erase_groups(found->second, groups.part);
  metrics::Value gap = metrics::defined(0);
  const std::size_t count = groups.names.size();
  for (std::size_t first = 0; first < of_cell.size(); first += count) {
    const std::span<const double> rates = of_cell.subspan(first, count);
    const auto [least, most] = std::ranges::minmax_element(rates);
    if (*most - *least <= gap.value) continue;
    gap = metrics::defined_gap(*most - *least, static_cast<std::size_t>(most - rates.begin()),
                               static_cast<std::size_t>(least - rates.begin()));
  }
  add_makers(result, measure, groups, gap);
}

/// On the test part errors and rates of single groups, and which groups make a gap of them, are of
/// expected decisions, too: a gap is the difference of what its groups have.
void expect_of_groups(TaskResult& result, const Problem& problem, const DecisionsOf& expected) {
  training::RateProblem rows = rate_problem(problem, data::Part::test);
  if (rows.rows.size() == 0) return;
  std::vector<double> decisions(static_cast<std::size_t>(rows.rows.size()));
  expected(data::Part::test, decisions);
  const MeasuredGroups groups{data::name_of(data::Part::test), problem.set->set.group_names};
  const std::vector<std::int32_t> one_group(rows.groups.size(), 0);
  training::RateProblem together = rows;
  together.groups = one_group;
  together.num_groups = 1;
  for (const auto& [text, kind] : training::rate_names()) {
    const auto of_cell = training::rates_of(rows, {kind, rows.num_groups}, decisions).of_cell;
    expect_makers(result, groups, kind, of_cell);
    const std::string_view measure = measure_of_groups(kind);
    if (measure.empty()) continue;
    for (std::size_t g = 0; g < groups.names.size(); ++g) {
      expect_at(result, measure, {std::string{groups.part}, cell_of_group(groups.names[g])},
                of_cell[g]);
    }
    if (kind == training::RateKind::error_rate_parity) continue;  // known of all rows
    expect_at(result, measure, {std::string{groups.part}},
              training::rates_of(together, {kind, 1}, decisions).of_cell.front());
  }
}

/// The same of the largest error of a group, on every part.
void expect_worst_error(TaskResult& result, const Problem& problem, const DecisionsOf& expected) {
  const std::string measure = "worst_group_error";
  for (const data::Part which :
       {data::Part::train, data::Part::validation, data::Part::choice, data::Part::test}) {
    const training::RateProblem rows = rate_problem(problem, which);
    if (rows.rows.size() == 0) continue;
    std::vector<double> decisions(static_cast<std::size_t>(rows.rows.size()));
    expected(which, decisions);
    const auto errors =
        training::rates_of(rows, {training::RateKind::error_rate_parity, rows.num_groups},
                           decisions)
            .of_cell;
    const auto known = result.measured.find(measure);
    if (known == result.measured.end() || std::ranges::any_of(errors, is_nan)) continue;
    const auto most = std::ranges::max_element(errors);
    const MeasuredGroups groups{data::name_of(which), problem.set->set.group_names};
    expect_at(result, measure, {std::string{groups.part}}, *most);
    if (which != data::Part::test) continue;
    erase_groups(known->second, groups.part);
    add_makers(result, measure, groups,
               metrics::defined(*most, {static_cast<std::int32_t>(most - errors.begin()), *most}));
  }
}

/// Of one draw of every row's decision, so that rows stay independent, and intervals are those of
/// any decisions; errors, rates and gaps of rates are expected ones.
void add_measures_of(TaskResult& result, const Postprocessed& model) {
  const auto drawn = [&](data::Part which) { return drawn_scores(model, which); };
  add_measures(result, model.problem, [&](data::Part which) { return drawn_part(model, which); });
  add_gap_bounds(result, model.problem, std::nullopt, drawn);
  const DecisionsOf expected = expected_decisions_of(model);
  add_rate_gaps(result, model.problem, model.rate, expected);
  add_randomised_rates(result, model.problem, model.rate, expected);
  expect(result);
  expect_of_groups(result, model.problem, expected);
  expect_worst_error(result, model.problem, expected);
}

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
DrawnPoint draw_within(const PostprocessingRun& run, std::span<const double> w,
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
  DrawnWithin found = drawn_thresholds_within(scored, run.options.rate, run.options.bound);
  if (!found.undefined_reason.empty()) {
    throw base::InputError(fmt::format("postprocessing.rate: {}", found.undefined_reason));
  }
  move_between_scores(found.point.draw, scored);
  return std::move(found.point);
}

std::string model_text(const Problem& problem) {
  models::ModelText text{.kind = "drawn_thresholds", .options = {{"thresholds", "thresholds"}}};
  const models::ModelText score = models::ModelText::parse(model_of(problem));
  for (const char* option : {"hidden", "activation", "weights"}) {
    text.options[option] = score.at(option);
  }
  return text.text();
}

TaskResult run_postprocessing(const PostprocessingRun& run) {
  const Unconstrained& base = unconstrained(run);
  // From here on a checkpoint has nothing more to keep.
  const solvers::Control rest{.report = run.control.report, .request = run.control.request};
  TaskResult result;
  append(result.remark, base.remark);
  DrawnPoint point = draw_within(run, base.w, result.remark);
  result.metrics["iterations"] = static_cast<double>(base.iterations);
  result.metrics["evaluations"] = static_cast<double>(base.evaluations);
  result.metrics["optimum_gap"] = point.error - point.lower;
  result.solutions["weights"].emplace_back(base.w);
  result.solutions["thresholds"].emplace_back(numbers_of(point.draw));
  result.model = model_text(run.problem);
  add_measures_of(result, {run.problem, base.w, std::move(point.draw), run.options.rate, rest});
  return result;
}

sweep::Work postprocessing_work(const Problem& problem, const PostprocessingOptions&) {
  if (!is_logistic_regression(problem)) {
    return training_work(problem, static_cast<double>(without_bounds().batch));
  }
  constexpr double newton_steps = 8;
  sweep::Work work = training_work(problem, 0);
  const auto rows = static_cast<double>(problem.problem.train.size());
  const auto weights = static_cast<double>(problem.problem.parameters());
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
                           options.rate, unwatched});
  return std::move(result.measured);
}

std::vector<sweep::IdleOption> idle_options_of_postprocessing(const sweep::Task& task) {
  const bool linear = task.values.at("model.hidden").empty();
  if (!linear || task.values.at("training.loss") != "logistic") {
    return {{"postprocessing.l2", "it is of logistic regression: model.hidden empty"}};
  }
  std::vector<sweep::IdleOption> idle;
  for (const char* name : {"seed", "training.budget", "training.iterations"}) {
    idle.push_back({name, "[postprocessing] fits a linear score exactly"});
  }
  return idle;
}

Method<TrainingProblem> postprocessing_method() {
  return make_method<TrainingProblem, PostprocessingOptions>(
      {.name = "postprocessing",
       .title = "the unconstrained model post-processed: decides by drawn thresholds of the group",
       .source = "Hardt, Price, Srebro (2016); Cruz, Hardt (2024)"},
      postprocessing_columns(), postprocessing_work, run_postprocessing);
}

}  // namespace fairfront::experiments
