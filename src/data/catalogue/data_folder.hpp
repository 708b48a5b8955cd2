/// @file
/// Where data files are looked for.
#pragma once

#include <concepts>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "data/catalogue/catalogue.hpp"

namespace fairfront::data {

/// A folder with one sub-folder per data set. Made of a path alone wherever no file has moved.
struct DataFolder {
  std::filesystem::path path;
  /// The user's own files that are elsewhere by now: as the config names them, and where they are.
  std::map<std::string, std::filesystem::path> moved{};
  OwnSets own_sets{};  ///< of the user's catalogue

  DataFolder() = default;
  template <std::convertible_to<std::filesystem::path> Path>
  DataFolder(Path&& folder) : path{std::forward<Path>(folder)} {}
};

/// The file in `folder`, or below it, that has this name (with or without ".gz") and one of these
/// contents; nothing when there is none of this name.
/// @param sha256  of uncompressed contents.
/// @throws base::InputError  there are files of this name, but none has such a content.
[[nodiscard]] std::optional<std::filesystem::path> find_by_content(
    const std::filesystem::path& folder, const std::string& name,
    std::span<const std::string> sha256);

}  // namespace fairfront::data
