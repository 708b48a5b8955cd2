/// @file
/// The kinds "thresholds" and "drawn_thresholds" of fitted models.
#pragma once

#include <memory>

#include "models/fitted_model.hpp"

namespace fairfront::models {

/// Decides 1 where the one feature, a score, reaches the threshold of the row's group. Option
/// `thresholds`: a solution, one number for each group.
[[nodiscard]] std::unique_ptr<FittedModel> make_threshold_model(const SharedFit& shared,
                                                                const ModelText& text,
                                                                const NamedNumbers& numbers);

/// Decides 1 with the probability that a draw among the thresholds of the row's group has. Option
/// `thresholds`: a solution of group, threshold and probability, one after the other. The score is
/// the one feature, or, with options `hidden`, `activation` and `weights` as of "score", that of a
/// network.
/// @throws base::DamagedError  no such numbers, or those of a group do not add up to 1.
[[nodiscard]] std::unique_ptr<FittedModel> make_drawn_threshold_model(const SharedFit& shared,
                                                                      const ModelText& text,
                                                                      const NamedNumbers& numbers);

}  // namespace fairfront::models
