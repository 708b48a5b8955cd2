#include "archive/image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <variant>

#include "archive/archive.hpp"
#include "archive/check.hpp"
#include "archive/columns.hpp"
#include "archive/names.hpp"
#include "archive/seal.hpp"

namespace fairfront::archive {
namespace {

const char* const in_memory = "archive in memory";

File create_file() {
  const PropertyList creation{H5Pcreate(H5P_FILE_CREATE), "H5Pcreate", in_memory};
  checked(H5Pset_userblock(creation.get(), seal_bytes), "H5Pset_userblock", in_memory);
  checked(H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "H5Pset_link_creation_order", in_memory);
  checked(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times", in_memory);
  const PropertyList access{H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", in_memory};
  constexpr std::size_t growth = std::size_t{4} << 20;
  checked(H5Pset_fapl_core(access.get(), growth, false), "H5Pset_fapl_core", in_memory);
  // Readers from HDF5 1.8 (2008) on; older formats have no checksums of their metadata.
  checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18),
          "H5Pset_libver_bounds", in_memory);
  return {H5Fcreate(in_memory, H5F_ACC_TRUNC, creation.get(), access.get()), "H5Fcreate",
          in_memory};
}

// HDF5's own buffer with the user block in front. H5Fget_file_image would copy it, and in 1.10.8
// gives wrong bytes for a file with a user block; it does know the length without that block.
std::span<std::byte> buffer_of(const File& file) {
  checked(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "H5Fflush", in_memory);
  const auto length =
      checked(H5Fget_file_image(file.get(), nullptr, 0), "H5Fget_file_image", in_memory);
  void* buffer = nullptr;
  checked(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &buffer), "H5Fget_vfd_handle", in_memory);
  return {*static_cast<std::byte**>(buffer), seal_bytes + static_cast<std::size_t>(length)};
}

void write_quantity(const Node& node, const Quantity& what) {
  write_attribute(node, "definition", what.definition);
  write_attribute(node, "unit", what.unit);
  write_attribute(node, "direction", direction_names()[static_cast<std::size_t>(what.direction)]);
  write_attribute(node, "source", what.source);
}

template <class Rows, class Field>
std::vector<std::string> column_of(const Rows& rows, Field field) {
  std::vector<std::string> column;
  column.reserve(rows.size());
  for (const auto& row : rows) column.push_back(row.*field);
  return column;
}

// Writes the parts in the order of Content.
class Writer {
 public:
  Writer(Node root, const Content& content)
      : root_{std::move(root)}, content_{content}, tasks_{write_tasks()} {}

  void write_rest() {
    write_root_attributes();
    write_config();
    write_provenance();
    write_axes();
    write_timing();
    write_metrics();
    write_series();
    write_solutions();
    write_fronts();
    write_merged();
  }

 private:
  void write_root_attributes() {
    const bool partial = std::ranges::find(content_.tasks.status, TaskStatus::missing) !=
                         content_.tasks.status.end();
    write_attribute(root_, "format", std::string{"fairfront"});
    write_attribute(root_, "format_version", std::int64_t{format_version});
    write_attribute(root_, "status", std::string{partial ? "partial" : "complete"});
    write_attribute(root_, "digest", results_digest(content_));
    write_attribute(root_, "content_digest", content_digest(content_));
    write_attribute(root_, "created", content_.provenance.created);
    write_attribute(root_, "experiment", content_.experiment);
  }

  void write_config() {
    const Node group = create_group(root_, "config");
    write_texts(group, "section", column_of(content_.config, &ConfigEntry::section));
    write_texts(group, "key", column_of(content_.config, &ConfigEntry::key));
    write_texts(group, "value", column_of(content_.config, &ConfigEntry::value));
    write_texts(group, "revisions", content_.revisions);
  }

  void write_provenance() {
    const Provenance& run = content_.provenance;
    const Node group = create_group(root_, "provenance");
    write_attribute(group, "program_version", run.program_version);
    write_attribute(group, "git_revision", run.git_revision);
    write_attribute(group, "git_dirty", std::int64_t{run.git_dirty});
    write_attribute(group, "compiler", run.compiler);
    write_attribute(group, "compiler_flags", run.compiler_flags);
    write_attribute(group, "libraries", run.libraries);
    write_attribute(group, "hosts", run.hosts);
    write_attribute(group, "ranks", run.ranks);
    write_attribute(group, "team_size", run.team_size);
    write_attribute(group, "command_line", run.command_line);
    write_attribute(group, "slurm", run.slurm);
    write_datasets(create_group(group, "datasets"));
  }

  void write_datasets(const Node& group) {
    const auto& datasets = content_.datasets;
    std::vector<std::int64_t> rows;
    std::vector<std::int64_t> owner;  // of a file
    std::vector<std::string> files;
    std::vector<std::string> sha256;
    for (const data::Provenance& dataset : datasets) {
      owner.insert(owner.end(), dataset.files.size(), std::ssize(rows));
      rows.push_back(dataset.file_rows);
      files.insert(files.end(), dataset.files.begin(), dataset.files.end());
      sha256.insert(sha256.end(), dataset.sha256.begin(), dataset.sha256.end());
    }
    write_texts(group, "name", column_of(datasets, &data::Provenance::name));
    write_texts(group, "source", column_of(datasets, &data::Provenance::source));
    write_numbers(group, "file_rows", std::span<const std::int64_t>{rows});
    write_texts(group, "recipe", column_of(datasets, &data::Provenance::recipe));
    write_texts(group, "digest", column_of(datasets, &data::Provenance::digest));
    const Node file_group = create_group(group, "files");
    write_numbers(file_group, "dataset", std::span<const std::int64_t>{owner});
    write_texts(file_group, "name", files);
    write_texts(file_group, "sha256", sha256);
  }

  void write_axes() {
    const Node group = create_group(root_, "axes");
    for (const Axis& axis : content_.axes) write_texts(group, axis.name, axis.values);
  }

  // The keys, which are the dimension scale of every column with a row per task.
  Node write_tasks() {
    const TaskTable& tasks = content_.tasks;
    const Node group = create_group(root_, "tasks");
    Node key = write_texts(group, "key", tasks.key);
    make_scale(key, "task");
    attach_scale(write_texts(group, "method", tasks.method), 0, key);
    const std::span<const std::int32_t> problem{tasks.problem};
    attach_scale(write_numbers(group, "problem", problem), 0, key);
    std::vector<std::uint8_t> codes;
    codes.reserve(tasks.status.size());
    for (const TaskStatus status : tasks.status) codes.push_back(static_cast<std::uint8_t>(status));
    const Node status = write_numbers(group, "status", std::span<const std::uint8_t>{codes});
    write_attribute(status, "names", std::span{task_status_names()});
    attach_scale(status, 0, key);
    attach_scale(write_texts(group, "message", tasks.message), 0, key);
    const Node axes = create_group(group, "axis");
    for (std::size_t a = 0; a < content_.axes.size(); ++a) {
      const std::span<const std::int32_t> index{tasks.axis_index[a]};
      attach_scale(write_numbers(axes, content_.axes[a].name, index), 0, key);
    }
    return key;
  }

  template <class T>
  Node write_per_task(const Node& group, std::string_view name, const std::vector<T>& values) {
    Node node = write_numbers(group, name, std::span{values}, Packing::plain);
    attach_scale(node, 0, tasks_);
    return node;
  }

  void write_timing() {
    const Node group = create_group(root_, "timing");
    const Node seconds = write_per_task(group, "seconds", content_.timing.seconds);
    write_attribute(seconds, "unit", std::string{"s"});
    write_per_task(group, "rank", content_.timing.rank);
    write_per_task(group, "attempt", content_.timing.attempt);
  }

  void write_metrics() {
    const Node group = create_group(root_, "metrics");
    for (const Metric& metric : content_.metrics) {
      write_quantity(write_per_task(group, metric.what.name, metric.values), metric.what);
    }
  }

  void write_series() {
    const Node parent = create_group(root_, "series");
    for (const Series& series : content_.series) {
      const Node group = create_group(parent, series.what.name);
      write_quantity(group, series.what);
      write_attribute(group, "step_name", series.step_name);
      write_numbers(group, "offsets", std::span{series.offsets});
      const Node steps = write_numbers(group, "steps", std::span{series.steps});
      make_scale(steps, series.step_name.c_str());
      const Node values = write_numbers(group, "values", std::span{series.values}, Packing::plain);
      attach_scale(values, 0, steps);
    }
  }

  void write_solutions() {
    const Node parent = create_group(root_, "solutions");
    for (const Solutions& solutions : content_.solutions) {
      const Node group = create_group(parent, solutions.what.name);
      write_quantity(group, solutions.what);
      write_numbers(group, "task", std::span{solutions.task});
      write_numbers(group, "offsets", std::span{solutions.offsets});
      std::visit([&](const auto& values) { write_numbers(group, "values", std::span{values}); },
                 solutions.values);
    }
  }

  void write_fronts() {
    const Node parent = create_group(root_, "fronts");
    for (const FrontGroup& front : content_.fronts) {
      const Node group = create_group(parent, front.name);
      write_objectives(group, front.objectives);
      write_attribute(group, "solutions", front.solutions_name);
      const std::int64_t width = std::ssize(front.objectives);
      const std::span<const double> points{front.points};
      const Node rows = write_numbers(group, "points", points, Packing::plain, width);
      label_dimension(rows, 0, "point");
      label_dimension(rows, 1, "objective");
      write_numbers(group, "task", std::span{front.task});
      write_numbers(group, "solution", std::span{front.solution});
      write_numbers(group, "offsets", std::span{front.offsets});
      const std::span<const double> reference{front.reference};
      const Node corners = write_numbers(group, "reference", reference, Packing::plain, width);
      attach_scale(corners, 0, tasks_);
      label_dimension(corners, 1, "objective");
      write_per_task(group, "hypervolume", front.hypervolume);
    }
  }

  void write_merged() {
    const Node parent = create_group(root_, "merged");
    for (const MergedFront& merged : content_.merged) {
      const Node group = create_group(parent, merged.name);
      const auto points = std::ranges::find(content_.fronts, merged.name, &FrontGroup::name);
      const std::int64_t width = std::ssize(points->objectives);
      write_numbers(group, "offsets", std::span{merged.offsets});
      write_numbers(group, "point", std::span{merged.point});
      const std::span<const double> reference{merged.reference};
      const Node corners = write_numbers(group, "reference", reference, Packing::plain, width);
      label_dimension(corners, 0, "problem");
      label_dimension(corners, 1, "objective");
      write_numbers(group, "hypervolume", std::span{merged.hypervolume}, Packing::plain);
    }
  }

  void write_objectives(const Node& group, const std::vector<Quantity>& objectives) {
    std::vector<std::string> directions;
    directions.reserve(objectives.size());
    for (const Quantity& what : objectives) {
      directions.push_back(direction_names()[static_cast<std::size_t>(what.direction)]);
    }
    const auto write = [&](const char* name, const std::vector<std::string>& column) {
      write_attribute(group, name, std::span{column});
    };
    write("objectives", column_of(objectives, &Quantity::name));
    write("definitions", column_of(objectives, &Quantity::definition));
    write("units", column_of(objectives, &Quantity::unit));
    write("directions", directions);
    write("sources", column_of(objectives, &Quantity::source));
  }

  Node root_;
  const Content& content_;
  Node tasks_;
};

void require_valid(const Content& content) {
  const std::vector<std::string> broken = broken_rules(content);
  if (!broken.empty()) {
    throw std::invalid_argument(fmt::format("archive::write: {}", broken.front()));
  }
}

}  // namespace

Image::Image(const Content& content) : file_{create_file()} {
  require_valid(content);
  Object root{H5Oopen(file_.get(), "/", H5P_DEFAULT), "H5Oopen", "/"};
  Writer{{std::move(root), "/"}, content}.write_rest();
  bytes_ = buffer_of(file_);
  put_seal(bytes_);
}

}  // namespace fairfront::archive
