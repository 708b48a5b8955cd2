/// @file
/// From an archive back to the sweep that it holds.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "results/content.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// A config that makes the same plan again: text with the experiment and the sections of its
/// methods, and an assignment as of --set for each option, axes first and in their order.
struct StoredConfig {
  std::string text;
  std::vector<std::string> assignments;
};

/// Of an archive, or of a journal's header.
[[nodiscard]] StoredConfig stored_config(std::span<const results::ConfigEntry> config,
                                         std::span<const results::Axis> axes);

/// The same as one INI file: every option with its value, defaults included, and axes in their
/// order, so that the file makes the same plan.
/// @throws base::InputError  a value that no line of a file can hold, such as a name with a line
///         feed.
[[nodiscard]] std::string stored_ini(std::span<const results::ConfigEntry> config,
                                     std::span<const results::Axis> axes);

}  // namespace fairfront::sweep
