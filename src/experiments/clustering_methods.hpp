/// @file
/// The methods of the experiment `clustering`, one entry each.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "parallel/comm.hpp"
#include "solvers/clustering/problem.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// What a method is expected to need.
struct ClusteringForecast {
  double bytes_per_rank = 0;
  double candidate_evaluations = 0;  ///< clusterings whose objectives are found, at most
};

/// A section of the config and what runs behind it.
struct ClusteringMethod {
  sweep::Section section;
  /// @throws std::invalid_argument  options that do not suit the problem.
  std::function<ClusteringForecast(const clustering::Problem&, const sweep::Task&,
                                   std::int64_t ranks)>
      forecast;
  /// Collective over the team of a coupled method; else called on the team's rank 0 alone.
  /// @throws sweep::TaskInterrupted  a method with checkpoints was told to stop.
  std::function<sweep::TaskResult(const parallel::Comm& team, const clustering::Problem&,
                                  const sweep::Task&, const sweep::RunContext&)>
      run;
  /// Work relative to other tasks of the method on the same problem.
  std::function<double(const sweep::Task&)> unit_cost;
  bool many_balances = false;  ///< also for problems with several attributes
};

/// All of them, in the order of help and reports.
[[nodiscard]] std::span<const ClusteringMethod> clustering_methods();

/// @throws std::out_of_range  no such method.
[[nodiscard]] const ClusteringMethod& clustering_method(const std::string& name);

}  // namespace fairfront::experiments
