/// @file
/// Finds a data file and reads it in pieces: inflated and hashed on the way.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "base/file.hpp"
#include "base/sha256.hpp"
#include "data/readers/gzip.hpp"
#include "data/readers/reading_scope.hpp"
#include "data/readers/text_window.hpp"

namespace fairfront::data {

/// Is there something at `path`, links followed?
/// @throws base::InputError  that cannot be found out: links in a circle, a folder that may not be
///         entered, a name that is too long.
[[nodiscard]] bool file_exists(const std::filesystem::path& path);

/// `path`, or else its twin with or without ".gz"; nothing when neither exists.
/// @throws base::InputError  as file_exists().
[[nodiscard]] std::optional<std::filesystem::path> find_file(const std::filesystem::path& path);

/// A file that is read once, from front to end; no more than a block of it is in memory.
class DataFile {
 public:
  /// @throws base::InputError  the file cannot be opened, or is no file: data are read several
  ///         times and on every rank, which a pipe, a device or a file below /proc cannot give.
  explicit DataFile(const std::filesystem::path& path);
  DataFile(DataFile&&) = delete;  // the window and the inflater hold its address

  [[nodiscard]] const std::string& path() const noexcept { return path_; }  ///< for messages
  [[nodiscard]] const std::string& name() const noexcept { return name_; }  ///< no directories

  /// The file's text from where it has been read to. The file must outlive the window.
  /// @throws base::InputError  here or later: the file cannot be read, or ends in ".gz" and cannot
  ///         be inflated.
  [[nodiscard]] TextWindow text();

  /// SHA-256 of the whole uncompressed content: the bytes of a .gz differ from one compressor to
  /// the next. Reads what is left.
  [[nodiscard]] const std::string& sha256();

 private:
  std::size_t read(std::span<char> out);
  std::size_t read_stored(std::span<char> out);

  std::string path_;
  std::string name_;
  base::Descriptor file_;
  std::optional<GzipReader> gzip_;
  base::Sha256 hash_;
  std::string sha256_;
  Reading reading_;
};

}  // namespace fairfront::data
