#include "print_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "problem_name.hpp"
#include "results/choice.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"
#include "results/measure_cells.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using results::Content;

std::string origin_text(const std::string& path, const archive::Stored& stored) {
  const results::LaunchFacts& run = stored.content.provenance;
  std::string text = fmt::format("{}: experiment '{}', {}, format version {}\n", path,
                                 stored.content.experiment, stored.status, stored.format_version);
  if (stored.digest.empty()) {  // of a journal
    return text + fmt::format("digest   none before the run has ended\nwritten  by fairfront {}\n",
                              run.program_version);
  }
  text += fmt::format("digest   {}\n", stored.digest);
  text += fmt::format("measures {}\n", stored.measures_digest);
  text += fmt::format("created  {} by fairfront {} ({}{})\n", run.created, run.program_version,
                      run.git_revision, run.git_dirty ? " with local changes" : "");
  text += fmt::format("ran on   {} rank{}: {}\n", run.ranks, run.ranks == 1 ? "" : "s", run.hosts);
  text += fmt::format("         {}; {}\n", run.processors, run.c_libraries);
  if (!run.slurm.empty()) text += fmt::format("SLURM    {}\n", run.slurm);
  return text + fmt::format("command  {}\n", run.command_line);
}

/// Its beginning and its end, where the text is long: a recipe lists every column, then the parts.
std::string abridged(const std::string& text) {
  constexpr std::size_t begin = 240;
  constexpr std::size_t end = 240;
  if (text.size() <= begin + end) return text;
  const std::size_t first = text.rfind(' ', begin);
  const std::size_t last = text.find(' ', text.size() - end);
  if (first == std::string::npos || last == std::string::npos) return text;
  return text.substr(0, first) + " ..." + text.substr(last);
}

std::string text_of(const data::Provenance& data) {
  std::string text =
      fmt::format("data     {}: {}\n         {}\n", data.name, data.source, abridged(data.recipe));
  for (std::size_t i = 0; i < data.files.size() && i < data.sha256.size(); ++i) {
    text += fmt::format("         {} SHA-256 {}\n", data.files[i], data.sha256[i]);
  }
  return text;
}

/// Splits of one table differ in their rows, which no text says: each text stands there once.
std::string data_text(const Content& content) {
  std::vector<std::pair<std::string, int>> texts;
  for (const data::Provenance& data : content.datasets) {
    const std::string text = text_of(data);
    const auto same = std::ranges::find(texts, text, &std::pair<std::string, int>::first);
    if (same == texts.end()) {
      texts.emplace_back(text, 1);
    } else {
      ++same->second;
    }
  }
  std::string all;
  for (const auto& [text, count] : texts) {
    all += text;
    if (count > 1)
      all += fmt::format("         {} times, each with a different choice of rows\n", count);
  }
  return all;
}

std::string axes_text(const Content& content) {
  std::string text;
  for (const results::Axis& axis : content.axes) {
    text += fmt::format("axis     {} ({}) = {}\n", axis.name, results::name_of(axis.role),
                        format_list(axis.values));
  }
  return text;
}

/// Every text among the fields on one line, in characters that can be seen: an archive may come
/// from anyone.
template <class Struct>
void make_fields_printable(Struct& value) {
  results::for_each_field<Struct>([&](const auto& field) {
    auto& content = value.*field.member;
    using Type = std::remove_cvref_t<decltype(content)>;
    if constexpr (std::is_same_v<Type, std::string>) {
      content = base::printable(content);
    } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
      for (std::string& text : content) text = base::printable(text);
    }
  });
}

void make_printable(Content& content) {
  const auto clean = [](std::string& text) { text = base::printable(text); };
  clean(content.experiment);
  make_fields_printable(content.provenance);
  for (data::Provenance& data : content.datasets) {
    make_fields_printable(data);
    std::ranges::for_each(data.files, clean);
    std::ranges::for_each(data.sha256, clean);
  }
  for (results::Axis& axis : content.axes) make_fields_printable(axis);
  make_fields_printable(content.tasks);
  for (results::Metric& metric : content.metrics) make_fields_printable(metric.what);
  for (results::Measure& measure : content.measures) {
    make_fields_printable(measure.what);
    std::ranges::for_each(measure.parts, clean);
    std::ranges::for_each(measure.groups, clean);
  }
  for (results::FrontGroup& group : content.fronts) {
    clean(group.name);
    for (results::Quantity& what : group.objectives) make_fields_printable(what);
  }
  for (results::MergedFront& merged : content.merged) clean(merged.name);
}

std::string axis_value(const Content& content, std::size_t axis, std::size_t task) {
  const std::int32_t place = content.tasks.axis_index[axis][task];
  return place < 0 ? "-" : content.axes[axis].values[static_cast<std::size_t>(place)];
}

std::size_t shown_tasks(const Content& content, const ShowLimits& limits) {
  const std::size_t tasks = content.tasks.key.size();
  return limits.tasks == 0 ? tasks : std::min(tasks, static_cast<std::size_t>(limits.tasks));
}

/// More metrics than this get a table of their own, with a row each.
constexpr std::size_t most_metric_columns = 16;

std::string tasks_text(const Content& content, const ShowLimits& limits) {
  const bool with_metrics = content.metrics.size() <= most_metric_columns;
  std::vector<std::string> header{"task", "method"};
  for (const results::Axis& axis : content.axes) header.push_back(axis.name);
  header.insert(header.end(), {"status", "seconds"});
  for (const results::Metric& metric : content.metrics) {
    if (with_metrics) header.push_back(metric.what.name);
  }
  Table table(header);
  const std::size_t shown = shown_tasks(content, limits);
  for (std::size_t task = 0; task < shown; ++task) {
    std::vector<std::string> row{std::to_string(task), content.tasks.method[task]};
    for (std::size_t axis = 0; axis < content.axes.size(); ++axis) {
      row.push_back(axis_value(content, axis, task));
    }
    row.push_back(results::name_of(content.tasks.status[task]));
    row.push_back(content.tasks.status[task] == results::TaskStatus::missing
                      ? "-"
                      : fmt::format("{:.3g}", content.timing.seconds[task]));
    for (const results::Metric& metric : content.metrics) {
      if (with_metrics) row.push_back(format_value(metric.values[task]));
    }
    table.add(std::move(row));
  }
  const std::size_t hidden = content.tasks.key.size() - shown;
  const std::string more =
      hidden == 0 ? "" : fmt::format("  ... and {} more (--tasks 0 shows all)\n", hidden);
  return fmt::format("\ntasks\n{}{}", table.text(), more);
}

/// A row per metric, a column per task; nothing when the metrics stand beside the tasks.
std::string metrics_text(const Content& content, const ShowLimits& limits) {
  if (content.metrics.size() <= most_metric_columns) return {};
  const std::size_t shown = shown_tasks(content, limits);
  std::vector<std::string> header{"metric"};
  for (std::size_t task = 0; task < shown; ++task) header.push_back(fmt::format("task {}", task));
  Table table(std::move(header));
  for (const results::Metric& metric : content.metrics) {
    std::vector<std::string> row{metric.what.name};
    for (std::size_t task = 0; task < shown; ++task) {
      row.push_back(format_value(metric.values[task]));
    }
    table.add(std::move(row));
  }
  return "\nmetrics\n" + table.text();
}

/// "value [low, high]", as much of it as is known.
std::string measured_text(const results::Measured& measured) {
  const std::string value = format_value(measured.value);
  if (std::isnan(measured.low) || std::isnan(measured.high)) return value;
  return fmt::format("{} [{}, {}]", value, format_value(measured.low), format_value(measured.high));
}

/// A row per measure, part and group, a column per task: the value with its interval.
std::string measures_text(const Content& content, const ShowLimits& limits) {
  if (content.measures.empty()) return {};
  const std::size_t shown = shown_tasks(content, limits);
  std::vector<std::string> header{"measure", "part", "group"};
  for (std::size_t task = 0; task < shown; ++task) header.push_back(fmt::format("task {}", task));
  Table table(std::move(header));
  for (const results::Measure& measure : content.measures) {
    for (std::size_t cell = 0; cell < results::count_cells(measure); ++cell) {
      const results::MeasuredRows rows = results::rows_of_cell(measure, cell);
      std::vector<std::string> row{measure.what.name, rows.part, rows.group};
      for (std::size_t task = 0; task < shown; ++task) {
        row.push_back(measured_text(results::measured_at(measure, task, cell)));
      }
      table.add(std::move(row));
    }
  }
  return "\nmeasures\n" + table.text();
}

/// The messages of failed tasks, and the remarks of done ones.
std::string messages_text(const Content& content, results::TaskStatus status,
                          std::string_view heading) {
  std::string text;
  for (std::size_t task = 0; task < content.tasks.status.size(); ++task) {
    const std::string& message = content.tasks.message[task];
    if (content.tasks.status[task] != status || message.empty()) continue;
    text += fmt::format("  task {}: {}\n", task, message);
  }
  return text.empty() ? text : fmt::format("\n{}\n{}", heading, text);
}

std::string objective_text(const results::Quantity& what) {
  std::string text = what.name;
  if (!what.unit.empty()) text += fmt::format(" [{}]", what.unit);
  if (what.direction == results::Direction::minimise) text += " (min)";
  if (what.direction == results::Direction::maximise) text += " (max)";
  return text;
}

/// At most `limit` of 0 .. count-1, evenly spread, both ends among them.
std::vector<std::int64_t> evenly_chosen(std::int64_t count, std::int64_t limit) {
  std::vector<std::int64_t> chosen;
  if (limit == 0 || count <= limit) limit = count;
  for (std::int64_t i = 0; i < limit; ++i) {
    chosen.push_back(limit == 1 ? 0 : i * (count - 1) / (limit - 1));
  }
  return chosen;
}

std::string front_text(const Content& content, const results::FrontGroup& group, std::size_t task,
                       const ShowLimits& limits) {
  const std::int64_t first = group.offsets[task];
  const std::int64_t count = group.offsets[task + 1] - first;
  if (count == 0) return {};
  std::vector<std::string> header{"point"};
  for (const results::Quantity& what : group.objectives) header.push_back(objective_text(what));
  const auto dimension = static_cast<std::int64_t>(group.objectives.size());
  const std::vector<std::int64_t> chosen = evenly_chosen(count, limits.points);
  Table table(std::move(header));
  for (const std::int64_t point : chosen) {
    std::vector<std::string> row{std::to_string(point)};
    for (std::int64_t k = 0; k < dimension; ++k) {
      const auto place = static_cast<std::size_t>((first + point) * dimension + k);
      row.push_back(format_value(group.points[place]));
    }
    table.add(std::move(row));
  }
  return fmt::format("\nfront of task {} [{}, {}]: {} points, {} shown, hypervolume {}\n{}", task,
                     group.name, problem_name(content, task), count, chosen.size(),
                     format_value(group.hypervolume[task]), table.text());
}

constexpr const char* not_comparable = " *";
constexpr const char* why_not_comparable =
    "  * learnt from labels of the part that decides: not to be compared there\n";

/// What the tasks of one configuration have in common.
struct ConfigurationRow {
  std::size_t first_task = 0;
  std::int64_t tasks = 0;
  std::int64_t points = 0;
  std::vector<double> replicates;  ///< hypervolume of each curve
};

/// Per configuration; one without points in the group has no tasks.
std::vector<ConfigurationRow> configuration_rows(const Content& content,
                                                 const results::FrontGroup& group,
                                                 const results::MergedFront& merged) {
  std::vector<ConfigurationRow> rows(merged.over_replicates.hypervolume.size());
  std::set<std::int32_t> seen;
  for (std::size_t task = 0; task < content.tasks.configuration.size(); ++task) {
    const std::int64_t count = group.offsets[task + 1] - group.offsets[task];
    if (count == 0) continue;
    ConfigurationRow& row = rows[static_cast<std::size_t>(content.tasks.configuration[task])];
    if (row.tasks++ == 0) row.first_task = task;
    row.points += count;
    const std::int32_t curve = content.tasks.curve[task];
    if (!seen.insert(curve).second) continue;
    row.replicates.push_back(merged.per_replicate.hypervolume[static_cast<std::size_t>(curve)]);
  }
  return rows;
}

/// "mean +- deviation" of the replicates, or the single one.
std::string replicates_text(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  if (values.size() < 2) return format_value(mean);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return fmt::format("{} +- {}", format_value(mean),
                     format_value(std::sqrt(squares / (count - 1))));
}

/// The values that a configuration stands for: all axes but trade-offs and replicates.
std::string configuration_text(const Content& content, std::size_t task) {
  std::vector<std::string> values;
  for (std::size_t axis = 0; axis < content.axes.size(); ++axis) {
    const base::Role role = content.axes[axis].role;
    if (role == base::Role::trade_off || role == base::Role::replicate) continue;
    if (content.tasks.axis_index[axis][task] < 0) continue;
    values.push_back(
        fmt::format("{}={}", content.axes[axis].name, axis_value(content, axis, task)));
  }
  return values.empty() ? problem_name(content, task) : base::join(values, ", ");
}

/// Configurations that several tasks have worked on: what they have found together.
std::string merged_text(const Content& content) {
  Table table({"method", "configuration", "tasks", "points", "merged", "hypervolume", "replicates",
               "hypervolume of a replicate"});
  bool any = false;
  bool marked = false;
  for (const results::MergedFront& merged : content.merged) {
    const auto group = std::ranges::find(content.fronts, merged.name, &results::FrontGroup::name);
    const std::vector<ConfigurationRow> rows = configuration_rows(content, *group, merged);
    const results::MergedSet& all = merged.over_replicates;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (rows[c].tasks < 2) continue;
      any = true;
      const bool marks = results::learnt_from_deciding(content, rows[c].first_task);
      marked = marked || marks;
      table.add({merged.name, configuration_text(content, rows[c].first_task),
                 std::to_string(rows[c].tasks), std::to_string(rows[c].points),
                 std::to_string(all.offsets[c + 1] - all.offsets[c]),
                 format_value(all.hypervolume[c]) + (marks ? not_comparable : ""),
                 std::to_string(rows[c].replicates.size()), replicates_text(rows[c].replicates)});
    }
  }
  return any ? fmt::format(
                   "\nnondominated points along trade-off axes, over all replicates and of "
                   "each one\n{}{}",
                   table.text(), marked ? why_not_comparable : "")
             : "";
}

}  // namespace

std::string archive_text(const std::string& path, archive::Stored stored,
                         const ShowLimits& limits) {
  make_printable(stored.content);
  const Content& content = stored.content;
  std::string text = origin_text(path, stored) + data_text(content) + axes_text(content);
  text += tasks_text(content, limits) + metrics_text(content, limits);
  text += measures_text(content, limits);
  text += messages_text(content, results::TaskStatus::failed, "failed tasks");
  text += messages_text(content, results::TaskStatus::done, "remarks");
  for (std::size_t task = 0; task < shown_tasks(content, limits); ++task) {
    for (const results::FrontGroup& group : content.fronts) {
      text += front_text(content, group, task, limits);
    }
  }
  return text + merged_text(content);
}

}  // namespace fairfront::drivers
