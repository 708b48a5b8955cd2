/// @file
/// Classifiers of a last layer that a randomised one within the bounds is made of.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/training/classifier_pool.hpp"
#include "solvers/training/last_layer.hpp"

namespace fairfront::training {

/// Looks for what the pool's best mixture lacks, and makes sure of what it has.
///
/// The multipliers of that linear program are prices of rates, at which a classifier that costs
/// less than the mixture makes it better: column generation. So a descent follows from the one of
/// the pool that costs least, or from one that has a share, on error and rates at these prices;
/// decisions are smoothed, as sigmoid(score / (width rms)), in a metric that has the rows next to
/// the threshold. Its steps change scores by the width, and go to the best of 64 points that are
/// counted on the way there and as far beyond, all of which are offered to the pool. Where none is
/// better, the width is halved. Then the program is solved again, and prices are the mean of the
/// new ones and those before, which would jump otherwise.
///
/// In the end the scores of all that have shares are counted once more, by their own weights.
///
/// @param pool  what is offered to it, this layer's points, has the weights of the last layer.
/// @param evaluations  of all rows by the last layer, at most but for what makes sure.
/// @return evaluations made.
/// @throws base::Interrupted  see base::stop_point().
std::int64_t search_mixture(LastLayer& layer, ClassifierPool& pool, std::int64_t evaluations);

}  // namespace fairfront::training
