#include "experiments/predictions_thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "data/small_groups.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/predictions_measures.hpp"
#include "experiments/predictions_parts.hpp"
#include "experiments/remarks.hpp"
#include "metrics/confusion.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::experiments {

using base::Direction;
using metrics::Measure;
using metrics::Needs;
using metrics::Scored;
using sweep::Columns;
using sweep::TaskResult;

namespace {

std::string_view measure_of(metrics::ThresholdGap gap) {
  return gap == metrics::ThresholdGap::demographic_parity ? "independence_gap" : "separation_gap";
}

/// The rows of a part in order, so that a table of decisions takes no look at each.
class RowsInOrder {
 public:
  explicit RowsInOrder(const PredictionSample& sample)
      : groups_(static_cast<std::size_t>(sample.groups)) {
    for (std::size_t row = 0; row < sample.score.size(); ++row) {
      OfLabel& rows = groups_[static_cast<std::size_t>(sample.group[row])]
                          .of_label[sample.label[row] > 0 ? 1 : 0];
      ++rows.count;
      if (!std::isnan(sample.score[row])) rows.scores.push_back(sample.score[row]);
    }
    for (Group& group : groups_) {
      for (OfLabel& rows : group.of_label) std::ranges::sort(rows.scores);
    }
  }

  /// Of every group.
  [[nodiscard]] std::vector<metrics::Confusion> decided_by(
      const std::vector<double>& thresholds) const {
    std::vector<metrics::Confusion> tables;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto& [negatives, positives] = groups_[g].of_label;
      const double false_positive = negatives.from(thresholds[g]);
      const double true_positive = positives.from(thresholds[g]);
      tables.push_back({.true_positive = true_positive,
                        .false_positive = false_positive,
                        .true_negative = negatives.count - false_positive,
                        .false_negative = positives.count - true_positive});
    }
    return tables;
  }

 private:
  struct OfLabel {
    double count = 0;
    std::vector<double> scores{};  ///< ascending
    [[nodiscard]] double from(double threshold) const {
      return static_cast<double>(scores.end() - std::ranges::lower_bound(scores, threshold));
    }
  };
  struct Group {
    std::array<OfLabel, 2> of_label;
  };
  std::vector<Group> groups_;
};

double gap_of(const std::vector<metrics::Confusion>& tables, metrics::ThresholdGap gap) {
  using enum metrics::Rate;
  const auto of = [&](metrics::Rate rate) {
    return metrics::gap_between_groups(tables, rate).value;
  };
  if (gap == metrics::ThresholdGap::demographic_parity) return of(positive);
  const double first = of(true_positive);
  const double second = of(false_positive);
  return std::isnan(first) || std::isnan(second) ? std::numeric_limits<double>::quiet_NaN()
                                                 : std::max(first, second);
}

/// Error and gap of every point's thresholds on other rows, as the measures of these names.
std::vector<double> report_of(const std::vector<metrics::ThresholdPoint>& points,
                              const PredictionSample& sample, metrics::ThresholdGap gap) {
  const RowsInOrder rows(sample);
  std::vector<double> report;
  for (const metrics::ThresholdPoint& point : points) {
    base::stop_point();
    const std::vector<metrics::Confusion> tables = rows.decided_by(point.thresholds);
    report.push_back(metrics::rate_of(tables, metrics::Rate::error).value);
    report.push_back(gap_of(tables, gap));
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
  const std::string_view remedy = reason.empty() ? std::string_view{} : data::small_group_remedy;
  if (reason.empty()) reason = metrics::missing_pair(std::ssize(predictions.group_names));
  if (reason.empty()) return;
  Remarks remarks;
  remarks.add(std::move(reason), fmt::format("the gap on the {} part", name_of(part)));
  throw base::InputError(fmt::format("{}{}{}", remarks.text(predictions.group_names),
                                     remedy.empty() ? "" : ": ", remedy));
}

TaskResult run_thresholds(const Run<Predictions, ThresholdsOptions>& run) {
  const ThresholdsOptions& options = run.options;
  const PredictionSample chosen = sample_of(run.problem, options.choose_on);
  solvers::Heartbeat heart(run.control);
  metrics::ThresholdFrontOptions search = options.search;
  search.between = [&heart](double share) {
    constexpr double of_search = 0.85;  // the rest of the time puts rows in order, before and after
    constexpr double before = 0.05;
    heart.beat([share] {
      return solvers::Progress{before + of_search * share, "search of thresholds"};
    });
  };
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

TaskResult run_drawn_thresholds(const Run<Predictions, DrawnThresholdsOptions>& run) {
  const DrawnThresholdsOptions& options = run.options;
  const PredictionSample chosen = sample_of(run.problem, options.choose_on);
  solvers::Heartbeat heart(run.control);
  const bool reports =
      options.report_on != AuditPart::none && options.report_on != options.choose_on;
  const PredictionSample reported = sample_of(run.problem, options.report_on);
  // Of many rows it is looking at them that takes long.
  const auto rows = static_cast<double>(chosen.score.size());
  const double search = rows / (rows + (reports ? static_cast<double>(reported.score.size()) : 0));
  const auto tell = [&](std::string_view piece, std::int64_t done, std::int64_t total, double begin,
                        double end) {
    heart.beat([&] {
      solvers::Progress now = solvers::progress(piece, done, total);
      now.fraction = begin + (end - begin) * now.fraction;
      return now;
    });
  };
  DrawnFront found = drawn_threshold_front(
      chosen.view(0.5), options.gap, options.slacks,
      [&](std::int64_t done) { tell("slack", done, options.slacks, 0, search); });
  check_gap(run.problem, options.choose_on, found.undefined_reason);
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
    tell("reported point", static_cast<std::int64_t>(i), std::ssize(front.points().origins()),
         search, 1);
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

/// Where the parts stand of which points are measured, what their gap is called there, and how sure
/// intervals are.
struct PointParts {
  AuditPart choose_on, report_on;
  std::string_view gap;
  double confidence;
};

/// The reported part by group, and which groups make its gaps. Nobody reads remarks of points:
/// where a group is too small to say, it has no value.
void add_by_group(TaskResult& result, const Predictions& predictions, const PointParts& options,
                  const Scored& scored, std::span<const Measure> measures,
                  std::span<const metrics::Value> values) {
  const MeasuredGroups groups{name_of(options.report_on), predictions.group_names,
                              options.confidence};
  Remarks unread;
  add_rows(result, groups, scored.group);
  add_of_groups(result, unread, measures, scored, groups);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    add_makers(result, measures[i].what.name, groups, values[i]);
  }
}

results::Measures measures_of(const Predictions& predictions, const PointParts& options,
                              models::FittedModel& model) {
  std::vector<AuditPart> looked_at{options.choose_on};
  // Rows that have decided test nothing, and report nothing.
  if (options.choose_on != AuditPart::all) {
    if (predictions.has_rows(data::Part::choice)) looked_at.push_back(AuditPart::choice);
    const bool reports =
        options.report_on != AuditPart::none && options.report_on != AuditPart::all;
    if (reports && options.report_on != options.choose_on) looked_at.push_back(options.report_on);
    if (reports && options.report_on < options.choose_on) {
      throw base::InputError(
          fmt::format("a choice decides on a part before the one that it reports: train, "
                      "validation, test; and choose_on = {}, report_on = {}",
                      name_of(options.choose_on), name_of(options.report_on)));
    }
  }
  const std::vector<Measure> measures = measures_for(Needs::decision);
  TaskResult result;
  const bool tests = predictions.has_rows(data::Part::choice);
  for (const AuditPart part : looked_at) {
    PredictionSample sample = sample_of(predictions, part);
    const std::span<const double> decided = model.predict(sample.score, sample.group);
    const std::vector<double> decisions(decided.begin(), decided.end());
    sample.score = decisions;
    Scored scored = sample.view(0.5);
    if (!model.atoms().empty()) scored.decided = decisions;  // drawn: these are probabilities
    const std::vector<metrics::Value> values = metrics::evaluate(measures, scored);
    for (std::size_t i = 0; i < measures.size(); ++i) {
      add_value(result, measures[i].what.name, name_of(part), values[i].value);
      if (tests && (part == options.choose_on || part == AuditPart::choice)) {
        add_groups(result, measures[i], name_of(part), scored, predictions.group_names,
                   options.confidence);
      }
      if (part == options.choose_on || measures[i].interval == nullptr) continue;
      add_interval(result, measures[i].what.name, name_of(part),
                   measures[i].interval(scored, level_on(name_of(part), options.confidence)));
    }
    if (part == options.report_on && part != options.choose_on) {
      add_by_group(result, predictions, options, scored, measures, values);
    }
  }
  result.measured["gap"] = result.measured[std::string{options.gap}];
  return std::move(result.measured);
}

/// @throws base::InputError
void check_parts(const Predictions& predictions, std::string_view method, AuditPart choose_on,
                 AuditPart report_on) {
  check_rows(predictions, choose_on, fmt::format("{}.choose_on", method));
  if (choose_on == AuditPart::all && predictions.has_rows(data::Part::choice)) {
    throw base::InputError(
        fmt::format("{}.choose_on = all: split.choice keeps rows back for the test of a choice, "
                    "which no choice may have seen",
                    method));
  }
  if (report_on == AuditPart::all && predictions.has_rows(data::Part::choice)) {
    throw base::InputError(
        fmt::format("{}.report_on = all: among all rows are those that decide, and those that "
                    "split.choice keeps back for the test of a choice; report on test, or on none",
                    method));
  }
  if (report_on != AuditPart::none) {
    check_rows(predictions, report_on, fmt::format("{}.report_on", method));
  }
}

/// Sorts the rows that decide, and decides those that are reported.
template <class Options>
double search_bytes(const Predictions& predictions, const Options& options) {
  constexpr double bytes_a_row = 40;
  const auto longest = std::max(sample_of(predictions, options.choose_on).score.size(),
                                sample_of(predictions, options.report_on).score.size());
  return bytes_a_row * static_cast<double>(longest);
}

}  // namespace

std::vector<sweep::MeasuredQuantity> threshold_measures() {
  const std::vector<std::string_view>& names = audit_part_names();
  auto columns = measured_on(names, measures_for(Needs::decision));
  columns.push_back({{"gap", "unfairness between groups, as thresholds.fairness says", "share",
                      Direction::minimise, "Hardt, Price, Srebro (2016)"},
                     {names.begin(), names.end()},
                     results::AtGroups::made_by});
  columns.push_back({rows_quantity(), {names.begin(), names.end()}});
  return columns;
}

results::Measures measures_of_point(const Predictions& predictions,
                                    const ThresholdsOptions& options, double confidence,
                                    models::FittedModel& model) {
  return measures_of(predictions,
                     {options.choose_on, options.report_on, measure_of(options.gap), confidence},
                     model);
}

results::Measures measures_of_point(const Predictions& predictions,
                                    const DrawnThresholdsOptions& options, double confidence,
                                    const sweep::Found& found) {
  const std::string gap{training::gap_measure_of(options.gap)};
  results::Measures measured = measures_of(
      predictions, {options.choose_on, options.report_on, gap, confidence}, *found.model);
  const std::vector<DrawnThreshold> draw = draw_of(
      std::get<std::vector<double>>(found.findings.solutions.at("thresholds").at(*found.point)));
  // The front has them from other sums: an objective and its measure are told to be one by their
  // bits.
  for (const std::string& name : {std::string{"error"}, gap, std::string{"gap"}}) {
    for (auto& [rows, value] : measured[name]) {
      if (rows != sweep::MeasuredRows{rows.part}) continue;
      const PredictionSample sample = sample_of(predictions, part_named(rows.part).value());
      const ErrorAndGap expected = expected_of(draw, sample.view(0.5), options.gap);
      value.value = name == "error" ? expected.error : expected.gap;
      close_around_value(value);
    }
  }
  return measured;
}

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

Method<Predictions> thresholds_method() {
  return make_method<Predictions, ThresholdsOptions>(
      {.name = "thresholds",
       .title = "the exact front of one threshold per group: error against unfairness",
       .source = "Hardt, Price, Srebro (2016)",
       .revision = 2},
      threshold_columns(),
      [](const Predictions& predictions, const ThresholdsOptions& options, std::int64_t /*ranks*/) {
        const auto rows = static_cast<double>(predictions.rows());
        return sweep::Work{search_bytes(predictions, options), 200 * rows, "rows"};
      },
      run_thresholds);
}

Method<Predictions> drawn_thresholds_method() {
  return make_method<Predictions, DrawnThresholdsOptions>(
      {.name = "drawn_thresholds",
       .title = "the exact front of draws among each group's thresholds",
       .source = "Hardt, Price, Srebro (2016); Cruz, Hardt (2024)",
       .revision = 3},
      drawn_threshold_columns(),
      [](const Predictions& predictions, const DrawnThresholdsOptions& options,
         std::int64_t /*ranks*/) {
        const auto rows = static_cast<double>(predictions.rows());
        return sweep::Work{search_bytes(predictions, options),
                           rows * static_cast<double>(options.slacks), "rows"};
      },
      run_drawn_thresholds);
}

}  // namespace fairfront::experiments
