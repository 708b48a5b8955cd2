/// @file
/// Internal: an archive as the bytes of its file.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "archive/handle.hpp"
#include "archive/making.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"

namespace fairfront::archive {

class WaitingChunks;

/// An archive in memory, but for its seal. Equal contents give equal bytes.
///
/// HDF5 builds it in memory (its "core" driver) and we write the bytes ourselves, because HDF5
/// does not get over a failed write: closing the file then fails too, and the process ends with
/// "infinite loop closing library". It also makes one sequential write, which suits every file
/// system. The image takes as much memory as the file has bytes.
class Image {
 public:
  /// All but the digests and the chunks that take long to deflate.
  /// @param content  must outlive this object.
  /// @throws std::invalid_argument  the content breaks a rule of the format: a bug of the caller.
  explicit Image(const results::Content& content);
  ~Image();
  Image(const Image&) = delete;
  Image& operator=(const Image&) = delete;

  [[nodiscard]] std::vector<UnpackedChunk> chunks() const;
  /// Each of them once, in their order: it is that in the file.
  void write_chunk(std::size_t place, std::string_view packed);
  /// When all are written; ends the work.
  /// @return  file().
  std::span<const std::byte> close(const results::Digests& digests);
  /// With room for the seal. Valid as long as this object.
  [[nodiscard]] std::span<const std::byte> file() const noexcept { return bytes_; }

 private:
  QuietErrors quiet_;
  File file_;  // with its bytes in a buffer of HDF5's
  std::unique_ptr<WaitingChunks> waiting_;
  std::span<const std::byte> bytes_;
};

}  // namespace fairfront::archive
