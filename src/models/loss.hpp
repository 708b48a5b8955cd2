/// @file
/// Losses of a linear model's score against a label, with their slopes.
#pragma once

#include <cmath>

namespace fairfront::models {

/// log(1 + exp(-y s)) for labels y in {-1, +1}: the negative log-likelihood of the logistic model.
struct LogisticLoss {
  /// Without overflow for any score.
  [[nodiscard]] static double value(double score, double label) {
    const double margin = label * score;
    return std::log1p(std::exp(-std::abs(margin))) + (margin < 0 ? -margin : 0.0);
  }
  /// d value / d score, in (-1, 1).
  [[nodiscard]] static double slope(double score, double label) {
    const double margin = label * score;
    if (margin >= 0) {
      const double small = std::exp(-margin);
      return -label * small / (1 + small);
    }
    return -label / (1 + std::exp(margin));
  }
};

/// (s - y)^2 / 2 for any real label.
struct SquaredLoss {
  [[nodiscard]] static double value(double score, double label) {
    return 0.5 * (score - label) * (score - label);
  }
  [[nodiscard]] static double slope(double score, double label) { return score - label; }
};

}  // namespace fairfront::models
