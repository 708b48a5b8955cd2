/// @file
/// Finds a data file, reads and inflates it.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

namespace fairfront::data {

/// A file in memory.
struct DataFile {
  std::string path;    ///< as it was opened, for messages
  std::string name;    ///< without directories
  std::string text;    ///< uncompressed
  std::string sha256;  ///< of `text`: the bytes of a .gz differ from one compressor to the next
};

/// `path`, or else its twin with or without ".gz"; nothing when neither exists.
[[nodiscard]] std::optional<std::filesystem::path> find_file(const std::filesystem::path& path);

/// @throws base::InputError  the file cannot be read, or ends in ".gz" and cannot be inflated.
[[nodiscard]] DataFile read_data_file(const std::filesystem::path& path);

}  // namespace fairfront::data
