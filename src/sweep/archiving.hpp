/// @file
/// What is left of a run when its last task has ended.
#pragma once

#include "results/task_record.hpp"

namespace fairfront::sweep {

/// Seconds in which labels of clusters that a task has found are measured and put into the journal,
/// and then into the archive.
[[nodiscard]] double seconds_to_keep_labels(double bytes);

/// Seconds in which all that is much of a result, labels and the numbers of models, is read from
/// the journal, hashed, packed and written.
[[nodiscard]] double seconds_to_archive(const results::TaskResult& result);

}  // namespace fairfront::sweep
