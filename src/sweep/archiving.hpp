/// @file
/// What is left of a run when its last task has ended.
#pragma once

#include "results/task_record.hpp"

namespace fairfront::sweep {

/// All that is much of a result: labels and the numbers of models.
[[nodiscard]] double bytes_to_archive(const results::TaskResult& result);

/// Seconds on cores of their own in which so many ranks read such bytes from the journal, hash,
/// pack and write them. @param ranks  >= 1.
[[nodiscard]] double seconds_to_archive(double bytes, int ranks);

/// The same of a task's result with all that its record has besides.
[[nodiscard]] double seconds_to_archive(const results::TaskResult& result, int ranks);

/// Seconds in which labels of clusters that a task has found are measured and put into the journal,
/// and then into the archive.
[[nodiscard]] double seconds_to_keep_labels(double bytes, int ranks);

}  // namespace fairfront::sweep
