/// @file
/// The hinge loss with its bend rounded over some width of scores.
#pragma once

#include <span>

namespace fairfront::training {

/// max(0, 1 - m) of the margin m = y s where m is at least width / 2 from 1, and between the
/// parabola that goes on smoothly from either: convex, and above the hinge by width / 8 at most.
/// Twice differentiable but for two points.
class RoundedHinge {
 public:
  /// @param width  > 0.
  explicit RoundedHinge(double width) : width_{width} {}

  [[nodiscard]] double value(double score, double label) const {
    const double beyond = shortfall(score, label);
    if (beyond >= width_) return beyond - 0.5 * width_;
    return beyond <= 0 ? 0 : 0.5 * beyond * beyond / width_;
  }
  /// d value / d score, in [-1, 1].
  [[nodiscard]] double slope(double score, double label) const {
    const double beyond = shortfall(score, label);
    return beyond <= 0 ? 0 : beyond >= width_ ? -label : -label * beyond / width_;
  }
  /// Of a score in the bend 1 / width, elsewhere 0.
  [[nodiscard]] double curvature(double score, double label) const {
    const double beyond = shortfall(score, label);
    return beyond > 0 && beyond < width_ ? 1 / width_ : 0;
  }

 private:
  /// What is left to the margin where the loss vanishes.
  [[nodiscard]] double shortfall(double score, double label) const {
    return 1 + 0.5 * width_ - label * score;
  }
  double width_;
};

}  // namespace fairfront::training
