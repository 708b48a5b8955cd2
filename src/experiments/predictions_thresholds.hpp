/// @file
/// The methods [thresholds] and [drawn_thresholds] of the experiment `predictions`.
#pragma once

#include <vector>

#include "experiments/predictions.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<Predictions> thresholds_method();
[[nodiscard]] Method<Predictions> drawn_thresholds_method();

/// What is measured of a point of [thresholds] and [drawn_thresholds], on the part that chose it,
/// the one for tests of choices and the one that is reported, as far as they are three.
[[nodiscard]] std::vector<sweep::MeasuredQuantity> threshold_measures();

/// @param confidence  of intervals.
/// @param model       the point's.
/// @throws base::InputError  the part that is reported comes before the one that decides.
[[nodiscard]] results::Measures measures_of_point(const Predictions& predictions,
                                                  const ThresholdsOptions& options,
                                                  double confidence, models::FittedModel& model);
/// Of expected decisions: nothing is drawn.
/// @param found  with a point and its model.
[[nodiscard]] results::Measures measures_of_point(const Predictions& predictions,
                                                  const DrawnThresholdsOptions& options,
                                                  double confidence, const sweep::Found& found);

}  // namespace fairfront::experiments
