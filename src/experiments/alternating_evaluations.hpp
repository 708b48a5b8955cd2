/// @file
/// What runs of the experiments `alternating` spend, as evaluations of examples: see
/// evaluations.hpp.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/alternating/sa2gd.hpp"
#include "solvers/alternating/test_problems.hpp"
#include "solvers/alternating/weighted_sum.hpp"

namespace fairfront::experiments {

/// What was asked of each objective.
struct AskedOfObjectives {
  std::vector<std::int64_t> estimates;  ///< of gradients: exact ones where nothing is drawn
  std::vector<std::int64_t> gradients;  ///< exact ones; empty: none
  std::vector<std::int64_t> values;     ///< empty: none
};
/// The same of every objective, exact or not, as many as there are together.
[[nodiscard]] std::vector<std::int64_t> of_each(std::int64_t together, std::int64_t objectives);

/// On data looks at rows. An objective of a test problem is an example of its own, with one look
/// for each value and gradient.
[[nodiscard]] std::int64_t evaluations_of(const alternating::AnyProblem& problem,
                                          const AskedOfObjectives& asked);

[[nodiscard]] std::int64_t evaluations_of(const alternating::AnyProblem& problem,
                                          const alternating::Sa2gdOptions& options);
[[nodiscard]] std::int64_t evaluations_of(const alternating::AnyProblem& problem,
                                          const alternating::WeightedSumOptions& options);

}  // namespace fairfront::experiments
