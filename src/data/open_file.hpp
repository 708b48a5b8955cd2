/// @file
/// Opens the file that a config means: one of the catalogue, checked, or the user's own.
#pragma once

#include <filesystem>
#include <string>

#include "data/catalogue.hpp"
#include "data/data_file.hpp"

namespace fairfront::data {

/// @param entry  a data set with a file.
/// @throws base::InputError  the file is missing, or its content is not the published one and
///         `allow_changed` is false.
[[nodiscard]] DataFile open_catalogue_file(const CatalogueEntry& entry,
                                           const std::filesystem::path& data_dir,
                                           bool allow_changed);

/// @param name  as the user wrote it: relative to the working directory, or else to `data_dir`.
/// @throws base::InputError  no name, or no such file.
[[nodiscard]] DataFile open_own_file(const std::string& name,
                                     const std::filesystem::path& data_dir);

}  // namespace fairfront::data
