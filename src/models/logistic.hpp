/// @file
/// Logistic regression, of two classes and of several, fitted to a stated gradient norm.
#pragma once

#include <cstdint>
#include <span>

#include "models/linear_model.hpp"
#include "models/rows.hpp"
#include "optimise/minimise.hpp"

namespace fairfront::models {

enum class Minimiser {
  by_size,  ///< newton up to 1,000 weights, lbfgs beyond
  newton,   ///< some ten iterations, whatever the design
  lbfgs,    ///< cheap iterations, but thousands of them where columns are nearly collinear
};

/// The objective is (1/m) sum of the m rows' negative log-likelihoods + l2 |w|^2 / 2 without the
/// intercepts: l2 = 1 / (m C) for programs that weigh the sum of the likelihoods by C.
struct LogisticOptions {
  Intercept intercept = Intercept::first;
  double l2 = 0;  ///< >= 0
  /// Of the mean's gradient. Without l2, rows that a hyperplane separates have no best weights: the
  /// fit then ends with weights large enough for this gradient.
  double tolerance = 1e-8;
  std::int64_t max_iterations = 10'000;
  Minimiser minimiser = Minimiser::by_size;
};

/// Fits P(label = +1) = 1 / (1 + exp(-score)), the score a LinearModel's.
/// @param labels  -1 or +1, by row number of the matrix that `rows` views.
/// @return weights of that LinearModel.
/// @throws std::invalid_argument  no rows, or an option out of range.
[[nodiscard]] optimise::MinimiseResult fit_logistic(const Rows& rows,
                                                    std::span<const double> labels,
                                                    const LogisticOptions& options = {});

/// Fits P(class k) = exp(score_k) / sum_l exp(score_l), one LinearModel a class.
/// @param classes  0 .. count - 1, by row number of the matrix that `rows` views; count >= 2.
/// @return weights of shape (count, columns + intercept), row-major. All scores may shift together:
///         of the equivalent weights these sum to 0 over the classes.
/// @throws std::invalid_argument  no rows, fewer than two classes, or an option out of range.
[[nodiscard]] optimise::MinimiseResult fit_multinomial(const Rows& rows,
                                                       std::span<const std::int32_t> classes,
                                                       std::int64_t count,
                                                       const LogisticOptions& options = {});

/// out[i, k] = P(class k) of row i, shape (rows.size(), count), for weights of fit_multinomial().
void multinomial_probabilities(const Rows& rows, std::span<const double> weights,
                               std::int64_t count, Intercept intercept, std::span<double> out);

}  // namespace fairfront::models
