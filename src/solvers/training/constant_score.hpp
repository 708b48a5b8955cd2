/// @file
/// The best score that is the same for every row.
#pragma once

#include <span>

#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// A score that is the same for every row.
struct ConstantScore {
  double score = 0;
  double loss = 0;  ///< mean over the training part
  double gap = 0;   ///< the largest |gap|, or that of GapConstraints::largest_gap()
};
/// Where nothing is decided 1, ratios are kept, though d of them is what may be at most, see
/// GapConstraints::largest_gap().
enum class EqualRates {
  keep_ratios,
  need_room,  ///< as other rates: whoever searches from such a score finds no decision that changes
};

/// The one of the smallest loss among those within the bound, looked for from the best constant
/// towards 0, where all losses are equal and all gaps of losses 0. Of bounds with one side, where
/// there is none on that way, among constants of any size and either sign: the errors of one label
/// alone vanish where all rows are decided as that label, and so do large losses. Costs nothing:
/// the numbers of labels say it all.
/// @param bound   of every |gap|, > 0.
/// @param offset  added to the cells' losses, shape (cells,); empty: nothing. Where no constant
///                keeps the bound then, the score is 0. That can be so for rates of errors, too;
///                for bounds with one side it is then the one that is beyond them by least.
/// @param equal   what equal rates are to a ratio.
[[nodiscard]] ConstantScore best_constant_score(const Problem& problem, double bound,
                                                std::span<const double> offset = {},
                                                EqualRates equal = EqualRates::keep_ratios);

}  // namespace fairfront::training
