/// @file
/// The state of a list method between two iterations, to be kept over the end of a process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pareto/front.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// One point of the trace: what an iteration left behind; the same on every rank.
struct FrontIteration {
  std::int64_t iteration = 0;  ///< 0: the start list
  std::int64_t list_length = 0;
  double hypervolume = 0;
};

/// Everything the next iteration needs. Cluster sums, counts and exact centres follow from the
/// labels, and random streams from (iteration, entry, pair, replica), so a run that goes on from
/// here gives the same bits, on any number of ranks.
struct FrontState {
  std::int64_t iteration = 0;  ///< the next one
  pareto::Points list{2};      ///< (cost, -balances) and origin of every entry, in list order
  std::vector<FrontIteration> trace;
  std::int64_t candidates = 0;
  std::int64_t comparisons = 0;
  double hypervolume_lost = 0;
  std::vector<std::string> labels;           ///< bytes of each entry's labels, in problem order
  std::vector<std::vector<double>> centres;  ///< running centres only, else empty
};

/// As bytes that unpack_state reads back to the same state.
[[nodiscard]] std::string pack_state(const FrontState& state);

/// @throws base::CheckpointError  the bytes are not such a state, or it contradicts itself.
[[nodiscard]] FrontState unpack_state(const std::string& bytes);

/// Checks what the state's labels and centres must be for this problem: as many, labels below K.
/// @param running  the method keeps running centres.
/// @throws base::CheckpointError
void check_fits(const FrontState& state, const Problem& problem, bool running);

}  // namespace fairfront::clustering
