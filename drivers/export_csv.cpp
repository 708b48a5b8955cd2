#include "export_csv.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cmath>
#include <concepts>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <variant>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "csv_file.hpp"
#include "problem_name.hpp"
#include "results/by_group.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"
#include "results/measure_cells.hpp"
#include "results/proven_bounds.hpp"

namespace fairfront::drivers {
namespace {

using results::Content;

/// A value that is not there is an empty cell.
std::string cell_of(double value) { return std::isnan(value) ? "" : base::format_double(value); }
std::string cell_of(std::integral auto value) { return std::to_string(value); }

std::string write_config(const Content& content, const std::string& folder) {
  CsvFile file(folder + "/config.csv");
  file.row({"section", "key", "value"});
  for (const results::ConfigEntry& entry : content.config) {
    file.row({entry.section, entry.key, entry.value});
  }
  return file.close();
}

std::string axis_cell(const Content& content, std::size_t axis, std::size_t task) {
  const std::int32_t place = content.tasks.axis_index[axis][task];
  return place < 0 ? "" : content.axes[axis].values[static_cast<std::size_t>(place)];
}

std::string write_tasks(const Content& content, const std::string& folder) {
  CsvFile file(folder + "/tasks.csv");
  std::vector<std::string> header{"task", "key", "method", "problem"};
  for (const results::Axis& axis : content.axes) header.push_back(axis.name);
  header.insert(header.end(),
                {"status", "message", "model", "started", "seconds", "rank", "attempt"});
  for (const results::Metric& metric : content.metrics) header.push_back(metric.what.name);
  file.row(header);
  const results::TaskTable& tasks = content.tasks;
  for (std::size_t i = 0; i < tasks.key.size(); ++i) {
    std::vector<std::string> row{std::to_string(i), tasks.key[i], tasks.method[i],
                                 problem_name(content, i)};
    for (std::size_t a = 0; a < content.axes.size(); ++a) row.push_back(axis_cell(content, a, i));
    row.push_back(results::name_of(tasks.status[i]));
    row.push_back(tasks.message[i]);
    row.push_back(tasks.model[i]);
    row.push_back(cell_of(content.timing.started[i]));
    row.push_back(cell_of(content.timing.seconds[i]));
    row.push_back(cell_of(std::int64_t{content.timing.rank[i]}));
    row.push_back(cell_of(std::int64_t{content.timing.attempt[i]}));
    for (const results::Metric& metric : content.metrics) row.push_back(cell_of(metric.values[i]));
    file.row(row);
  }
  return file.close();
}

bool has_interval(const results::Measure& measure) {
  const std::size_t cells = results::count_cells(measure);
  const std::size_t all = measure.values.size() / results::field_count<results::Measured>;
  for (std::size_t i = 0; i < all; ++i) {
    if (!std::isnan(results::measured_at(measure, i / cells, i % cells).low)) return true;
  }
  return false;
}

/// A row per task, measure, part and group of which something is known.
std::string write_measures(const Content& content, const std::string& folder) {
  CsvFile file(folder + "/measures.csv");
  std::vector<std::string> header{"task", "measure", "part", "group"};
  results::for_each_field<results::Measured>(
      [&](const auto& end) { header.emplace_back(end.name); });
  file.row(header);
  for (const results::Measure& measure : content.measures) {
    const std::size_t cells = results::count_cells(measure);
    for (std::size_t i = 0; i < content.tasks.key.size() * cells; ++i) {
      const results::Measured measured = results::measured_at(measure, i / cells, i % cells);
      if (!measured.known()) continue;
      const results::MeasuredRows rows = results::rows_of_cell(measure, i % cells);
      if (is_part_in_gap(measure, rows)) continue;  // they stand in gaps.csv
      std::vector<std::string> row{std::to_string(i / cells), measure.what.name, rows.part,
                                   rows.group};
      results::for_each_field<results::Measured>(
          [&](const auto& end) { row.push_back(cell_of(measured.*end.member)); });
      file.row(row);
    }
  }
  return file.close();
}

/// A row per task, part and group: whether its rows are few, and a measure of groups' rows alone is
/// a column, or three where its interval is known.
std::string write_groups(const Content& content, const std::string& folder) {
  CsvFile file(folder + "/groups.csv");
  const std::vector<const results::Measure*> columns = results::group_columns(content);
  std::vector<std::string> header{"task", "part", "group", "few_rows"};
  std::vector<bool> with_ends;
  for (const results::Measure* measure : columns) {
    header.push_back(measure->what.name);
    with_ends.push_back(has_interval(*measure));
    if (!with_ends.back()) continue;
    header.push_back(measure->what.name + "_low");
    header.push_back(measure->what.name + "_high");
  }
  file.row(header);
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    for (const std::string& part : results::parts_with_groups(content)) {
      for (const std::string& group : results::known_groups(columns, task, part)) {
        std::vector<std::string> row{
            std::to_string(task), part, group,
            results::has_few_rows(columns, task, part, group) ? "true" : "false"};
        for (std::size_t c = 0; c < columns.size(); ++c) {
          const results::Measured measured = measured_of(*columns[c], task, {part, group});
          row.push_back(cell_of(measured.value));
          if (!with_ends[c]) continue;
          row.push_back(cell_of(measured.low));
          row.push_back(cell_of(measured.high));
        }
        file.row(row);
      }
    }
  }
  return file.close();
}

/// A row per task, part and gap whose groups are known.
std::string write_gaps(const Content& content, const std::string& folder) {
  CsvFile file(folder + "/gaps.csv");
  file.row({"task", "part", "measure", "value", "low", "high", "group", "group_value", "other",
            "other_value"});
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    for (const std::string& part : results::parts_with_groups(content)) {
      for (const results::MadeGap& gap : results::made_gaps(content, task, part)) {
        std::vector<std::string> row{std::to_string(task), part, gap.measure->what.name};
        results::for_each_field<results::Measured>(
            [&](const auto& end) { row.push_back(cell_of(gap.gap.*end.member)); });
        for (std::size_t i = 0; i < 2; ++i) {
          const bool has = i < gap.made_by.size();
          row.push_back(has ? gap.made_by[i].first : "");
          row.push_back(has ? cell_of(gap.made_by[i].second) : "");
        }
        file.row(row);
      }
    }
  }
  return file.close();
}

/// Where bounds are proven, every point has the greatest one that it reaches, and its gap.
std::string write_front(const Content& content, const results::FrontGroup& group,
                        const std::string& folder) {
  const std::vector<results::ProvenBound> bounds = results::proven_bounds(content);
  CsvFile file(fmt::format("{}/fronts-{}.csv", folder, group.name));
  std::vector<std::string> header{"task", "solution"};
  for (const results::Quantity& objective : group.objectives) header.push_back(objective.name);
  if (!bounds.empty()) header.insert(header.end(), {"proven_lower", "gap"});
  file.row(header);
  const std::size_t width = group.objectives.size();
  for (std::size_t task = 0; task + 1 < group.offsets.size(); ++task) {
    const auto proven = results::proven_points(content, group, task, bounds);
    const auto first = static_cast<std::size_t>(group.offsets[task]);
    const auto last = static_cast<std::size_t>(group.offsets[task + 1]);
    for (std::size_t i = first; i < last; ++i) {
      std::vector<std::string> row{cell_of(group.task[i]),
                                   group.solution[i] < 0 ? "" : cell_of(group.solution[i])};
      for (std::size_t k = 0; k < width; ++k) row.push_back(cell_of(group.points[i * width + k]));
      if (!bounds.empty()) {
        const auto known = proven.empty() ? results::ProvenPoint{} : proven[i - first];
        row.insert(row.end(), {cell_of(known.lower), cell_of(known.gap)});
      }
      file.row(row);
    }
  }
  return file.close();
}

std::string write_series(const results::Series& series, const std::string& folder) {
  CsvFile file(fmt::format("{}/series-{}.csv", folder, series.what.name));
  file.row({"task", series.step_name, series.what.name});
  for (std::size_t task = 0; task + 1 < series.offsets.size(); ++task) {
    const auto last = static_cast<std::size_t>(series.offsets[task + 1]);
    for (auto i = static_cast<std::size_t>(series.offsets[task]); i < last; ++i) {
      file.row({std::to_string(task), cell_of(series.steps[i]), cell_of(series.values[i])});
    }
  }
  return file.close();
}

/// A row per value: solutions differ in length, and a table with a column per value would be one of
/// ten thousands of columns where every row of the data has a label.
std::string write_solutions(const results::Solutions& solutions, const std::string& folder) {
  CsvFile file(fmt::format("{}/solutions-{}.csv", folder, solutions.what.name));
  file.row({"solution", "task", "index", "value"});
  for (std::size_t s = 0; s < solutions.task.size(); ++s) {
    const std::int64_t first = solutions.offsets[s];
    std::vector<std::string> row{std::to_string(s), cell_of(solutions.task[s]), "", ""};
    const auto write = [&](const auto& values) {
      for (std::int64_t i = first; i < solutions.offsets[s + 1]; ++i) {
        row[2] = cell_of(i - first);
        row[3] = cell_of(values[static_cast<std::size_t>(i)]);
        file.row(row);
      }
    };
    std::visit(write, solutions.values);
  }
  return file.close();
}

void make_folder(const std::string& folder) {
  if (::mkdir(folder.c_str(), 0777) == 0 || errno == EEXIST) return;
  throw base::InputError(
      fmt::format("cannot make the folder '{}': {}", folder, std::strerror(errno)));
}

/// Nothing is replaced, and nothing written beside what would stay from another archive.
void require_no_tables(const std::string& folder) {
  std::error_code ignored;  // making a table there will tell
  for (const auto& entry : std::filesystem::directory_iterator{folder, ignored}) {
    const std::string name = entry.path().filename().string();
    const bool ours = name == "config.csv" || name == "tasks.csv" || name == "measures.csv" ||
                      name == "groups.csv" || name == "gaps.csv" || name.starts_with("fronts-") ||
                      name.starts_with("series-") || name.starts_with("solutions-");
    if (!ours || !name.ends_with(".csv")) continue;
    throw base::InputError(fmt::format("the folder '{}' already holds '{}': choose another one",
                                       base::excerpt(folder), base::excerpt(name)));
  }
}

}  // namespace

std::vector<std::string> export_csv(const Content& content, const std::string& folder,
                                    bool solutions) {
  make_folder(folder);
  require_no_tables(folder);
  std::vector<std::string> files{write_config(content, folder), write_tasks(content, folder)};
  if (!content.measures.empty()) files.push_back(write_measures(content, folder));
  if (!results::parts_with_groups(content).empty()) {
    files.push_back(write_groups(content, folder));
    files.push_back(write_gaps(content, folder));
  }
  for (const results::FrontGroup& group : content.fronts) {
    files.push_back(write_front(content, group, folder));
  }
  for (const results::Series& series : content.series) {
    files.push_back(write_series(series, folder));
  }
  if (solutions) {
    for (const results::Solutions& column : content.solutions) {
      files.push_back(write_solutions(column, folder));
    }
  }
  return files;
}

}  // namespace fairfront::drivers
