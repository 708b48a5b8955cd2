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
/// Costs one integer reduction, and one reduction of the points if there are any.
[[nodiscard]] pareto::Front merge_nondominated(const Comm& comm, const FrontMerge& operation,
                                               const pareto::Front& local);

/// Every rank's points, in the total order of pareto::precedes, on every rank. Collective.
/// For rules that are not a merge of fronts, such as filters that keep dominated points.
[[nodiscard]] pareto::Points all_gather(const Comm& comm, const pareto::Points& local);

}  // namespace fairfront::parallel
