/// @file
/// The exchange of fronts: a reduction whose operator is the merge of nondominated sets.
#pragma once

#include <vector>

#include "parallel/comm.hpp"
#include "pareto/front.hpp"

namespace fairfront::parallel {

/// The nondominated subset of every rank's front. Collective. The same bits in the same order on
/// every rank, for every number of ranks and every way to spread the points over them, as
/// pareto::merge is associative and commutative. A binomial tree whose messages are as long as the
/// fronts they hold; then a broadcast.
/// @throws CollectiveError  on every rank: one has no memory left to merge in.
[[nodiscard]] pareto::Front merge_nondominated(const Comm& comm, const pareto::Front& local);

/// The same for many fronts at once, in one message a hop, for rank 0 alone. Collective.
/// @param local  on every rank as many, all of the same number of objectives.
/// @return  on rank 0 the merged fronts in the same order; empty elsewhere.
/// @throws CollectiveError  on every rank: one has no memory left to merge in.
[[nodiscard]] std::vector<pareto::Front> merge_nondominated_on_root(
    const Comm& comm, std::vector<pareto::Front> local);

/// Every rank's points, in the total order of pareto::precedes, on every rank. Collective.
/// For rules that are not a merge of fronts, such as filters that keep dominated points.
/// @throws std::length_error  on every rank: all points together have 2^31 numbers or more.
[[nodiscard]] pareto::Points all_gather(const Comm& comm, const pareto::Points& local);

}  // namespace fairfront::parallel
