/// @file
/// Prepared rows as text: what was understood of a table.
#pragma once

#include <string>

#include "data/supervised.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::drivers {

/// Whether the task's problem is made of rows, though it may have options of a data set.
[[nodiscard]] bool has_rows(const sweep::Experiment& experiment, const sweep::Task& task);

/// Columns with their kinds, label with its values, two lines or three.
[[nodiscard]] std::string columns_text(const data::SupervisedSet& rows, const sweep::Task& task);

/// Every group with its rows, all of them and those of each part.
[[nodiscard]] std::string groups_text(const data::SupervisedSet& rows);

}  // namespace fairfront::drivers
