#include "archive/reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>
#include <utility>

#include "archive/dimensions.hpp"
#include "archive/shared_vectors.hpp"
#include "archive/stored_columns.hpp"
#include "base/error.hpp"
#include "results/content.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"

namespace fairfront::archive {
namespace {

template <class Enum>
Enum value_of(const std::string& name, const std::string& place) {
  const std::vector<std::string>& names = results::names_of<Enum>();
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw base::DamagedError(fmt::format("{}: unknown '{}'", place, name));
  return static_cast<Enum>(found - names.begin());
}

results::Quantity read_quantity(StoredObject& object, const std::string& name) {
  results::Quantity what;
  results::for_each_field<results::Quantity>([&](const auto& field) {
    if (field.name == "name") return;
    auto& value = what.*field.member;
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      value = value_of<std::remove_cvref_t<decltype(value)>>(
          take_text(object, field.name), fmt::format("{}@{}", object.path, field.name));
    } else {
      value = take_text(object, field.name);
    }
  });
  what.name = name;
  return what;
}

// One column of a data set each.
template <class T>
void read_column(StoredObject& column, std::vector<T>& values, std::int64_t width = 0) {
  if constexpr (std::is_same_v<T, std::string>) {
    values = read_texts(column);
  } else if constexpr (std::is_enum_v<T>) {
    for (const std::uint8_t code : read_numbers<std::uint8_t>(column)) {
      values.push_back(static_cast<T>(code));
    }
    require_texts(column, "names", results::names_of<T>());
  } else {
    values = read_numbers<T>(column, row_shape_of(width));
  }
}

void require_unit(StoredObject& column, std::string_view unit) {
  if (take_text(column, "unit") != unit) {
    throw base::DamagedError(fmt::format("{}@unit: is not '{}'", column.path, unit));
  }
}

template <class Part>
void read_columns(StoredObject& group, Part& part, std::int64_t width = 0) {
  results::for_each_field<Part>([&](const auto& field) {
    StoredObject& column = take(group, field.name);
    read_column(column, part.*field.member, field.use.wide ? width : 0);
    const std::vector<std::string> dimensions = dimensions_of(field.use, field.name);
    if (!dimensions.empty()) require_texts(column, "dimensions", dimensions);
    if (!field.use.unit.empty()) require_unit(column, field.use.unit);
  });
}

// Rows whose fields are columns.
template <class Row>
std::vector<Row> read_rows(StoredObject& group) {
  std::vector<Row> rows;
  bool first = true;
  results::for_each_field<Row>([&](const auto& field) {
    std::vector<std::remove_cvref_t<decltype(std::declval<Row>().*field.member)>> column;
    read_column(take(group, field.name), column);
    if (std::exchange(first, false)) rows.resize(column.size());
    if (column.size() != rows.size()) {
      throw base::DamagedError(fmt::format("{}: columns of different lengths", group.path));
    }
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].*field.member = std::move(column[i]);
  });
  return rows;
}

void require_equal_lengths(const StoredObject& group, std::initializer_list<std::size_t> lengths) {
  if (std::ranges::adjacent_find(lengths, std::ranges::not_equal_to{}) != lengths.end()) {
    throw base::DamagedError(fmt::format("{}: columns of different lengths", group.path));
  }
}

// A text, a whole number or a truth value as a data set of one row.
template <class Value>
void read_fact(StoredObject& fact, Value& value) {
  const auto only = [&](const auto& rows) {
    if (rows.size() != 1) throw base::DamagedError(fmt::format("{}: is not one row", fact.path));
    return rows.front();
  };
  if constexpr (std::is_same_v<Value, std::string>) {
    value = only(read_texts(fact));
  } else {
    const std::int64_t number = only(read_numbers<std::int64_t>(fact));
    if (std::is_same_v<Value, bool> && number != 0 && number != 1) {
      throw base::DamagedError(fmt::format("{}: is {}, must be 0 or 1", fact.path, number));
    }
    value = static_cast<Value>(number);
  }
}

results::LaunchFacts read_provenance(StoredObject& root) {
  StoredObject& group = take_group(root, "provenance");
  results::LaunchFacts facts;
  results::for_each_field<results::LaunchFacts>(
      [&](const auto& field) { read_fact(take(group, field.name), facts.*field.member); });
  return facts;
}

void read_files(StoredObject& parent, std::vector<data::Provenance>& datasets) {
  StoredObject& group = take_group(parent, "files");
  const auto owner = read_numbers<std::int64_t>(take(group, "dataset"));
  const auto name = read_texts(take(group, "name"));
  const auto sha256 = read_texts(take(group, "sha256"));
  require_equal_lengths(group, {owner.size(), name.size(), sha256.size()});
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] < 0 || owner[i] >= std::ssize(datasets)) {
      throw base::DamagedError(
          fmt::format("{}/dataset: row {} is {}, out of range", group.path, i, owner[i]));
    }
    data::Provenance& dataset = datasets[static_cast<std::size_t>(owner[i])];
    dataset.files.push_back(name[i]);
    dataset.sha256.push_back(sha256[i]);
  }
}

std::vector<data::Provenance> read_datasets(StoredObject& root) {
  StoredObject& group = take_group(take_group(root, "provenance"), "datasets");
  std::vector<data::Provenance> datasets = read_rows<data::Provenance>(group);
  read_files(group, datasets);
  return datasets;
}

std::vector<results::Axis> read_axes(StoredObject& root) {
  StoredObject& group = take_group(root, "axes");
  std::vector<results::Axis> axes;
  for (const std::string& name : group.names) {
    StoredObject& values = take(group, name);
    const auto role = value_of<base::Role>(take_text(values, "role"), values.path + "@role");
    axes.push_back({name, role, read_texts(values)});
  }
  return axes;
}

const std::vector<std::string> row_per_task{"task"};

results::TaskTable read_tasks(StoredObject& root) {
  StoredObject& group = take_group(root, "tasks");
  results::TaskTable tasks;
  read_columns(group, tasks);
  StoredObject& axes = take_group(group, "axis");
  for (const std::string& name : take_group(root, "axes").names) {
    StoredObject& column = take(axes, name);
    tasks.axis_index.push_back(read_numbers<std::int32_t>(column));
    require_texts(column, "dimensions", row_per_task);
  }
  return tasks;
}

results::Timing read_timing(StoredObject& root) {
  StoredObject& group = take_group(root, "timing");
  results::Timing timing;
  read_columns(group, timing);
  return timing;
}

// Onto the series that were read before.
void read_seconds_along(StoredObject& root, std::vector<results::Series>& all) {
  StoredObject& group = take_group(take_group(root, "timing"), "series");
  auto series = all.begin();
  for (const std::string& name : group.names) {  // in the order of the series
    StoredObject& column = take(group, name);
    series =
        std::find_if(series, all.end(), [&](const auto& one) { return one.what.name == name; });
    if (series == all.end()) {
      throw base::DamagedError(fmt::format("{}: no such series, or not in its place", column.path));
    }
    require_unit(column, "s");
    series->seconds = read_numbers<double>(column);
  }
}

results::Metric read_metric(StoredObject& column, const std::string& name) {
  results::Metric metric{.what = read_quantity(column, name),
                         .values = read_numbers<double>(column)};
  require_texts(column, "dimensions", row_per_task);
  return metric;
}

results::Measure read_measure(StoredObject& column, const std::string& name) {
  const std::vector<std::string> ends = end_names();
  results::Measure measure{.what = read_quantity(column, name),
                           .parts = take_texts(column, "parts"),
                           .groups = take_texts(column, "groups"),
                           .values = {}};
  if (has_attribute(column, "at_groups")) {
    measure.at_groups =
        value_of<results::AtGroups>(take_text(column, "at_groups"), column.path + "@at_groups");
  }
  require_texts(column, "ends", ends);
  require_texts(column, "dimensions", measure_dimensions());
  measure.values = read_numbers<double>(
      column, {std::ssize(measure.parts), std::ssize(measure.groups), std::ssize(ends)});
  return measure;
}

results::Series read_one_series(StoredObject& group, const std::string& name) {
  results::Series series;
  series.what = read_quantity(group, name);
  series.step_name = take_text(group, "step_name");
  read_columns(group, series);
  return series;
}

results::Solutions read_one_solutions(StoredObject& group, const std::string& name) {
  results::Solutions solutions{.what = read_quantity(group, name),
                               .task = read_numbers<std::int64_t>(take(group, "task")),
                               .offsets = read_numbers<std::int64_t>(take(group, "offsets")),
                               .values = {}};
  StoredObject& values = take(group, "values");
  if (holds<std::uint8_t>(values)) {
    solutions.values = read_numbers<std::uint8_t>(values);
  } else if (holds<std::uint16_t>(values)) {
    solutions.values = read_numbers<std::uint16_t>(values);
  } else {
    solutions.values = read_numbers<double>(values);
  }
  if (group.place_of.contains("vector")) {
    unshare(solutions, read_numbers<std::int64_t>(take(group, "vector")), group.path);
  }
  return solutions;
}

std::vector<results::Quantity> read_objectives(StoredObject& group) {
  const auto names = take_texts(group, "objectives");
  const auto definitions = take_texts(group, "definitions");
  const auto units = take_texts(group, "units");
  const auto directions = take_texts(group, "directions");
  const auto sources = take_texts(group, "sources");
  require_equal_lengths(
      group, {names.size(), definitions.size(), units.size(), directions.size(), sources.size()});
  std::vector<results::Quantity> objectives;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto direction = value_of<results::Direction>(directions[i], group.path + "@directions");
    objectives.push_back({names[i], definitions[i], units[i], direction, sources[i]});
  }
  return objectives;
}

results::FrontGroup read_front(StoredObject& group, const std::string& name) {
  results::FrontGroup front;
  front.name = name;
  front.objectives = read_objectives(group);
  front.solutions_name = take_text(group, "solutions");
  read_columns(group, front, std::ssize(front.objectives));
  return front;
}

std::int64_t width_of(const std::vector<results::FrontGroup>& fronts, const std::string& name) {
  const auto group = std::ranges::find(fronts, name, &results::FrontGroup::name);
  if (group == fronts.end())
    throw base::DamagedError(fmt::format("/merged/{0}: no /fronts/{0}", name));
  return std::ssize(group->objectives);
}

results::MergedFront read_merged(StoredObject& group, const std::string& name, std::int64_t width) {
  results::MergedFront merged;
  merged.name = name;
  results::for_each_field<results::MergedFront>([&](const auto& set) {
    read_columns(take_group(group, set.name), merged.*set.member, width);
  });
  return merged;
}

void require_known_format(StoredObject& root) {
  if (take_text(root, "format") != "fairfront") {
    throw base::DamagedError("/@format: is not 'fairfront'");
  }
  const std::int64_t version = take_integer(root, "format_version");
  if (version > results::format_version) {
    throw base::DamagedError(
        fmt::format("the archive has format version {}, this program reads up to "
                    "{}: use a newer fairfront",
                    version, results::format_version));
  }
  if (version < 1)
    throw base::DamagedError(fmt::format("/@format_version: {} is unknown", version));
}

// Reads part after part; one that is damaged becomes a line in `problems`.
class Reader {
 public:
  Reader(StoredObject& root, std::vector<std::string>& problems)
      : root_{root}, problems_{problems} {}

  void read(Stored& stored) {
    stored.format_version = results::format_version;
    part(stored.digest, [&] { return take_text(root_, "digest"); });
    part(stored.measures_digest, [&] { return take_text(root_, "measures_digest"); });
    part(stored.content_digest, [&] { return take_text(root_, "content_digest"); });
    part(stored.status, [&] { return take_text(root_, "status"); });
    results::Content& content = stored.content;
    part(content.experiment, [&] { return take_text(root_, "experiment"); });
    part(content.config,
         [&] { return read_rows<results::ConfigEntry>(take_group(root_, "config")); });
    part(content.revisions,
         [&] { return read_texts(take(take_group(root_, "config"), "revisions")); });
    part(content.provenance, [&] { return read_provenance(root_); });
    require_created(content.provenance.created);
    part(content.datasets, [&] { return read_datasets(root_); });
    part(content.axes, [&] { return read_axes(root_); });
    part(content.tasks, [&] { return read_tasks(root_); });
    part(content.timing, [&] { return read_timing(root_); });
    members("metrics", content.metrics, read_metric);
    members("measures", content.measures, read_measure);
    members("series", content.series, read_one_series);
    read_seconds(content);
    members("solutions", content.solutions, read_one_solutions);
    const std::size_t before = problems_.size();
    members("fronts", content.fronts, read_front);
    if (problems_.size() > before) return;  // merged fronts are rows of the others
    members("merged", content.merged, [&](StoredObject& group, const std::string& name) {
      return read_merged(group, name, width_of(content.fronts, name));
    });
    if (problems_.empty()) require_nothing_else();
  }

 private:
  template <class Part, class Read>
  void part(Part& target, Read read_part) {
    try {
      target = read_part();
    } catch (const base::DamagedError& error) {
      problems_.emplace_back(error.what());
    }
  }

  // It stands twice, for readers that look at the root alone.
  void require_created(const std::string& expected) {
    std::string created;
    const std::size_t before = problems_.size();
    part(created, [&] { return take_text(root_, "created"); });
    if (problems_.size() > before || created == expected) return;
    problems_.emplace_back("/@created: is not that of /provenance/created");
  }

  void read_seconds(results::Content& content) {
    part(content.series, [&] {
      std::vector<results::Series> series = content.series;
      read_seconds_along(root_, series);
      return series;
    });
  }

  template <class Part, class Read>
  void members(const char* group_name, std::vector<Part>& target, Read read_member) {
    StoredObject* group = nullptr;
    part(group, [&] { return &take_group(root_, group_name); });
    if (group == nullptr) return;
    for (const std::string& name : group->names) {
      Part member;
      const std::size_t before = problems_.size();
      part(member, [&] { return read_member(take(*group, name), name); });
      if (problems_.size() == before) target.push_back(std::move(member));
    }
  }

  // No digest covers what this program does not know.
  void require_nothing_else() {
    for (const std::string& path : untaken(root_)) {
      problems_.push_back(fmt::format("{}: is not part of the format", path));
    }
  }

  StoredObject& root_;
  std::vector<std::string>& problems_;
};

}  // namespace

Stored read_parts(std::span<const std::byte> hdf5, std::vector<std::string>& problems) {
  Stored stored;
  try {
    StoredObject root = read_tree(hdf5);
    root.taken = true;
    require_known_format(root);
    Reader{root, problems}.read(stored);
  } catch (const base::DamagedError& error) {
    problems.emplace_back(error.what());
  }
  return stored;
}

}  // namespace fairfront::archive
