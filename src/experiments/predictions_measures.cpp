#include "experiments/predictions_measures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/random.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "experiments/audit_checkpoint.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/predictions_compared.hpp"
#include "experiments/predictions_parts.hpp"
#include "experiments/remarks.hpp"
#include "metrics/interval.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::experiments {

using base::Direction;
using metrics::Measure;
using metrics::Needs;
using metrics::Scored;
using sweep::Columns;
using sweep::TaskResult;

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

namespace {

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
      for (const Measure& measure : suitable) valid.push_back(measure.what.name);
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
  const std::vector<std::string_view>& names = audit_part_names();
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

bool compares(const Predictions& predictions, const MeasuresOptions& options) {
  return predictions.table->columns.size() > 1 && options.intervals == IntervalKind::formula;
}

/// Of a measure, in milliseconds for a million rows: its value, its interval, its comparison with a
/// reference, its values by group. Rates are counted; an AUC goes by the order of the rows, and
/// beside another one by those of both, of all rows and of each group. Intervals, and what is of
/// groups, take the longer the more groups there are; comparisons do where these have many pairs.
/// As measured with 2, 8 and 24 groups.
struct MeasureTimes {
  double value, interval, comparison, of_groups;
};
MeasureTimes times_of(const Measure& measure, const Predictions& predictions) {
  const auto groups = static_cast<double>(predictions.group_names.size());
  const double more = (1.2 + groups) / 3.2;
  const double paired = 1 + groups * groups / 400;
  if (measure.needs == Needs::decision) return {1.5, 2 * more, 3 * paired, 1.5 * more};
  const auto is_it = [&](const Measure& other) { return other.what.name == measure.what.name; };
  const bool is_auc =
      measure.needs == Needs::score && std::ranges::none_of(metrics::classification(), is_it);
  return is_auc ? MeasureTimes{10, 20 * more, 300 * paired, 5 * more}
                : MeasureTimes{6, 10 * more, 40 * paired, 5 * more};
}

/// Shares of a part's time that have passed before each of its pieces: the interval of every
/// measure, the comparison of every measure, and what is left.
std::vector<double> shares_before(const std::vector<Measure>& measures,
                                  const std::vector<metrics::Value>& values,
                                  const Predictions& predictions, bool compares) {
  double time = 0;
  for (const Measure& measure : measures) time += times_of(measure, predictions).value;
  std::vector<double> before{time};
  for (const bool compared : {false, true}) {
    for (std::size_t i = 0; i < measures.size(); ++i) {
      const MeasureTimes times = times_of(measures[i], predictions);
      const double own = !compared ? times.interval : compares ? times.comparison : 0;
      before.push_back(time += values[i].defined() ? own : 0);
    }
  }
  for (const Measure& measure : measures) time += times_of(measure, predictions).of_groups;
  for (double& share : before) share /= time;
  return before;
}

/// Scores that rank labels the wrong way round beyond chance: rather a mistake in the table than a
/// model.
void warn_of_reversed(TaskResult& result, const Measure& measure,
                      const std::optional<metrics::Interval>& interval, std::string_view part) {
  if (measure.what.name != "auc" || !interval || !(interval->high < 0.5)) return;
  append(result.remark,
         fmt::format("on {} rows scores are higher where the label is 0 (AUC at most {:.3g}): "
                     "are they of the other label, or does data.positive name the other one?",
                     part == "all" ? "all" : fmt::format("the {}", part), interval->high));
}

/// How many rows a part has of each group.
void add_counts(TaskResult& result, const MeasuredGroups& groups, const PredictionSample& sample,
                bool has_labels) {
  add_rows(result, groups, sample.group);
  result.solutions["group_rows"].push_back(count_by_group(sample, false));
  if (has_labels) result.solutions["group_positives"].push_back(count_by_group(sample, true));
}

void add_part(TaskResult& result, Remarks& remarks, const Run<Predictions, MeasuresOptions>& run,
              AuditCheckpoint& checkpoint, const std::vector<AuditPart>& parts,
              std::size_t number) {
  const AuditPart part = parts[number];
  const std::vector<Measure> measures = chosen_measures(run.problem, run.options);
  const PredictionSample sample = sample_of(run.problem, part);
  const metrics::OrderedSample ordered(sample.view(run.options.threshold),
                                       run.options.intervals == IntervalKind::formula);
  const Scored scored = ordered.sample();
  const MeasuredGroups groups = groups_of(run.problem, run.options, part);
  const std::vector<metrics::Value> values = metrics::evaluate(measures, scored);
  const base::StreamKey key(static_cast<std::uint64_t>(run.options.bootstrap_seed), run.key,
                            fmt::format("predictions/bootstrap/{}", name_of(part)));
  metrics::BootstrapOptions bootstrap = run.options.bootstrap;
  bootstrap.level = level_on(name_of(part), bootstrap.level);
  bootstrap.earlier = checkpoint.earlier(number);
  // Of many rows a part takes long: what is told is the part of it that is done.
  const auto parts_done = static_cast<double>(number);
  const auto parts_all = static_cast<double>(parts.size());
  const auto tell = [&](std::string_view piece, std::int64_t done, std::int64_t total,
                        double fraction) {
    solvers::Progress now = solvers::progress(piece, done, total, name_of(part));
    now.fraction = (parts_done + fraction) / parts_all;
    run.control.tell(now);
  };
  const std::vector<double> passed =
      shares_before(measures, values, run.problem, compares(run.problem, run.options));
  // Of intervals that are drawn the draws take nearly all the time.
  const double formulas = run.options.intervals == IntervalKind::bootstrap ? 0.05 : 1;
  const auto tell_after = [&](std::string_view piece, std::int64_t done, std::int64_t total,
                              std::size_t pieces) {
    tell(piece, done, total, formulas * passed[pieces]);
  };
  bootstrap.after = [&](const metrics::Resamples& now) {
    checkpoint.look(number, now, now.done == bootstrap.resamples);
    const double done = static_cast<double>(now.done) / static_cast<double>(bootstrap.resamples);
    tell("resample", now.done, bootstrap.resamples, formulas + done * (1 - formulas));
  };
  const auto intervals = intervals_of(
      measures, scored, run.options, key, bootstrap, [&](std::int64_t done, std::int64_t total) {
        tell_after("interval", done, total, static_cast<std::size_t>(done));
      });
  for (std::size_t i = 0; i < measures.size(); ++i) {
    add_measured(result, remarks, measures[i].what.name, name_of(part), values[i], intervals[i]);
    warn_of_reversed(result, measures[i], intervals[i], name_of(part));
  }
  const Comparison comparison{measures,
                              values,
                              run.problem.kind,
                              run.problem.reference_kind,
                              declared_differences(run.problem, run.options),
                              [&](std::int64_t done, std::int64_t total) {
                                if (formulas < 1) return;  // the draws are told last
                                tell_after("comparison", done, total,
                                           static_cast<std::size_t>(total + done));
                              }};
  add_comparison(result, remarks, comparison, sample, run.options, name_of(part));
  add_of_groups(result, remarks, measures, scored, groups);
  for (std::size_t i = 0; i < measures.size(); ++i) {
    add_makers(result, measures[i].what.name, groups, values[i]);
  }
  add_counts(result, groups, sample, run.problem.kind != Needs::prediction);
}

TaskResult run_measures(const Run<Predictions, MeasuresOptions>& run) {
  TaskResult result;
  Remarks remarks;
  AuditCheckpoint checkpoint(run.control);
  const std::vector<AuditPart> parts = measured_parts(run.problem, run.options);
  const auto total = std::ssize(parts);
  for (std::int64_t i = 0; i < total; ++i) {
    base::stop_point();  // the control's wish for a checkpoint is the bootstrap's
    add_part(result, remarks, run, checkpoint, parts, static_cast<std::size_t>(i));
    run.control.tell(solvers::progress("part", i + 1, total));
  }
  append(result.remark, remarks.text(run.problem.group_names));
  if (run.options.intervals == IntervalKind::bootstrap) {
    const metrics::BootstrapOptions& drawn = run.options.bootstrap;
    append(result.remark, metrics::too_few_resamples(drawn.resamples, drawn.level));
  }
  return result;
}

sweep::Work work_of(const Predictions& predictions, const MeasuresOptions& options) {
  const auto rows = static_cast<double>(predictions.rows());
  const bool bootstrap = options.intervals == IntervalKind::bootstrap;
  const double samples = bootstrap ? static_cast<double>(options.bootstrap.resamples) + 1 : 1;
  constexpr double unit = 18;  // milliseconds of a million rows
  double time = 0;
  for (const Measure& measure : chosen_measures(predictions, options)) {
    const MeasureTimes times = times_of(measure, predictions);
    time += times.value + times.interval + times.of_groups;
    if (compares(predictions, options)) time += times.comparison;
  }
  const double of_each =
      time / unit * static_cast<double>(measured_parts(predictions, options).size());
  std::size_t longest = 0;
  for (const AuditPart part : measured_parts(predictions, options)) {
    longest = std::max(longest, sample_of(predictions, part).score.size());
  }
  // Orders of the rows, and sets of them; beside a reference those of both columns.
  const double bytes_a_row = predictions.table->columns.size() > 1 ? 160 : 90;
  return {bytes_a_row * static_cast<double>(longest), rows * samples * of_each, "rows"};
}

}  // namespace

void validate_for(const Predictions& predictions, const MeasuresOptions& options) {
  if (options.parts.empty()) throw base::InputError("measures.parts must name a part");
  for (const AuditPart part : measured_parts(predictions, options)) {
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
  if (predictions.kind == Needs::probability &&
      !(options.threshold >= 0 && options.threshold <= 1)) {
    throw base::InputError(
        fmt::format("measures.threshold = {}, must be in [0, 1] for probabilities: beyond, all "
                    "rows are decided alike",
                    base::format_double(options.threshold)));
  }
}

Method<Predictions> measures_method() {
  return make_method<Predictions, MeasuresOptions>(
      {.name = "measures",
       .title = "every measure of the predictions, with intervals",
       .revision = 4},
      measure_columns(),
      [](const Predictions& predictions, const MeasuresOptions& options, std::int64_t /*ranks*/) {
        return work_of(predictions, options);
      },
      run_measures);
}

}  // namespace fairfront::experiments
