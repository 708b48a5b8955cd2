/// @file
/// Changes a published archive as a careful forger would: the seal is right again afterwards, so
/// that the checks behind it have to find the change.
#pragma once

#include <cstddef>
#include <cstring>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "archive/hdf5_columns.hpp"
#include "archive/seal.hpp"
#include "base/sha256.hpp"
#include "results/sample.hpp"
#include "support/temporary_folder.hpp"

namespace fairfront::archive::test {

using fairfront::test::bytes_of;
using fairfront::test::put_bytes;
using fairfront::test::TemporaryFolder;
using results::test::difference;
using results::test::random_content;

inline void seal_again(const std::string& path) {
  std::string bytes = bytes_of(path);
  const std::string sha256 = base::sha256_of(std::string_view{bytes}.substr(seal_bytes));
  const auto seal = seal_of(bytes.size(), sha256);
  std::memcpy(bytes.data(), seal.data(), seal.size());
  put_bytes(path, bytes);
}

inline void edit(const std::string& path, const std::function<void(const Node& root)>& change) {
  {
    const QuietErrors quiet;
    const PropertyList access{H5Pcreate(H5P_FILE_ACCESS), "H5Pcreate", path};
    checked(H5Pset_libver_bounds(access.get(), H5F_LIBVER_V18, H5F_LIBVER_V18),
            "H5Pset_libver_bounds", path);  // or what is put there would be of an older format
    const File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, access.get()), "H5Fopen", path};
    change({Object{H5Oopen(file.get(), "/", H5P_DEFAULT), "H5Oopen", "/"}, "/"});
  }
  seal_again(path);
}

inline void remove(const Node& root, const std::string& name) {
  checked(H5Ldelete(root.id(), name.c_str(), H5P_DEFAULT), "H5Ldelete", name);
}

inline Node open_node(const Node& root, const std::string& name) {
  return {Object{H5Oopen(root.id(), name.c_str(), H5P_DEFAULT), "H5Oopen", name}, name};
}

inline void copy_attributes(const Node& from, const Node& to) {
  const auto copy = [](hid_t object, const char* name, const H5A_info_t*, void* target) -> herr_t {
    const Attribute old{H5Aopen(object, name, H5P_DEFAULT), "H5Aopen", name};
    const Type type{H5Aget_type(old.get()), "H5Aget_type", name};
    const Space space{H5Aget_space(old.get()), "H5Aget_space", name};
    std::vector<std::byte> value(H5Aget_storage_size(old.get()));
    const Attribute made{H5Acreate2(static_cast<const Node*>(target)->id(), name, type.get(),
                                    space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         "H5Acreate2", name};
    H5Aread(old.get(), type.get(), value.data());
    return H5Awrite(made.get(), type.get(), value.data());
  };
  Node target{Object{H5Oopen(to.id(), ".", H5P_DEFAULT), "H5Oopen", to.path}, to.path};
  H5Aiterate2(from.id(), H5_INDEX_NAME, H5_ITER_INC, nullptr, copy, &target);
}

/// A whole column at once.
template <class Write>
Node write_whole(Write&& write) {
  WaitingChunks waiting;
  Node node = write(waiting);
  for (std::size_t i = 0; i < waiting.chunks().size(); ++i) {
    waiting.write(i, pack_chunk(waiting.chunks()[i].form, waiting.chunks()[i].rows));
  }
  return node;
}
template <class T>
Node write_numbers(const Node& parent, std::string_view name, std::span<const T> values,
                   Packing packing = Packing::deflated, const RowShape& row = {}) {
  return write_whole(
      [&](auto& waiting) { return write_numbers(waiting, parent, name, values, packing, row); });
}
inline Node write_texts(const Node& parent, std::string_view name,
                        const std::vector<std::string>& values) {
  return write_whole([&](auto& waiting) { return write_texts(waiting, parent, name, values); });
}

/// Puts another list in the place of an attribute.
inline void write_attribute_again(const Node& root, const std::string& name, const char* attribute,
                                  const std::vector<std::string>& values) {
  const Node node = open_node(root, name);
  checked(H5Adelete(node.id(), attribute), "H5Adelete", name);
  write_attribute(node, attribute, std::span{values});
}

/// Puts other values in the place of a column, with any type and length; its attributes stay.
template <class T>
void replace(const Node& root, const std::string& name, const std::vector<T>& values,
             std::int64_t columns = 0) {
  const Node old = open_node(root, name);
  remove(root, name);
  copy_attributes(
      old, write_numbers(root, name, std::span{values}, Packing::deflated, row_shape_of(columns)));
}

}  // namespace fairfront::archive::test
