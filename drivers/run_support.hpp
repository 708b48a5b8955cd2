/// @file
/// What `run` and `replay` have in common.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <string>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "parallel/agree.hpp"
#include "sweep/run.hpp"

namespace fairfront::drivers {

/// Calls `work` on rank 0; an error there is thrown on every rank. Collective.
template <class Work>
void on_root(const parallel::Comm& world, Work&& work) {
  parallel::agree(world, "", [&] {
    if (world.is_root()) std::forward<Work>(work)();
  });
}

/// A launch that came up as separate processes stops here. Collective.
/// @throws parallel::CollectiveError
void refuse_singletons(const parallel::Comm& world);

/// --time-limit, --team-size, --checkpoint, --quiet.
void add_run_options(Command& command);

/// The settings that follow from them, from signals and from the environment. Local.
/// @throws base::InputError
[[nodiscard]] sweep::RunSettings common_settings(const Call& call);

/// While it lives, a stop signal ends this thread's work at its next stop point.
[[nodiscard]] base::StopScope stop_at_signals();

/// Runs with progress on the standard error, and prints warnings there. Signals end it in order.
/// Collective.
[[nodiscard]] sweep::RunOutcome run_and_warn(const Call& call, const Sweep& sweep,
                                             const sweep::RunContext& context,
                                             const sweep::RunSettings& settings);

/// Says what is kept; the exit code of an interrupted run.
[[nodiscard]] base::ExitCode report_interruption(const Call& call, const std::string& journal,
                                                 const sweep::RunOutcome& outcome);

}  // namespace fairfront::drivers
