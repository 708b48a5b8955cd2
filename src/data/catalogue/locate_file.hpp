/// @file
/// Finds the file that a config means: one of the catalogue, or the user's own.
#pragma once

#include <filesystem>
#include <string>

#include "data/catalogue/catalogue.hpp"
#include "data/catalogue/data_folder.hpp"

namespace fairfront::data {

/// @param file  of the entry.
/// @throws base::InputError  the file is missing.
[[nodiscard]] std::filesystem::path catalogue_path(const CatalogueEntry& entry,
                                                   const CatalogueFile& file,
                                                   const std::filesystem::path& data_dir);

/// @param kind  csv, arff or libsvm, for messages.
/// @param name  as the user wrote it: where it has moved, else relative to the working directory,
/// or
///              else to `data_dir`.
/// @throws base::InputError  no name, or no such file.
[[nodiscard]] std::filesystem::path own_path(const std::string& kind, const std::string& name,
                                             const DataFolder& data_dir);

/// As own_path, of any option. @param option  such as "data.file", for messages.
[[nodiscard]] std::filesystem::path path_of_option(const std::string& option,
                                                   const std::string& name,
                                                   const DataFolder& data_dir);

/// Is the file the one that the catalogue means?
/// @throws base::InputError  its content has another hash.
void check_published(const std::string& data_set, const CatalogueFile& file,
                     const std::string& path, const std::string& sha256);

}  // namespace fairfront::data
