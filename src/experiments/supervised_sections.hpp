/// @file
/// The sections of every family that learns from the rows of a table.
#pragma once

#include <string>
#include <vector>

#include "config/section.hpp"

namespace fairfront::experiments {

/// [data], [split] and [preparation], and behind them the family's own.
/// @param table  what the table holds, such as "label, groups, features", for help.
/// @param parts  what its parts are, such as "train, validation and test part".
[[nodiscard]] std::vector<config::Section> supervised_sections(const std::string& table,
                                                               const std::string& parts,
                                                               std::vector<config::Section> own);

/// [data] and [preparation] of a family whose rows have no parts, and behind them its own.
/// @param table  title of [data].
[[nodiscard]] std::vector<config::Section> whole_set_sections(const std::string& table,
                                                              std::vector<config::Section> own);

}  // namespace fairfront::experiments
