/// @file
/// Logistic regression of rows that weigh differently: the learner of cost-sensitive problems.
#pragma once

#include <cstdint>
#include <span>

#include "models/mixed_rows.hpp"
#include "optimise/minimise.hpp"

namespace fairfront::models {

/// The objective is sum_i c_i loss_i / sum_i c_i + l2 |w|^2 / 2 without the intercept.
struct WeightedLogisticOptions {
  double l2 = 0;            ///< >= 0
  double tolerance = 1e-8;  ///< of the gradient, > 0
  std::int64_t max_iterations = 200;
};

/// Fits by Newton's method from `start`. Where all weight is on one label the model is a constant,
/// and its score has the size at which the loss's slope is the tolerance.
/// @param labels, weights  -1 or +1 and >= 0, by row number of the matrix that `rows` views.
/// @param start            shape (rows.parameters(),): the intercept, then one weight a column.
/// @return weights in the layout of `start`.
/// @throws std::invalid_argument  no weight above 0, shapes that differ, an option out of range.
/// @throws base::Interrupted
[[nodiscard]] optimise::MinimiseResult fit_weighted_logistic(
    const MixedRows& rows, std::span<const double> labels, std::span<const double> weights,
    std::span<const double> start, const WeightedLogisticOptions& options = {});

}  // namespace fairfront::models
