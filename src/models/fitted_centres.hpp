/// @file
/// The kind "centres" of fitted models.
#pragma once

#include <memory>

#include "models/fitted_model.hpp"

namespace fairfront::models {

/// The nearest of several centres, of equally near ones the first, and its distance. Option
/// `centres`: a solution, row-major, shape (K, d), in the unit of the features.
[[nodiscard]] std::unique_ptr<FittedModel> make_centres_model(const SharedFit& shared,
                                                              const ModelText& text,
                                                              const NamedNumbers& numbers);

}  // namespace fairfront::models
