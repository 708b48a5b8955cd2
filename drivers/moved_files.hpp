/// @file
/// Data files that the machine of an archive had elsewhere.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "results/content.hpp"

namespace fairfront::drivers {

/// Where files of the user's own are that the archive's machine had elsewhere: found in the data
/// directory by their names, and by the contents that the archive tells. Says so on the standard
/// error. Name and place, alternating. Local.
[[nodiscard]] std::vector<std::string> moved_files(const results::Content& content,
                                                   const std::filesystem::path& folder);

}  // namespace fairfront::drivers
