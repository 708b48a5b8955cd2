#include "sweep/measure_again.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "results/fields.hpp"
#include "results/merged_fronts.hpp"
#include "results/records.hpp"
#include "results/stored_model.hpp"
#include "results/task_record.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/forecast.hpp"
#include "sweep/same_data.hpp"
#include "sweep/unknown_measures.hpp"

namespace fairfront::sweep {
namespace {

void require_fits(const ResultSchema& schema, std::size_t task, const results::TaskRecord& record) {
  try {
    check_result(schema, record.result);
  } catch (const std::logic_error& error) {
    throw base::DamagedError(fmt::format("task {}: {}", task, error.what()));
  }
}

/// Draws of a bootstrap hang on the revision of the task's method in this program: where it has
/// been raised since, resampled intervals are others, and told as such.
results::Measures measures_of(const parallel::Comm& team, const Task& task,
                              const Experiment& experiment, const results::Content& content,
                              const results::TaskRecord& record, const RunContext& context) {
  Found found{record.result};
  results::StoredModel stored;
  // One model a point is no model of the measures, which are of one.
  if (!record.model.empty() && results::has_one_model(content, task.index)) {
    stored = results::model_of(content, task.index);
    found.model = stored.model.get();
  }
  return experiment.measure(team, task, found, context);
}

/// What is known of `old` is what `now` says; ends of intervals may come to a value.
bool adds_to(const results::Measured& old, const results::Measured& now) {
  bool agrees = true;
  results::for_each_field<results::Measured>([&](const auto& end) {
    const double known = old.*end.member;
    agrees = agrees && (std::isnan(known) || known == now.*end.member);
  });
  return agrees;
}

void count_kept(MeasuredAgain& all, const results::Measures& there, const results::Measures& here) {
  for (const auto& [name, cells] : there) {
    const auto found = here.find(name);
    for (const auto& [rows, measured] : cells) {
      const bool again = found != here.end() && found->second.contains(rows);
      if (measured.known() && !again) ++all.kept[name];
    }
  }
}

void add(MeasuredAgain& all, const std::string& label, results::Measures& there,
         const results::Measures& here) {
  count_kept(all, there, here);
  for (const auto& [name, cells] : here) {
    for (const auto& [rows, measured] : cells) {
      results::Measured& old = there[name][rows];
      if (old == measured) {
        ++all.same;
      } else if (adds_to(old, measured)) {
        old = measured;
        ++all.added[name];
      } else {
        all.different.push_back(fmt::format("{}: {} ({}, {})", label, name, rows.part, rows.group));
      }
    }
  }
}

}  // namespace

MeasuredAgain measure_again(const parallel::Comm& team, const Plan& plan,
                            const Experiment& experiment, results::Content content,
                            const RunContext& context) {
  for (const data::Provenance& data :
       datasets_of(forecast_problems(experiment, plan, context, 1))) {
    require_same_data(content, data);
  }
  const ResultSchema schema = experiment.schema();
  std::vector<results::Measure> unknown = take_unknown_measures(content, schema);
  std::vector<results::TaskRecord> records = results::records_of(content);
  MeasuredAgain all;
  for (const results::Measure& measure : unknown) all.unknown.push_back(measure.what.name);
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (records[i].status != results::TaskStatus::done) continue;
    base::stop_point();
    require_fits(schema, i, records[i]);
    const Task task = plan.task(static_cast<std::int64_t>(i));
    add(all, plan.label(task), records[i].result.measured,
        measures_of(team, task, experiment, content, records[i], context));
    if (context.counted) context.counted(i + 1, records.size());
  }
  all.content = content_of(plan, schema, std::move(records));
  std::ranges::move(unknown, std::back_inserter(all.content.measures));
  all.content.revisions = std::move(content.revisions);  // of what was found, as it was found
  all.content.datasets = std::move(content.datasets);
  all.content.provenance = std::move(content.provenance);
  all.content.merged = results::merged_fronts(all.content);
  return all;
}

}  // namespace fairfront::sweep
