/// @file
/// The AUC of a linear score under a bound on the difference of two AUCs, of few rows. Internal to
/// direct_auc().
#pragma once

#include "solvers/ranking/direct_auc.hpp"

namespace fairfront::ranking {

/// Few rows, and so few features that random directions find what is better: of 8 or more the
/// slopes of smoothed AUCs do.
[[nodiscard]] bool is_turned(const LinearScores& rows, const ExactAuc& exact);

/// Looks for all bounds at once: the front of AUC and |AUC_1 - AUC_2| of all scores that are looked
/// at, of which the best within `level` is the result. As nothing else knows of the level, a looser
/// one has no less AUC than a tighter one.
///
/// Of so few rows the AUCs are step functions, with steps that no smoothing shows. On the way from
/// one score to another TurnedScores has every step. Starts are half circles: one in the plane of
/// means, which with two features is all scores; others through optima of the surrogate, scores
/// without some features, and random ones. After each start every round looks from scores of its
/// front to both sides in random directions, near and far. A round knows what rounds before it find
/// and not what those after it do, and a start what starts before it find: so more of either find
/// nothing worse. The front counts AUCs as TurnedScores does; the result's are computed.
/// Deterministic. Local: never communicates.
/// @throws solvers::Interrupted, base::CheckpointError  as direct_auc().
[[nodiscard]] DirectAucResult turned_search(const LinearScores& rows, const PairSets& pairs,
                                            const ExactAuc& exact, double level,
                                            const DirectAucOptions& options,
                                            const solvers::Control& control);

}  // namespace fairfront::ranking
