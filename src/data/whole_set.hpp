/// @file
/// A data set without parts, as experiments use it that measure on the rows that they learn from:
/// clustering, which needs no label, and alternating gradients.
#pragma once

#include "data/catalogue/data_folder.hpp"
#include "data/supervised.hpp"

namespace fairfront::data {

/// Reads a table, prepares it with all its rows as training rows, and draws rows of what it has
/// prepared: the papers scale before they draw. Of a data set of the catalogue the task `numeric`
/// is taken, where it has one and the options name none. `set.split` is empty, and the digest is
/// that of the prepared rows. Local: never communicates.
///
/// @throws base::DataError, base::InputError, std::invalid_argument  as load_raw() and prepare().
[[nodiscard]] SupervisedSet load_whole_set(const SupervisedOptions& options,
                                           const PreparationOptions& preparation,
                                           const DataFolder& data_dir, bool allow_changed);

}  // namespace fairfront::data
