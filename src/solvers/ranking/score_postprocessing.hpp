/// @file
/// Fairness by moving the scores of one group, after training: N. Kallus, A. Zhou (2019), "The
/// fairness of risk scores beyond classification: bipartite ranking and the xAUC metric".
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::ranking {

/// Scores h of the protected group become factor h + shift.
struct ScoreMove {
  double factor = 1;
  double shift = 0;
};

/// Factors 0, step, .. up to `most_factor`; shifts from -most_shift to most_shift.
struct MoveGrid {
  double factor_step = 0.05;
  double most_factor = 5;
  double shift_step = 0.1;
  double most_shift = 3;
};

/// What a move makes of the AUCs.
struct MovedAucs {
  double auc;         ///< of labels 1 and 0
  double difference;  ///< of the two AUCs of the metric, AUC_1 - AUC_2
};

/// Every move of the grid, factors outermost. O(n log n) once, then O(n) for each: the order within
/// a group stays as it is.
/// @param score, cells  of each row; every cell has rows.
/// @param tell  what becomes of the AUCs.
/// @throws std::invalid_argument  a step or an end of the grid that is not > 0, a cell without
/// rows.
void try_moves(std::span<const double> score, std::span<const std::uint8_t> cells,
               const PairSets& pairs, const MoveGrid& grid,
               const std::function<void(const ScoreMove&, const MovedAucs&)>& tell);

}  // namespace fairfront::ranking
