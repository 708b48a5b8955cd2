/// @file
/// Mini-batch k-means: stochastic gradient steps on the cost alone.
#pragma once

#include <cstdint>
#include <string>

#include "base/options.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

/// Where the first centres come from.
enum class FirstCentres {
  points,            ///< K different points at random, as in Algorithm 1
  kmeans_plus_plus,  ///< the means of the labels that k-means++ seeds give
};

struct MinibatchOptions {
  std::int64_t iterations = 1000;  ///< T
  std::int64_t batch = 100;        ///< |B_t|, points drawn without replacement in an iteration
  FirstCentres first_centres = FirstCentres::points;
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(MinibatchOptions& options);

/// Checks the options alone and against the problem.
/// @throws std::invalid_argument  an option out of range, or batch > N.
void validate_for(const Problem& problem, const MinibatchOptions& options);

struct MinibatchResult {
  Clustering clustering;
  std::int64_t comparisons = 0;  ///< T |B| K + N K, and those of the start and of empty clusters
};

/// Algorithm 1 of Liu and Vicente (2021), after Sculley (2010): N_k += |B_k|, then
/// c_k += (1/N_k) sum over B_k of (x - c_k), counters from 0. At the end every point joins its
/// nearest centre; a cluster left empty is given a point by refill_empty_clusters. The cost is that
/// of the labels, with exact centroids. Local: never communicates.
///
/// Iteration t draws from the stream (seed, task key, t). O(T |B| K d + N K d).
/// @throws std::invalid_argument  as validate_for.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] MinibatchResult minibatch_kmeans(const Problem& problem,
                                               const MinibatchOptions& options, std::uint64_t seed,
                                               const std::string& task_key,
                                               const solvers::Control& control = {});

}  // namespace fairfront::clustering
