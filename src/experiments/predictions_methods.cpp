#include "experiments/predictions_methods.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/random.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "experiments/audit_checkpoint.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/predictions_compared.hpp"
#include "experiments/remarks.hpp"
#include "metrics/interval.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using metrics::Measure;
using metrics::Needs;
using metrics::Scored;
using sweep::Columns;
using sweep::TaskResult;

constexpr std::array<std::pair<std::string_view, AuditPart>, 5> parts{
    {{"all", AuditPart::all},
     {"train", AuditPart::train},
     {"validation", AuditPart::validation},
     {"choice", AuditPart::choice},
     {"test", AuditPart::test}}};

std::string_view name_of(AuditPart part) {
  for (const auto& [name, value] : parts) {
    if (value == part) return name;
  }
  return "none";
}

/// @throws base::InputError
AuditPart part_named(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [name, part] : parts) {
    if (name == text) return part;
    names.emplace_back(name);
  }
  throw base::InputError(fmt::format("measures.parts names '{}', which is no part{}",
                                     base::excerpt(text), base::name_hint(text, names)));
}

void check_rows(const Predictions& predictions, AuditPart part, std::string_view option) {
  if (!sample_of(predictions, part).score.empty()) return;
  throw base::InputError(
      fmt::format("{} = {}: no row is in this part; see [split]", option, name_of(part)));
}

// ---- [measures]

std::vector<Measure> all_measures() {
  std::vector<Measure> all;
  for (const auto list : {metrics::classification(), metrics::ranking(), metrics::regression()}) {
    std::ranges::copy(list, std::back_inserter(all));
  }
  return all;
}

std::vector<Measure> measures_for(Needs kind) {
  std::vector<Measure> suitable = all_measures();
  std::erase_if(suitable, [&](const Measure& measure) { return !suits(kind, measure.needs); });
  return suitable;
}

/// @throws base::InputError  a name that is no measure, or one of another kind.
std::vector<Measure> chosen_measures(Needs kind, const std::vector<std::string>& names) {
  const std::vector<Measure> suitable = measures_for(kind);
  if (names == std::vector<std::string>{"all"}) return suitable;
  const auto is_among = [](const std::vector<Measure>& measures, const std::string& name) {
    return std::ranges::any_of(measures, [&](const Measure& m) { return m.what.name == name; });
  };
  const std::vector<Measure> all = all_measures();
  std::set<std::string> seen;
  for (const std::string& name : names) {
    if (!seen.insert(name).second) {
      throw base::InputError(
          fmt::format("measures.measures names '{}' twice", base::excerpt(name)));
    }
    if (is_among(suitable, name)) continue;
    if (!is_among(all, name)) {
      std::vector<std::string> valid;
      for (const Measure& measure : all) valid.push_back(measure.what.name);
      throw base::InputError(fmt::format("measures.measures names '{}', which is no measure{}",
                                         base::excerpt(name), base::name_hint(name, valid)));
    }
    throw base::InputError(fmt::format(
        "measures.measures names '{}', which does not suit what predictions.score holds; see "
        "predictions.kind",
        name));
  }
  return metrics::select(suitable, names);
}

/// The differences of AUCs that the config declares, of the groups that there are.
/// @throws base::InputError  what they compare is not there.
std::vector<metrics::AucSum> declared_differences(const Predictions& predictions,
                                                  const MeasuresOptions& options) try {
  std::vector<metrics::AucSum> differences;
  if (options.difference.empty()) return differences;
  for (const metrics::ComparedRows& rows : options.difference.compared(predictions.group_names)) {
    differences.push_back(rows.difference(std::ssize(predictions.group_names)));
  }
  return differences;
} catch (const base::InputError& error) {
  throw base::InputError(
      fmt::format("measures.difference = '{}': {}", options.difference.text(), error.what()));
}

/// Those, and of the difference that the config declares.
/// @throws base::InputError  as above, or what it compares is not there.
std::vector<Measure> chosen_measures(const Predictions& predictions,
                                     const MeasuresOptions& options) {
  std::vector<Measure> chosen = chosen_measures(predictions.kind, options.measures);
  if (options.difference.empty()) return chosen;
  if (!suits(predictions.kind, Needs::score)) {
    throw base::InputError(
        "measures.difference compares AUCs of scores, and predictions.score holds none; see "
        "predictions.kind");
  }
  std::ranges::move(metrics::declared_measures(declared_differences(predictions, options)),
                    std::back_inserter(chosen));
  return chosen;
}

/// Every measure on every part.
Columns measure_columns() {
  Columns columns;
  std::vector<Measure> measures = all_measures();
  std::ranges::move(metrics::declared_measures({}), std::back_inserter(measures));
  std::set<std::string> seen;  // distances of scores are also those of predictions
  std::erase_if(measures,
                [&](const Measure& measure) { return !seen.insert(measure.what.name).second; });
  std::vector<std::string_view> names;
  for (const auto& [part, value] : parts) names.push_back(part);
  std::ranges::move(compared_columns(), std::back_inserter(measures));
  columns.measures = measured_on(names, measures);
  columns.measures.push_back({rows_quantity(), {names.begin(), names.end()}});
  columns.solutions = {
      {"group_rows", "rows of every group, one list for each of measures.parts", "rows",
       Direction::none, ""},
      {"group_positives", "rows with label 1 of every group, one list for each of measures.parts",
       "rows", Direction::none, ""}};
  return columns;
}

/// The intervals that are wanted, in the order of the measures.
/// @param bootstrap_options  those of `options`, with what its caller wants beside.
/// @param before  called before each formula, with the number of the measure and of all.
std::vector<std::optional<metrics::Interval>> intervals_of(
    const std::vector<Measure>& measures, const Scored& scored, const MeasuresOptions& options,
    base::StreamKey key, const metrics::BootstrapOptions& bootstrap_options,
    const std::function<void(std::int64_t, std::int64_t)>& before) {
  std::vector<std::optional<metrics::Interval>> intervals(measures.size());
  if (options.intervals == IntervalKind::none) return intervals;
  const bool bootstrap = options.intervals == IntervalKind::bootstrap;
  std::vector<Measure> others;
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < measures.size(); ++i) {
    if (bootstrap && measures[i].may_resample) {
      others.push_back(measures[i]);
      places.push_back(i);
    } else if (measures[i].interval != nullptr) {
      base::stop_point();
      before(static_cast<std::int64_t>(i), std::ssize(measures));
      intervals[i] = measures[i].interval(scored, bootstrap_options.level);
    }
  }
  if (others.empty()) return intervals;
  const auto drawn = metrics::bootstrap_intervals(others, scored, bootstrap_options, key);
  for (std::size_t i = 0; i < drawn.size(); ++i) intervals[places[i]] = drawn[i].interval;
  return intervals;
}

std::vector<double> count_by_group(const PredictionSample& sample, bool positives_only) {
  std::vector<double> counts(static_cast<std::size_t>(sample.groups), 0.0);
  for (std::size_t row = 0; row < sample.group.size(); ++row) {
    if (positives_only && !(sample.label[row] > 0)) continue;
    ++counts[static_cast<std::size_t>(sample.group[row])];
  }
  return counts;
}

/// Of single groups formulas alone, also where the bootstrap draws of all rows.
MeasuredGroups groups_of(const Predictions& predictions, const MeasuresOptions& options,
                         AuditPart part) {
  MeasuredGroups groups{name_of(part), predictions.group_names};
  if (options.intervals != IntervalKind::none) {
    groups.level = level_on(groups.part, options.bootstrap.level);
  }
  return groups;
}

void add_part(TaskResult& result, Remarks& remarks, const Run<Predictions, MeasuresOptions>& run,
              AuditCheckpoint& checkpoint, std::size_t number) {
  const AuditPart part = part_named(run.options.parts[number]);
  const std::vector<Measure> measures = chosen_measures(run.problem, run.options);
  const PredictionSample sample = sample_of(run.problem, part);
  const Scored scored = sample.view(run.options.threshold);
  const std::vector<metrics::Value> values = metrics::evaluate(measures, scored);
  const base::StreamKey key(static_cast<std::uint64_t>(run.options.bootstrap_seed), run.key,
                            fmt::format("predictions/bootstrap/{}", name_of(part)));
  metrics::BootstrapOptions bootstrap = run.options.bootstrap;
  bootstrap.level = level_on(name_of(part), bootstrap.level);
  bootstrap.earlier = checkpoint.earlier(number);
  bootstrap.after = [&](const metrics::Resamples& now) {
    checkpoint.look(number, now, now.done == bootstrap.resamples);
  };
  // Of many rows a part takes long: what is told is the part of it that is done.
  const auto parts_done = static_cast<double>(number);
  const auto parts_all = static_cast<double>(run.options.parts.size());
  const auto tell = [&](std::string_view piece, double begin, std::int64_t done,
                        std::int64_t total) {
    solvers::Progress now = solvers::progress(piece, done, total, name_of(part));
    now.fraction = (parts_done + begin + now.fraction / 2) / parts_all;
    run.control.tell(now);
  };
  const auto intervals = intervals_of(
      measures, scored, run.options, key, bootstrap,
      [&](std::int64_t done, std::int64_t total) { tell("interval", 0, done, total); });
  for (std::size_t i = 0; i < measures.size(); ++i) {
    add_measured(result, remarks, measures[i].what.name, name_of(part), values[i], intervals[i]);
  }
  const Comparison comparison{
      measures, values, run.problem.reference_kind, declared_differences(run.problem, run.options),
      [&](std::int64_t done, std::int64_t total) { tell("comparison", 0.5, done, total); }};
  add_comparison(result, remarks, comparison, sample, run.options, name_of(part));
  const MeasuredGroups groups = groups_of(run.problem, run.options, part);
  add_of_groups(result, remarks, measures, scored, groups);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    add_makers(result, measures[i].what.name, groups, values[i]);
  }
  add_rows(result, groups, scored.group);
  result.solutions["group_rows"].push_back(count_by_group(sample, false));
  if (run.problem.kind != Needs::prediction) {
    result.solutions["group_positives"].push_back(count_by_group(sample, true));
  }
}

TaskResult run_measures(const Run<Predictions, MeasuresOptions>& run) {
  TaskResult result;
  Remarks remarks;
  AuditCheckpoint checkpoint(run.control);
  const auto total = std::ssize(run.options.parts);
  for (std::int64_t i = 0; i < total; ++i) {
    base::stop_point();  // the control's wish for a checkpoint is the bootstrap's
    add_part(result, remarks, run, checkpoint, static_cast<std::size_t>(i));
    run.control.tell(solvers::progress("part", i + 1, total));
  }
  result.remark = remarks.text(run.problem.group_names);
  if (run.options.intervals == IntervalKind::bootstrap) {
    const metrics::BootstrapOptions& drawn = run.options.bootstrap;
    append(result.remark, metrics::too_few_resamples(drawn.resamples, drawn.level));
  }
  return result;
}

sweep::Work work_of(const Predictions& predictions, const MeasuresOptions& options) {
  const auto rows = static_cast<double>(predictions.score.size());
  const bool bootstrap = options.intervals == IntervalKind::bootstrap;
  const double samples = bootstrap ? static_cast<double>(options.bootstrap.resamples) + 1 : 1;
  const auto of_each =
      static_cast<double>(chosen_measures(predictions, options).size() * options.parts.size());
  return {100 * rows, rows * samples * of_each, "rows"};
}

// ---- [thresholds]

std::string_view measure_of(metrics::ThresholdGap gap) {
  return gap == metrics::ThresholdGap::demographic_parity ? "independence_gap" : "separation_gap";
}

/// Error and gap of every point's thresholds on other rows.
std::vector<double> report_of(const std::vector<metrics::ThresholdPoint>& points,
                              const PredictionSample& sample, metrics::ThresholdGap gap) {
  const std::vector<std::string> names{"error", std::string{measure_of(gap)}};
  const std::vector<Measure> objectives = metrics::select(metrics::classification(), names);
  std::vector<double> report;
  PredictionSample decided = sample;
  for (const metrics::ThresholdPoint& point : points) {
    for (std::size_t row = 0; row < sample.score.size(); ++row) {
      const double threshold = point.thresholds[static_cast<std::size_t>(sample.group[row])];
      decided.score[row] = sample.score[row] >= threshold ? 1 : 0;
    }
    for (const metrics::Value& value : metrics::evaluate(objectives, decided.view(0.5))) {
      report.push_back(value.value);
    }
  }
  return report;
}

double hypervolume_of(const std::vector<metrics::ThresholdPoint>& points) {
  pareto::Points all(2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    all.add(std::array{points[i].error, points[i].gap}, i);
  }
  return pareto::hypervolume(pareto::Front(all), std::array{1.0, 1.0});
}

/// @throws base::InputError  there is no gap: for the reason that is given, or as nothing is
/// compared.
void check_gap(const Predictions& predictions, AuditPart part, std::string reason) {
  if (reason.empty()) reason = metrics::missing_pair(std::ssize(predictions.group_names));
  if (reason.empty()) return;
  Remarks remarks;
  remarks.add(std::move(reason), fmt::format("the gap on the {} part", name_of(part)));
  throw base::InputError(remarks.text(predictions.group_names));
}

TaskResult run_thresholds(const Run<Predictions, ThresholdsOptions>& run) {
  const ThresholdsOptions& options = run.options;
  const PredictionSample chosen = sample_of(run.problem, options.choose_on);
  solvers::Heartbeat heart(run.control);
  metrics::ThresholdFrontOptions search = options.search;
  search.between = [&heart] { heart.beat(); };
  const metrics::ThresholdFront front =
      metrics::threshold_front(chosen.view(0.5), options.gap, search);
  check_gap(run.problem, options.choose_on, front.undefined_reason);
  TaskResult result;
  const std::vector<metrics::ThresholdPoint>& points = front.points;
  for (const metrics::ThresholdPoint& point : points) {
    result.front.points.insert(result.front.points.end(), {point.error, point.gap});
    result.solutions["thresholds"].emplace_back(point.thresholds);
  }
  result.model = "thresholds thresholds=thresholds";
  result.front.reference = {1, 1};
  result.front.hypervolume = hypervolume_of(points);
  if (options.report_on != AuditPart::none && options.report_on != options.choose_on) {
    result.front.report = report_of(points, sample_of(run.problem, options.report_on), options.gap);
  }
  result.metrics = {{"front_size", static_cast<double>(points.size())},
                    {"hypervolume", result.front.hypervolume},
                    {"least_error", points.front().error},
                    {"gap_of_least_error", points.front().gap},
                    {"least_gap", points.back().gap},
                    {"error_of_least_gap", points.back().error}};
  return result;
}

// ---- [drawn_thresholds]

TaskResult run_drawn_thresholds(const Run<Predictions, DrawnThresholdsOptions>& run) {
  const DrawnThresholdsOptions& options = run.options;
  const PredictionSample chosen = sample_of(run.problem, options.choose_on);
  solvers::Heartbeat heart(run.control);
  DrawnFront found = drawn_threshold_front(chosen.view(0.5), options.gap, options.slacks,
                                           [&heart] { heart.beat(); });
  check_gap(run.problem, options.choose_on, found.undefined_reason);
  const bool reports =
      options.report_on != AuditPart::none && options.report_on != options.choose_on;
  const PredictionSample reported = sample_of(run.problem, options.report_on);
  TaskResult result;
  pareto::Points all(2);
  double farthest = 0;
  for (std::size_t i = 0; i < found.points.size(); ++i) {
    all.add(std::array{found.points[i].error, found.points[i].gap}, i);
    farthest = std::max(farthest, found.points[i].error - found.points[i].lower);
  }
  const pareto::Front front(all);
  for (std::size_t i = 0; i < front.size(); ++i) {
    const DrawnPoint& point = found.points[static_cast<std::size_t>(front.origin(i))];
    result.front.points.insert(result.front.points.end(), {point.error, point.gap});
    result.solutions["thresholds"].emplace_back(numbers_of(point.draw));
    if (!reports) continue;
    const ErrorAndGap other = expected_of(point.draw, reported.view(0.5), options.gap);
    result.front.report.insert(result.front.report.end(), {other.error, other.gap});
  }
  result.model = "drawn_thresholds thresholds=thresholds";
  result.front.reference = {1, 1};
  result.front.hypervolume = pareto::hypervolume(front, result.front.reference);
  const auto& points = result.front.points;
  result.metrics = {{"front_size", static_cast<double>(points.size() / 2)},
                    {"hypervolume", result.front.hypervolume},
                    {"least_error", points[0]},
                    {"gap_of_least_error", points[1]},
                    {"least_gap", points[points.size() - 1]},
                    {"error_of_least_gap", points[points.size() - 2]},
                    {"optimum_gap", farthest}};
  return result;
}

Columns threshold_columns() {
  return {.metrics = {{"front_size", "points of the front", "", Direction::none, ""},
                      {"hypervolume", "area dominated up to (error 1, gap 1)", "share squared",
                       Direction::maximise, "Zitzler and Thiele (1998)"},
                      {"least_error", "least error of the front", "share", Direction::minimise, ""},
                      {"gap_of_least_error", "gap of the point of least error", "share",
                       Direction::minimise, ""},
                      {"least_gap", "least gap of the front", "share", Direction::minimise, ""},
                      {"error_of_least_gap", "error of the point of least gap", "share",
                       Direction::minimise, ""}},
          .solutions = {{"thresholds",
                         "threshold of every group: decided 1 where score >= it; infinity: none "
                         "is. Of draws among thresholds: group, threshold, probability, and so on",
                         "score", Direction::none, ""}}};
}

Columns drawn_threshold_columns() {
  Columns columns = threshold_columns();
  columns.metrics.push_back(
      {"optimum_gap",
       "proven: farthest that the error of a point is above the least within its slack", "share",
       Direction::minimise, ""});
  return columns;
}

}  // namespace

void validate_for(const Predictions& predictions, const MeasuresOptions& options) {
  if (options.parts.empty()) throw base::InputError("measures.parts must name a part");
  std::set<AuditPart> seen;
  for (const std::string& name : options.parts) {
    const AuditPart part = part_named(name);
    if (!seen.insert(part).second) {
      throw base::InputError(fmt::format("measures.parts names '{}' twice", name));
    }
    check_rows(predictions, part, "measures.parts");
  }
  if (chosen_measures(predictions, options).empty()) {
    throw base::InputError("measures.measures must name a measure, or be all");
  }
  if (predictions.kind == Needs::decision && !(options.threshold > 0 && options.threshold <= 1)) {
    throw base::InputError(
        fmt::format("measures.threshold = {}, must be in (0, 1] for decisions of 0 and 1",
                    base::format_double(options.threshold)));
  }
}

std::vector<sweep::MeasuredQuantity> threshold_measures() {
  std::vector<std::string_view> names;
  for (const auto& [name, part] : parts) names.push_back(name);
  auto columns = measured_on(names, measures_for(Needs::decision));
  columns.push_back({{"gap", "unfairness between groups, as thresholds.fairness says", "share",
                      Direction::minimise, "Hardt, Price, Srebro (2016)"},
                     {names.begin(), names.end()}});
  return columns;
}

namespace {

/// Where the parts stand of which points are measured, and what their gap is called there.
struct PointParts {
  AuditPart choose_on, report_on;
  std::string_view gap;
};

/// What the model decides. A decision that is drawn is one draw, so that rows stay independent, and
/// intervals and tests are those of any decisions.
void decide(PredictionSample& sample, models::FittedModel& model) {
  const std::span<const double> decided = model.predict(sample.score, sample.group);
  sample.score.assign(decided.begin(), decided.end());
  if (model.atoms().empty()) return;
  const base::StreamKey key(0, "predictions", "drawn decisions");
  for (std::size_t row = 0; row < sample.score.size(); ++row) {
    sample.score[row] = base::Stream(key, row).uniform() < sample.score[row] ? 1 : 0;
  }
}

results::Measures measures_of(const Predictions& predictions, const PointParts& options,
                              models::FittedModel& model) {
  constexpr double confidence = 0.95;
  std::vector<AuditPart> looked_at{options.choose_on};
  // Rows that have decided test nothing, and report nothing.
  if (options.choose_on != AuditPart::all) {
    if (!predictions.split.choice.empty()) looked_at.push_back(AuditPart::choice);
    const bool reports =
        options.report_on != AuditPart::none && options.report_on != AuditPart::all;
    if (reports && options.report_on != options.choose_on) looked_at.push_back(options.report_on);
  }
  if (!std::ranges::is_sorted(looked_at)) {
    throw base::InputError(
        fmt::format("a choice decides on a part before the one that it reports: train, validation, "
                    "test; and choose_on = {}, report_on = {}",
                    name_of(options.choose_on), name_of(options.report_on)));
  }
  const std::vector<Measure> measures = measures_for(Needs::decision);
  TaskResult result;
  const bool tests = !predictions.split.choice.empty();
  for (const AuditPart part : looked_at) {
    PredictionSample sample = sample_of(predictions, part);
    decide(sample, model);
    const Scored scored = sample.view(0.5);
    const std::vector<metrics::Value> values = metrics::evaluate(measures, scored);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      add_value(result, measures[i].what.name, name_of(part), values[i].value);
      if (tests && (part == options.choose_on || part == AuditPart::choice)) {
        add_groups(result, measures[i], name_of(part), scored, predictions.group_names, confidence);
      }
      if (part == options.choose_on || measures[i].interval == nullptr) continue;
      add_interval(result, measures[i].what.name, name_of(part),
                   measures[i].interval(scored, level_on(name_of(part), confidence)));
    }
  }
  result.measured["gap"] = result.measured[std::string{options.gap}];
  return std::move(result.measured);
}

}  // namespace

results::Measures measures_of_point(const Predictions& predictions,
                                    const ThresholdsOptions& options, models::FittedModel& model) {
  return measures_of(predictions, {options.choose_on, options.report_on, measure_of(options.gap)},
                     model);
}

results::Measures measures_of_point(const Predictions& predictions,
                                    const DrawnThresholdsOptions& options,
                                    const sweep::Found& found) {
  const std::string gap{training::gap_measure_of(options.gap)};
  results::Measures measured =
      measures_of(predictions, {options.choose_on, options.report_on, gap}, *found.model);
  const std::vector<DrawnThreshold> draw = draw_of(
      std::get<std::vector<double>>(found.findings.solutions.at("thresholds").at(*found.point)));
  for (const std::string& name : {std::string{"error"}, gap, std::string{"gap"}}) {
    for (auto& [rows, value] : measured[name]) {
      if (rows != sweep::MeasuredRows{rows.part}) continue;  // of a group
      const ErrorAndGap expected =
          expected_of(draw, sample_of(predictions, part_named(rows.part)).view(0.5), options.gap);
      value.value = name == "error" ? expected.error : expected.gap;
      value.low = std::min(value.low, value.value);
      value.high = std::max(value.high, value.value);
    }
  }
  return measured;
}

namespace {

/// @throws base::InputError
void check_parts(const Predictions& predictions, std::string_view method, AuditPart choose_on,
                 AuditPart report_on) {
  check_rows(predictions, choose_on, fmt::format("{}.choose_on", method));
  if (choose_on == AuditPart::all && !predictions.split.choice.empty()) {
    throw base::InputError(
        fmt::format("{}.choose_on = all: split.choice keeps rows back for the test of a choice, "
                    "which no choice may have seen",
                    method));
  }
  if (report_on != AuditPart::none) {
    check_rows(predictions, report_on, fmt::format("{}.report_on", method));
  }
}

}  // namespace

void validate_for(const Predictions& predictions, const ThresholdsOptions& options) {
  if (predictions.kind == Needs::prediction) {
    throw base::InputError("[thresholds] needs a label of two values, and this one is real");
  }
  if (options.search.thresholds_per_group == 1) {
    throw base::InputError("thresholds.thresholds_per_group = 1, must be 0 or at least 2");
  }
  check_parts(predictions, "thresholds", options.choose_on, options.report_on);
}

void validate_for(const Predictions& predictions, const DrawnThresholdsOptions& options) {
  if (predictions.kind == Needs::prediction) {
    throw base::InputError("[drawn_thresholds] needs a label of two values, and this one is real");
  }
  check_parts(predictions, "drawn_thresholds", options.choose_on, options.report_on);
}

std::vector<Method<Predictions>> prediction_methods() {
  return {
      make_method<Predictions, MeasuresOptions>(
          {.name = "measures",
           .title = "every measure of the predictions, with intervals",
           .revision = 4},
          measure_columns(),
          [](const Predictions& predictions, const MeasuresOptions& options,
             std::int64_t /*ranks*/) { return work_of(predictions, options); },
          run_measures),
      make_method<Predictions, ThresholdsOptions>(
          {.name = "thresholds",
           .title = "the exact front of one threshold per group: error against unfairness",
           .source = "Hardt, Price, Srebro (2016)"},
          threshold_columns(),
          [](const Predictions& predictions, const ThresholdsOptions&, std::int64_t /*ranks*/) {
            const auto rows = static_cast<double>(predictions.score.size());
            return sweep::Work{100 * rows, 1000 * rows, "rows"};
          },
          run_thresholds),
      make_method<Predictions, DrawnThresholdsOptions>(
          {.name = "drawn_thresholds",
           .title = "the exact front of draws among each group's thresholds",
           .source = "Hardt, Price, Srebro (2016); Cruz, Hardt (2024)"},
          drawn_threshold_columns(),
          [](const Predictions& predictions, const DrawnThresholdsOptions& options,
             std::int64_t /*ranks*/) {
            const auto rows = static_cast<double>(predictions.score.size());
            return sweep::Work{100 * rows, rows * static_cast<double>(options.slacks) * 10, "rows"};
          },
          run_drawn_thresholds)};
}

}  // namespace fairfront::experiments
