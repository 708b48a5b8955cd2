/// @file
/// What fair regression by post-processing stands on: a prediction of the target and probabilities
/// of the groups.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::models {

/// Least squares, and logistic regression of two groups or several; with intercepts.
struct BaseModels {
  std::int64_t columns = 0;  ///< d
  std::int64_t groups = 0;   ///< K
  std::vector<double> eta;   ///< shape (1 + d,)
  std::vector<double> tau;   ///< shape (1 + d,) for two groups, of the second; else (K, 1 + d)

  /// The bits of a row's predictions do not depend on the rows beside it.
  /// @param features   row-major, shape (N, d).
  /// @param of_target  shape (N,).
  /// @param of_groups  row-major, shape (N, K).
  void predict(std::span<const double> features, std::span<double> of_target,
               std::span<double> of_groups) const;
};

}  // namespace fairfront::models
