/// @file
/// Changes a published archive as a careful forger would: the seal is right again afterwards, so
/// that the checks behind it have to find the change.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "archive/columns.hpp"
#include "archive/sample.hpp"
#include "archive/seal.hpp"

namespace fairfront::archive::test {

inline void seal_again(const std::string& path) {
  std::string bytes = bytes_of(path);
  put_seal(std::as_writable_bytes(std::span{bytes}));
  put_bytes(path, bytes);
}

inline void edit(const std::string& path, const std::function<void(const Node& root)>& change) {
  {
    const QuietErrors quiet;
    const File file{H5Fopen(path.c_str(), H5F_ACC_RDWR, H5P_DEFAULT), "H5Fopen", path};
    change({Object{H5Oopen(file.get(), "/", H5P_DEFAULT), "H5Oopen", "/"}, "/"});
  }
  seal_again(path);
}

inline void remove(const Node& root, const std::string& name) {
  checked(H5Ldelete(root.id(), name.c_str(), H5P_DEFAULT), "H5Ldelete", name);
}

/// Puts other values in the place of a column, with any type and length.
template <class T>
void replace(const Node& root, const std::string& name, const std::vector<T>& values,
             std::int64_t columns = 0) {
  remove(root, name);
  write_numbers(root, name, std::span{values}, Packing::deflated, columns);
}

}  // namespace fairfront::archive::test
