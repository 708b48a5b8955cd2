/// @file
/// Losses of a score against a label, with their slopes: of one row, and of a batch.
#pragma once

#include <cstdint>
#include <span>

#include "base/elementary.hpp"

namespace fairfront::models {

/// log(1 + exp(-y s)) for labels y in {-1, +1}: the negative log-likelihood of the logistic model,
/// also called binary cross-entropy with logits.
struct LogisticLoss {
  /// Without overflow for any score.
  [[nodiscard]] static double value(double score, double label) {
    return base::softplus(-label * score);
  }
  /// d value / d score, in (-1, 1).
  [[nodiscard]] static double slope(double score, double label) {
    return -label * base::sigmoid(-label * score);
  }
};

/// (s - y)^2 / 2 for any real label.
struct SquaredLoss {
  [[nodiscard]] static double value(double score, double label) {
    return 0.5 * (score - label) * (score - label);
  }
  [[nodiscard]] static double slope(double score, double label) { return score - label; }
};

/// max(0, 1 - y s) for labels y in {-1, +1}. NaN for a score that is NaN.
struct HingeLoss {
  [[nodiscard]] static double value(double score, double label) {
    const double shortfall = 1 - label * score;
    return shortfall < 0 ? 0.0 : shortfall;
  }
  /// At y s = 1 the subgradient 0.
  [[nodiscard]] static double slope(double score, double label) {
    return label * score >= 1 ? 0.0 : -label;
  }
};

enum class LossKind { logistic, square, hinge };

/// out[i] = loss of score i against label i; all of one size, `out` not one of the others.
void loss_values(LossKind kind, std::span<const double> scores, std::span<const double> labels,
                 std::span<double> out);

/// out[i] = d loss / d score i; all of one size, `out` not one of the others.
void loss_slopes(LossKind kind, std::span<const double> scores, std::span<const double> labels,
                 std::span<double> out);

}  // namespace fairfront::models
