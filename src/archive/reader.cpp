#include "archive/reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "archive/columns.hpp"
#include "archive/names.hpp"
#include "archive/seal.hpp"

namespace fairfront::archive {
namespace {

File open_file(const std::string& path) {
  const PropertyList access{H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", path};
  // A published archive never changes, and some cluster file systems have no locks.
  checked(H5Pset_file_locking(access.get(), false, true), "H5Pset_file_locking", path);
  return {H5Fopen(path.c_str(), H5F_ACC_RDONLY, access.get()), "H5Fopen", path};
}

template <class Enum>
Enum value_of(const std::vector<std::string>& names, const std::string& name,
              const std::string& place) {
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw DamagedError(fmt::format("{}: unknown '{}'", place, name));
  return static_cast<Enum>(found - names.begin());
}

Quantity read_quantity(const Node& node, const std::string& name) {
  return {.name = name,
          .definition = read_text_attribute(node, "definition"),
          .unit = read_text_attribute(node, "unit"),
          .direction = value_of<Direction>(
              direction_names(), read_text_attribute(node, "direction"), node.path + "@direction"),
          .source = read_text_attribute(node, "source")};
}

void require_equal_lengths(const Node& group, std::initializer_list<std::size_t> lengths) {
  if (std::ranges::adjacent_find(lengths, std::ranges::not_equal_to{}) != lengths.end()) {
    throw DamagedError(fmt::format("{}: columns of different lengths", group.path));
  }
}

std::vector<ConfigEntry> read_config(const Node& root) {
  const Node group = open_node(root, "config");
  auto section = read_texts(group, "section");
  auto key = read_texts(group, "key");
  auto value = read_texts(group, "value");
  require_equal_lengths(group, {section.size(), key.size(), value.size()});
  std::vector<ConfigEntry> config;
  for (std::size_t i = 0; i < key.size(); ++i) {
    config.push_back({std::move(section[i]), std::move(key[i]), std::move(value[i])});
  }
  return config;
}

Provenance read_provenance(const Node& root) {
  const Node group = open_node(root, "provenance");
  return {.program_version = read_text_attribute(group, "program_version"),
          .git_revision = read_text_attribute(group, "git_revision"),
          .git_dirty = read_integer_attribute(group, "git_dirty") != 0,
          .compiler = read_text_attribute(group, "compiler"),
          .compiler_flags = read_text_attribute(group, "compiler_flags"),
          .libraries = read_text_attribute(group, "libraries"),
          .created = read_text_attribute(root, "created"),
          .hosts = read_text_attribute(group, "hosts"),
          .ranks = read_integer_attribute(group, "ranks"),
          .team_size = read_integer_attribute(group, "team_size"),
          .command_line = read_text_attribute(group, "command_line"),
          .slurm = read_text_attribute(group, "slurm")};
}

void read_files(const Node& parent, std::vector<data::Provenance>& datasets) {
  const Node group = open_node(parent, "files");
  const auto owner = read_numbers<std::int64_t>(group, "dataset");
  const auto name = read_texts(group, "name");
  const auto sha256 = read_texts(group, "sha256");
  require_equal_lengths(group, {owner.size(), name.size(), sha256.size()});
  for (std::size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] < 0 || owner[i] >= std::ssize(datasets)) {
      throw DamagedError(
          fmt::format("{}/dataset: row {} is {}, out of range", group.path, i, owner[i]));
    }
    data::Provenance& dataset = datasets[static_cast<std::size_t>(owner[i])];
    dataset.files.push_back(name[i]);
    dataset.sha256.push_back(sha256[i]);
  }
}

std::vector<data::Provenance> read_datasets(const Node& root) {
  const Node group = open_node(root, "provenance/datasets");
  const auto name = read_texts(group, "name");
  const auto source = read_texts(group, "source");
  const auto rows = read_numbers<std::int64_t>(group, "file_rows");
  const auto recipe = read_texts(group, "recipe");
  const auto digest = read_texts(group, "digest");
  require_equal_lengths(group,
                        {name.size(), source.size(), rows.size(), recipe.size(), digest.size()});
  std::vector<data::Provenance> datasets(name.size());
  for (std::size_t i = 0; i < name.size(); ++i) {
    datasets[i].name = name[i];
    datasets[i].source = source[i];
    datasets[i].file_rows = rows[i];
    datasets[i].recipe = recipe[i];
    datasets[i].digest = digest[i];
  }
  read_files(group, datasets);
  return datasets;
}

std::vector<Axis> read_axes(const Node& root) {
  const Node group = open_node(root, "axes");
  std::vector<Axis> axes;
  for (const std::string& name : member_names(group)) {
    axes.push_back({name, read_texts(group, name)});
  }
  return axes;
}

TaskTable read_tasks(const Node& root) {
  const Node group = open_node(root, "tasks");
  TaskTable tasks;
  tasks.key = read_texts(group, "key");
  tasks.method = read_texts(group, "method");
  tasks.problem = read_numbers<std::int32_t>(group, "problem");
  for (const std::uint8_t code : read_numbers<std::uint8_t>(group, "status")) {
    tasks.status.push_back(static_cast<TaskStatus>(code));
  }
  tasks.message = read_texts(group, "message");
  const Node axes = open_node(group, "axis");
  for (const std::string& name : member_names(open_node(root, "axes"))) {
    tasks.axis_index.push_back(read_numbers<std::int32_t>(axes, name));
  }
  return tasks;
}

Timing read_timing(const Node& root) {
  const Node group = open_node(root, "timing");
  return {.seconds = read_numbers<double>(group, "seconds"),
          .rank = read_numbers<std::int32_t>(group, "rank"),
          .attempt = read_numbers<std::int32_t>(group, "attempt")};
}

Metric read_metric(const Node& parent, const std::string& name) {
  return {.what = read_quantity(open_node(parent, name), name),
          .values = read_numbers<double>(parent, name)};
}

Series read_one_series(const Node& parent, const std::string& name) {
  const Node group = open_node(parent, name);
  return {.what = read_quantity(group, name),
          .step_name = read_text_attribute(group, "step_name"),
          .offsets = read_numbers<std::int64_t>(group, "offsets"),
          .steps = read_numbers<std::int64_t>(group, "steps"),
          .values = read_numbers<double>(group, "values")};
}

Solutions read_one_solutions(const Node& parent, const std::string& name) {
  const Node group = open_node(parent, name);
  Solutions solutions{.what = read_quantity(group, name),
                      .task = read_numbers<std::int64_t>(group, "task"),
                      .offsets = read_numbers<std::int64_t>(group, "offsets"),
                      .values = {}};
  const Node values = open_node(group, "values");
  if (holds<std::uint8_t>(values)) {
    solutions.values = read_numbers<std::uint8_t>(group, "values");
  } else if (holds<std::uint16_t>(values)) {
    solutions.values = read_numbers<std::uint16_t>(group, "values");
  } else {
    solutions.values = read_numbers<double>(group, "values");
  }
  return solutions;
}

std::vector<Quantity> read_objectives(const Node& group) {
  const auto names = read_texts_attribute(group, "objectives");
  const auto definitions = read_texts_attribute(group, "definitions");
  const auto units = read_texts_attribute(group, "units");
  const auto directions = read_texts_attribute(group, "directions");
  const auto sources = read_texts_attribute(group, "sources");
  require_equal_lengths(
      group, {names.size(), definitions.size(), units.size(), directions.size(), sources.size()});
  std::vector<Quantity> objectives;
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto direction =
        value_of<Direction>(direction_names(), directions[i], group.path + "@directions");
    objectives.push_back({names[i], definitions[i], units[i], direction, sources[i]});
  }
  return objectives;
}

FrontGroup read_front(const Node& parent, const std::string& name) {
  const Node group = open_node(parent, name);
  std::vector<Quantity> objectives = read_objectives(group);
  const std::int64_t width = std::ssize(objectives);
  return {.name = name,
          .objectives = std::move(objectives),
          .offsets = read_numbers<std::int64_t>(group, "offsets"),
          .points = read_numbers<double>(group, "points", width),
          .task = read_numbers<std::int64_t>(group, "task"),
          .solution = read_numbers<std::int64_t>(group, "solution"),
          .solutions_name = read_text_attribute(group, "solutions"),
          .reference = read_numbers<double>(group, "reference", width),
          .hypervolume = read_numbers<double>(group, "hypervolume")};
}

std::int64_t width_of(const std::vector<FrontGroup>& fronts, const std::string& name) {
  const auto group = std::ranges::find(fronts, name, &FrontGroup::name);
  if (group == fronts.end()) throw DamagedError(fmt::format("/merged/{0}: no /fronts/{0}", name));
  return std::ssize(group->objectives);
}

MergedFront read_merged(const Node& parent, const std::string& name, std::int64_t width) {
  const Node group = open_node(parent, name);
  return {.name = name,
          .offsets = read_numbers<std::int64_t>(group, "offsets"),
          .point = read_numbers<std::int64_t>(group, "point"),
          .reference = read_numbers<double>(group, "reference", width),
          .hypervolume = read_numbers<double>(group, "hypervolume")};
}

void require_known_format(const Node& root) {
  if (read_text_attribute(root, "format") != "fairfront") {
    throw DamagedError("/@format: is not 'fairfront'");
  }
  const std::int64_t version = read_integer_attribute(root, "format_version");
  if (version > format_version) {
    throw DamagedError(
        fmt::format("the archive has format version {}, this program reads up to "
                    "{}: use a newer fairfront",
                    version, format_version));
  }
  if (version < 1) throw DamagedError(fmt::format("/@format_version: {} is unknown", version));
}

// Reads part after part; one that is damaged becomes a line in `problems`.
class Reader {
 public:
  Reader(const Node& root, std::vector<std::string>& problems) : root_{root}, problems_{problems} {}

  void read(Stored& stored) {
    stored.format_version = format_version;
    part(stored.digest, [&] { return read_text_attribute(root_, "digest"); });
    part(stored.content_digest, [&] { return read_text_attribute(root_, "content_digest"); });
    part(stored.status, [&] { return read_text_attribute(root_, "status"); });
    Content& content = stored.content;
    part(content.experiment, [&] { return read_text_attribute(root_, "experiment"); });
    part(content.config, [&] { return read_config(root_); });
    part(content.revisions, [&] { return read_texts(open_node(root_, "config"), "revisions"); });
    part(content.provenance, [&] { return read_provenance(root_); });
    part(content.datasets, [&] { return read_datasets(root_); });
    part(content.axes, [&] { return read_axes(root_); });
    part(content.tasks, [&] { return read_tasks(root_); });
    part(content.timing, [&] { return read_timing(root_); });
    members("metrics", content.metrics, read_metric);
    members("series", content.series, read_one_series);
    members("solutions", content.solutions, read_one_solutions);
    const std::size_t before = problems_.size();
    members("fronts", content.fronts, read_front);
    if (problems_.size() > before) return;  // merged fronts are rows of the others
    members("merged", content.merged, [&](const Node& parent, const std::string& name) {
      return read_merged(parent, name, width_of(content.fronts, name));
    });
  }

 private:
  template <class Part, class Read>
  void part(Part& target, Read read_part) {
    try {
      target = read_part();
    } catch (const Hdf5Error& error) {
      problems_.emplace_back(error.what());
    } catch (const DamagedError& error) {
      problems_.emplace_back(error.what());
    }
  }

  template <class Part, class Read>
  void members(const char* group_name, std::vector<Part>& target, Read read_member) {
    std::vector<std::string> names;
    part(names, [&] { return member_names(open_node(root_, group_name)); });
    for (const std::string& name : names) {
      Part member;
      const std::size_t before = problems_.size();
      part(member, [&] { return read_member(open_node(root_, group_name), name); });
      if (problems_.size() == before) target.push_back(std::move(member));
    }
  }

  const Node& root_;
  std::vector<std::string>& problems_;
};

}  // namespace

Stored read_parts(const std::string& path, std::vector<std::string>& problems) {
  const QuietErrors quiet;
  Stored stored;
  try {
    check_seal(path);
    const File file = open_file(path);
    const Node root{Object{H5Oopen(file.get(), "/", H5P_DEFAULT), "H5Oopen", "/"}, "/"};
    require_known_format(root);
    Reader{root, problems}.read(stored);
  } catch (const Hdf5Error& error) {
    problems.emplace_back(error.what());
  } catch (const DamagedError& error) {
    problems.emplace_back(error.what());
  }
  return stored;
}

}  // namespace fairfront::archive
