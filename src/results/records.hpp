/// @file
/// From the columns of an archive back to single tasks, and how two results of one task differ.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "results/content.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {

/// One record per task, in the order of the tasks: what the columns were made of, so that the same
/// columns can be made of them again.
/// @param content  keeps the rules of the format, as everything that `read` returns.
[[nodiscard]] std::vector<TaskRecord> records_of(const Content& content);

/// The sweep that the archive belongs to, as a journal would describe it.
[[nodiscard]] SweepIdentity sweep_of(const Content& content);

/// The first thing in which two results of one task differ, as "metric loss: 0.5 there, 0.25 here";
/// nothing when they are the same. Only what is identity counts: not seconds, rank,
/// attempt, nor the words of a failed task's message. Of measures those count that both have.
/// @param relative_tolerance  of single numbers: |a - b| <= tolerance * max(|a|, |b|); 0 compares
///     bits, but for NaN, of which there is one.
[[nodiscard]] std::optional<std::string> first_difference(const TaskRecord& there,
                                                          const TaskRecord& here,
                                                          double relative_tolerance = 0);

}  // namespace fairfront::results
