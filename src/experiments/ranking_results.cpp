#include "experiments/ranking_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <string_view>
#include <utility>

#include "base/stop.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "metrics/auc.hpp"
#include "metrics/declared_difference.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using metrics::Measure;
using metrics::Scored;
using sweep::TaskResult;

constexpr std::array<std::string_view, 4> part_names{"train", "validation", "choice", "test"};

Scored scored_of(const RankingProblem& problem, const RankingPart& part,
                 std::span<const double> scores) {
  return {.score = scores, .label = part.label, .group = part.group, .groups = problem.groups()};
}

/// Those of every data set with groups, and of what the constraint bounds.
/// @param differences  of the problem; to know the names alone: none.
std::vector<Measure> measures_with(const std::vector<metrics::AucSum>& differences) {
  std::vector<Measure> measures(metrics::ranking().begin(), metrics::ranking().end());
  const std::vector<std::string> base_rate{"base_rate"};
  std::ranges::move(metrics::select(metrics::classification(), base_rate),
                    std::back_inserter(measures));
  std::ranges::move(metrics::difference_measures(
                        "constrained",
                        "the difference of AUCs that ranking.metric bounds: of two groups that of "
                        "the protected one, of more all",
                        differences),
                    std::back_inserter(measures));
  return measures;
}

/// The groups of a comparison by their names.
std::string text_of_worst(const RankingProblem& problem, const ranking::Comparison& worst) {
  const auto name = [&](std::int32_t group) {
    return problem.set->set.group_names[static_cast<std::size_t>(group)];
  };
  const std::string other = worst.other >= 0 ? fmt::format(" and '{}'", name(worst.other)) : "";
  return fmt::format("the largest difference of AUCs on the test part is that of '{}'{}",
                     name(worst.group), other);
}

/// Of several comparisons the largest difference, at the names of its groups.
void add_worst_difference(TaskResult& result, const RankingProblem& problem,
                          const RankingPart& part, const Scored& scored) {
  if (problem.compared.size() == 1) return;
  const auto sample = metrics::ordered(scored);
  const metrics::SortedCells& cells = sample->cells();
  const ranking::Comparison* worst = nullptr;
  double largest = 0;
  for (std::size_t j = 0; j < problem.compared.size(); ++j) {
    const double difference = problem.differences[j].of(cells).value;
    if (std::isnan(difference)) return;  // a set without rows: nobody knows which is the largest
    if (worst != nullptr && !(std::abs(difference) > std::abs(largest))) continue;
    largest = difference;
    worst = &problem.compared[j];
  }
  const auto add = [&](std::int32_t group, double value) {
    const std::string& name = problem.set->set.group_names[static_cast<std::size_t>(group)];
    add_value(result, "worst_auc_difference", {std::string{part.name}, cell_of_group(name)}, value);
  };
  add(worst->group, largest);
  if (worst->other >= 0) add(worst->other, -largest);
  if (&part == &problem.test) add_remark(result, text_of_worst(problem, *worst));
}

/// By a formula, where there is one.
void add_formula_intervals(TaskResult& result, const RankingProblem& problem,
                           const RankingPart& part, std::span<const Measure> measures,
                           const Scored& scored) {
  const double level = level_on(part.name, problem.options.confidence);
  for (const Measure& measure : measures) {
    if (measure.interval == nullptr) continue;
    add_interval(result, measure.what.name, part.name, measure.interval(scored, level));
  }
}

void add_bootstrap(TaskResult& result, const RankingProblem& problem, const RankingPart& part,
                   std::span<const Measure> measures, const Scored& scored,
                   const Resampling& resampling) {
  const RankingOptions& options = problem.options;
  const auto drawn = metrics::bootstrap_intervals(
      measures, scored,
      resampling.next({.resamples = options.resamples,
                       .level = level_on(part.name, options.confidence),
                       .strata = metrics::Strata::group}),
      {static_cast<std::uint64_t>(options.bootstrap_seed), resampling.key,
       &part == &problem.choice ? "ranking/bootstrap/choice" : "ranking/bootstrap"});
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (!measures[m].may_resample) continue;
    add_interval(result, measures[m].what.name, part.name, drawn[m].interval);
  }
}

/// On the test part.
void add_groups(TaskResult& result, Remarks& remarks, const RankingProblem& problem,
                std::span<const Measure> measures, const Scored& scored,
                std::span<const metrics::Value> values) {
  const MeasuredGroups groups{problem.test.name, problem.set->set.group_names,
                              problem.options.confidence};
  add_rows(result, groups, scored.group);
  add_of_groups(result, remarks, measures, scored, groups);
  for (std::size_t m = 0; m < measures.size(); ++m) {
    add_makers(result, measures[m].what.name, groups, values[m]);
  }
}

AucAndGap auc_and_gap_of(const RankingProblem& problem, const metrics::SortedCells& cells) {
  using metrics::Subset;
  AucAndGap found{cells.auc(Subset{.positive = true}, Subset{.positive = false}).value, 0};
  for (const metrics::AucSum& difference : problem.differences) {
    const double gap = std::abs(difference.of(cells).value);
    if (std::isnan(gap)) return {found.auc, gap};
    found.gap = std::max(found.gap, gap);
  }
  return found;
}

}  // namespace

void add_remark(TaskResult& result, const std::string& remark) {
  result.remark += (result.remark.empty() ? "" : "; ") + remark;
}

AucAndGap auc_and_gap(const RankingProblem& problem, const RankingPart& part,
                      std::span<const double> scores) {
  return auc_and_gap_of(problem, metrics::SortedCells(scored_of(problem, part, scores)));
}

OnBothParts add_measures(TaskResult& result, const RankingProblem& problem,
                         const PartScores& scores, const Resampling& resampling) {
  const std::vector<Measure> measures = measures_with(problem.differences);
  OnBothParts found{};
  std::vector<metrics::Value> learnt;
  Remarks remarks;
  for (const RankingPart* part :
       {&problem.train, &problem.validation, &problem.test, &problem.choice}) {
    if (part == &problem.choice && part->rows.empty()) continue;
    const std::vector<double> score = scores(*part);
    const bool has_intervals = part == &problem.test || part == &problem.choice;
    const metrics::OrderedSample sample(scored_of(problem, *part, score), has_intervals);
    const Scored scored = sample.sample();
    const auto values = metrics::evaluate(measures, scored);
    for (std::size_t m = 0; m < values.size(); ++m) {
      add_value(result, measures[m].what.name, part->name, values[m].value);
    }
    add_worst_difference(result, problem, *part, scored);
    if (part == &problem.validation) found.validation = auc_and_gap_of(problem, sample.cells());
    if (part == &problem.test) found.test = auc_and_gap_of(problem, sample.cells());
    if (learnt.empty()) learnt = values;
    if (!has_intervals) continue;
    if (part == &problem.test) {
      add_undefined(remarks, measures, learnt, values, part->name);
      add_groups(result, remarks, problem, measures, scored, values);
    }
    add_formula_intervals(result, problem, *part, measures, scored);
    if (problem.options.resamples > 0)
      add_bootstrap(result, problem, *part, measures, scored, resampling);
  }
  append(result.remark, remarks.text(problem.set->set.group_names));
  return found;
}

results::Measures measures_of(const RankingProblem& problem, const sweep::Found& found,
                              const std::string& key) {
  if (found.model == nullptr) return {};
  const data::Dataset& set = problem.set->set;
  const auto scores = [&](const RankingPart& part) {
    std::vector<double> score;
    for (std::size_t i = 0; i < part.rows.size(); ++i) {
      base::stop_point();
      score.push_back(found.model->predict(set.row(part.rows[i]), {&part.group[i], 1}).front());
    }
    return score;
  };
  TaskResult result;
  add_measures(result, problem, scores, {key});
  return std::move(result.measured);
}

double norm_of(std::span<const double> w) {
  double squares = 0;
  for (const double value : w) squares += value * value;
  return std::sqrt(squares);
}

ModelScores linear_scores(const RankingProblem& problem) {
  return {[&problem](const RankingPart& part, std::span<const double> w) {
            return problem.scores(part, w);
          },
          {"score", {{"hidden", ""}, {"activation", "relu"}, {"centred", "mean"}}}};
}

OnBothParts add_model(TaskResult& result, const RankingProblem& problem, const ModelScores& scores,
                      std::span<const double> w, const Resampling& resampling) {
  const OnBothParts found = add_measures(
      result, problem, [&](const RankingPart& part) { return scores(part, w); }, resampling);
  result.metrics["weight_norm"] = norm_of(w);
  result.solutions["measured"].emplace_back(std::vector<double>(w.begin(), w.end()));
  return found;
}

OnBothParts add_linear(TaskResult& result, const RankingProblem& problem, std::span<const double> w,
                       const Resampling& resampling) {
  const OnBothParts found = add_model(result, problem, linear_scores(problem), w, resampling);
  result.metrics["objective"] = problem.exact.losses()(w).objective;
  return found;
}

void add_distance_to_optimum(TaskResult& result, const RankingProblem& problem,
                             std::span<const double> w, double kappa) {
  const ranking::ExactOptimum best = problem.exact.solve(kappa);
  const ranking::Losses losses = problem.exact.losses()(w);
  result.metrics["excess"] = losses.excess(kappa);
  result.metrics["optimum"] = best.losses.objective;
  result.metrics["objective_gap"] = losses.objective - best.losses.objective;
}

void add_distance_at_own_kappa(TaskResult& result, const RankingProblem& problem,
                               std::span<const double> w) {
  const ranking::Losses losses = problem.exact.losses()(w);
  const double kappa = losses.excess(0);
  if (!(kappa > problem.exact.losses().surrogate().infeasible_kappa())) return;
  const double optimum = problem.exact.solve(kappa).losses.objective;
  result.metrics["own_kappa"] = kappa;
  result.metrics["optimum"] = optimum;
  result.metrics["objective_gap"] = losses.objective - optimum;
}

std::vector<Quantity> ranking_objectives() {
  return {{"auc", "AUC on the validation part", "probability", Direction::maximise,
           "Hanley, McNeil (1982)"},
          {"auc_gap", "absolute difference of the two AUCs of ranking.metric on that part",
           "probability", Direction::minimise, "Yao, Lin, Yang (2023), table 1"}};
}

sweep::Columns ranking_columns() {
  sweep::Columns columns;
  const std::vector<Measure> measures = measures_with({});
  columns.measures = measured_on(part_names, measures);
  const std::vector<std::string> parts(part_names.begin(), part_names.end());
  columns.measures.push_back(
      {{"worst_auc_difference",
        "of several comparisons the largest difference of ranking.metric: at each group that it is "
        "of, that group's AUC less that of the other group, or of all rows",
        "probability", Direction::none, "Yao, Lin, Yang (2023), table 1"},
       parts,
       results::AtGroups::made_by});
  columns.measures.push_back({rows_quantity(), parts});
  return columns;
}

std::vector<sweep::MeasuredQuantity> measures_of_ranking_points() {
  std::vector<sweep::MeasuredQuantity> measures = ranking_columns().measures;
  measures.push_back({ranking_objectives()[1], {part_names.begin(), part_names.end()}});
  return measures;
}

sweep::Columns linear_columns() {
  return {.metrics = {{"weight_norm", "Euclidean norm of w", "", Direction::none, ranking_paper},
                      {"objective", "f0, the surrogate of 1 - AUC, on the training part", "",
                       Direction::minimise, ranking_paper},
                      evaluations_row()}};
}

sweep::Columns loss_columns() {
  sweep::Columns columns = linear_columns();
  columns.metrics.push_back(optimum_distance_columns().metrics.front());
  return columns;
}

sweep::Columns optimum_distance_columns() {
  return {.metrics = {{"excess", "max(f1, f2) - 1 - kappa on the training part: feasible up to 0",
                       "", Direction::minimise, ranking_paper},
                      {"optimum",
                       "least f0 of all w that are feasible at kappa; at own_kappa, where the "
                       "method has none",
                       "", Direction::none, "exact solution of the linear problem"},
                      {"objective_gap", "f0 less the optimum; below 0 only where excess is above",
                       "", Direction::minimise, "exact solution of the linear problem"}}};
}

sweep::Columns own_kappa_columns() {
  const sweep::Columns distance = optimum_distance_columns();
  return {.metrics = {{"own_kappa",
                       "least kappa for which the score is feasible: max(f1, f2) - 1 on the "
                       "training part",
                       "", Direction::none, ""},
                      distance.metrics[1],
                      distance.metrics[2]}};
}

sweep::Columns multiplier_columns() {
  return {.metrics = {{"multiplier", "sum of the multipliers of both constraints; 0: they are void",
                       "", Direction::none, ""},
                      {"tilt", "difference of the multipliers of both constraints", "",
                       Direction::none, ""}}};
}

double bytes_of_moments(const RankingProblem& problem) {
  const auto columns = static_cast<double>(problem.training.columns());
  const auto matrices = static_cast<double>(1 + 2 * problem.compared.size());
  return sizeof(double) * matrices * columns * columns;
}

double task_bytes(const RankingProblem& problem) {
  return bytes_of_moments(problem) +
         sizeof(double) * 4 * static_cast<double>(problem.set->set.rows);
}

}  // namespace fairfront::experiments
