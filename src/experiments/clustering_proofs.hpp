/// @file
/// What clusterings and bounds on their cost claim, proven from labels, potentials and data.
#pragma once

#include <vector>

#include "results/task_record.hpp"
#include "solvers/clustering/problem.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// 1. The labels of every point of the front have its cost and its balances, bit for bit.
/// 2. Of `[lower_bound]`: the potentials prove the bound, see clustering::prove_lower_bound(), by
/// as
///    many boxes as the run was allowed.
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] std::vector<sweep::Claim> clustering_claims(const clustering::Problem& problem,
                                                          const sweep::Task& task,
                                                          const results::Findings& findings);

}  // namespace fairfront::experiments
