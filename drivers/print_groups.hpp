/// @file
/// What an archive says of single groups, for the terminal.
#pragma once

#include <cstddef>
#include <string>

#include "results/content.hpp"
#include "results/task_record.hpp"
#include "table.hpp"

namespace fairfront::drivers {

/// "value [low, high]", as much of it as is known.
/// @param digits  of the value.
[[nodiscard]] std::string measured_text(const results::Measured& measured,
                                        int digits = usual_digits);

/// Of the first tasks that have been measured by group: a table of each part with a row for each
/// group, in blocks of columns that fit a line, and which groups make the gaps.
/// @param tasks  at most so many; 0: all.
[[nodiscard]] std::string groups_text(const results::Content& content, std::size_t tasks);

}  // namespace fairfront::drivers
