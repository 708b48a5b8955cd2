/// @file
/// Whether rows of experiments that learn from all of them have parts.
#pragma once

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The section [split] of a task makes parts, or its section [data] names a column or a file of
/// them.
[[nodiscard]] bool asks_for_parts(const sweep::Task& task);

}  // namespace fairfront::experiments
