#include <fmt/format.h>

#include <algorithm>

#include "archive/archive.hpp"
#include "archive/columns.hpp"
#include "archive/number_type.hpp"

namespace fairfront::archive {
namespace {

struct Shape {
  std::size_t rows = 0;
  std::size_t columns = 0;  // 0: one dimension
};

[[noreturn]] void damaged(const Node& node, std::string_view rule) {
  throw DamagedError(fmt::format("{}: {}", node.path, rule));
}

Shape shape_of(const Node& node) {
  const Space space{H5Dget_space(node.id()), "H5Dget_space", node.path};
  const int rank =
      checked(H5Sget_simple_extent_ndims(space.get()), "H5Sget_simple_extent_ndims", node.path);
  if (rank != 1 && rank != 2) damaged(node, fmt::format("has {} dimensions", rank));
  hsize_t extent[] = {0, 0};
  checked(H5Sget_simple_extent_dims(space.get(), extent, nullptr), "H5Sget_simple_extent_dims",
          node.path);
  return {extent[0], rank == 2 ? extent[1] : 0};
}

std::size_t chunk_elements(const Node& node, int rank) {
  const PropertyList list{H5Dget_create_plist(node.id()), "H5Dget_create_plist", node.path};
  if (H5Pget_layout(list.get()) != H5D_CHUNKED) damaged(node, "is not chunked");
  hsize_t chunk[] = {1, 1};
  checked(H5Pget_chunk(list.get(), rank, chunk), "H5Pget_chunk", node.path);
  return chunk[0] * chunk[1];  // HDF5 keeps a chunk below 2^32 bytes
}

std::size_t file_length(const Node& node) {
  const File file{H5Iget_file_id(node.id()), "H5Iget_file_id", node.path};
  hsize_t length = 0;
  checked(H5Fget_filesize(file.get(), &length), "H5Fget_filesize", node.path);
  return length;
}

// A damaged header can claim any size. Deflate shrinks no more than 1032-fold, so the bytes that
// are stored bound what may be allocated, by us and for a chunk by HDF5.
void require_stored(const Node& node, const Shape& shape, std::size_t element_bytes) {
  const std::size_t stored = H5Dget_storage_size(node.id());
  if (stored > file_length(node)) damaged(node, "claims more bytes than the file has");
  constexpr std::size_t most_shrinking = 1032;
  const std::size_t elements = stored * most_shrinking / element_bytes;
  const std::size_t row = std::max<std::size_t>(shape.columns, 1);
  if (shape.rows > elements / row) damaged(node, "is longer than what the file stores of it");
  const bool has_chunks = shape.rows > 0;
  if (has_chunks && chunk_elements(node, shape.columns == 0 ? 1 : 2) > elements) {
    damaged(node, "has chunks larger than what the file stores of it");
  }
}

Type type_of(const Node& node) { return {H5Dget_type(node.id()), "H5Dget_type", node.path}; }

void require_data_set(const Node& node) {
  if (H5Iget_type(node.id()) != H5I_DATASET) damaged(node, "is not a data set");
}

void read_rows(const Node& node, hid_t type, std::size_t first, std::size_t count, char* padded) {
  const Space source{H5Dget_space(node.id()), "H5Dget_space", node.path};
  const hsize_t start[] = {first};
  const hsize_t size[] = {count};
  checked(H5Sselect_hyperslab(source.get(), H5S_SELECT_SET, start, nullptr, size, nullptr),
          "H5Sselect_hyperslab", node.path);
  const Space target{H5Screate_simple(1, size, nullptr), "H5Screate_simple", node.path};
  checked(H5Dread(node.id(), type, target.get(), source.get(), H5P_DEFAULT, padded), "H5Dread",
          node.path);
}

std::string without_padding(const char* text, std::size_t width) {
  while (width > 0 && text[width - 1] == '\0') --width;
  return {text, width};
}

std::string attribute_path(const Node& node, const char* name) {
  return fmt::format("{}@{}", node.path, name);
}

Attribute open_attribute(const Node& node, const char* name) {
  return {H5Aopen(node.id(), name, H5P_DEFAULT), "H5Aopen", attribute_path(node, name)};
}

// Gives back the texts that H5Aread allocated.
class TextArray {
 public:
  explicit TextArray(std::size_t size) : texts_(size, nullptr) {}
  TextArray(const TextArray&) = delete;
  TextArray& operator=(const TextArray&) = delete;
  ~TextArray() {
    for (char* text : texts_) H5free_memory(text);
  }
  [[nodiscard]] char** data() { return texts_.data(); }
  [[nodiscard]] std::vector<std::string> copy() const {
    std::vector<std::string> copies;
    for (const char* text : texts_) copies.emplace_back(text != nullptr ? text : "");
    return copies;
  }

 private:
  std::vector<char*> texts_;
};

// Number of elements of an attribute of the expected kind.
std::size_t attribute_size(const Attribute& attribute, int rank, const std::string& path) {
  const Space space{H5Aget_space(attribute.get()), "H5Aget_space", path};
  if (H5Sget_simple_extent_type(space.get()) == H5S_NULL ||
      H5Sget_simple_extent_ndims(space.get()) != rank) {
    throw DamagedError(fmt::format("{}: has the wrong shape", path));
  }
  const auto size =
      checked(H5Sget_simple_extent_npoints(space.get()), "H5Sget_simple_extent_npoints", path);
  // 16 bytes of reference per text stand in the attribute itself.
  const std::size_t stored = H5Aget_storage_size(attribute.get());
  if (static_cast<std::size_t>(size) > stored) {
    throw DamagedError(fmt::format("{}: is longer than what the file stores of it", path));
  }
  return static_cast<std::size_t>(size);
}

std::vector<std::string> read_attribute_texts(const Node& node, const char* name, int rank) {
  const std::string path = attribute_path(node, name);
  const Attribute attribute = open_attribute(node, name);
  const Type type{H5Aget_type(attribute.get()), "H5Aget_type", path};
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) <= 0) {
    throw DamagedError(fmt::format("{}: is not variable-length text", path));
  }
  TextArray texts{attribute_size(attribute, rank, path)};
  checked(H5Aread(attribute.get(), type.get(), texts.data()), "H5Aread", path);
  return texts.copy();
}

}  // namespace

Node open_node(const Node& parent, std::string_view name) {
  std::string path = fmt::format("{}/{}", parent.path == "/" ? "" : parent.path, name);
  Object object{H5Oopen(parent.id(), std::string{name}.c_str(), H5P_DEFAULT), "H5Oopen", path};
  return {std::move(object), std::move(path)};
}

std::vector<std::string> member_names(const Node& group) {
  H5G_info_t info{};
  checked(H5Gget_info(group.id(), &info), "H5Gget_info", group.path);
  std::vector<std::string> names;
  for (hsize_t i = 0; i < info.nlinks; ++i) {
    const auto name = [&](char* buffer, std::size_t size) {
      return checked(H5Lget_name_by_idx(group.id(), ".", H5_INDEX_CRT_ORDER, H5_ITER_INC, i, buffer,
                                        size, H5P_DEFAULT),
                     "H5Lget_name_by_idx", group.path);
    };
    std::string text(static_cast<std::size_t>(name(nullptr, 0)), '\0');
    name(text.data(), text.size() + 1);
    names.push_back(std::move(text));
  }
  return names;
}

template <class T>
bool holds(const Node& data_set) {
  require_data_set(data_set);
  const Type type = type_of(data_set);
  return checked(H5Tequal(type.get(), file_type<T>()), "H5Tequal", data_set.path) > 0;
}
template bool holds<std::uint8_t>(const Node&);
template bool holds<std::uint16_t>(const Node&);
template bool holds<double>(const Node&);

template <class T>
std::vector<T> read_numbers(const Node& parent, std::string_view name, std::int64_t columns) {
  const Node node = open_node(parent, name);
  if (!holds<T>(node)) damaged(node, "holds numbers of the wrong type");
  const Shape shape = shape_of(node);
  if (shape.columns != static_cast<std::size_t>(columns)) damaged(node, "has the wrong shape");
  require_stored(node, shape, sizeof(T));
  std::vector<T> values(shape.rows * std::max<std::size_t>(shape.columns, 1));
  if (!values.empty()) {
    checked(H5Dread(node.id(), memory_type<T>(), H5S_ALL, H5S_ALL, H5P_DEFAULT, values.data()),
            "H5Dread", node.path);
  }
  return values;
}
template std::vector<std::uint8_t> read_numbers(const Node&, std::string_view, std::int64_t);
template std::vector<std::uint16_t> read_numbers(const Node&, std::string_view, std::int64_t);
template std::vector<std::int32_t> read_numbers(const Node&, std::string_view, std::int64_t);
template std::vector<std::int64_t> read_numbers(const Node&, std::string_view, std::int64_t);
template std::vector<double> read_numbers(const Node&, std::string_view, std::int64_t);

std::vector<std::string> read_texts(const Node& parent, std::string_view name) {
  const Node node = open_node(parent, name);
  require_data_set(node);
  const Type type = type_of(node);
  if (H5Tget_class(type.get()) != H5T_STRING || H5Tis_variable_str(type.get()) != 0) {
    damaged(node, "is not fixed-length text");
  }
  const Shape shape = shape_of(node);
  if (shape.columns != 0) damaged(node, "has the wrong shape");
  const std::size_t width = H5Tget_size(type.get());
  require_stored(node, shape, width);

  constexpr std::size_t block_bytes = std::size_t{1} << 20;
  const std::size_t block = std::max<std::size_t>(block_bytes / width, 1);
  std::vector<char> padded(std::min(block, shape.rows) * width);
  std::vector<std::string> values;
  values.reserve(shape.rows);
  for (std::size_t first = 0; first < shape.rows; first += block) {
    const std::size_t count = std::min(block, shape.rows - first);
    read_rows(node, type.get(), first, count, padded.data());
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(without_padding(padded.data() + i * width, width));
    }
  }
  return values;
}

std::string read_text_attribute(const Node& node, const char* name) {
  return read_attribute_texts(node, name, 0).front();
}

std::vector<std::string> read_texts_attribute(const Node& node, const char* name) {
  return read_attribute_texts(node, name, 1);
}

std::int64_t read_integer_attribute(const Node& node, const char* name) {
  const std::string path = attribute_path(node, name);
  const Attribute attribute = open_attribute(node, name);
  const Type type{H5Aget_type(attribute.get()), "H5Aget_type", path};
  if (checked(H5Tequal(type.get(), H5T_STD_I64LE), "H5Tequal", path) == 0) {
    throw DamagedError(fmt::format("{}: is not a 64-bit integer", path));
  }
  attribute_size(attribute, 0, path);
  std::int64_t value = 0;
  checked(H5Aread(attribute.get(), H5T_NATIVE_INT64, &value), "H5Aread", path);
  return value;
}

}  // namespace fairfront::archive
