#include "print_archive.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "table.hpp"

namespace fairfront::drivers {
namespace {

using archive::Content;

std::string origin_text(const std::string& path, const archive::Stored& stored) {
  const archive::Provenance& run = stored.content.provenance;
  std::string text = fmt::format("{}: experiment '{}', {}, format version {}\n", path,
                                 stored.content.experiment, stored.status, stored.format_version);
  text += fmt::format("digest   {}\n", stored.digest);
  text += fmt::format("created  {} by fairfront {} ({}{})\n", run.created, run.program_version,
                      run.git_revision, run.git_dirty ? " with local changes" : "");
  text += fmt::format("ran on   {} rank{}: {}\n", run.ranks, run.ranks == 1 ? "" : "s", run.hosts);
  if (!run.slurm.empty()) text += fmt::format("SLURM    {}\n", run.slurm);
  return text + fmt::format("command  {}\n", run.command_line);
}

std::string data_text(const Content& content) {
  std::string text;
  for (const data::Provenance& data : content.datasets) {
    text += fmt::format("data     {}: {}\n         {}\n", data.name, data.source, data.recipe);
    for (std::size_t i = 0; i < data.files.size() && i < data.sha256.size(); ++i) {
      text += fmt::format("         {} SHA-256 {}\n", data.files[i], data.sha256[i]);
    }
  }
  return text;
}

std::string axes_text(const Content& content) {
  std::string text;
  for (const archive::Axis& axis : content.axes) {
    text += fmt::format("axis     {} = {}\n", axis.name, format_list(axis.values));
  }
  return text;
}

std::string axis_value(const Content& content, std::size_t axis, std::size_t task) {
  const std::int32_t place = content.tasks.axis_index[axis][task];
  return place < 0 ? "-" : content.axes[axis].values[static_cast<std::size_t>(place)];
}

std::string status_text(archive::TaskStatus status) {
  switch (status) {
    case archive::TaskStatus::done:
      return "done";
    case archive::TaskStatus::failed:
      return "failed";
    case archive::TaskStatus::missing:
      break;
  }
  return "missing";
}

std::size_t shown_tasks(const Content& content, const ShowLimits& limits) {
  const std::size_t tasks = content.tasks.key.size();
  return limits.tasks == 0 ? tasks : std::min(tasks, static_cast<std::size_t>(limits.tasks));
}

std::string tasks_text(const Content& content, const ShowLimits& limits) {
  std::vector<std::string> header{"task", "method"};
  for (const archive::Axis& axis : content.axes) header.push_back(axis.name);
  header.insert(header.end(), {"status", "seconds"});
  for (const archive::Metric& metric : content.metrics) header.push_back(metric.what.name);
  Table table(header);
  const std::size_t shown = shown_tasks(content, limits);
  for (std::size_t task = 0; task < shown; ++task) {
    std::vector<std::string> row{std::to_string(task), content.tasks.method[task]};
    for (std::size_t axis = 0; axis < content.axes.size(); ++axis) {
      row.push_back(axis_value(content, axis, task));
    }
    row.push_back(status_text(content.tasks.status[task]));
    row.push_back(fmt::format("{:.3g}", content.timing.seconds[task]));
    for (const archive::Metric& metric : content.metrics) {
      row.push_back(format_value(metric.values[task]));
    }
    table.add(std::move(row));
  }
  const std::size_t hidden = content.tasks.key.size() - shown;
  const std::string more =
      hidden == 0 ? "" : fmt::format("  ... and {} more (--tasks 0 shows all)\n", hidden);
  return fmt::format("\ntasks\n{}{}", table.text(), more);
}

std::string failures_text(const Content& content) {
  std::string text;
  for (std::size_t task = 0; task < content.tasks.status.size(); ++task) {
    if (content.tasks.status[task] != archive::TaskStatus::failed) continue;
    text += fmt::format("  task {}: {}\n", task, content.tasks.message[task]);
  }
  return text.empty() ? text : "\nfailed tasks\n" + text;
}

std::string objective_text(const archive::Quantity& what) {
  std::string text = what.name;
  if (!what.unit.empty()) text += fmt::format(" [{}]", what.unit);
  if (what.direction == archive::Direction::minimise) text += " (min)";
  if (what.direction == archive::Direction::maximise) text += " (max)";
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

std::string front_text(const archive::FrontGroup& group, std::size_t task,
                       const ShowLimits& limits) {
  const std::int64_t first = group.offsets[task];
  const std::int64_t count = group.offsets[task + 1] - first;
  if (count == 0) return {};
  std::vector<std::string> header{"point"};
  for (const archive::Quantity& what : group.objectives) header.push_back(objective_text(what));
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
  return fmt::format("\nfront of task {} [{}]: {} points, {} shown, hypervolume {}\n{}", task,
                     group.name, count, chosen.size(), format_value(group.hypervolume[task]),
                     table.text());
}

/// Problems that several tasks have worked on: what they have found together.
std::string merged_text(const Content& content) {
  Table table({"method", "problem", "tasks", "points", "merged", "hypervolume"});
  bool any = false;
  for (const archive::MergedFront& merged : content.merged) {
    const auto group = std::ranges::find(content.fronts, merged.name, &archive::FrontGroup::name);
    for (std::size_t p = 0; p + 1 < merged.offsets.size(); ++p) {
      std::int64_t tasks = 0;
      std::int64_t points = 0;
      for (std::size_t task = 0; task < content.tasks.problem.size(); ++task) {
        const std::int64_t count = group->offsets[task + 1] - group->offsets[task];
        if (content.tasks.problem[task] != static_cast<std::int32_t>(p) || count == 0) continue;
        ++tasks;
        points += count;
      }
      if (tasks < 2) continue;
      any = true;
      table.add({merged.name, std::to_string(p), std::to_string(tasks), std::to_string(points),
                 std::to_string(merged.offsets[p + 1] - merged.offsets[p]),
                 format_value(merged.hypervolume[p])});
    }
  }
  return any ? fmt::format("\nnondominated points of all tasks of a problem\n{}", table.text())
             : "";
}

}  // namespace

std::string archive_text(const std::string& path, const archive::Stored& stored,
                         const ShowLimits& limits) {
  const Content& content = stored.content;
  std::string text = origin_text(path, stored) + data_text(content) + axes_text(content);
  text += tasks_text(content, limits) + failures_text(content);
  for (std::size_t task = 0; task < shown_tasks(content, limits); ++task) {
    for (const archive::FrontGroup& group : content.fronts) {
      text += front_text(group, task, limits);
    }
  }
  return text + merged_text(content);
}

}  // namespace fairfront::drivers
