/// @file
/// Linear scores s = w_0 + w_1 x_1 + ... + w_d x_d over the rows of a data set, and sums of losses
/// over rows with their gradients. Nothing here allocates or keeps state.
#pragma once

#include <cstdint>
#include <span>

#include "models/loss.hpp"

namespace fairfront::models {

/// A view of features and labels; the data must outlive it.
struct LinearModel {
  std::int64_t columns = 0;          ///< d; the model has d + 1 parameters, the intercept first
  std::span<const double> features;  ///< row-major, shape (N, d)
  std::span<const double> labels;    ///< shape (N,)

  [[nodiscard]] std::int64_t rows() const { return std::ssize(labels); }
  [[nodiscard]] std::int64_t parameters() const { return columns + 1; }

  [[nodiscard]] const double* row(std::int64_t i) const { return features.data() + i * columns; }

  /// @param w  shape (d + 1,).
  [[nodiscard]] double score(std::int64_t i, std::span<const double> w) const {
    const double* x = row(i);
    double sum = w[0];
    for (std::size_t j = 1; j < w.size(); ++j) sum += w[j] * x[j - 1];
    return sum;
  }

  /// gradient += factor * (1, x_i): the gradient of the score of row i.
  void add_score_gradient(std::int64_t i, double factor, std::span<double> gradient) const {
    const double* x = row(i);
    gradient[0] += factor;
    for (std::size_t j = 1; j < gradient.size(); ++j) gradient[j] += factor * x[j - 1];
  }

  template <class Loss>
  [[nodiscard]] double loss(std::int64_t i, std::span<const double> w) const {
    return Loss::value(score(i, w), labels[static_cast<std::size_t>(i)]);
  }

  /// gradient += factor * (gradient of the loss of row i).
  template <class Loss>
  void add_loss_gradient(std::int64_t i, std::span<const double> w, double factor,
                         std::span<double> gradient) const {
    const double slope = Loss::slope(score(i, w), labels[static_cast<std::size_t>(i)]);
    add_score_gradient(i, factor * slope, gradient);
  }
};

}  // namespace fairfront::models
