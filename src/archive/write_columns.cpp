#include <fmt/format.h>

#include <algorithm>
#include <bit>

#include "archive/hdf5_columns.hpp"
#include "archive/number_type.hpp"

namespace fairfront::archive {
namespace {

// Not more than HDF5's default cache for chunks, so that old readers need not be tuned.
constexpr std::size_t chunk_bytes = std::size_t{1} << 20;

/// A gigabyte of labels takes ten seconds at level 1, 22 at level 4, and is 4 % smaller then; keys
/// of tasks take a third, and are 3 % larger.
unsigned deflate_level_of(std::size_t bytes) {
  constexpr std::size_t many = std::size_t{4} << 20;
  return bytes < many ? 4 : 1;
}

struct Layout {
  std::size_t rows = 0;
  std::size_t element_bytes = 1;
  Packing packing = Packing::deflated;
  RowShape row{};

  [[nodiscard]] std::size_t row_elements() const {
    std::size_t elements = 1;
    for (const std::int64_t extent : row) elements *= static_cast<std::size_t>(extent);
    return elements;
  }
  [[nodiscard]] std::size_t row_bytes() const { return row_elements() * element_bytes; }
  [[nodiscard]] std::size_t chunk_rows() const {
    const std::size_t fitting = std::max<std::size_t>(chunk_bytes / row_bytes(), 1);
    return std::clamp<std::size_t>(rows, 1, fitting);
  }
  [[nodiscard]] int rank() const { return 1 + static_cast<int>(row.size()); }
  [[nodiscard]] ChunkForm chunk_form(bool texts) const {
    const bool deflates = packing == Packing::deflated;
    return {chunk_rows() * row_bytes(), element_bytes,
            deflates ? deflate_level_of(rows * row_bytes()) : 0, texts ? 1U : 0U};
  }
  // With so many rows.
  [[nodiscard]] std::vector<hsize_t> shape(hsize_t first) const {
    std::vector<hsize_t> all{first};
    for (const std::int64_t extent : row) all.push_back(static_cast<hsize_t>(extent));
    return all;
  }
};

// Beyond such a number of attributes or links HDF5 would move them into a heap.
constexpr unsigned most_in_header = 65'535;

void keep_attributes_in_header(const PropertyList& list, const std::string& path) {
  checked(H5Pset_attr_phase_change(list.get(), most_in_header, most_in_header),
          "H5Pset_attr_phase_change", path);
}

std::string member_path(const Node& parent, std::string_view name) {
  return fmt::format("{}/{}", parent.path == "/" ? "" : parent.path, name);
}

PropertyList creation_properties(const Layout& layout, const std::string& path) {
  PropertyList list{H5Pcreate(H5P_DATASET_CREATE), "H5Pcreate", path};
  const auto chunk = layout.shape(layout.chunk_rows());
  checked(H5Pset_chunk(list.get(), layout.rank(), chunk.data()), "H5Pset_chunk", path);
  if (layout.packing == Packing::deflated) {
    checked(H5Pset_shuffle(list.get()), "H5Pset_shuffle", path);
    checked(H5Pset_deflate(list.get(), deflate_level_of(layout.rows * layout.row_bytes())),
            "H5Pset_deflate", path);
  }
  checked(H5Pset_fletcher32(list.get()), "H5Pset_fletcher32", path);
  checked(H5Pset_obj_track_times(list.get(), false), "H5Pset_obj_track_times", path);
  keep_attributes_in_header(list, path);
  return list;
}

Node create_data_set(const Node& parent, std::string_view name, hid_t type, const Layout& layout) {
  std::string path = member_path(parent, name);
  const auto extent = layout.shape(layout.rows);
  // HDF5 refuses a chunk that is larger than a fixed extent, also when the extent is 0.
  const auto limit = layout.shape(layout.rows == 0 ? H5S_UNLIMITED : layout.rows);
  const Space space{H5Screate_simple(layout.rank(), extent.data(), limit.data()),
                    "H5Screate_simple", path};
  const PropertyList properties = creation_properties(layout, path);
  Object object{H5Dcreate2(parent.id(), std::string{name}.c_str(), type, space.get(), H5P_DEFAULT,
                           properties.get(), H5P_DEFAULT),
                "H5Dcreate2", path};
  return {std::move(object), std::move(path)};
}

Type text_type(std::size_t width, const std::string& path) {
  Type type{H5Tcopy(H5T_C_S1), "H5Tcopy", path};
  checked(H5Tset_size(type.get(), width), "H5Tset_size", path);
  checked(H5Tset_cset(type.get(), H5T_CSET_UTF8), "H5Tset_cset", path);
  checked(H5Tset_strpad(type.get(), H5T_STR_NULLPAD), "H5Tset_strpad", path);
  return type;
}

void write_chunk(const Node& node, std::size_t first, std::string_view packed) {
  // One place for each dimension; chunks hold whole rows.
  const hsize_t place[H5S_MAX_RANK] = {first};
  checked(H5Dwrite_chunk(node.id(), H5P_DEFAULT, 0, place, packed.size(), packed.data()),
          "H5Dwrite_chunk", node.path);
}

/// Below, deflating takes less than to bother another rank.
constexpr std::size_t least_waiting_bytes = std::size_t{1} << 16;

/// @param rows_of  of (first row, number of rows): as ChunkForm says.
template <class RowsOf>
void write_chunks(WaitingChunks& waiting, const Node& node, const Layout& layout, bool texts,
                  RowsOf&& rows_of) {
  const ChunkForm form = layout.chunk_form(texts);
  const bool waits = form.level > 0 && form.chunk_bytes >= least_waiting_bytes;
  for (std::size_t first = 0; first < layout.rows; first += layout.chunk_rows()) {
    auto rows = rows_of(first, std::min(layout.chunk_rows(), layout.rows - first));
    if (waits) {
      waiting.add(node, first, form, std::move(rows));
    } else {
      write_chunk(node, first, pack_chunk(form, rows));
    }
  }
}

void write_attribute_value(const Node& node, const char* name, hid_t type, const Space& space,
                           const void* value) {
  const std::string path = fmt::format("{}@{}", node.path, name);
  Attribute attribute{H5Acreate2(node.id(), name, type, space.get(), H5P_DEFAULT, H5P_DEFAULT),
                      "H5Acreate2", path};
  checked(H5Awrite(attribute.get(), type, value), "H5Awrite", path);
  attribute.close("H5Aclose", path);
}

}  // namespace

void keep_all_in_header(const PropertyList& group, const std::string& path) {
  keep_attributes_in_header(group, path);
  checked(H5Pset_link_phase_change(group.get(), most_in_header, most_in_header),
          "H5Pset_link_phase_change", path);
}

Node create_group(const Node& parent, std::string_view name) {
  std::string path = member_path(parent, name);
  const PropertyList list{H5Pcreate(H5P_GROUP_CREATE), "H5Pcreate", path};
  checked(H5Pset_link_creation_order(list.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED),
          "H5Pset_link_creation_order", path);
  checked(H5Pset_obj_track_times(list.get(), false), "H5Pset_obj_track_times", path);
  keep_all_in_header(list, path);
  Object object{
      H5Gcreate2(parent.id(), std::string{name}.c_str(), H5P_DEFAULT, list.get(), H5P_DEFAULT),
      "H5Gcreate2", path};
  return {std::move(object), std::move(path)};
}

void WaitingChunks::add(const Node& data_set, std::size_t first, const ChunkForm& form,
                        std::string_view rows) {
  std::shared_ptr<const Node> target = targets_.empty() ? nullptr : targets_.back().data_set;
  if (!target || target->id() != data_set.id()) {
    checked(H5Iinc_ref(data_set.id()), "H5Iinc_ref", data_set.path);
    target = std::make_shared<const Node>(
        Node{Object{data_set.id(), "H5Iinc_ref", data_set.path}, data_set.path});
  }
  chunks_.push_back({form, rows});
  targets_.push_back({std::move(target), first});
}

void WaitingChunks::write(std::size_t place, std::string_view packed) const {
  write_chunk(*targets_.at(place).data_set, targets_[place].first, packed);
}

template <class T>
Node write_numbers(WaitingChunks& waiting, const Node& parent, std::string_view name,
                   std::span<const T> values, Packing packing, const RowShape& row) {
  static_assert(std::endian::native == std::endian::little);  // as in the file
  Layout layout{.element_bytes = sizeof(T), .packing = packing, .row = row};
  layout.rows = values.size() / layout.row_elements();
  Node node = create_data_set(parent, name, file_type<T>(), layout);
  const std::string_view bytes{reinterpret_cast<const char*>(values.data()), values.size_bytes()};
  const std::size_t width = layout.row_bytes();
  write_chunks(waiting, node, layout, false, [bytes, width](std::size_t first, std::size_t count) {
    return bytes.substr(first * width, count * width);
  });
  return node;
}
template Node write_numbers(WaitingChunks&, const Node&, std::string_view,
                            std::span<const std::uint8_t>, Packing, const RowShape&);
template Node write_numbers(WaitingChunks&, const Node&, std::string_view,
                            std::span<const std::uint16_t>, Packing, const RowShape&);
template Node write_numbers(WaitingChunks&, const Node&, std::string_view,
                            std::span<const std::int32_t>, Packing, const RowShape&);
template Node write_numbers(WaitingChunks&, const Node&, std::string_view,
                            std::span<const std::int64_t>, Packing, const RowShape&);
template Node write_numbers(WaitingChunks&, const Node&, std::string_view, std::span<const double>,
                            Packing, const RowShape&);

Node write_texts(WaitingChunks& waiting, const Node& parent, std::string_view name,
                 std::span<const std::string> values) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  const Layout layout{.rows = values.size(), .element_bytes = width};
  const Type type = text_type(width, parent.path);
  Node node = create_data_set(parent, name, type.get(), layout);
  write_chunks(waiting, node, layout, true, [&](std::size_t first, std::size_t count) {
    return join_texts(values.subspan(first, count));
  });
  return node;
}

void write_attribute(const Node& node, const char* name, const std::string& value) {
  const Type type = text_type(std::max<std::size_t>(value.size(), 1), node.path);
  const Space space{H5Screate(H5S_SCALAR), "H5Screate", node.path};
  write_attribute_value(node, name, type.get(), space, value.c_str());  // at least the final NUL
}

void write_attribute_again(const Node& node, const char* name, const std::string& value) {
  const std::string path = fmt::format("{}@{}", node.path, name);
  Attribute attribute{H5Aopen(node.id(), name, H5P_DEFAULT), "H5Aopen", path};
  const Type type = text_type(value.size(), node.path);
  checked(H5Awrite(attribute.get(), type.get(), value.data()), "H5Awrite", path);
  attribute.close("H5Aclose", path);
}

void write_attribute(const Node& node, const char* name, std::int64_t value) {
  const Space space{H5Screate(H5S_SCALAR), "H5Screate", node.path};
  write_attribute_value(node, name, H5T_STD_I64LE, space, &value);
}

void write_attribute(const Node& node, const char* name, std::span<const std::string> values) {
  std::size_t width = 1;
  for (const std::string& value : values) width = std::max(width, value.size());
  const Type type = text_type(width, node.path);
  const hsize_t count[] = {values.size()};
  const Space space{H5Screate_simple(1, count, nullptr), "H5Screate_simple", node.path};
  std::string padded;
  for (const std::string& value : values) {
    padded += value;
    padded.append(width - value.size(), '\0');
  }
  write_attribute_value(node, name, type.get(), space, padded.data());
}

}  // namespace fairfront::archive
