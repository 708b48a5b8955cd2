/// @file
/// Thresholds of a target in [0, 1], and draws among linear scores that are rounded to them: A.
/// Agarwal, M. Dudik, S. Wu (2019), "Fair regression", section 4.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::models {

/// The m thresholds theta_k = k / (m - 1) and what is predicted between them.
struct Thresholds {
  std::int64_t count = 41;  ///< m >= 2

  [[nodiscard]] double threshold(std::int64_t k) const noexcept {
    return static_cast<double>(k) / static_cast<double>(count - 1);
  }
  /// The atom theta_k + alpha, alpha half of the thresholds' distance.
  [[nodiscard]] double atom(std::int64_t k) const noexcept {
    return (static_cast<double>(k) + 0.5) / static_cast<double>(count - 1);
  }
  /// Thresholds that are <= value.
  [[nodiscard]] std::int64_t reached(double value) const noexcept;
  /// The atom that a linear score is rounded to.
  [[nodiscard]] std::int64_t atom_of(double score) const noexcept {
    const std::int64_t reached_ones = reached(score);
    return reached_ones > 0 ? reached_ones - 1 : 0;
  }
};

/// Adds what a draw says of a row: score with this weight, rounded to its atom.
/// @param features  of the row, shape (d,). @param weights  shape (d,).
/// @param out       probabilities of the atoms, shape (m,).
void add_rounded_score(const Thresholds& thresholds, std::span<const double> weights,
                       double probability, std::span<const double> features, std::span<double> out);

}  // namespace fairfront::models
