#include "results/rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <type_traits>
#include <variant>

#include "results/fields.hpp"
#include "results/merged_fronts.hpp"

namespace fairfront::results {
namespace {

class Rules {
 public:
  explicit Rules(const Content& content) : content_{content}, tasks_{content.tasks.key.size()} {}

  std::vector<std::string> broken() && {
    check_texts();
    check_datasets();
    check_axes();
    check_tasks();
    check_timing();
    check_metrics();
    check_measures();
    check_series();
    check_solutions();
    check_fronts();
    check_merged();
    return std::move(broken_);
  }

 private:
  void require(bool holds, std::string_view place, std::string_view rule) {
    if (!holds) broken_.push_back(fmt::format("{}: {}", place, rule));
  }

  void require_length(std::size_t length, std::size_t expected, std::string_view place) {
    require(length == expected, place, fmt::format("has {} rows, must be {}", length, expected));
  }

  // HDF5 ends text at NUL, so such text would come back shorter.
  void require_text(std::string_view text, std::string_view place) {
    require(text.find('\0') == std::string_view::npos, place, "text with a NUL character");
  }
  void require_texts(std::span<const std::string> texts, std::string_view place) {
    const bool clean = std::ranges::all_of(
        texts, [](const std::string& text) { return text.find('\0') == std::string::npos; });
    require(clean, place, "text with a NUL character");
  }

  // A name becomes the name of an HDF5 object.
  void require_names(std::span<const std::string> names, std::string_view group) {
    std::set<std::string_view> seen;
    for (const std::string& name : names) {
      const bool usable = !name.empty() && name != "." && name.find('/') == std::string::npos &&
                          name.find('\0') == std::string::npos;
      require(usable, group, fmt::format("'{}' is not a usable name", name));
      require(seen.insert(name).second, group, fmt::format("the name '{}' occurs twice", name));
    }
  }
  template <class Columns>
  void require_quantities(const Columns& columns, std::string_view group) {
    std::vector<std::string> names;
    for (const auto& column : columns) {
      names.push_back(column.what.name);
      require_quantity(column.what, group);
    }
    require_names(names, group);
  }
  void require_quantity(const Quantity& what, std::string_view place) {
    require_field_texts(what, place);
  }
  /// Every text among the fields, alone or in a column.
  template <class Struct>
  void require_field_texts(const Struct& value, std::string_view place) {
    for_each_field<Struct>([&](const auto& field) {
      const auto& content = value.*field.member;
      using Type = std::remove_cvref_t<decltype(content)>;
      if constexpr (std::is_same_v<Type, std::string>) {
        require_text(content, place);
      } else if constexpr (std::is_same_v<Type, std::vector<std::string>>) {
        require_texts(content, fmt::format("{}/{}", place, field.name));
      }
    });
  }
  /// Every column with a row per task has one.
  template <class Struct>
  void require_task_rows(const Struct& part, std::string_view place, std::size_t width = 1) {
    for_each_field<Struct>([&](const auto& field) {
      if (!field.use.per_task) return;
      require_length((part.*field.member).size(), tasks_ * (field.use.wide ? width : 1),
                     fmt::format("{}/{}{}", place, field.name, field.use.wide ? " (values)" : ""));
    });
  }

  /// Row i owns entries offsets[i] .. offsets[i+1]-1 of `entries`.
  bool require_offsets(std::span<const std::int64_t> offsets, std::size_t rows, std::size_t entries,
                       const std::string& group) {
    const std::string place = group + "/offsets";
    const std::size_t before = broken_.size();
    require_length(offsets.size(), rows + 1, place);
    if (offsets.empty()) return false;
    require(offsets.front() == 0, place, "does not begin with 0");
    require(std::ranges::is_sorted(offsets), place, "descends");
    require(offsets.back() == static_cast<std::int64_t>(entries), place,
            fmt::format("ends with {}, must be {}", offsets.back(), entries));
    return broken_.size() == before;
  }

  template <class T>
  void require_range(std::span<const T> values, std::int64_t least, std::size_t end,
                     const std::string& place) {
    const auto outside = std::ranges::find_if(values, [&](const T value) {
      return value < least || (value >= 0 && static_cast<std::size_t>(value) >= end);
    });
    if (outside == values.end()) return;
    require(false, place,
            fmt::format("row {} is {}, must be in {} .. {}", outside - values.begin(), *outside,
                        least, static_cast<std::int64_t>(end) - 1));
  }

  void check_texts() {
    require_text(content_.experiment, "/");
    for (const ConfigEntry& entry : content_.config) require_field_texts(entry, "/config");
    require_texts(content_.revisions, "/config/revisions");
    require_field_texts(content_.provenance, "/provenance");
  }

  void check_datasets() {
    const std::string place = "/provenance/datasets";
    for (const data::Provenance& dataset : content_.datasets) {
      require_field_texts(dataset, place);
      require_texts(dataset.files, place);
      require_texts(dataset.sha256, place);
      require_length(dataset.sha256.size(), dataset.files.size(), place + "/files/sha256");
    }
  }

  void check_axes() {
    std::vector<std::string> names;
    for (const Axis& axis : content_.axes) {
      names.push_back(axis.name);
      require_field_texts(axis, "/axes/" + axis.name);
      require(axis.role <= base::Role::tuning, "/axes/" + axis.name, "has an unknown role");
    }
    require_names(names, "/axes");
  }

  void check_tasks() {
    const TaskTable& tasks = content_.tasks;
    const bool keys = std::ranges::all_of(tasks.key, [](std::string_view key) {
      return key.size() == 64 &&
             key.find_first_not_of("0123456789abcdef") == std::string_view::npos;
    });
    require(keys, "/tasks/key", "a key is not 64 lower-case hexadecimal digits");
    require_task_rows(tasks, "/tasks");
    require_field_texts(tasks, "/tasks");
    require_range(std::span{tasks.problem}, 0, tasks_, "/tasks/problem");
    require_range(std::span{tasks.configuration}, 0, tasks_, "/tasks/configuration");
    require_range(std::span{tasks.curve}, 0, tasks_, "/tasks/curve");
    const bool known = std::ranges::all_of(
        tasks.status, [](TaskStatus status) { return status <= TaskStatus::failed; });
    require(known, "/tasks/status", "a value is not missing, done or failed");
    check_axis_indices();
  }

  void check_axis_indices() {
    const auto& columns = content_.tasks.axis_index;
    require(columns.size() == content_.axes.size(), "/tasks/axis",
            fmt::format("has {} columns for {} axes", columns.size(), content_.axes.size()));
    for (std::size_t a = 0; a < std::min(columns.size(), content_.axes.size()); ++a) {
      const std::string place = "/tasks/axis/" + content_.axes[a].name;
      require_length(columns[a].size(), tasks_, place);
      require_range(std::span{columns[a]}, -1, content_.axes[a].values.size(), place);
    }
  }

  void check_timing() { require_task_rows(content_.timing, "/timing"); }

  void check_metrics() {
    require_quantities(content_.metrics, "/metrics");
    for (const Metric& metric : content_.metrics) {
      require_length(metric.values.size(), tasks_, "/metrics/" + metric.what.name);
    }
  }

  void check_measures() {
    require_quantities(content_.measures, "/measures");
    constexpr std::size_t ends = field_count<Measured>;
    for (const Measure& measure : content_.measures) {
      const std::string place = "/measures/" + measure.what.name;
      require_distinct(measure.parts, place + "@parts");
      require_distinct(measure.groups, place + "@groups");
      require_length(measure.values.size(),
                     tasks_ * measure.parts.size() * measure.groups.size() * ends,
                     place + " (values)");
    }
  }

  /// The names along a dimension.
  void require_distinct(std::span<const std::string> names, const std::string& place) {
    require(!names.empty(), place, "is empty");
    require_texts(names, place);
    const std::set<std::string> distinct(names.begin(), names.end());
    require(distinct.size() == names.size(), place, "has a name twice");
    require(!distinct.contains(""), place, "has an empty name");
  }

  void check_series() {
    require_quantities(content_.series, "/series");
    for (const Series& series : content_.series) {
      const std::string group = "/series/" + series.what.name;
      require_text(series.step_name, group);
      require_length(series.steps.size(), series.values.size(), group + "/steps");
      if (!series.seconds.empty()) {
        require_length(series.seconds.size(), series.values.size(),
                       "/timing/series/" + series.what.name);
      }
      require_offsets(series.offsets, tasks_, series.values.size(), group);
    }
  }

  void check_solutions() {
    require_quantities(content_.solutions, "/solutions");
    for (const Solutions& solutions : content_.solutions) {
      const std::string group = "/solutions/" + solutions.what.name;
      const std::size_t entries =
          std::visit([](const auto& values) { return values.size(); }, solutions.values);
      require_range(std::span{solutions.task}, 0, tasks_, group + "/task");
      require_offsets(solutions.offsets, solutions.task.size(), entries, group);
    }
  }

  void check_fronts() {
    std::vector<std::string> names;
    for (const FrontGroup& front : content_.fronts) {
      names.push_back(front.name);
      const std::string group = "/fronts/" + front.name;
      check_objectives(front, group);
      if (check_front_shape(front, group)) {
        check_front_owners(front, group);
        check_front_numbers(front, group);
      }
      check_front_solutions(front, group);
    }
    require_names(names, "/fronts");
  }

  void check_objectives(const FrontGroup& front, const std::string& group) {
    require(front.objectives.size() >= 2, group, "has fewer than 2 objectives");
    for (const Quantity& objective : front.objectives) {
      require_quantity(objective, group);
      require(objective.direction != Direction::none, group,
              fmt::format("objective '{}' has no direction", objective.name));
    }
  }

  bool check_front_shape(const FrontGroup& front, const std::string& group) {
    const std::size_t before = broken_.size();
    const std::size_t width = front.objectives.size();
    require_length(front.points.size(), front.task.size() * width, group + "/points (values)");
    require_length(front.solution.size(), front.task.size(), group + "/solution");
    if (!front.report.empty()) {
      require_length(front.report.size(), front.points.size(), group + "/report (values)");
    }
    require_task_rows(front, group, width);
    require_offsets(front.offsets, tasks_, front.task.size(), group);
    return broken_.size() == before;
  }

  void check_front_owners(const FrontGroup& front, const std::string& group) {
    for (std::size_t i = 0; i < tasks_; ++i) {
      const auto first = front.task.begin() + front.offsets[i];
      const auto last = front.task.begin() + front.offsets[i + 1];
      const auto owner = static_cast<std::int64_t>(i);
      if (std::all_of(first, last, [&](std::int64_t task) { return task == owner; })) continue;
      require(false, group + "/task", fmt::format("disagrees with the offsets of task {}", i));
      return;
    }
  }

  void check_front_numbers(const FrontGroup& front, const std::string& group) {
    const auto finite = [](double value) { return std::isfinite(value); };
    require(std::ranges::all_of(front.points, finite), group + "/points", "is not finite");
    const std::size_t width = front.objectives.size();
    bool reference = true;
    bool hypervolume = true;
    for (std::size_t i = 0; i < tasks_; ++i) {
      if (front.offsets[i] == front.offsets[i + 1]) continue;  // no front, so no reference
      reference &=
          std::ranges::all_of(std::span{front.reference}.subspan(i * width, width), finite);
      hypervolume &= front.hypervolume[i] >= 0 && finite(front.hypervolume[i]);
    }
    require(reference, group + "/reference", "is not finite for a task with a front");
    require(hypervolume, group + "/hypervolume", "is negative or not finite");
  }

  void check_front_solutions(const FrontGroup& front, const std::string& group) {
    require_text(front.solutions_name, group);
    std::size_t count = 0;
    if (!front.solutions_name.empty()) {
      const auto named = std::ranges::find(content_.solutions, front.solutions_name,
                                           [](const Solutions& s) { return s.what.name; });
      require(named != content_.solutions.end(), group,
              fmt::format("/solutions/{} does not exist", front.solutions_name));
      if (named != content_.solutions.end()) count = named->task.size();
    }
    require_range(std::span{front.solution}, -1, count, group + "/solution");
  }

  void check_merged() {
    const std::size_t curves = count_groups(content_.tasks.curve);
    const std::size_t configurations = count_groups(content_.tasks.configuration);
    std::vector<std::string> names;
    for (const MergedFront& merged : content_.merged) {
      names.push_back(merged.name);
      const std::string group = "/merged/" + merged.name;
      const auto front = std::ranges::find(content_.fronts, merged.name, &FrontGroup::name);
      require(front != content_.fronts.end(), group, "there is no such group in /fronts");
      if (front == content_.fronts.end()) continue;
      check_merged_set(merged.per_replicate, *front, curves, group + "/per_replicate");
      check_merged_set(merged.over_replicates, *front, configurations, group + "/over_replicates");
    }
    require_names(names, "/merged");
  }

  void check_merged_set(const MergedSet& set, const FrontGroup& front, std::size_t groups,
                        const std::string& place) {
    require_offsets(set.offsets, groups, set.point.size(), place);
    require_range(std::span{set.point}, 0, front.task.size(), place + "/point");
    require_length(set.reference.size(), groups * front.objectives.size(),
                   place + "/reference (values)");
    require_length(set.hypervolume.size(), groups, place + "/hypervolume");
  }

  const Content& content_;
  std::size_t tasks_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_rules(const Content& content) { return Rules{content}.broken(); }

}  // namespace fairfront::results
