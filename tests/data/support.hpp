/// @file
/// What the tests of the data layer share.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "base/error.hpp"
#include "data/whole_set.hpp"

namespace fairfront::data {

/// The message of the InputError that `work` must throw.
template <class Work>
std::string input_error(Work&& work) {
  try {
    std::forward<Work>(work)();
  } catch (const base::InputError& error) {
    return error.what();
  }
  ADD_FAILURE() << "no InputError was thrown";
  return {};
}

/// The rows of a set without parts.
inline Dataset load(const SupervisedOptions& options, const DataFolder& folder, bool allow_changed,
                    const PreparationOptions& preparation = {}) {
  return load_whole_set(options, preparation, folder, allow_changed).set;
}

/// A folder of this test alone, removed at its end.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "fairfront-data-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp failed");
    path_ = pattern;
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

  /// Writes a file below the folder; returns its path.
  std::string write(const std::string& name, const std::string& bytes) const {
    const std::filesystem::path file = path_ / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << bytes;
    return file.string();
  }

  /// The same, compressed.
  std::string write_gzip(const std::string& name, const std::string& text) const {
    const std::string file = write(name, "");
    gzFile stream = gzopen(file.c_str(), "wb");
    gzwrite(stream, text.data(), static_cast<unsigned>(text.size()));
    gzclose(stream);
    return file;
  }

 private:
  std::filesystem::path path_;
};

}  // namespace fairfront::data
