/// @file
/// How a piece of a run's work has ended, on every rank of its team.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/error.hpp"
#include "parallel/comm.hpp"

namespace fairfront::sweep {

/// Why a task or a trial has no result.
struct Failure {
  std::string message;
  base::Fault fault = base::Fault::input;
};

/// The worst failure of all ranks, on every rank; nothing when all went well. Collective: it also
/// catches a failure that the experiment did not make collective, as long as no rank waits for
/// another inside the task.
[[nodiscard]] std::optional<Failure> share_failure(const parallel::Comm& team,
                                                   const std::optional<Failure>& mine);

/// How one call of an experiment ended.
struct Ending {
  std::optional<Failure> failure;  ///< of this rank, or of all: see share_failure
  bool interrupted = false;        ///< on every rank of the team
};

/// Calls `work`, a collective call of an experiment. Collective over the team.
/// @throws  what `work` throws when the others of the team may be waiting inside it for this rank:
///          then all processes must end.
[[nodiscard]] Ending attempt(const parallel::Comm& world, const parallel::Comm& team,
                             const std::function<void()>& work);

}  // namespace fairfront::sweep
