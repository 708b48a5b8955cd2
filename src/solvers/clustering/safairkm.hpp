/// @file
/// SAfairKM with one pair (n_a, n_b): one clustering between low cost and high balance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/recorder.hpp"

namespace fairfront::clustering {

enum class FirstLabels { softmax, by_group, kmeans_plus_plus };  ///< see starts.hpp

struct SafairOptions {
  std::int64_t iterations = 1000;  ///< T
  std::int64_t n_a = 20;           ///< points relabelled to their nearest centre in an iteration
  std::int64_t n_b = 5;            ///< swaps in an iteration
  std::int64_t n_total = 0;        ///< > 0: n_b is n_total - n_a
  FirstLabels first_labels = FirstLabels::softmax;
  std::int64_t trace_points = 0;  ///< entries of the trace, evenly spaced, both ends included
  StepOptions step = {.swap_growth = 1.005};  ///< the public program's rate of a single run

  /// (n_a, n_b) as they are meant.
  [[nodiscard]] Effort effort() const { return {n_a, n_total > 0 ? n_total - n_a : n_b}; }
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(SafairOptions& options);

/// Checks the options alone and against the problem.
/// @throws std::invalid_argument  an option out of range, n_a > N, n_a > n_total > 0, or no effort.
void validate_for(const Problem& problem, const SafairOptions& options);

struct SafairResult {
  Clustering clustering;         ///< the last one
  std::int64_t comparisons = 0;  ///< see comparisons.hpp
  solvers::Trace trace;          ///< "cost" and "balance" after iterations; 0 is the start
};

/// Algorithm 2 of Liu and Vicente (2021): from random labels, T iterations of n_a k-means updates
/// and n_b swaps, with the choices of StepOptions. A sweep over (n_a, n_b) traces a front. Local:
/// never communicates.
///
/// Labels start from the stream (seed, task key, 0) of their own; iteration t draws from t.
/// @throws std::invalid_argument  as validate_for.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] SafairResult safairkm(const Problem& problem, const SafairOptions& options,
                                    std::uint64_t seed, const std::string& task_key,
                                    const solvers::Control& control = {});

}  // namespace fairfront::clustering
