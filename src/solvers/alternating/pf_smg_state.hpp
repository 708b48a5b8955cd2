/// @file
/// The state of PF-SMG between two iterations, to be kept over the end of a process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "pareto/front.hpp"
#include "solvers/alternating/pf_smg.hpp"

namespace fairfront::alternating {

/// Everything the next iteration needs, as random streams belong to (iteration, candidate).
struct PfSmgState {
  pareto::Points list{2};              ///< values and origin of every entry, in the list's order
  std::vector<std::vector<double>> x;  ///< of every entry, shape (n,)
  std::vector<PfSmgIteration> trace;
  std::int64_t values = 0;  ///< of single objectives, computed by all ranks
};

/// As bytes that unpack_state reads back to the same state.
[[nodiscard]] std::string pack_state(const PfSmgState& state);

/// @throws base::CheckpointError  the bytes are not such a state, or it contradicts itself.
[[nodiscard]] PfSmgState unpack_pf_smg_state(const std::string& bytes);

}  // namespace fairfront::alternating
