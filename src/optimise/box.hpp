/// @file
/// Boxes: feasible sets whose projection is coordinate by coordinate.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace fairfront::optimise {

/// { x : lower_j <= x_j <= upper_j }, nonempty, convex and compact.
class Box {
 public:
  /// @param lower, upper  shape (n,), finite, lower_j <= upper_j.
  Box(std::vector<double> lower, std::vector<double> upper)
      : lower_{std::move(lower)}, upper_{std::move(upper)} {}
  /// The same interval in each of `variables` coordinates.
  Box(std::int64_t variables, double lower, double upper)
      : lower_(static_cast<std::size_t>(variables), lower),
        upper_(static_cast<std::size_t>(variables), upper) {}

  [[nodiscard]] std::int64_t variables() const noexcept { return std::ssize(lower_); }
  [[nodiscard]] std::span<const double> lower() const noexcept { return lower_; }
  [[nodiscard]] std::span<const double> upper() const noexcept { return upper_; }

  /// The orthogonal projection, in place.
  void project(std::span<double> x) const noexcept {
    for (std::size_t j = 0; j < x.size(); ++j) x[j] = std::clamp(x[j], lower_[j], upper_[j]);
  }

  [[nodiscard]] bool contains(std::span<const double> x) const noexcept {
    for (std::size_t j = 0; j < x.size(); ++j) {
      if (!(x[j] >= lower_[j] && x[j] <= upper_[j])) return false;
    }
    return true;
  }

  /// Theta: the largest Euclidean distance of two points.
  [[nodiscard]] double diameter() const noexcept {
    double square = 0;
    for (std::size_t j = 0; j < lower_.size(); ++j) {
      square += (upper_[j] - lower_[j]) * (upper_[j] - lower_[j]);
    }
    return std::sqrt(square);
  }

  /// A point drawn uniformly.
  [[nodiscard]] std::vector<double> random_point(base::Stream& stream) const {
    std::vector<double> x(lower_.size());
    for (std::size_t j = 0; j < x.size(); ++j) {
      x[j] = lower_[j] + stream.uniform() * (upper_[j] - lower_[j]);
    }
    return x;
  }

 private:
  std::vector<double> lower_;
  std::vector<double> upper_;
};

}  // namespace fairfront::optimise
