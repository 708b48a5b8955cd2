/// @file
/// What a sweep will cost, by one short task of each kind.
#pragma once

#include <cstdint>
#include <string>

#include "load_sweep.hpp"
#include "parallel/comm.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::drivers {

/// Runs the shortest task of every kind and says what all tasks will take: a row for each kind,
/// core hours, memory of a rank, and a time limit to ask a batch system for. On one rank.
/// @param ranks  that the sweep is to run on.
/// @throws base::InputError  a problem that is not sound.  @throws base::Interrupted
[[nodiscard]] std::string probe_text(const parallel::Comm& world, const Sweep& sweep,
                                     const sweep::RunContext& context, std::int64_t ranks);

}  // namespace fairfront::drivers
