/// @file
/// Work on data that rank 0 has, done by all ranks.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "parallel/comm.hpp"

namespace fairfront::parallel {

/// What is to be done, in a few bytes, and with what, which must outlive the work.
struct Piece {
  std::string order;
  std::string_view bytes;
};

/// Each rank works on its share of the pieces; with fewer pieces than ranks, rank 0 on none. Bytes
/// and results may have any length. Collective.
/// @param pieces  of rank 0, at most 2^31 - 1; elsewhere not looked at.
/// @param work    makes a result of (order, bytes) and must not communicate.
/// @param take    is called on rank 0 with (place, result) in the order of the pieces; the result
///                is gone when it returns.
/// @throws CollectiveError  on every rank, once all results have come: what either has thrown, or
///         there is no memory for a result.
void work_on_pieces(const Comm& comm, const std::vector<Piece>& pieces,
                    const std::function<std::string(std::string_view, std::string_view)>& work,
                    const std::function<void(std::size_t, std::string_view)>& take);

}  // namespace fairfront::parallel
