/// @file
/// Lloyd's k-means: the clustering that looks at the cost alone.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "base/options.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

struct LloydOptions {
  std::int64_t restarts = 10;     ///< runs from different k-means++ seeds; the cheapest is kept
  std::int64_t iterations = 300;  ///< of one run, at most
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(LloydOptions& options);

struct LloydResult {
  Clustering clustering;         ///< of the cheapest run; of equal ones the first
  std::int64_t iterations = 0;   ///< of all runs together
  std::int64_t comparisons = 0;  ///< of all runs, seeds included: see comparisons.hpp
  bool fixed_point = false;      ///< the cheapest run ended because no label changed
};

/// Lloyd (1982) from greedy k-means++ seeds (Arthur and Vassilvitskii, 2007). Local: never
/// communicates. Restart r draws from the stream (seed, task key, r).
///
/// A point changes its cluster only for a centre that is strictly nearer, so runs end in a fixed
/// point also where points coincide. A cluster that runs empty is given a point by
/// refill_empty_clusters.
/// @throws std::invalid_argument  an option out of range.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] LloydResult lloyd(const Problem& problem, const LloydOptions& options,
                                std::uint64_t seed, const std::string& task_key,
                                const solvers::Control& control = {});

/// How many iterations were made, and whether the last one changed nothing.
struct LloydIterations {
  std::int64_t count = 0;
  /// N K an iteration, fewer with `near`; N more for each cluster that ran empty.
  std::int64_t comparisons = 0;
  bool fixed_point = false;
};

/// Lloyd's iterations from the solution's exact means, in place. O(N K d) each.
/// @param between  called before each of them, and now and then within; what it throws ends them.
/// @param near  where points look for the nearest centre, from that of their cluster; null:
///              everywhere. It is brought up to date with the centres.
template <class Label>
LloydIterations lloyd_iterations(const Problem& problem, Solution<Label>& solution,
                                 std::int64_t most, const std::function<void()>& between = nullptr,
                                 NearClusters* near = nullptr);

/// Every empty cluster, in order, takes the point that is farthest from the centre of its cluster,
/// from a cluster with other members; ties go to the first point. The rule of all methods here
/// that can empty a cluster. O(N d) an empty cluster.
/// @param between  called for each of them; what it throws ends the work.
/// @return comparisons: N an empty cluster.
template <class Label>
std::int64_t refill_empty_clusters(const Problem& problem, const Centres& centres,
                                   Partition<Label>& partition,
                                   const std::function<void()>& between = nullptr);

}  // namespace fairfront::clustering
