#include "archive/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>
#include <string_view>
#include <variant>

namespace fairfront::archive {
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
    for (const std::string& text : {what.name, what.definition, what.unit, what.source}) {
      require_text(text, place);
    }
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
    for (const ConfigEntry& entry : content_.config) {
      for (const std::string& text : {entry.section, entry.key, entry.value}) {
        require_text(text, "/config");
      }
    }
    require_texts(content_.revisions, "/config/revisions");
    const Provenance& run = content_.provenance;
    for (const std::string& text :
         {run.program_version, run.git_revision, run.compiler, run.compiler_flags, run.libraries,
          run.created, run.hosts, run.command_line, run.slurm}) {
      require_text(text, "/provenance");
    }
  }

  void check_datasets() {
    const std::string place = "/provenance/datasets";
    for (const data::Provenance& dataset : content_.datasets) {
      for (const std::string& text :
           {dataset.name, dataset.source, dataset.recipe, dataset.digest}) {
        require_text(text, place);
      }
      require_texts(dataset.files, place);
      require_texts(dataset.sha256, place);
      require_length(dataset.sha256.size(), dataset.files.size(), place + "/files/sha256");
    }
  }

  void check_axes() {
    std::vector<std::string> names;
    for (const Axis& axis : content_.axes) {
      names.push_back(axis.name);
      require_texts(axis.values, "/axes/" + axis.name);
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
    require_length(tasks.method.size(), tasks_, "/tasks/method");
    require_length(tasks.problem.size(), tasks_, "/tasks/problem");
    require_range(std::span{tasks.problem}, 0, tasks_, "/tasks/problem");
    require_length(tasks.status.size(), tasks_, "/tasks/status");
    require_length(tasks.message.size(), tasks_, "/tasks/message");
    require_texts(tasks.method, "/tasks/method");
    require_texts(tasks.message, "/tasks/message");
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

  void check_timing() {
    require_length(content_.timing.seconds.size(), tasks_, "/timing/seconds");
    require_length(content_.timing.rank.size(), tasks_, "/timing/rank");
    require_length(content_.timing.attempt.size(), tasks_, "/timing/attempt");
  }

  void check_metrics() {
    require_quantities(content_.metrics, "/metrics");
    for (const Metric& metric : content_.metrics) {
      require_length(metric.values.size(), tasks_, "/metrics/" + metric.what.name);
    }
  }

  void check_series() {
    require_quantities(content_.series, "/series");
    for (const Series& series : content_.series) {
      const std::string group = "/series/" + series.what.name;
      require_text(series.step_name, group);
      require_length(series.steps.size(), series.values.size(), group + "/steps");
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
    require_length(front.reference.size(), tasks_ * width, group + "/reference (values)");
    require_length(front.hypervolume.size(), tasks_, group + "/hypervolume");
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
    const auto last = std::ranges::max_element(content_.tasks.problem);
    const bool none = last == content_.tasks.problem.end() || *last < 0;
    const std::size_t problems = none ? 0 : static_cast<std::size_t>(*last) + 1;
    std::vector<std::string> names;
    for (const MergedFront& merged : content_.merged) {
      names.push_back(merged.name);
      const std::string group = "/merged/" + merged.name;
      const auto front = std::ranges::find(content_.fronts, merged.name, &FrontGroup::name);
      require(front != content_.fronts.end(), group, "there is no such group in /fronts");
      if (front == content_.fronts.end()) continue;
      require_offsets(merged.offsets, problems, merged.point.size(), group);
      require_range(std::span{merged.point}, 0, front->task.size(), group + "/point");
      require_length(merged.reference.size(), problems * front->objectives.size(),
                     group + "/reference (values)");
      require_length(merged.hypervolume.size(), problems, group + "/hypervolume");
    }
    require_names(names, "/merged");
  }

  const Content& content_;
  std::size_t tasks_;
  std::vector<std::string> broken_;
};

}  // namespace

std::vector<std::string> broken_rules(const Content& content) { return Rules{content}.broken(); }

}  // namespace fairfront::archive
