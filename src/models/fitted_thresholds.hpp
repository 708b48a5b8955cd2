/// @file
/// The kind "thresholds" of fitted models.
#pragma once

#include <memory>

#include "models/fitted_model.hpp"

namespace fairfront::models {

/// Decides 1 where the one feature, a score, reaches the threshold of the row's group. Option
/// `thresholds`: a solution, one number for each group.
[[nodiscard]] std::unique_ptr<FittedModel> make_threshold_model(const SharedFit& shared,
                                                                const ModelText& text,
                                                                const NamedNumbers& numbers);

}  // namespace fairfront::models
