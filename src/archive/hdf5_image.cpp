#include "archive/hdf5_image.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <variant>

#include "archive/archive.hpp"
#include "archive/dimensions.hpp"
#include "archive/hdf5_columns.hpp"
#include "archive/seal.hpp"
#include "archive/shared_vectors.hpp"
#include "results/enum_names.hpp"
#include "results/fields.hpp"
#include "results/rules.hpp"

namespace fairfront::archive {
namespace {

const char* const in_memory = "archive in memory";

File create_file() {
  const PropertyList creation{H5Pcreate(H5P_FILE_CREATE), "H5Pcreate", in_memory};
  checked(H5Pset_userblock(creation.get(), seal_bytes), "H5Pset_userblock", in_memory);
  checked(H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "H5Pset_link_creation_order", in_memory);
  checked(H5Pset_obj_track_times(creation.get(), false), "H5Pset_obj_track_times", in_memory);
  keep_all_in_header(creation, in_memory);
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
std::span<const std::byte> buffer_of(const File& file) {
  checked(H5Fflush(file.get(), H5F_SCOPE_GLOBAL), "H5Fflush", in_memory);
  const auto length =
      checked(H5Fget_file_image(file.get(), nullptr, 0), "H5Fget_file_image", in_memory);
  void* buffer = nullptr;
  checked(H5Fget_vfd_handle(file.get(), H5P_DEFAULT, &buffer), "H5Fget_vfd_handle", in_memory);
  return {*static_cast<std::byte**>(buffer), seal_bytes + static_cast<std::size_t>(length)};
}

Node root_of(const File& file) {
  return {Object{H5Oopen(file.get(), "/", H5P_DEFAULT), "H5Oopen", "/"}, "/"};
}

// An attribute for each field; the name is that of the object.
void write_quantity(const Node& node, const results::Quantity& what) {
  results::for_each_field<results::Quantity>([&](const auto& field) {
    if (field.name == "name") return;
    const auto& value = what.*field.member;
    if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>) {
      write_attribute(node, field.name.data(), results::name_of(value));
    } else {
      write_attribute(node, field.name.data(), value);
    }
  });
}

template <class Rows, class Member>
auto column_of(const Rows& rows, Member member) {
  std::vector<std::remove_cvref_t<decltype(rows.front().*member)>> column;
  column.reserve(rows.size());
  for (const auto& row : rows) column.push_back(row.*member);
  return column;
}

// The data set of one column: text, numbers, or an enumeration as its codes and their names.
// Doubles hardly shrink, so they are not deflated.
Node write_column(WaitingChunks& waiting, const Node& group, std::string_view name,
                  const std::vector<std::string>& texts, std::int64_t /*width*/) {
  return write_texts(waiting, group, name, texts);
}
template <class T>
requires std::is_arithmetic_v<T> Node write_column(WaitingChunks& waiting, const Node& group,
                                                   std::string_view name,
                                                   const std::vector<T>& values,
                                                   std::int64_t width) {
  const Packing packing = std::is_floating_point_v<T> ? Packing::plain : Packing::deflated;
  return write_numbers(waiting, group, name, std::span{values}, packing, row_shape_of(width));
}
template <class Enum>
requires std::is_enum_v<Enum> Node write_column(WaitingChunks& waiting, const Node& group,
                                                std::string_view name,
                                                const std::vector<Enum>& values,
                                                std::int64_t width) {
  std::vector<std::uint8_t> codes;
  codes.reserve(values.size());
  for (const Enum value : values) codes.push_back(static_cast<std::uint8_t>(value));
  Node node = write_column(waiting, group, name, waiting.keep(std::move(codes)), width);
  write_attribute(node, "names", std::span{results::names_of<Enum>()});
  return node;
}

void write_dimensions(const Node& node, const std::vector<std::string>& dimensions) {
  if (!dimensions.empty()) write_attribute(node, "dimensions", std::span{dimensions});
}

constexpr std::size_t digest_length = 64;

// The attributes of the file that hold them, in their order.
template <class Use>
void for_each_digest(const results::Digests& digests, Use&& use) {
  use("digest", digests.results);
  use("measures_digest", digests.measures);
  use("content_digest", digests.content);
}

// Writes the parts in the order of results::Content.
class Writer {
 public:
  Writer(Node root, const results::Content& content, WaitingChunks& waiting)
      : root_{std::move(root)}, content_{content}, waiting_{waiting} {}

  void write() {
    write_root_attributes();
    write_config();
    write_provenance();
    write_axes();
    write_tasks();
    write_timing();
    write_metrics();
    write_measures();
    write_series();
    write_solutions();
    write_fronts();
    write_merged();
  }

 private:
  void write_root_attributes() {
    const bool partial = std::ranges::find(content_.tasks.status, results::TaskStatus::missing) !=
                         content_.tasks.status.end();
    write_attribute(root_, "format", std::string{"fairfront"});
    write_attribute(root_, "format_version", std::int64_t{results::format_version});
    write_attribute(root_, "status", std::string{partial ? "partial" : "complete"});
    for_each_digest(results::Digests{}, [&](const char* name, const std::string&) {
      write_attribute(root_, name, std::string(digest_length, '0'));  // until they are known
    });
    write_attribute(root_, "created", content_.provenance.created);
    write_attribute(root_, "experiment", content_.experiment);
  }

  void write_config() {
    const Node group = create_group(root_, "config");
    write_rows(group, content_.config);
    write_texts(waiting_, group, "revisions", content_.revisions);
  }

  // One column per field.
  template <class Row>
  void write_rows(const Node& group, const std::vector<Row>& rows) {
    results::for_each_field<Row>([&](const auto& field) {
      write_column(waiting_, group, field.name, waiting_.keep(column_of(rows, field.member)), 0);
    });
  }

  void write_provenance() {
    const results::LaunchFacts& run = content_.provenance;
    const Node group = create_group(root_, "provenance");
    results::for_each_field<results::LaunchFacts>([&](const auto& field) {
      const auto& value = run.*field.member;
      if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(value)>>) {
        const std::int64_t number = value;  // one never waits
        write_numbers(waiting_, group, field.name, std::span{&number, 1});
      } else {
        write_texts(waiting_, group, field.name, std::span{&value, 1});
      }
    });
    write_datasets(create_group(group, "datasets"));
  }

  void write_datasets(const Node& group) {
    write_rows(group, content_.datasets);
    std::vector<std::int64_t> owner;
    std::vector<std::string> files;
    std::vector<std::string> sha256;
    for (std::size_t i = 0; i < content_.datasets.size(); ++i) {
      const data::Provenance& dataset = content_.datasets[i];
      owner.insert(owner.end(), dataset.files.size(), static_cast<std::int64_t>(i));
      files.insert(files.end(), dataset.files.begin(), dataset.files.end());
      sha256.insert(sha256.end(), dataset.sha256.begin(), dataset.sha256.end());
    }
    const Node file_group = create_group(group, "files");
    write_numbers(waiting_, file_group, "dataset", std::span{waiting_.keep(std::move(owner))});
    write_texts(waiting_, file_group, "name", files);
    write_texts(waiting_, file_group, "sha256", sha256);
  }

  void write_axes() {
    const Node group = create_group(root_, "axes");
    for (const results::Axis& axis : content_.axes) {
      write_attribute(write_texts(waiting_, group, axis.name, axis.values), "role",
                      results::name_of(axis.role));
    }
  }

  void write_tasks() {
    const results::TaskTable& tasks = content_.tasks;
    const Node group = create_group(root_, "tasks");
    write_columns(group, tasks, 0);
    const Node axes = create_group(group, "axis");
    for (std::size_t a = 0; a < content_.axes.size(); ++a) {
      write_dimensions(write_column(waiting_, axes, content_.axes[a].name, tasks.axis_index[a], 0),
                       {"task"});
    }
  }

  // Every column of `part`.
  template <class Part>
  void write_columns(const Node& group, const Part& part, std::int64_t width) {
    results::for_each_field<Part>([&](const auto& field) {
      const auto& values = part.*field.member;
      const Node node =
          write_column(waiting_, group, field.name, values, field.use.wide ? width : 0);
      write_dimensions(node, dimensions_of(field.use, field.name));
      if (!field.use.unit.empty()) write_attribute(node, "unit", std::string{field.use.unit});
    });
  }

  void write_timing() {
    const Node group = create_group(root_, "timing");
    write_columns(group, content_.timing, 0);
    const Node along = create_group(group, "series");
    for (const results::Series& series : content_.series) {
      if (series.seconds.empty()) continue;
      const Node seconds = write_column(waiting_, along, series.what.name, series.seconds, 0);
      write_attribute(seconds, "unit", std::string{"s"});
    }
  }

  void write_metrics() {
    const Node group = create_group(root_, "metrics");
    for (const results::Metric& metric : content_.metrics) {
      const Node node = write_column(waiting_, group, metric.what.name, metric.values, 0);
      write_dimensions(node, {"task"});
      write_quantity(node, metric.what);
    }
  }

  void write_measures() {
    const Node group = create_group(root_, "measures");
    const std::vector<std::string> ends = end_names();
    for (const results::Measure& measure : content_.measures) {
      const Node node = write_numbers(
          waiting_, group, measure.what.name, std::span{measure.values}, Packing::deflated,
          {std::ssize(measure.parts), std::ssize(measure.groups), std::ssize(ends)});
      write_dimensions(node, measure_dimensions());
      write_attribute(node, "parts", std::span{measure.parts});
      write_attribute(node, "groups", std::span{measure.groups});
      if (measure.at_groups != results::AtGroups::own) {
        write_attribute(node, "at_groups", results::name_of(measure.at_groups));
      }
      write_attribute(node, "ends", std::span{ends});
      write_quantity(node, measure.what);
    }
  }

  void write_series() {
    const Node parent = create_group(root_, "series");
    for (const results::Series& series : content_.series) {
      const Node group = create_group(parent, series.what.name);
      write_quantity(group, series.what);
      write_attribute(group, "step_name", series.step_name);
      write_columns(group, series, 0);
    }
  }

  void write_solutions() {
    const Node parent = create_group(root_, "solutions");
    for (const results::Solutions& solutions : content_.solutions) {
      const Node group = create_group(parent, solutions.what.name);
      write_quantity(group, solutions.what);
      write_numbers(waiting_, group, "task", std::span{solutions.task});
      if (std::optional<SharedVectors> found = shared_vectors(solutions)) {
        const SharedVectors& shared = waiting_.keep(*std::move(found));
        write_numbers(waiting_, group, "vector", std::span{shared.vector});
        write_vectors(group, shared.offsets, shared.values);
      } else {
        write_vectors(group, solutions.offsets, solutions.values);
      }
    }
  }

  void write_vectors(const Node& group, const std::vector<std::int64_t>& offsets,
                     const decltype(results::Solutions::values)& vectors) {
    write_numbers(waiting_, group, "offsets", std::span{offsets});
    std::visit(
        [&](const auto& values) { write_numbers(waiting_, group, "values", std::span{values}); },
        vectors);
  }

  void write_fronts() {
    const Node parent = create_group(root_, "fronts");
    for (const results::FrontGroup& front : content_.fronts) {
      const Node group = create_group(parent, front.name);
      write_objectives(group, front.objectives);
      write_attribute(group, "solutions", front.solutions_name);
      write_columns(group, front, std::ssize(front.objectives));
    }
  }

  void write_merged() {
    const Node parent = create_group(root_, "merged");
    for (const results::MergedFront& merged : content_.merged) {
      const Node group = create_group(parent, merged.name);
      const auto points =
          std::ranges::find(content_.fronts, merged.name, &results::FrontGroup::name);
      results::for_each_field<results::MergedFront>([&](const auto& set) {
        write_columns(create_group(group, set.name), merged.*set.member,
                      std::ssize(points->objectives));
      });
    }
  }

  void write_objectives(const Node& group, const std::vector<results::Quantity>& objectives) {
    std::vector<std::string> directions;
    directions.reserve(objectives.size());
    for (const results::Quantity& what : objectives) {
      directions.push_back(results::name_of(what.direction));
    }
    const auto write = [&](const char* name, const std::vector<std::string>& column) {
      write_attribute(group, name, std::span{column});
    };
    write("objectives", column_of(objectives, &results::Quantity::name));
    write("definitions", column_of(objectives, &results::Quantity::definition));
    write("units", column_of(objectives, &results::Quantity::unit));
    write("directions", directions);
    write("sources", column_of(objectives, &results::Quantity::source));
  }

  Node root_;
  const results::Content& content_;
  WaitingChunks& waiting_;
};

void require_valid(const results::Content& content) {
  const std::vector<std::string> broken = results::broken_rules(content);
  if (!broken.empty()) {
    throw std::invalid_argument(fmt::format("archive::write: {}", broken.front()));
  }
}

}  // namespace

Image::Image(const results::Content& content)
    : file_{create_file()}, waiting_{std::make_unique<WaitingChunks>()} {
  require_valid(content);
  Writer{root_of(file_), content, *waiting_}.write();
}

Image::~Image() = default;

std::vector<UnpackedChunk> Image::chunks() const {
  std::vector<UnpackedChunk> chunks;
  for (const auto& [form, rows] : waiting_->chunks()) chunks.push_back({bytes_of(form), rows});
  return chunks;
}

void Image::write_chunk(std::size_t place, std::string_view packed) {
  waiting_->write(place, packed);
}

std::span<const std::byte> Image::close(const results::Digests& digests) {
  {
    const Node root = root_of(file_);
    for_each_digest(digests, [&](const char* name, const std::string& digest) {
      write_attribute_again(root, name, digest);
    });
  }
  waiting_.reset();  // closes their data sets
  bytes_ = buffer_of(file_);
  return bytes_;
}

}  // namespace fairfront::archive
