#include "sweep/archive_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <string_view>
#include <type_traits>
#include <variant>

#include "base/text.hpp"
#include "results/fields.hpp"
#include "results/records.hpp"
#include "results/sweep_identity.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/dataset_of_task.hpp"

namespace fairfront::sweep {
namespace {

using Lines = std::vector<std::string>;

/// Zeros stand for the key of a missing task whose data nobody has read, in what `export` makes of
/// a journal.
bool is_unknown(const results::TaskTable& table, std::size_t row) {
  return table.status[row] == results::TaskStatus::missing &&
         table.key[row].find_first_not_of('0') == std::string::npos;
}

/// What is wrong with the row of a task.
/// @param used  digests of data sets: that of the task is added.
std::string difference_in_task(const results::Content& content, const Plan& plan, const Task& task,
                               DatasetOfTask& dataset_of, std::set<std::string>& used) {
  const results::TaskTable& table = content.tasks;
  const auto row = static_cast<std::size_t>(task.index);
  if (table.method[row] != task.method) {
    return fmt::format("method is {}, must be {}", table.method[row], task.method);
  }
  if (table.problem[row] != plan.problem_of(task.index)) {
    return fmt::format("problem is {}, must be {}", table.problem[row],
                       plan.problem_of(task.index));
  }
  for (std::size_t axis = 0; axis < plan.axes().size(); ++axis) {
    if (table.axis_index[axis][row] == task.axis_index[axis]) continue;
    return fmt::format("place on axis {} is {}, must be {}", plan.axes()[axis].name,
                       table.axis_index[axis][row], task.axis_index[axis]);
  }
  if (is_unknown(table, row)) return "";
  const auto place =
      dataset_of.find(task, [&](const std::string& key) { return key == table.key[row]; });
  if (!place) return "its key does not follow from its options and the archive's data sets";
  used.insert(content.datasets[*place].digest);
  return "";
}

/// Compares an archive with what this program makes of the same results, part by part.
class Rewriting {
 public:
  Rewriting(const results::Content& stored, const results::Content& written)
      : stored_{stored}, written_{written} {}

  [[nodiscard]] Lines differences() && {
    const auto sweep =
        results::first_difference(results::sweep_of(stored_), results::sweep_of(written_));
    if (sweep) lines_.push_back(fmt::format("/config: {}", *sweep));
    compare_fields("/tasks", stored_.tasks, written_.tasks);
    compare_all("/axes", stored_.axes, written_.axes, &results::Axis::name,
                [this](const std::string& place, const auto& there, const auto& here) {
                  compare_fields(place, there, here);
                });
    compare_columns("/metrics", stored_.metrics, written_.metrics);
    compare_columns("/measures", stored_.measures, written_.measures);
    compare_columns("/series", stored_.series, written_.series);
    compare_columns("/solutions", stored_.solutions, written_.solutions);
    compare_all("/fronts", stored_.fronts, written_.fronts, &results::FrontGroup::name,
                [this](const std::string& place, const auto& there, const auto& here) {
                  compare_front(place, there, here);
                });
    return std::move(lines_);
  }

 private:
  void compare(const std::string& place, const auto& there, const auto& here) {
    if (!same(there, here)) lines_.push_back(place + ": is not what this program writes there");
  }
  template <class Value>
  static bool same(const Value& there, const Value& here) {
    return there == here;
  }
  static bool same(const std::vector<double>& there, const std::vector<double>& here) {
    return std::ranges::equal(
        there, here, [](double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); });
  }
  static bool same(const results::SolutionValues& there, const results::SolutionValues& here) {
    if (there.index() != here.index()) return false;
    return std::visit(
        [&](const auto& values) {
          return same(values, std::get<std::remove_cvref_t<decltype(values)>>(here));
        },
        there);
  }

  template <class Struct>
  void compare_fields(const std::string& place, const Struct& there, const Struct& here) {
    results::for_each_field<Struct>([&](const auto& field) {
      compare(fmt::format("{}/{}", place, field.name), there.*field.member, here.*field.member);
    });
  }

  /// Two lists, entry by entry, where these have the same names.
  template <class Entry, class Name, class Compare>
  void compare_all(const std::string& place, const std::vector<Entry>& there,
                   const std::vector<Entry>& here, Name name, Compare compare_entries) {
    if (!std::ranges::equal(there, here, {}, name, name)) {
      lines_.push_back(place + ": its entries are not those that this program writes");
      return;
    }
    for (std::size_t i = 0; i < there.size(); ++i) {
      compare_entries(fmt::format("{}/{}", place, std::invoke(name, there[i])), there[i], here[i]);
    }
  }
  template <class Column>
  void compare_columns(const std::string& place, const std::vector<Column>& there,
                       const std::vector<Column>& here) {
    compare_all(
        place, there, here, [](const Column& column) { return column.what.name; },
        [this](const std::string& of_column, const Column& a, const Column& b) {
          compare_fields(of_column, a.what, b.what);
          compare_column(of_column, a, b);
        });
  }
  void compare_column(const std::string& place, const results::Metric& there,
                      const results::Metric& here) {
    compare(place, there.values, here.values);
  }
  void compare_column(const std::string& place, const results::Measure& there,
                      const results::Measure& here) {
    compare(place + "@parts", there.parts, here.parts);
    compare(place + "@groups", there.groups, here.groups);
    compare(place + "@at_groups", there.at_groups, here.at_groups);
    compare(place, there.values, here.values);
  }
  void compare_column(const std::string& place, const results::Series& there,
                      const results::Series& here) {
    compare(place + "@step_name", there.step_name, here.step_name);
    compare_fields(place, there, here);
  }
  void compare_column(const std::string& place, const results::Solutions& there,
                      const results::Solutions& here) {
    compare(place + "/task", there.task, here.task);
    compare(place + "/offsets", there.offsets, here.offsets);
    compare(place + "/values", there.values, here.values);
  }
  /// Not the report: where it begins with a measure that is undefined, its task cannot be told from
  /// one that has none.
  void compare_front(const std::string& place, const results::FrontGroup& there,
                     const results::FrontGroup& here) {
    compare_all(place + "@objectives", there.objectives, here.objectives, &results::Quantity::name,
                [this](const std::string& objective, const auto& a, const auto& b) {
                  compare_fields(objective, a, b);
                });
    compare(place + "@solutions", there.solutions_name, here.solutions_name);
    compare(place + "/offsets", there.offsets, here.offsets);
    compare(place + "/points", there.points, here.points);
    compare(place + "/task", there.task, here.task);
    compare(place + "/solution", there.solution, here.solution);
    compare(place + "/reference", there.reference, here.reference);
    compare(place + "/hypervolume", there.hypervolume, here.hypervolume);
  }

  const results::Content& stored_;
  const results::Content& written_;
  Lines lines_;
};

/// Names of hosts, "a x4, b", are of so many ranks.
std::int64_t ranks_of(std::string_view hosts) {
  std::int64_t ranks = 0;
  while (!hosts.empty()) {
    const std::string_view host = hosts.substr(0, hosts.find(", "));
    hosts.remove_prefix(std::min(hosts.size(), host.size() + 2));
    const std::size_t times = host.rfind(" x");
    ranks +=
        times == std::string_view::npos ? 1 : base::parse_int64(host.substr(times + 2)).value_or(0);
  }
  return ranks;
}

bool is_time_of_utc(std::string_view text) {
  constexpr std::string_view form = "0000-00-00T00:00:00Z";
  return std::ranges::equal(text, form, [](char found, char wanted) {
    return wanted == '0' ? found >= '0' && found <= '9' : found == wanted;
  });
}

bool is_sha256(std::string_view text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

void check_launch(const results::LaunchFacts& facts, Lines& lines) {
  const auto require = [&](bool holds, const std::string& line) {
    if (!holds) lines.push_back("/provenance/" + line);
  };
  require(is_time_of_utc(facts.created), "created: must be a time such as 2026-01-31T12:00:00Z");
  require(facts.ranks >= 0, fmt::format("ranks: is {}, must be at least 0", facts.ranks));
  require(facts.team_size >= 0 && facts.team_size <= facts.ranks,
          fmt::format("team_size: is {}, must be in 0 .. {}", facts.team_size, facts.ranks));
  // Merged: distinct names of several runs. What `export` makes of a journal knows no ranks.
  if (facts.team_size == 0 && facts.ranks > 0) return;
  const std::int64_t named = ranks_of(facts.hosts);
  require(named == facts.ranks,
          fmt::format("hosts: names those of {} ranks, but there were {}", named, facts.ranks));
}

void check_datasets(const std::vector<data::Provenance>& datasets, Lines& lines) {
  for (const data::Provenance& dataset : datasets) {
    const std::string place = "/provenance/datasets: " + dataset.name;
    if (dataset.file_rows < 0) lines.push_back(place + ": has fewer than 0 rows");
    if (!std::ranges::all_of(dataset.sha256, is_sha256)) {
      lines.push_back(place + ": a SHA-256 is not 64 lower-case hexadecimal digits");
    }
  }
}

void check_timing(const results::Content& content, Lines& lines) {
  const results::Timing& timing = content.timing;
  for (std::size_t row = 0; row < timing.started.size(); ++row) {
    const auto is_time = [](double value) { return std::isfinite(value) && value >= 0; };
    std::string wrong;
    if (content.tasks.status[row] == results::TaskStatus::missing) {
      const bool blank = timing.started[row] == 0 && timing.seconds[row] == 0 &&
                         timing.rank[row] == 0 && timing.attempt[row] == 1 &&
                         content.tasks.message[row].empty();
      if (!blank) wrong = "has times of a task that did not run";
    } else if (!is_time(timing.started[row]) || !is_time(timing.seconds[row])) {
      wrong = "has a time that is below 0, or none";
    } else if (timing.rank[row] < 0 || timing.attempt[row] < 1) {
      wrong = "has a rank below 0 or an attempt below 1";
    }
    if (wrong.empty()) continue;
    lines.push_back(fmt::format("/timing: row {} {}", row, wrong));
    break;
  }
  for (const results::Series& series : content.series) {
    const auto below = [](double seconds) { return seconds < 0; };
    if (std::ranges::any_of(series.seconds, below)) {
      lines.push_back(fmt::format("/timing/series/{}: has a time below 0", series.what.name));
    }
  }
}

}  // namespace

Lines differences_from_plan(const results::Content& content, const Plan& plan) {
  constexpr std::size_t most = 10;
  Lines lines;
  std::set<std::string> used;
  const auto tasks = static_cast<std::size_t>(plan.num_tasks());
  if (content.tasks.key.size() != tasks) {
    return {fmt::format("/tasks: has {} tasks, but the config makes {}", content.tasks.key.size(),
                        tasks)};
  }
  const bool same_axes = std::ranges::equal(content.axes, plan.axes(), {}, &results::Axis::name,
                                            &results::Axis::name) &&
                         std::ranges::equal(content.axes, plan.axes(), {}, &results::Axis::values,
                                            &results::Axis::values);
  if (!same_axes) return {"/axes: are not those of the config"};
  TaskWalk walk(plan);
  DatasetOfTask dataset_of(plan, content.datasets);
  for (std::size_t row = 0; row < tasks && lines.size() < most; ++row) {
    const std::string difference = difference_in_task(
        content, plan, walk.task(static_cast<std::int64_t>(row)), dataset_of, used);
    if (!difference.empty()) lines.push_back(fmt::format("/tasks: row {}: {}", row, difference));
  }
  for (std::size_t row = 0; row < tasks; ++row) {
    if (is_unknown(content.tasks, row)) return lines;  // of any of the data sets
  }
  for (const data::Provenance& dataset : content.datasets) {
    if (!lines.empty() || used.contains(dataset.digest)) continue;
    lines.push_back(
        fmt::format("/provenance/datasets: '{}' is the data set of no task", dataset.name));
  }
  return lines;
}

Lines differences_from_rewriting(const results::Content& content, const Plan& plan,
                                 const ResultSchema& schema) {
  results::Content written = content_of(plan, schema, results::records_of(content));
  written.datasets = content.datasets;
  return Rewriting(content, written).differences();
}

Lines implausible_facts(const results::Content& content) {
  Lines lines;
  check_launch(content.provenance, lines);
  check_datasets(content.datasets, lines);
  check_timing(content, lines);
  return lines;
}

}  // namespace fairfront::sweep
