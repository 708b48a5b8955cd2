/// @file
/// The small problem and the options of the checkpoints that fuzzing begins with.
#pragma once

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::fuzz {

inline const clustering::Problem& checkpoint_problem() {
  static const clustering::Problem problem(clustering::random_dataset(7, 24, 2, 2), 3);
  return problem;
}

inline clustering::BalanceLadderOptions ladder_options() {
  return {.starts = 1, .relocations = 2, .refinements = 20, .boxes = 20};
}

}  // namespace fairfront::fuzz
