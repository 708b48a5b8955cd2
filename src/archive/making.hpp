/// @file
/// An archive whose chunks several processes pack. Local: never communicates.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "results/content.hpp"

namespace fairfront::archive {

class Image;

/// A part of a column that takes long to pack: it goes to pack() as it is, in any process.
struct UnpackedChunk {
  std::string form;
  std::string_view rows;
};

[[nodiscard]] std::string pack(std::string_view form, std::string_view rows);

/// What write() does, step by step. The file does not depend on who has packed its chunks.
class ArchiveInMaking {
 public:
  /// @param content  must outlive this object.
  /// @throws  as write().
  ArchiveInMaking(std::string path, const results::Content& content, bool overwrite);
  ~ArchiveInMaking();
  ArchiveInMaking(const ArchiveInMaking&) = delete;
  ArchiveInMaking& operator=(const ArchiveInMaking&) = delete;

  /// What is left to pack. Valid as long as this object, and until finish().
  [[nodiscard]] std::vector<UnpackedChunk> chunks() const;
  /// Of what was found, see results_digest().
  [[nodiscard]] const std::string& digest() const;
  /// Each of them once, in their order. @throws base::InputError
  void write_chunk(std::size_t place, std::string_view packed);
  /// Publishes the file. @throws base::InputError
  void finish();

 private:
  std::string path_;
  bool overwrite_;
  std::unique_ptr<Image> image_;
};

}  // namespace fairfront::archive
