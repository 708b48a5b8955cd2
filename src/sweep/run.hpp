/// @file
/// The run loop: from a plan to the content of an archive, with nothing lost on the way.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "parallel/comm.hpp"
#include "results/content.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"
#include "sweep/phase_clock.hpp"
#include "sweep/plan.hpp"
#include "sweep/progress.hpp"

namespace fairfront::sweep {

/// What may be done with a journal or an archive that is already there.
enum class Continuation {
  fresh,   ///< nothing may be there
  resume,  ///< the same sweep goes on
  extend,  ///< a wider sweep goes on: its axes hold all the values that the journal knows
};

/// What an earlier run of the sweep left in an archive.
struct EarlierResults {
  results::SweepIdentity sweep;
  std::vector<results::TaskRecord> records;
};

/// How a run keeps what it has done, and when it ends.
struct RunSettings {
  std::string journal;  ///< folder
  Continuation continuation = Continuation::fresh;
  /// A fresh run takes the place of a journal that is there, whatever it holds; but only once
  /// nothing more can be wrong with config and data.
  bool replace_journal = false;
  bool retry_failed = false;   ///< run the selected tasks again that have failed before
  std::int64_t team_size = 0;  ///< ranks that share a coupled task; 0: chosen by the tasks left
  /// The tasks that this run is for; the others stay missing. Empty: all.
  std::function<bool(std::int64_t task)> selected;
  /// Called on rank 0 when resuming or extending: results that need not be in the journal. They
  /// are put there before the first task runs. May be empty.
  std::function<EarlierResults()> earlier;
  double seconds = std::numeric_limits<double>::infinity();  ///< of wall clock for this run
  double checkpoint_seconds = 30;                            ///< between two checkpoints of a task
  std::function<bool()> stop_wanted;  ///< a signal has come; asked often, by any thread; or empty
  /// Called at once where something is not as it should be, on ranks other than 0 (there Progress
  /// says it); may be empty.
  std::function<void(const std::string& warning)> warn;
  std::string program_version;  ///< kept in the journal's header
};

enum class RunEnd { complete, interrupted };

struct RunOutcome {
  results::Content content;  ///< on rank 0 and when complete; without its provenance
  RunEnd end = RunEnd::complete;
  std::int64_t done = 0;  ///< selected tasks, of this run or an earlier one
  std::int64_t failed = 0;
  std::int64_t missing = 0;           ///< selected, but not run yet
  std::int64_t ran = 0;               ///< by this run
  std::vector<std::string> warnings;  ///< on rank 0: damaged records left out, and the like
  /// On rank 0 and when complete: the journal is ours until this goes, so keep it until the archive
  /// stands.
  std::shared_ptr<journal::JournalLock> lock;
  std::optional<journal::OwnLog> log;  ///< of this rank, when complete
  std::vector<Phase> phases;           ///< of this rank, in their order
};

/// Runs what is not done yet. Collective over `world`; counts are the same on every rank.
///
/// Before the first task, the ranks forecast every problem; rank 0 opens the journal and compares
/// sweeps.
/// Coupled tasks (see Section::coupled) run first, by teams of `team_size`; then the independent
/// ones, each by one rank. Teams pull their tasks one at a time, longest expected first. A task
/// that ends by an error of the input (see base::Fault) is recorded with its message, and the run
/// goes on. A task whose checkpoint is damaged or does not fit starts anew, with a warning that
/// names the file. Any other error says nothing about the task: nothing is recorded for it, no task
/// is begun any more, and the run ends with that error.
///
/// @throws parallel::CollectiveError  bad input, a journal of another sweep or in use; no task
///         has run then. Or: the journal cannot be written any more, or a task ended by an error
///         that is not its own (exit code 5). Finished tasks are in the journal.
/// @throws parallel::MpiError, std::bad_alloc, ...  on the ranks where it happens, outside of tasks
///         and in those of several ranks: the processes must end; what is in the journal stays.
[[nodiscard]] RunOutcome run(const parallel::Comm& world, const Experiment& experiment,
                             const Plan& plan, const RunContext& context,
                             const RunSettings& settings, Progress& progress);

}  // namespace fairfront::sweep
