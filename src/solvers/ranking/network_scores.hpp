/// @file
/// The rows that a network with one hidden layer of sigmoid units learns from.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "models/perceptron.hpp"
#include "models/rows.hpp"
#include "solvers/ranking/linear_scores.hpp"

namespace fairfront::ranking {

/// h = v^T sigmoid(W^T (x - mean) + b) + c: the weights are those of models::Perceptron. Rows kept
/// as lists of their ones cost a pass over these, in both directions.
class NetworkScores {
 public:
  class Scratch {
    friend class NetworkScores;
    std::vector<double> inputs_;  ///< (batch, columns), of dense rows
    std::vector<double> hidden_;  ///< (batch, units)
    std::vector<double> deltas_;  ///< (batch, units)
    std::vector<double> totals_;  ///< (units,)
    std::vector<double> padded_;  ///< a matrix (columns, units) in whole vectors, beside lists
  };

  /// @param rows  must outlive this. @param units  of the hidden layer, >= 1.
  NetworkScores(const LinearScores& rows, std::int64_t units);

  [[nodiscard]] std::int64_t rows() const { return rows_.rows(); }
  [[nodiscard]] std::int64_t parameters() const { return network_.parameters(); }
  [[nodiscard]] std::span<const std::uint8_t> cells() const { return rows_.cells(); }
  [[nodiscard]] const std::array<double, max_cells>& rows_of_cell() const {
    return rows_.rows_of_cell();
  }
  [[nodiscard]] const models::Perceptron& network() const { return network_; }

  void scores(std::span<const double> w, std::span<const std::int64_t> batch, Scratch& scratch,
              std::span<double> out) const;
  void add_gradient(std::span<const double> w, std::span<const std::int64_t> batch,
                    Scratch& scratch, std::span<const double> slopes,
                    std::span<double> gradient) const;
  /// Of all rows.
  [[nodiscard]] CellSums sums(std::span<const double> w) const;

  /// (v, c) <- factor (v, c).
  void multiply_scores(std::span<double> w, double factor) const;
  /// With which (v, c) fills what the hidden weights leave of the ball.
  [[nodiscard]] double most_factor(std::span<const double> w, double radius) const;

  /// Scores of rows that are not centred, shape (rows.size(),).
  [[nodiscard]] std::vector<double> scores_of(const models::Rows& rows,
                                              std::span<const double> w) const;

  /// Random hidden weights, of Glorot and Bengio (2010), and output weights 0: a constant score,
  /// which every constraint allows. Not 0 throughout: there the hidden weights have no gradient,
  /// and equal units would stay equal.
  [[nodiscard]] std::vector<double> initial_weights(base::Stream& stream) const;

  /// |h| is at most this where |w| <= radius: every unit is within (0, 1).
  [[nodiscard]] double score_bound(double radius) const;

 private:
  /// shift[u] = sum_j mean_j W(j, u).
  void shifts(std::span<const double> w, std::vector<double>& shift) const;

  const LinearScores& rows_;
  models::Perceptron network_;
};

}  // namespace fairfront::ranking
