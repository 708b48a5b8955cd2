/// @file
/// The last layer of a network, led within the bounds and along them to a small loss.
#pragma once

#include <span>

#include "solvers/training/last_layer.hpp"
#include "solvers/training/last_layer_descent.hpp"

namespace fairfront::training {

/// Leads the last layer to where all |gaps| <= delta, and there to a small mean loss. The result is
/// always within the bounds: the best constant score is, and is what is left where nothing else has
/// been found. Of rates of errors no constant need be: the result is then what is beyond the bounds
/// by least, if nothing within them has been found.
///
/// Each start is followed by a Descent. Gaps of losses are differences of convex functions, so that
/// the end depends on the start. Where three fifths of the evaluations have not led within the
/// bounds, and for linear scores always, it is begun a second time, from the best constant score.
/// Of hinge losses a descent rests in the first bend that it comes to: lead_rounded() leads
/// instead, under bounds on gaps from the end of follow_path(), from the start, from the same
/// scores a tenth as large and from the constant score, with descents on hinges themselves between;
/// of less than 60 evaluations from the start alone. A network with hidden layers goes there only
/// where a descent from its own last layer has found nothing. Of a linear score under bounds on
/// losses both starts are first followed on some of the rows, where evaluations of all rows are
/// less than a hundred; the better end is where all rows begin. What both leave of the evaluations
/// goes to a third descent, from the first start, that pays little for gaps until it has come to
/// where the loss is small. Of 50 evaluations or more some go to steps without bounds before, as
/// many as take a quarter of the loss every three, and half of them at most: where all rows can be
/// told apart, losses vanish, and their gaps with them.
///
/// Of rates of decisions see counted_step(). Of bounds with one side that are out of reach, what is
/// left of the evaluations goes to larger bounds, which leave less beyond them: the least largest
/// gap.
///
/// @param start  shape (layer.size(),).
/// @throws base::Interrupted  see base::stop_point().
[[nodiscard]] LastLayerResult last_layer_step(LastLayer& layer, std::span<const double> start,
                                              const LastLayerOptions& options);

}  // namespace fairfront::training
