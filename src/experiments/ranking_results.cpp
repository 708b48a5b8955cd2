#include "experiments/ranking_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>
#include <utility>

#include "base/stop.hpp"
#include "metrics/measure.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using metrics::Measure;
using metrics::Scored;
using sweep::TaskResult;

constexpr const char* paper = "Yao, Lin, Yang (2023)";
constexpr double interval_level = 0.95;
constexpr std::array<std::string_view, 3> part_names{"train", "validation", "test"};

const Measure& measure_named(std::string_view name) {
  const auto all = metrics::ranking();
  const auto found =
      std::ranges::find_if(all, [&](const Measure& measure) { return measure.what.name == name; });
  return *found;
}

std::string_view gap_name(ranking::FairnessMetric metric) {
  using ranking::FairnessMetric;
  switch (metric) {
    case FairnessMetric::inter_group:
      return "inter_group_auc_gap";
    case FairnessMetric::intra_group:
      return "intra_group_auc_gap";
    case FairnessMetric::positive_average:
      return "positive_average_gap";
    case FairnessMetric::negative_average:
      return "negative_average_gap";
    case FairnessMetric::background:
      return "background_auc_gap";
    case FairnessMetric::group:
      break;
  }
  return "group_auc_gap";
}

/// The gap of the protected group alone, where the measure of all groups is the larger of both.
double gap_of(ranking::FairnessMetric metric, const Scored& scored) {
  using ranking::FairnessMetric;
  const auto of = [&](std::string_view name) { return measure_named(name).of(scored).value; };
  switch (metric) {
    case FairnessMetric::positive_average:
      return std::abs(of("positive_average_difference"));
    case FairnessMetric::negative_average:
      return std::abs(of("negative_average_difference"));
    case FairnessMetric::background:
      return std::abs(of("background_auc_difference"));
    default:
      return of(gap_name(metric));
  }
}

Scored scored_of(const RankingPart& part, std::span<const double> scores) {
  return {.score = scores, .label = part.label, .group = part.group, .groups = 2};
}

std::string column_of(const Measure& measure, std::string_view part) {
  return fmt::format("{}_{}", measure.what.name, part);
}

}  // namespace

AucAndGap auc_and_gap(const RankingProblem& problem, const RankingPart& part,
                      std::span<const double> scores) {
  const Scored scored = scored_of(part, scores);
  return {measure_named("auc").of(scored).value, gap_of(problem.options.metric, scored)};
}

void add_measures(TaskResult& result, const RankingProblem& problem, const PartScores& scores) {
  for (const RankingPart* part : {&problem.train, &problem.validation, &problem.test}) {
    const std::vector<double> score = scores(*part);
    const Scored scored = scored_of(*part, score);
    const auto values = metrics::evaluate(metrics::ranking(), scored);
    for (std::size_t m = 0; m < values.size(); ++m) {
      const Measure& measure = metrics::ranking()[m];
      result.metrics[column_of(measure, part->name)] = values[m].value;
      if (part != &problem.test || measure.interval == nullptr) continue;
      const metrics::Interval interval = measure.interval(scored, interval_level);
      if (!interval.defined()) continue;
      result.metrics[column_of(measure, part->name) + "_low"] = interval.low;
      result.metrics[column_of(measure, part->name) + "_high"] = interval.high;
    }
  }
}

void add_model(TaskResult& result, const RankingProblem& problem, const ModelScores& scores,
               std::span<const double> w) {
  add_measures(result, problem, [&](const RankingPart& part) { return scores(part, w); });
  double squares = 0;
  for (const double value : w) squares += value * value;
  result.metrics["weight_norm"] = std::sqrt(squares);
}

void add_linear(TaskResult& result, const RankingProblem& problem, std::span<const double> w) {
  const ModelScores scores = [&](const RankingPart& part, std::span<const double> v) {
    return problem.scores(part, v);
  };
  add_model(result, problem, scores, w);
  result.metrics["objective"] = problem.exact.losses()(w).objective;
}

void add_distance_to_optimum(TaskResult& result, const RankingProblem& problem,
                             std::span<const double> w, double kappa) {
  const ranking::ExactOptimum best = problem.exact.solve(kappa);
  const ranking::Losses losses = problem.exact.losses()(w);
  result.metrics["excess"] = losses.excess(kappa);
  result.metrics["optimum"] = best.losses.objective;
  result.metrics["objective_gap"] = losses.objective - best.losses.objective;
}

std::vector<Quantity> ranking_objectives() {
  return {{"auc", "AUC on the validation part", "probability", Direction::maximise,
           "Hanley, McNeil (1982)"},
          {"auc_gap", "absolute difference of the two AUCs of ranking.metric on that part",
           "probability", Direction::minimise, "Yao, Lin, Yang (2023), table 1"}};
}

sweep::Columns ranking_columns() {
  sweep::Columns columns;
  columns.metrics = metrics::quantities(metrics::ranking(), part_names);
  for (const Measure& measure : metrics::ranking()) {
    if (measure.interval == nullptr) continue;
    for (const auto& [suffix, end] : {std::pair{"low", "lower"}, std::pair{"high", "upper"}}) {
      const std::string column = column_of(measure, "test");
      columns.metrics.push_back({fmt::format("{}_{}", column, suffix),
                                 fmt::format("{} end of the 95 % interval of {}", end, column),
                                 measure.what.unit, Direction::none,
                                 "DeLong, DeLong, Clarke-Pearson (1988)"});
    }
  }
  return columns;
}

sweep::Columns linear_columns() {
  return {.metrics = {{"weight_norm", "Euclidean norm of w", "", Direction::none, paper},
                      {"objective", "f0, the surrogate of 1 - AUC, on the training part", "",
                       Direction::minimise, paper}}};
}

sweep::Columns loss_columns() {
  sweep::Columns columns = linear_columns();
  columns.metrics.push_back(optimum_distance_columns().metrics.front());
  return columns;
}

sweep::Columns optimum_distance_columns() {
  return {.metrics = {{"excess", "max(f1, f2) - 1 - kappa on the training part: feasible up to 0",
                       "", Direction::minimise, paper},
                      {"optimum", "least f0 of all w that are feasible at kappa", "",
                       Direction::none, "exact solution of the linear problem"},
                      {"objective_gap", "f0 less the optimum; below 0 only where excess is above",
                       "", Direction::minimise, "exact solution of the linear problem"}}};
}

sweep::Columns multiplier_columns() {
  return {.metrics = {{"multiplier", "sum of the multipliers of both constraints; 0: they are void",
                       "", Direction::none, ""},
                      {"tilt", "difference of the multipliers of both constraints", "",
                       Direction::none, ""}}};
}

double task_bytes(const RankingProblem& problem) {
  const data::Dataset& set = problem.set->set;
  const double columns = static_cast<double>(set.columns);
  return static_cast<double>(bytes_of(set)) + static_cast<double>(problem.training.bytes()) +
         sizeof(double) * (3 * columns * columns + 4 * static_cast<double>(set.rows));
}

}  // namespace fairfront::experiments
