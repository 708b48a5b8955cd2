/// @file
/// Internal: an archive as the bytes of its file.
#pragma once

#include <cstddef>
#include <span>

#include "archive/handle.hpp"
#include "results/content.hpp"

namespace fairfront::archive {

/// A sealed archive in memory. Equal contents give equal bytes.
///
/// HDF5 builds it in memory (its "core" driver) and we write the bytes ourselves, because HDF5
/// does not get over a failed write: closing the file then fails too, and the process ends with
/// "infinite loop closing library". It also makes one sequential write, which suits every file
/// system. The image takes as much memory as the file has bytes.
class Image {
 public:
  /// @throws std::invalid_argument  the content breaks a rule of the format: a bug of the caller.
  explicit Image(const results::Content& content);

  /// Valid as long as this object.
  [[nodiscard]] std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  QuietErrors quiet_;
  File file_;
  std::span<std::byte> bytes_;  // HDF5's own buffer
};

}  // namespace fairfront::archive
