/// @file
/// The exchange of fronts: one reduction with a nondominated-merge operator.
#pragma once

#include <mpi.h>

#include "parallel/comm.hpp"
#include "pareto/front.hpp"

namespace fairfront::parallel {

/// The user-defined MPI operator that merges two packed fronts (pareto::merge): associative,
/// commutative, idempotent, ties by origin. Owns the MPI_Op; create it once per communicator use.
class FrontMerge {
 public:
  FrontMerge();
  ~FrontMerge();
  FrontMerge(const FrontMerge&) = delete;
  FrontMerge& operator=(const FrontMerge&) = delete;
  [[nodiscard]] MPI_Op get() const noexcept { return operation_; }

 private:
  MPI_Op operation_ = MPI_OP_NULL;
};

/// The nondominated subset of every rank's front. Collective. The same bits in the same order on
/// every rank, for every number of ranks and every way to spread the points over them.
/// Costs one integer reduction, and if there are any points their reduction and another integer.
/// @throws CollectiveError  on every rank: one has no memory left to merge in.
[[nodiscard]] pareto::Front merge_nondominated(const Comm& comm, const FrontMerge& operation,
                                               const pareto::Front& local);

/// Every rank's points, in the total order of pareto::precedes, on every rank. Collective.
/// For rules that are not a merge of fronts, such as filters that keep dominated points.
/// @throws std::length_error  on every rank: all points together have 2^31 numbers or more.
[[nodiscard]] pareto::Points all_gather(const Comm& comm, const pareto::Points& local);

}  // namespace fairfront::parallel
