/// @file
/// An archive whose chunks several processes pack. Local: never communicates.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/publish.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"

namespace fairfront::archive {

class Image;

/// A part of a column that takes long to pack: it goes to pack() as it is, in any process.
struct UnpackedChunk {
  std::string form;
  std::string_view rows;
};

[[nodiscard]] std::string pack(std::string_view form, std::string_view rows);

/// What write() does, step by step. The file does not depend on who has packed and hashed what.
class ArchiveInMaking {
 public:
  /// @param content  must outlive this object.
  /// @throws  as write().
  ArchiveInMaking(std::string path, const results::Content& content, bool overwrite);
  ~ArchiveInMaking();
  ArchiveInMaking(const ArchiveInMaking&) = delete;
  ArchiveInMaking& operator=(const ArchiveInMaking&) = delete;

  /// What is left to pack. Valid as long as this object, and until close().
  [[nodiscard]] std::vector<UnpackedChunk> chunks() const;
  /// Each of them once, in their order. @throws base::InputError
  void write_chunk(std::size_t place, std::string_view packed);
  /// Once all are written.
  /// @param digests  of the content, see results::digests_of().
  /// @return  all of the file that its seal is a hash of. Valid as long as this object.
  /// @throws base::InputError
  [[nodiscard]] std::span<const std::byte> close(const results::Digests& digests);
  /// Puts that beside the file's final place. @throws base::InputError
  void write_draft();
  /// And then under its name. @param sha256  of what close() has returned. @throws base::InputError
  void publish(const std::string& sha256);

 private:
  std::string path_;
  bool overwrite_;
  std::unique_ptr<Image> image_;
  std::optional<base::Draft> draft_;
};

}  // namespace fairfront::archive
