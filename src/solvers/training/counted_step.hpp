/// @file
/// The last layer within bounds on rates of decisions, which are counted.
#pragma once

#include <span>

#include "solvers/training/last_layer.hpp"
#include "solvers/training/last_layer_descent.hpp"

namespace fairfront::training {

/// Of which rows a layer of a step is.
enum class RowsOfStep {
  all,
  some,           ///< evenly spaced ones, to lead
  all_after_some  ///< the start is where they have led
};

/// Leads decisions within bounds on their rates, and there to a small loss.
///
/// A Descent comes next to the bounds with few evaluations, and no farther: rates go by jumps
/// beside its slopes, those of small groups by large ones. From there on the rows next to the
/// threshold are enough (lead_within()): their decisions are the only ones that change. What they
/// find is looked at with all rows, also halfway; where it leads to decisions of other rows,
/// another band is twice as wide. Where a quarter of the evaluations (of few nearly all) finds
/// nothing next to the best that is beside the bounds, others begin from the same weights with
/// other thresholds, with smoothed decisions, from the constant score, and with a high price of
/// what is beyond the bounds, each knowing nothing of those before. Of the scores of the start and
/// of the nearest point all thresholds are looked at, and those within the bounds that are nearest
/// to the one of least loss taken, in the size of least loss: no result is worse than the start
/// with another threshold. What is left of the evaluations is a second Descent's, from the best
/// point.
///
/// Bounds on the worst group may be out of reach: what is beyond them is a sum over groups then, so
/// that two fifths of the evaluations are kept for larger bounds, which only the largest rates are
/// beyond.
///
/// Of some of the rows there is but the first Descent: counts of all rows are not theirs.
///
/// @param start  shape (layer.size(),).
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] LastLayerResult counted_step(LastLayer& layer, std::span<const double> start,
                                           RowsOfStep rows, const LastLayerOptions& options);

}  // namespace fairfront::training
