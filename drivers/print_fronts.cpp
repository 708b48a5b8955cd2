#include "print_fronts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "problem_name.hpp"
#include "results/choice.hpp"
#include "results/lent_bounds.hpp"
#include "results/method_option.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using results::Content;

std::string objective_text(const results::Quantity& what) {
  std::string text = what.name;
  if (!what.unit.empty()) text += fmt::format(" [{}]", what.unit);
  if (what.direction == results::Direction::minimise) text += " (min)";
  if (what.direction == results::Direction::maximise) text += " (max)";
  return text;
}

/// The part on which the task's method decides, as "the validation part"; empty where it has no
/// such option. Hypervolumes are of what decides: which part is reported changes none.
std::string deciding_part(const Content& content, std::size_t task) {
  const std::string part = results::method_option(content, task, "choose_on");
  if (part.empty()) return part;
  return part == "all" ? "all rows" : fmt::format("the {} part", part);
}

/// At most `limit` of 0 .. count-1, evenly spread, both ends among them, and the marked one.
std::vector<std::int64_t> shown_points(std::int64_t count, std::int64_t limit,
                                       std::optional<std::int64_t> marked) {
  std::vector<std::int64_t> chosen;
  if (limit == 0 || count <= limit) limit = count;
  for (std::int64_t i = 0; i < limit; ++i) {
    chosen.push_back(limit == 1 ? 0 : i * (count - 1) / (limit - 1));
  }
  if (marked && std::ranges::find(chosen, *marked) == chosen.end()) chosen.push_back(*marked);
  std::ranges::sort(chosen);
  return chosen;
}

}  // namespace

std::string configuration_values(const Content& content, std::size_t task) {
  std::vector<std::string> values;
  for (std::size_t axis = 0; axis < content.axes.size(); ++axis) {
    const base::Role role = content.axes[axis].role;
    if (role == base::Role::trade_off || role == base::Role::replicate) continue;
    if (content.tasks.axis_index[axis][task] < 0) continue;
    values.push_back(
        fmt::format("{}={}", content.axes[axis].name, axis_value(content, axis, task)));
  }
  return base::join(values, ", ");
}

std::string axis_value(const Content& content, std::size_t axis, std::size_t task) {
  const std::int32_t place = content.tasks.axis_index[axis][task];
  return place < 0 ? "-" : content.axes[axis].values[static_cast<std::size_t>(place)];
}

FrontFacts front_facts(const Content& content) {
  FrontFacts facts{.bounds = results::proven_bounds(content), .parts = {}};
  for (std::size_t task = 0; task < content.tasks.method.size(); ++task) {
    facts.parts.push_back(deciding_part(content, task));
  }
  std::set<std::string> different(facts.parts.begin(), facts.parts.end());
  different.erase("");
  if (different.size() < 2) facts.parts.assign(facts.parts.size(), "");
  return facts;
}

std::string front_text(const Content& content, const results::FrontGroup& group, std::size_t task,
                       const FrontFacts& facts, const ShowLimits& limits,
                       std::optional<std::int64_t> marked) {
  const std::int64_t first = group.offsets[task];
  const std::int64_t count = group.offsets[task + 1] - first;
  if (count == 0) return {};
  std::vector<std::string> header{"point"};
  for (const results::Quantity& what : group.objectives) header.push_back(objective_text(what));
  const auto dimension = static_cast<std::int64_t>(group.objectives.size());
  const auto proven = results::proven_points(content, group, task, facts.bounds);
  if (!proven.empty()) header.insert(header.end(), {"proven at least", "gap"});
  const std::vector<std::int64_t> shown = shown_points(count, limits.points, marked);
  if (marked) header.emplace_back("");
  Table table(std::move(header));
  for (const std::int64_t point : shown) {
    std::vector<std::string> row{std::to_string(point)};
    for (std::int64_t k = 0; k < dimension; ++k) {
      const auto place = static_cast<std::size_t>((first + point) * dimension + k);
      row.push_back(format_value(group.points[place]));
    }
    if (!proven.empty()) {
      const results::ProvenPoint& known = proven[static_cast<std::size_t>(point)];
      row.insert(row.end(), {format_value(known.lower), format_value(known.gap)});
    }
    if (marked) row.emplace_back(point == *marked ? "<- chosen" : "");
    table.add(std::move(row));
  }
  const std::string& part = facts.parts[task];
  return fmt::format("\nfront of task {} [{}, {}]: {} points, {} shown, hypervolume {}{}\n{}", task,
                     group.name, problem_name(content, task), count, shown.size(),
                     format_value(group.hypervolume[task]), part.empty() ? "" : " on " + part,
                     table.text());
}

namespace {

constexpr const char* not_comparable = " *";
constexpr const char* why_not_comparable =
    "  * learnt from labels or groups of the part that decides: not to be compared there\n";

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

/// The values that a configuration stands for.
std::string configuration_text(const Content& content, std::size_t task) {
  std::string values = configuration_values(content, task);
  return values.empty() ? problem_name(content, task) : values;
}

}  // namespace

std::string bounds_text(const Content& content, const FrontFacts& facts) {
  if (facts.bounds.empty()) return {};
  Table table({"problem", "floor", "proven at least", "best cost found", "by", "gap", "task"});
  for (const results::ProvenBound& bound : facts.bounds) {
    std::vector<std::string> row{problem_name(content, bound.task), format_value(bound.floor),
                                 format_value(bound.lower)};
    if (const auto best = results::best_point(content, bound)) {
      row.insert(row.end(), {format_value(best->value), content.tasks.method[best->task],
                             format_value(best->gap)});
    } else {
      row.insert(row.end(), {"-", "-", "-"});
    }
    row.push_back(std::to_string(bound.task));
    table.add(std::move(row));
  }
  return "\nproven bounds on the cost of every clustering with a balance of at least a floor\n" +
         table.text();
}

std::string lent_text(const Content& content) {
  const std::vector<results::LentBound> lent = results::lent_bounds(content);
  if (lent.empty()) return {};
  Table table(
      {"task", "problem", "optimum_lower", "proven at least", "by task", "loss train", "lacks"});
  for (const results::LentBound& bound : lent) {
    table.add({std::to_string(bound.task), problem_name(content, bound.task),
               format_value(bound.own), format_value(bound.lower), std::to_string(bound.by),
               format_value(bound.loss), format_value(bound.lack)});
  }
  return "\nproven bounds of a larger delta, which hold for a smaller one, above its own "
         "optimum_lower\n" +
         table.text();
}

std::string merged_text(const Content& content, const FrontFacts& facts) {
  const bool tells_parts =
      std::ranges::any_of(facts.parts, [](const std::string& part) { return !part.empty(); });
  std::vector<std::string> header{"method", "configuration", "tasks", "points", "merged"};
  if (tells_parts) header.emplace_back("measured on");
  header.insert(header.end(), {"hypervolume", "replicates", "hypervolume of a replicate"});
  Table table(std::move(header));
  bool any = false;
  bool marked = false;
  for (const results::MergedFront& merged : content.merged) {
    const auto group = std::ranges::find(content.fronts, merged.name, &results::FrontGroup::name);
    const std::vector<ConfigurationRow> rows = configuration_rows(content, *group, merged);
    const results::MergedSet& all = merged.over_replicates;
    for (std::size_t c = 0; c < rows.size(); ++c) {
      if (rows[c].tasks < 2) continue;
      any = true;
      const std::size_t task = rows[c].first_task;
      const bool marks = results::learnt_from_deciding(content, task);
      marked = marked || marks;
      std::vector<std::string> row{merged.name, configuration_text(content, task),
                                   std::to_string(rows[c].tasks), std::to_string(rows[c].points),
                                   std::to_string(all.offsets[c + 1] - all.offsets[c])};
      if (tells_parts) row.push_back(facts.parts[task].empty() ? "-" : facts.parts[task]);
      row.push_back(format_value(all.hypervolume[c]) + (marks ? not_comparable : ""));
      row.push_back(std::to_string(rows[c].replicates.size()));
      row.push_back(replicates_text(rows[c].replicates));
      table.add(std::move(row));
    }
  }
  return any ? fmt::format(
                   "\nnondominated points along trade-off axes, over all replicates and of "
                   "each one\n{}{}{}",
                   table.text(), marked ? why_not_comparable : "",
                   tells_parts ? "  hypervolumes on different parts are not to be compared\n" : "")
             : "";
}

}  // namespace fairfront::drivers
