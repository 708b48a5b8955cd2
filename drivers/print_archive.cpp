#include "print_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "base/other_names.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "print_compared.hpp"
#include "print_fronts.hpp"
#include "print_groups.hpp"
#include "print_models.hpp"
#include "print_yardstick.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"
#include "results/measure_cells.hpp"
#include "results/part_roles.hpp"
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

/// The groups and parts of all measures: the tables look for them by these names, and so different
/// ones stay different.
void make_names_printable(std::vector<results::Measure>& measures,
                          std::vector<std::string> results::Measure::*names) {
  std::vector<std::string> all;
  for (const results::Measure& measure : measures) {
    all.insert(all.end(), (measure.*names).begin(), (measure.*names).end());
  }
  const std::vector<std::string> texts = base::printable_apart(all);
  auto next = texts.begin();
  for (results::Measure& measure : measures) {
    for (std::string& name : measure.*names) name = *next++;
  }
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
  }
  make_names_printable(content.measures, &results::Measure::parts);
  make_names_printable(content.measures, &results::Measure::groups);
  for (results::FrontGroup& group : content.fronts) {
    clean(group.name);
    for (results::Quantity& what : group.objectives) make_fields_printable(what);
  }
  for (results::MergedFront& merged : content.merged) clean(merged.name);
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

/// Whether a part of an archive with these roles says what a method was taught and nothing else:
/// shown where somebody asks, as an audit does of the parts that it names.
bool is_training_alone(const Content& content, const std::string& part,
                       const results::PartRoles& roles) {
  const bool audit = std::ranges::any_of(content.config, [](const results::ConfigEntry& entry) {
    return entry.section == "measures" && entry.key == "parts";
  });
  return !audit && part == data::name_of(data::Part::train) && part != roles.decides &&
         part != roles.reported;
}

/// Whether every task that has a value of the measure on this part has one on another part.
bool is_known_elsewhere(const results::Measure& measure, const results::MeasuredRows& rows,
                        std::size_t tasks) {
  const auto known = [&](std::size_t task, bool here) {
    for (std::size_t cell = 0; cell < results::count_cells(measure); ++cell) {
      const results::MeasuredRows of = results::rows_of_cell(measure, cell);
      if (of.group != rows.group || (of.part == rows.part) != here) continue;
      if (!std::isnan(results::measured_at(measure, task, cell).value)) return true;
    }
    return false;
  };
  for (std::size_t task = 0; task < tasks; ++task) {
    if (known(task, true) && !known(task, false)) return false;
  }
  return true;
}

/// A row per measure and part, a column per task: the value with its interval, of all rows.
std::string measures_text(const Content& content, const ShowLimits& limits) {
  if (content.measures.empty()) return {};
  const std::size_t shown = shown_tasks(content, limits);
  std::vector<std::string> header{"measure", "part"};
  for (std::size_t task = 0; task < shown; ++task) header.push_back(fmt::format("task {}", task));
  Table table(std::move(header));
  const results::PartRoles roles =
      results::part_roles_of(content.measures, results::fronts_report(content.fronts));
  bool hidden = false;
  for (const results::Measure& measure : content.measures) {
    if (is_compared(measure)) continue;  // of these there is a table of their own
    for (std::size_t cell = 0; cell < results::count_cells(measure); ++cell) {
      const results::MeasuredRows rows = results::rows_of_cell(measure, cell);
      if (rows.group != results::MeasuredRows{}.group) continue;
      if (!limits.training && is_training_alone(content, rows.part, roles) &&
          is_known_elsewhere(measure, rows, shown)) {
        hidden = true;
        continue;
      }
      std::vector<std::string> row{measure.what.name, rows.part};
      std::vector<double> values;
      for (std::size_t task = 0; task < shown; ++task) {
        values.push_back(results::measured_at(measure, task, cell).value);
      }
      const int digits = digits_apart(values);
      for (std::size_t task = 0; task < shown; ++task) {
        row.push_back(measured_text(results::measured_at(measure, task, cell), digits));
      }
      table.add(std::move(row));
    }
  }
  return "\nmeasures\n" + table.text() +
         (hidden ? "  ... and of the training rows (--training shows them)\n" : "");
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

}  // namespace

std::string archive_text(const std::string& path, archive::Stored stored, const ShowLimits& limits,
                         const std::optional<ChosenPoint>& chosen) {
  make_printable(stored.content);
  const Content& content = stored.content;
  std::string text = origin_text(path, stored) + data_text(content) + axes_text(content);
  if (chosen) {
    text += fmt::format("chosen   task {}, point {}, as {} says\n", chosen->task, chosen->point,
                        chosen->file);
  }
  text += tasks_text(content, limits) + models_text(content, path);
  text += metrics_text(content, limits);
  text += measures_text(content, limits);
  text += compared_text(content, shown_tasks(content, limits));
  text += groups_text(content, static_cast<std::size_t>(limits.groups));
  text += messages_text(content, results::TaskStatus::failed, "failed tasks");
  text += messages_text(content, results::TaskStatus::done, "remarks");
  const FrontFacts facts = front_facts(content);
  for (std::size_t task = 0; task < shown_tasks(content, limits); ++task) {
    for (const results::FrontGroup& group : content.fronts) {
      std::optional<std::int64_t> marked;
      if (chosen && chosen->task == task) marked = static_cast<std::int64_t>(chosen->point);
      text += front_text(content, group, task, facts, limits, marked);
    }
  }
  return text + bounds_text(content, facts) + lent_text(content) + merged_text(content, facts) +
         yardstick_text(content);
}

}  // namespace fairfront::drivers
