/// @file
/// The models of an archive as text, and the command that predicts by them.
#pragma once

#include <string>

#include "results/content.hpp"

namespace fairfront::drivers {

/// A line for each method that has left models; nothing where none has.
/// @param path  of the archive.
[[nodiscard]] std::string models_text(const results::Content& content, const std::string& path);

}  // namespace fairfront::drivers
