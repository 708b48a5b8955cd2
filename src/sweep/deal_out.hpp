/// @file
/// Work that is no task, dealt out to the ranks.
#pragma once

#include <cstddef>
#include <functional>

#include "parallel/comm.hpp"

namespace fairfront::sweep {

/// Deals the pieces 0 .. count - 1 out to the ranks, in this order: rank 0 does piece 0, so that a
/// single piece is always done there; then whoever is free gets the next. Once a rank leaves early,
/// nothing more is begun. Collective.
/// @param work  of a piece that this rank has got; false: the rank leaves.
void deal_out(const parallel::Comm& world, std::size_t count,
              const std::function<bool(std::size_t piece)>& work);

}  // namespace fairfront::sweep
