/// @file
/// From what single tasks computed to the columns of an archive.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "results/content.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// How one task ended.
using TaskOutcome = results::TaskRecord;

/// Checks that a result has the names and shapes that the schema allows.
/// @throws std::logic_error  naming what does not fit.
/// @throws std::domain_error  a front point is not finite.
void check_result(const ResultSchema& schema, const TaskResult& result);

/// The content of an archive without its provenance, data sets and merged fronts; columns that no
/// task fills are left out.
/// @param outcomes  one per task, in plan order; results fit the schema.
[[nodiscard]] results::Content content_of(const Plan& plan, const ResultSchema& schema,
                                          std::vector<TaskOutcome> outcomes);

}  // namespace fairfront::sweep
