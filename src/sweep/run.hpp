/// @file
/// The run loop: from a plan to the content of an archive, with nothing lost on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "archive/content.hpp"
#include "parallel/comm.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"
#include "sweep/progress.hpp"

namespace fairfront::sweep {

/// What may be done with a journal or an archive that is already there.
enum class Continuation {
  fresh,   ///< nothing may be there
  resume,  ///< the same sweep goes on
  extend,  ///< a wider sweep goes on: its axes hold all the values that the journal knows
};

/// How a run keeps what it has done, and when it ends.
struct RunSettings {
  std::string journal;  ///< folder; empty: nothing is kept on disk
  Continuation continuation = Continuation::fresh;
  bool retry_failed = false;   ///< run the tasks again that have failed before
  std::int64_t team_size = 0;  ///< ranks that share a coupled task; 0: chosen by the tasks left
  std::int64_t slice = 0;      ///< this run does the tasks i with i % slices == slice
  std::int64_t slices = 1;
  double seconds = std::numeric_limits<double>::infinity();  ///< of wall clock for this run
  double checkpoint_seconds = 30;     ///< between two checkpoints of a coupled task
  std::function<bool()> stop_wanted;  ///< a signal has come; asked often; may be empty
  std::string program_version;        ///< kept in the journal's header
};

enum class RunEnd { complete, interrupted };

struct RunOutcome {
  archive::Content content;  ///< on rank 0 and when complete; without its provenance
  RunEnd end = RunEnd::complete;
  std::int64_t done = 0;  ///< tasks of the plan, of this run or an earlier one
  std::int64_t failed = 0;
  std::int64_t missing = 0;           ///< not run yet; those of other slices are not counted
  std::int64_t ran = 0;               ///< by this run
  std::vector<std::string> warnings;  ///< on rank 0: damaged records left out, and the like
};

/// Runs what is not done yet. Collective over `world`; counts are the same on every rank.
///
/// Before the first task, rank 0 forecasts every problem, opens the journal and compares sweeps.
/// Coupled tasks (see Section::coupled) run first, by teams of `team_size`; then the independent
/// ones, each by one rank. Teams pull their tasks one at a time, longest expected first. A task
/// that fails the same way for its whole team (base::Error, std::invalid_argument,
/// std::runtime_error) is recorded with its message and the run goes on.
///
/// @throws parallel::CollectiveError  bad input, a journal of another sweep or in use; no task
///         has run then. Or: the journal cannot be written any more.
/// @throws parallel::MpiError, std::bad_alloc, ...  on the ranks where it happens: the processes
///         must end; what is in the journal stays.
[[nodiscard]] RunOutcome run(const parallel::Comm& world, const Experiment& experiment,
                             const Plan& plan, const RunContext& context,
                             const RunSettings& settings, Progress& progress);

}  // namespace fairfront::sweep
