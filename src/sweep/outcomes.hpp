/// @file
/// From what single tasks computed to the columns of an archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "archive/content.hpp"
#include "archive/task_record.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// How one task ended.
using TaskOutcome = archive::TaskRecord;

/// Checks that a result has the names and shapes that the schema allows.
/// @throws std::runtime_error  naming what does not fit.
void check_result(const ResultSchema& schema, const TaskResult& result);

/// The content of an archive without its provenance, data sets and merged fronts; columns that no
/// task fills are left out.
/// @param outcomes  one per task, in plan order; results fit the schema.
[[nodiscard]] archive::Content content_of(const Plan& plan, const ResultSchema& schema,
                                          std::vector<TaskOutcome> outcomes);

}  // namespace fairfront::sweep
