/// @file
/// The classifiers of a grid of multipliers as [reductions] leaves them, and what it claims of
/// them.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include "experiments/training.hpp"
#include "results/content.hpp"
#include "solvers/training/reductions.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// The grids of one problem, each fitted once: the points along a bound share it. What comes back
/// does not depend on what was asked for before.
struct GridModels {
  /// rate, bound_of, bound of a ratio, grid_size, grid_limit, l2, learner_tolerance, learner_step,
  /// batch; seed and key of the draws
  using Address = std::tuple<training::RateKind, training::BoundOf, double, std::int64_t, double,
                             double, double, double, std::int64_t, std::uint64_t, std::string>;
  std::map<Address, std::vector<training::GridClassifier>> known;
};

/// training::reductions() of the training part by the learner that [model] and [training] name,
/// with the classifiers of its grid where they are known.
/// @param address  of the draws of a network's fits.
[[nodiscard]] training::ReductionsResult reductions_of(const TrainingProblem& problem,
                                                       const training::ReductionsOptions& options,
                                                       const training::Address& address,
                                                       const solvers::Control& control);

/// Every classifier with its multipliers, and its rates on the training part and, where each cell
/// has rows there, on the test part.
void add_grid(sweep::TaskResult& result, const TrainingProblem& problem, training::RateKind rate,
              std::span<const training::GridClassifier> grid);
[[nodiscard]] sweep::Columns grid_columns();

/// That the classifiers have the rates that are stored, and that none of them was a better choice.
[[nodiscard]] std::vector<sweep::Claim> claims_of_grid(const TrainingProblem& problem,
                                                       const training::RateLimit& limit,
                                                       const results::Findings& findings);

}  // namespace fairfront::experiments
