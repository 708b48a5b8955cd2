#include "experiments/training_results.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "experiments/training_exact.hpp"
#include "metrics/by_group.hpp"
#include "metrics/contrast.hpp"
#include "metrics/extremes.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"
#include "models/fitted_scores.hpp"
#include "solvers/training/full_data.hpp"

namespace fairfront::experiments {
namespace {

using metrics::Measure;
using metrics::Scored;
using sweep::TaskResult;
using training::FullData;
using training::PartLosses;

constexpr std::array all_parts{data::Part::train, data::Part::validation, data::Part::test,
                               data::Part::choice};
constexpr std::size_t histogram_bins = 50;

/// Scores of the logistic loss become probabilities; a decision is 1 where the score is >= 0. Those
/// of other losses aim at -1 and 1 and are no probabilities, wherever they lie.
struct Decided {
  std::vector<double> score;
  double threshold;
  std::string_view no_probability{};  ///< why, if it is none
  std::vector<double> order{};        ///< by which rows rank; empty: the score
};
Decided decided(models::LossKind loss, std::vector<double> scores) {
  if (loss != models::LossKind::logistic)
    return {std::move(scores), 0, "a score is no probability where training.loss is not logistic"};
  std::vector<double> probabilities(scores.size());
  base::sigmoid(scores, probabilities);
  return {std::move(probabilities), 0.5, {}, std::move(scores)};
}

/// The rows of a part, for measures of decisions and of order, see goes_by_order().
struct ScoredRows {
  Scored decided;
  Scored ranked;

  [[nodiscard]] const Scored& of(const Measure& measure) const {
    return goes_by_order(measure) ? ranked : decided;
  }
};

/// In the order of training_measures().
std::vector<metrics::Value> values_of(const ScoredRows& rows) {
  std::array<std::vector<Measure>, 2> some;
  for (const Measure& measure : training_measures()) {
    some[goes_by_order(measure) ? 1 : 0].push_back(measure);
  }
  const std::array<std::vector<metrics::Value>, 2> found{metrics::evaluate(some[0], rows.decided),
                                                         metrics::evaluate(some[1], rows.ranked)};
  std::array<std::size_t, 2> next{};
  std::vector<metrics::Value> values;
  for (const Measure& measure : training_measures()) {
    const std::size_t which = goes_by_order(measure) ? 1 : 0;
    values.push_back(found[which][next[which]++]);
  }
  return values;
}

/// Loss of the score 0: what a model that knows nothing has.
double loss_of_zero(models::LossKind loss) {
  const double zero = 0;
  const double label = 1;
  double value = 0;
  models::loss_values(loss, {&zero, 1}, {&label, 1}, {&value, 1});
  return value;
}

/// Mean losses whatever the constraints are; those of groups NaN if a group has no row.
struct GroupLosses {
  double all = 0;              ///< of all rows
  double least = 0, most = 0;  ///< of a group
};
GroupLosses group_losses(std::span<const double> losses, const TrainingPart& part,
                         std::size_t groups) {
  std::vector<double> sum(groups, 0.0);
  std::vector<double> rows(groups, 0.0);
  double all = 0;
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto g = static_cast<std::size_t>(part.group[i]);
    all += losses[i];
    sum[g] += losses[i];
    rows[g] += 1;
  }
  all /= static_cast<double>(losses.size());
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::ranges::find(rows, 0.0) != rows.end()) return {all, nan, nan};
  for (std::size_t g = 0; g < groups; ++g) sum[g] /= rows[g];
  const auto [least, most] = std::ranges::minmax(sum);
  return {all, least, most};
}

/// Of the gap on a part: the differences of mean losses, or rates, that the constraints are made
/// of.
/// @param values  as bounded_values().
/// @param drawn   whether decisions are.
metrics::Interval interval_of_gap(const TrainingProblem& problem, const training::Part& part,
                                  std::span<const double> values, bool drawn, double level) {
  const training::GapConstraints& constraints = problem.problem.constraints;
  std::vector<metrics::Moments> of_cell(constraints.cells().size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (part.cell[i] >= 0) of_cell[static_cast<std::size_t>(part.cell[i])].add(values[i]);
  }
  const auto law = constraints.rate() ? metrics::Law::proportion : metrics::Law::positive_mean;
  auto estimates = metrics::mean_estimates(of_cell, law);
  if (drawn && constraints.rate() && estimates.missing.empty()) {
    // As measures of decisions have it: worth the cell's rows, and no more.
    for (std::size_t k = 0; k < of_cell.size(); ++k) {
      estimates.of_group[k] =
          metrics::proportion(of_cell[k].mean * of_cell[k].rows, of_cell[k].rows);
    }
  }
  if (!estimates.missing.empty()) return {.undefined_reason = estimates.missing};
  if (constraints.bound_of() == training::BoundOf::ratio) {
    if (training::RateCells::events_of(constraints.rate()->kind) > 1) {
      return {.undefined_reason = "of ratios of two rates no interval is known"};
    }
    metrics::Interval ratio = metrics::ratio_interval(estimates, level);
    ratio = {1 - ratio.high, 1 - ratio.low, std::move(ratio.undefined_reason)};
    return ratio;
  }
  std::vector<metrics::WeightedSum> gaps;
  for (std::int64_t gap = 0; gap < constraints.gaps(); ++gap) {
    metrics::WeightedSum& sum = gaps.emplace_back();
    for (std::size_t cell = 0; cell < of_cell.size(); ++cell) {
      const double factor = constraints.factor(gap, static_cast<std::int64_t>(cell));
      if (factor == 0) continue;
      sum.weights.push_back(factor);
      sum.estimates.push_back(estimates.of_group[cell]);
    }
  }
  metrics::Interval interval =
      metrics::interval_of_largest(metrics::absolute_values(std::move(gaps)), level);
  interval.low = std::max(0.0, interval.low);
  return interval;
}

/// A probability that rounds to 0 or 1 has an infinite log loss: the losses have it from the score.
/// Not where decisions are drawn: a decision that is certain and wrong has none that is finite.
bool has_log_loss(const TrainingProblem& problem, const PartScores& part) {
  return problem.options.loss == models::LossKind::logistic && !part.expected;
}
bool is_log_loss(const Measure& measure) {
  return measure.what.name.find("log_loss") != std::string::npos;
}
bool takes_losses(const Measure& measure, bool log_loss) {
  return log_loss && is_log_loss(measure);
}

/// Of measures of decisions and scores on a part, and of what is taken of the losses.
void add_intervals(TaskResult& result, std::string_view part, const ScoredRows& rows,
                   std::span<const double> losses, bool log_loss) {
  const Scored& scored = rows.decided;
  const double level = level_on(part, training_confidence);
  for (const Measure& measure : training_measures()) {
    if (takes_losses(measure, log_loss)) continue;
    add_interval(result, measure.what.name, part, measure.interval(rows.of(measure), level));
  }
  const auto of_groups =
      metrics::mean_estimates(losses, scored.group, scored.groups, metrics::Law::positive_mean);
  const metrics::Interval gap = metrics::gap_interval(of_groups, level);
  add_interval(result, "loss_gap", part, gap);
  metrics::Moments all;
  for (const double loss : losses) all.add(loss);
  const metrics::Interval mean = metrics::mean_interval(all, metrics::Law::positive_mean, level);
  add_interval(result, "loss", part, mean);
  if (!log_loss) return;
  add_interval(result, "log_loss", part, mean);
  add_interval(result, "log_loss_gap", part, gap);
  add_interval(result, "worst_group_log_loss", part, metrics::largest_interval(of_groups, level));
}

/// What the groups' numbers are behind the gaps.
void add_groups_of_gaps(TaskResult& result, const TrainingProblem& problem, std::string_view part,
                        const ScoredRows& rows, std::span<const double> losses, bool log_loss) {
  const Scored& scored = rows.decided;
  const std::vector<std::string>& names = problem.set->set.group_names;
  const auto of_losses =
      metrics::mean_estimates(losses, scored.group, scored.groups, metrics::Law::positive_mean);
  std::vector<std::string> of_loss{"loss_gap"};
  const TrainingOptions& options = problem.options;
  if (!options.rate && options.fairness == training::Fairness::loss_gap &&
      options.bound_of == training::BoundOf::gap) {
    of_loss.emplace_back("gap");
  }
  if (log_loss) of_loss.emplace_back("log_loss_gap");
  for (const Measure& measure : training_measures()) {
    if (std::ranges::count(of_loss, measure.what.name) > 0) continue;
    add_groups(result, measure, part, rows.of(measure), names, training_confidence);
  }
  for (const std::string& name : of_loss) {
    add_groups(result, name, part, of_losses, names, training_confidence);
  }
}

/// Of each group the mean loss, and which groups make its gaps.
void add_losses_of_groups(TaskResult& result, Remarks& remarks, const MeasuredGroups& groups,
                          const Scored& scored, std::span<const double> losses, bool log_loss) {
  std::vector<metrics::Moments> moments(groups.names.size());
  std::vector<double> means(groups.names.size(), 0.0);
  for (std::size_t i = 0; i < losses.size(); ++i) {
    const auto g = static_cast<std::size_t>(scored.group[i]);
    moments[g].add(losses[i]);
    means[g] += losses[i];
  }
  std::vector<std::string> names{"loss"};
  if (log_loss) names.emplace_back("log_loss");
  bool complete = true;
  for (std::size_t g = 0; g < means.size(); ++g) {
    complete = complete && moments[g].rows > 0;
    means[g] /= moments[g].rows;
    const metrics::Value value = moments[g].rows > 0
                                     ? metrics::defined(means[g])
                                     : metrics::undefined(metrics::in_group("no row", g));
    for (const std::string& name : names) {
      add_of_group(result, remarks, name, groups, g, value, [&, g](double level) {
        metrics::Interval found =
            metrics::mean_interval(moments[g], metrics::Law::positive_mean, level);
        if (!found.defined()) {
          found.undefined_reason = metrics::in_group(found.undefined_reason, g);
        }
        return found;
      });
    }
  }
  if (!complete) return;
  const metrics::Extremes found = metrics::extremes(means);
  add_makers(result, "loss_gap", groups, found.gap());
  if (!log_loss) return;
  add_makers(result, "log_loss_gap", groups, found.gap());
  add_makers(result, "worst_group_log_loss", groups, found.largest());
}

/// On the test part.
void add_groups(TaskResult& result, Remarks& remarks, const TrainingProblem& problem,
                const ScoredRows& rows, std::span<const double> losses,
                std::span<const metrics::Value> values, bool log_loss) {
  const Scored& scored = rows.decided;
  const MeasuredGroups groups{data::name_of(data::Part::test), problem.set->set.group_names,
                              training_confidence};
  std::vector<Measure> of_scores = training_measures();
  for (std::size_t m = 0; m < of_scores.size(); ++m) {
    if (!takes_losses(of_scores[m], log_loss)) {
      add_makers(result, of_scores[m].what.name, groups, values[m]);
    }
  }
  std::erase_if(of_scores, [&](const Measure& measure) { return takes_losses(measure, log_loss); });
  add_rows(result, groups, scored.group);
  const auto first_loss =
      std::stable_partition(of_scores.begin(), of_scores.end(), std::not_fn(is_log_loss));
  const auto first_order =
      std::stable_partition(of_scores.begin(), first_loss, std::not_fn(goes_by_order));
  const auto by_decisions = static_cast<std::size_t>(first_order - of_scores.begin());
  const auto others = static_cast<std::size_t>(first_loss - of_scores.begin());
  const std::span<const Measure> all(of_scores);
  add_of_groups(result, remarks, all.first(by_decisions), scored, groups);
  add_of_groups(result, remarks, all.subspan(by_decisions, others - by_decisions), rows.ranked,
                groups);
  // That a certain and wrong decision has an infinite one is said of no drawn decision in
  // particular.
  Remarks unread;
  add_of_groups(result, scored.decided.empty() ? remarks : unread, all.subspan(others), scored,
                groups);
  add_losses_of_groups(result, remarks, groups, scored, losses, log_loss);
}

/// Shares of a group's rows in equal bins of the probability of label 1.
std::vector<std::vector<double>> histograms(const TrainingPart& part, std::size_t groups,
                                            std::span<const double> probability) {
  std::vector<std::vector<double>> share(groups, std::vector<double>(histogram_bins, 0.0));
  std::vector<double> rows(groups, 0.0);
  for (std::size_t i = 0; i < probability.size(); ++i) {
    const auto g = static_cast<std::size_t>(part.group[i]);
    const auto bin = static_cast<std::size_t>(probability[i] * histogram_bins);
    share[g][std::min(bin, histogram_bins - 1)] += 1;
    rows[g] += 1;
  }
  for (std::size_t g = 0; g < groups; ++g) {
    for (double& value : share[g]) value /= rows[g];  // NaN for a group without rows
  }
  return share;
}

/// Probabilities of a decision 1 where decisions are drawn.
Decided decided(models::LossKind loss, PartScores& part) {
  if (part.expected) return {std::move(part.expected->decisions), 0.5};
  return decided(loss, std::move(part.scores));
}

/// @param learnt  of the training part, which comes first: filled there, then looked at.
void add_part(TaskResult& result, const TrainingProblem& problem, data::Part which,
              PartScores scores, std::vector<metrics::Value>& learnt) {
  const TrainingPart& part = problem.parts[static_cast<std::size_t>(which)];
  const auto groups = static_cast<std::size_t>(problem.set->set.num_groups());
  std::vector<double> of_rows =
      scores.expected ? scores.expected->losses : row_losses(problem, which, scores.scores);
  const GroupLosses losses = group_losses(of_rows, part, groups);
  add_value(result, "loss_gap", part.name, losses.most - losses.least);
  const bool has_intervals = which == data::Part::test || which == data::Part::choice;
  const bool decides_or_tests = which == problem.deciding() || which == data::Part::choice;
  const bool has_groups = problem.choice.size() > 0 && decides_or_tests;
  if (!has_intervals && !has_groups) of_rows = {};  // nobody asks for them again
  std::vector<double> bounded;
  if (has_intervals) {
    bounded = scores.expected ? scores.expected->bounded
                              : bounded_values(problem, problem.rows(which), scores.scores);
  }
  const bool log_loss = has_log_loss(problem, scores);
  const Decided model = decided(problem.options.loss, scores);
  const Scored scored{
      .score = model.score,
      .label = part.label,
      .group = part.group,
      .groups = static_cast<std::int64_t>(groups),
      .threshold = model.threshold,
      .decided = scores.expected ? std::span<const double>{model.score} : std::span<const double>{},
      .no_probability = model.no_probability};
  Scored ranked = scored;
  if (!model.order.empty()) ranked.score = model.order;
  const ScoredRows of_part{scored, ranked};
  const auto values = values_of(of_part);
  for (std::size_t m = 0; m < values.size(); ++m) {
    add_value(result, training_measures()[m].what.name, part.name, values[m].value);
  }
  if (which == data::Part::train) learnt = values;
  if (has_intervals) {
    add_intervals(result, part.name, of_part, of_rows, log_loss);
    add_interval(result, "gap", part.name,
                 interval_of_gap(problem, problem.rows(which), bounded, scores.expected.has_value(),
                                 level_on(part.name, training_confidence)));
  }
  if (has_groups) {
    add_groups_of_gaps(result, problem, part.name, of_part, of_rows, log_loss);
  }
  if (which == data::Part::test) {
    Remarks remarks;
    add_undefined(remarks, training_measures(), learnt, values, part.name);
    add_groups(result, remarks, problem, of_part, of_rows, values, log_loss);
    append(result.remark, remarks.text(problem.set->set.group_names));
  }
  if (log_loss) {
    add_value(result, "log_loss", part.name, losses.all);
    add_value(result, "log_loss_gap", part.name, losses.most - losses.least);
    add_value(result, "worst_group_log_loss", part.name, losses.most);
  }
  if (which != data::Part::test || problem.options.loss != models::LossKind::logistic) return;
  for (auto& shares : histograms(part, groups, model.score)) {
    result.solutions["distribution"].emplace_back(std::move(shares));
  }
}

}  // namespace

std::string model_of(const TrainingProblem& problem) {
  models::ModelText text{"score",
                         {{"hidden", base::join(problem.network.hidden, ",")},
                          {"activation", std::string(models::name_of(problem.network.activation))},
                          {"weights", "weights"},
                          {"threshold", "0"}}};
  if (problem.options.loss == models::LossKind::logistic) {
    text.options["link"] = "logistic";
    text.options["threshold"] = "0.5";
  }
  return text.text();
}

void add_measures(TaskResult& result, const TrainingProblem& problem, const ScoresOf& scores_of) {
  std::vector<metrics::Value> learnt;
  for (const data::Part which : all_parts) {
    if (problem.rows(which).size() == 0) continue;
    PartScores part = scores_of(which);
    const std::string_view name = data::name_of(which);
    const double loss = part.losses.loss;
    const double gap = problem.problem.constraints.unfairness(part.losses.cells, part.losses.gaps);
    add_value(result, "loss", name, loss);
    add_value(result, "gap", name, gap);
    add_part(result, problem, which, std::move(part), learnt);
    if (which == problem.deciding()) {
      const double reference = loss_of_zero(problem.options.loss);
      constexpr double largest_rate = 1;
      result.front = one_point_front({loss, gap},
                                     {reference, problem.options.rate ? largest_rate : reference});
    }
    if (which == data::Part::test) result.front.report = {loss, gap};
  }
}

std::map<data::Part, PartScores> part_scores_at(const TrainingProblem& problem,
                                                const training::Problem& shared,
                                                std::span<const double> w,
                                                const solvers::Control& control) {
  FullData full(shared, control, training::any_mean_loss);
  std::map<data::Part, PartScores> parts;
  for (const data::Part which : all_parts) {
    const training::Part& rows = problem.rows(which);
    if (rows.size() == 0) continue;
    PartLosses losses = full.losses(rows, w);
    parts[which] = {std::move(losses), full.scores(rows, w)};
  }
  return parts;
}

void add_weights(TaskResult& result, const TrainingProblem& problem, std::span<const double> w) {
  result.solutions["weights"].emplace_back(std::vector<double>(w.begin(), w.end()));
  result.model = model_of(problem);
}

void add_measures(TaskResult& result, const TrainingProblem& problem, std::span<const double> w,
                  const solvers::Control& control) {
  auto parts = part_scores_at(problem, problem.problem, w, control);
  add_measures(result, problem, [&](data::Part which) { return std::move(parts.at(which)); });
  add_weights(result, problem, w);
}

std::vector<double> row_losses(const TrainingProblem& problem, data::Part which,
                               std::span<const double> scores) {
  const TrainingPart& part = problem.parts[static_cast<std::size_t>(which)];
  std::vector<double> losses(scores.size());
  std::array<double, 1024> labels{};
  for (std::size_t begin = 0; begin < scores.size(); begin += labels.size()) {
    const std::size_t rows = std::min(labels.size(), scores.size() - begin);
    for (std::size_t i = 0; i < rows; ++i) labels[i] = part.label[begin + i] > 0 ? 1.0 : -1.0;
    models::loss_values(problem.options.loss, scores.subspan(begin, rows),
                        std::span{labels}.first(rows), std::span{losses}.subspan(begin, rows));
  }
  return losses;
}

PartScores part_scores_of(const TrainingProblem& problem, data::Part which, ExpectedRows expected) {
  const training::Part& part = problem.rows(which);
  double sum = 0;
  std::vector<double> of_cell(part.of_cell.size(), 0.0);
  for (std::size_t i = 0; i < expected.losses.size(); ++i) {
    sum += expected.losses[i];
    if (part.cell[i] >= 0) of_cell[static_cast<std::size_t>(part.cell[i])] += expected.bounded[i];
  }
  for (std::size_t k = 0; k < of_cell.size(); ++k) {
    of_cell[k] /= static_cast<double>(part.of_cell[k].size());  // 0/0 is NaN
  }
  const training::GapConstraints& constraints = problem.problem.constraints;
  PartLosses found{sum / static_cast<double>(expected.losses.size()),
                   std::vector<double>(static_cast<std::size_t>(constraints.gaps())),
                   {}};
  constraints.gaps_of(of_cell, found.gaps);
  found.cells = std::move(of_cell);
  return {std::move(found), {}, std::move(expected)};
}

results::Measures measures_of(const TrainingProblem& problem, const results::Findings& findings) {
  const std::vector<double> w = only_vector(findings, "weights");
  if (w.size() != static_cast<std::size_t>(problem.problem.parameters())) {
    throw base::DamagedError("the weights of a task are not those of its network");
  }
  TaskResult result;
  add_measures(result, problem, w, {});
  add_gap_bounds(result, problem, w, std::nullopt, {});
  return std::move(result.measured);
}

sweep::Work training_work(const TrainingProblem& problem, double mean_cost) {
  const auto& solved = problem.problem;
  const auto rows = static_cast<double>(solved.train.size() + solved.validation.size() +
                                        solved.test.size() + problem.choice.size());
  const auto longest = static_cast<double>(std::max(
      {solved.train.size(), solved.validation.size(), solved.test.size(), problem.choice.size()}));
  const training::RunOptions& run = problem.options.run;
  const double looks = static_cast<double>(run.trace_points) + 4;
  const auto weights = static_cast<double>(solved.model.parameters());
  const auto gaps = static_cast<double>(solved.constraints.gaps());
  constexpr double bytes_a_row = 60;  // measures of a part sort its scores
  // Of a step, in rows: 2 to 7 on Adult and COMPAS, linear and with a hidden layer.
  constexpr double beside_its_rows = 4;
  const double of_step = mean_cost > 0 ? 1 + beside_its_rows / mean_cost : 1;
  return {bytes_a_row * longest + sizeof(double) * weights * (gaps + 10),
          of_step * training::forecast(run, mean_cost) + looks * rows, "rows scored"};
}

}  // namespace fairfront::experiments
