#include "experiments/predictions_compared.hpp"

#include <algorithm>
#include <optional>

#include "base/stop.hpp"
#include "experiments/measured.hpp"

namespace fairfront::experiments {
namespace {

using metrics::Measure;
using metrics::PairedMeasure;
using metrics::PairedTest;

const PairedMeasure* find_pair(std::span<const PairedMeasure> pairs, const std::string& name) {
  const auto found = std::ranges::find(pairs, name, &PairedMeasure::measure);
  return found == pairs.end() ? nullptr : &*found;
}

}  // namespace

std::vector<Measure> compared_columns() {
  std::vector<Measure> columns;
  for (const PairedMeasure& pair : metrics::paired_measures()) {
    columns.push_back({.what = pair.what});
  }
  for (const PairedMeasure& pair : metrics::paired_declared_measures({})) {
    columns.push_back({.what = pair.what});
  }
  for (const PairedTest& test : metrics::paired_tests()) columns.push_back({.what = test.what});
  return columns;
}

void add_comparison(sweep::TaskResult& result, Remarks& remarks, const Comparison& comparison,
                    const PredictionSample& sample, const MeasuresOptions& options,
                    std::string_view part) {
  if (sample.reference.empty()) return;
  if (!have_one_threshold(comparison.kind, comparison.reference_kind)) {
    remarks.add("one threshold cannot decide predictions.score and predictions.reference",
                text_of("all that is compared", part));
    return;
  }
  const metrics::Scored first = sample.view(options.threshold);
  const metrics::Scored second = sample.view_of_reference(options.threshold);
  const std::vector<PairedMeasure> declared =
      metrics::paired_declared_measures(comparison.declared);
  for (std::size_t i = 0; i < comparison.measures.size(); ++i) {
    base::stop_point();
    if (comparison.before) {
      comparison.before(static_cast<std::int64_t>(i), std::ssize(comparison.measures));
    }
    const Measure& measure = comparison.measures[i];
    const PairedMeasure* pair = find_pair(metrics::paired_measures(), measure.what.name);
    if (pair == nullptr) pair = find_pair(declared, measure.what.name);
    if (pair == nullptr) continue;
    if (!comparison.values[i].defined()) continue;  // the remark of the measure says why
    if (!suits(comparison.reference_kind, measure.needs)) {
      remarks.add("predictions.reference holds decisions", text_of(pair->what.name, part));
      continue;
    }
    const metrics::Value difference =
        metrics::less_reference(comparison.values[i], measure.of(second));
    std::optional<metrics::Interval> interval;
    if (options.intervals != IntervalKind::none && difference.defined()) {
      interval = pair->interval(first, second, level_on(part, options.bootstrap.level));
    }
    add_measured(result, remarks, pair->what.name, part, difference, interval);
    for (const PairedTest& test : metrics::paired_tests()) {
      if (test.measure != measure.what.name) continue;
      add_measured(result, remarks, test.what.name, part, test.p_value(first, second), {});
    }
  }
}

void add_measured(sweep::TaskResult& result, Remarks& remarks, const std::string& name,
                  std::string_view part, const metrics::Value& value,
                  const std::optional<metrics::Interval>& interval) {
  const std::string text = text_of(name, part);
  add_value(result, name, part, value.value);
  if (!value.defined()) remarks.add(value.undefined_reason, text);
  if (!interval) return;
  add_interval(result, name, part, *interval);
  if (value.defined() && !interval->defined()) {
    remarks.add(interval->undefined_reason, "interval of " + text);
  }
}

}  // namespace fairfront::experiments
