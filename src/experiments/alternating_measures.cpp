#include "experiments/alternating_measures.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "data/split.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/measure.hpp"
#include "metrics/ordered_sample.hpp"
#include "models/linear_model.hpp"
#include "models/supervised.hpp"
#include "solvers/alternating/data_minimum.hpp"

namespace fairfront::experiments {
namespace {

using alternating::DataProblem;

/// The solutions of that name, each of them real numbers. @throws base::DamagedError  they are not.
std::vector<std::vector<double>> vectors_of(const results::Findings& findings,
                                            const std::string& name) {
  std::vector<std::vector<double>> vectors;
  const auto found = findings.solutions.find(name);
  if (found == findings.solutions.end()) return vectors;
  for (const results::SolutionValues& values : found->second) {
    const auto* const numbers = std::get_if<std::vector<double>>(&values);
    if (numbers == nullptr) throw base::DamagedError("solution " + name + " is no real numbers");
    vectors.push_back(*numbers);
  }
  return vectors;
}

/// The largest one of the task's points, each for the weighted sum that it was found for.
std::optional<double> certified_gap(const DataProblem& problem, const results::Findings& findings) {
  const auto points = vectors_of(findings, "x");
  auto weights = vectors_of(findings, "weights");
  if (const auto weight = findings.metrics.find("weight"); weight != findings.metrics.end()) {
    weights = {{weight->second, 1 - weight->second}};
  }
  if (points.empty() || points.size() != weights.size()) return std::nullopt;
  double largest = 0;
  for (std::size_t k = 0; k < points.size(); ++k) {
    const auto gap = alternating::certified_gap(problem, weights[k], points[k]);
    if (!gap) return std::nullopt;
    largest = std::max(largest, *gap);
  }
  return largest;
}

constexpr double interval_confidence = 0.95;
constexpr double threshold = 0.5;  // of the probability, as the model decides

const std::vector<metrics::Measure>& measures_of_decisions() {
  static const std::vector<metrics::Measure> list = [] {
    const std::vector<std::string> names{"error", "independence_gap", "separation_gap"};
    return metrics::select(metrics::classification(), names);
  }();
  return list;
}

/// What is said of the reported part alone, as of each of its groups: no choice is by them. Without
/// the log loss, which is infinite where a probability rounds to 0 or 1; the loss is an objective.
const std::vector<metrics::Measure>& reported_measures() {
  static const std::vector<metrics::Measure> list = [] {
    std::vector<metrics::Measure> all;
    for (const auto measures : {metrics::classification(), metrics::ranking()}) {
      std::ranges::copy_if(measures, std::back_inserter(all), [](const metrics::Measure& measure) {
        const std::string& name = measure.what.name;
        return measure.of_each_group && name != "error" && name != "log_loss";
      });
    }
    return all;
  }();
  return list;
}

/// Rows of a part with what a model says of them, see goes_by_order().
struct SaidOfRows {
  metrics::Scored decided;  ///< by probabilities
  metrics::Scored ranked;   ///< by scores
};

/// Those of the reported measures that go by order, or the others.
std::vector<metrics::Measure> reported_by_order(bool order) {
  std::vector<metrics::Measure> some;
  std::ranges::copy_if(
      reported_measures(), std::back_inserter(some),
      [&](const metrics::Measure& measure) { return goes_by_order(measure) == order; });
  return some;
}

/// The reported one last, see results::PartRoles.
constexpr std::array all_parts{data::Part::train, data::Part::validation, data::Part::choice,
                               data::Part::test};

/// The reported part by group, and which groups make its gaps.
/// @param gaps  of all its rows, in the order of measures_of_decisions().
void add_by_group(sweep::TaskResult& result, const data::SupervisedSet& rows, std::string_view part,
                  const SaidOfRows& said, std::span<const metrics::Value> gaps) {
  const MeasuredGroups groups{part, rows.set.group_names, interval_confidence};
  Remarks remarks;
  add_rows(result, groups, said.decided.group);
  add_of_groups(result, remarks, measures_of_decisions(), said.decided, groups);
  for (const bool order : {false, true}) {
    const std::vector<metrics::Measure> measures = reported_by_order(order);
    const metrics::Scored& scored = order ? said.ranked : said.decided;
    const std::vector<metrics::Value> values = metrics::evaluate(measures, scored);
    for (std::size_t m = 0; m < measures.size(); ++m) {
      const std::string& name = measures[m].what.name;
      add_value(result, name, part, values[m].value);
      add_interval(result, name, part, measures[m].interval(scored, interval_confidence));
    }
    add_of_groups(result, remarks, measures, scored, groups);
  }
  for (std::size_t m = 0; m < gaps.size(); ++m) {
    add_makers(result, measures_of_decisions()[m].what.name, groups, gaps[m]);
  }
  append(result.remark, remarks.text(rows.set.group_names));
}

/// What the logistic model with these weights decides of rows of one part.
void add_part(sweep::TaskResult& result, const data::SupervisedSet& rows, data::Part part,
              std::span<const double> x) {
  const models::Supervised mine =
      models::supervised(rows.set, rows.rows(part), models::LabelKind::zero_one);
  const models::LinearModel model(rows.set.columns);
  models::LinearModel::Scratch scratch;
  std::vector<double> score(mine.part.size()), probability(mine.part.size()), label;
  model.scores(x, mine.rows(), scratch, score);
  base::sigmoid(score, probability);
  std::vector<std::int32_t> group;
  for (const std::int64_t row : mine.part) {
    label.push_back(mine.labels[base::at(row)]);
    group.push_back(rows.set.group[base::at(row)]);
  }
  const metrics::Scored scored{probability, label, group, mine.groups(), threshold};
  const std::string_view name = data::name_of(part);
  const auto& measures = measures_of_decisions();
  const std::vector<metrics::Value> values = metrics::evaluate(measures, scored);
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const std::string& measure = measures[m].what.name;
    add_value(result, measure, name, values[m].value);
    const bool tests = part == data::Part::train || part == data::Part::choice;
    if (!rows.split.choice.empty() && tests) {
      add_groups(result, measures[m], name, scored, rows.set.group_names, interval_confidence);
    }
    if (part == data::Part::train) continue;
    add_interval(result, measure, name,
                 measures[m].interval(scored, level_on(name, interval_confidence)));
  }
  if (part != data::Part::test) return;
  const metrics::OrderedSample ordered({score, label, group, mine.groups()}, true);
  add_by_group(result, rows, name, {scored, ordered.sample()}, values);
}

void add_decisions(sweep::TaskResult& result, const AlternatingProblem& problem,
                   std::span<const double> x) {
  for (const data::Part part : all_parts) {
    if (!problem.rows->rows(part).empty()) add_part(result, *problem.rows, part, x);
  }
}

bool decides(const DataProblem& problem) { return problem.loss() == models::LossKind::logistic; }

}  // namespace

void add_measures(sweep::TaskResult& result, const AlternatingProblem& problem,
                  const results::Findings& findings) {
  const auto* const data = std::get_if<DataProblem>(&problem.problem);
  if (data == nullptr) return;
  if (const auto gap = certified_gap(*data, findings)) {
    add_value(result, "certified_excess", "train", *gap);
  }
  const auto points = vectors_of(findings, "x");
  if (points.size() == 1 && decides(*data)) add_decisions(result, problem, points.front());
}

results::Measures measures_of_point(const AlternatingProblem& problem,
                                    const results::Findings& findings, std::size_t point) {
  const auto* const data = std::get_if<DataProblem>(&problem.problem);
  if (data == nullptr || !decides(*data)) return {};
  sweep::TaskResult result;
  add_decisions(result, problem, vectors_of(findings, "x").at(point));
  return std::move(result.measured);
}

std::vector<sweep::MeasuredQuantity> alternating_measures() {
  std::vector<std::string_view> parts;
  for (const data::Part part : all_parts) parts.push_back(data::name_of(part));
  std::vector<sweep::MeasuredQuantity> columns = measured_on(parts, measures_of_decisions());
  const std::array reported{data::name_of(data::Part::test)};
  std::ranges::move(measured_on(reported, reported_measures()), std::back_inserter(columns));
  columns.push_back({rows_quantity(), {reported.begin(), reported.end()}});
  columns.push_back(
      {{"certified_excess",
        "S at the point exceeds its minimum over the box by at most this much, proven by strong "
        "convexity; of a front the largest one of its points; for fairness = covariance, as "
        "loss_gap is not convex",
        "", base::Direction::minimise, "Nesterov (2004), definition 2.1.2"},
       {"train"}});
  return columns;
}

}  // namespace fairfront::experiments
