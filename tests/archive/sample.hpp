/// @file
/// Contents for the archive's tests, comparison field by field, and a folder that removes itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>

#include "archive/content.hpp"

namespace fairfront::archive::test {

/// Every part filled at random: texts with blanks and UTF-8, NaN and infinite metrics, ragged and
/// empty rows, solutions of all three types, fronts with two and three objectives whose
/// hypervolumes are right. The same seed gives the same content.
[[nodiscard]] Content random_content(std::uint64_t seed, std::size_t tasks);

/// Where `a` and `b` differ, doubles compared by their bits; empty when they do not.
[[nodiscard]] std::string difference(const Content& a, const Content& b);

/// A new folder below the system's folder for temporary files.
class TemporaryFolder {
 public:
  TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  [[nodiscard]] std::string operator/(const std::string& name) const;
  [[nodiscard]] std::size_t count_files() const;

 private:
  std::filesystem::path path_;
};

[[nodiscard]] std::string bytes_of(const std::string& path);
void put_bytes(const std::string& path, const std::string& bytes);

}  // namespace fairfront::archive::test
