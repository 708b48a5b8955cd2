/// @file
/// Fair k-means: clustering cost against balance, or against the balances of two attributes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "experiments/family.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::experiments {

/// Whose methods and measures these are.
inline constexpr const char* clustering_paper = "Liu and Vicente (2021)";

/// The [clustering] section: what all methods of the experiment share.
struct ClusteringOptions {
  std::int64_t clusters = 10;  ///< K
};
[[nodiscard]] base::OptionTable options_of(ClusteringOptions& options);

using ClusteringMethods = std::vector<Method<clustering::Problem>>;

/// Methods that find clusterings, or trace fronts, of f1 (mean squared distance to the cluster's
/// centroid) against f2 (worst balance of a cluster). S. Liu, L. N. Vicente (2021). With three
/// objectives each of two sensitive attributes has a balance of its own, as the closing remark of
/// the paper suggests; with two the groups are the combinations of all attributes.
/// @param objectives  2: experiment `clustering`; 3: `clustering3`, with the methods that trace
///                    such fronts.
[[nodiscard]] Family<clustering::Problem> clustering_family(std::int64_t objectives);

/// In the order of help and reports.
/// @param volume_unit  of hypervolumes.
[[nodiscard]] ClusteringMethods clustering_methods(const std::string& volume_unit);
/// Those that also trace fronts of several balances.
[[nodiscard]] ClusteringMethods many_balance_methods(const std::string& volume_unit);

}  // namespace fairfront::experiments
