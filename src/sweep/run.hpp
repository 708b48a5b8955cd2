/// @file
/// The run loop: from a plan to the content of an archive.
#pragma once

#include <string>
#include <vector>

#include "archive/content.hpp"
#include "parallel/comm.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"
#include "sweep/progress.hpp"

namespace fairfront::sweep {

/// Runs every task of the plan, each by the whole world as one team, one after another.
///
/// Before the first task, rank 0 forecasts every problem. A task that fails the same way for the
/// whole team (base::Error, std::invalid_argument, std::runtime_error) is recorded with its
/// message and the run goes on.
///
/// @returns on rank 0 the content without its provenance, elsewhere nothing. Collective.
/// @throws parallel::CollectiveError  a problem is not sound; no task has run.
/// @throws parallel::MpiError, std::bad_alloc, ...  on the ranks where it happens: the run is lost.
[[nodiscard]] archive::Content run(const parallel::Comm& world, const Experiment& experiment,
                                   const Plan& plan, const RunContext& context, Progress& progress);

}  // namespace fairfront::sweep
