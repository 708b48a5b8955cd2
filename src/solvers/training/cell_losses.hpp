/// @file
/// Mean losses of a linear score on the training part and on its cells, with first and second
/// derivatives: what [exact_training] is made of.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "optimise/eigen.hpp"
#include "solvers/training/problem.hpp"

namespace fairfront::training {

/// Whether these derivatives exist: the model is a linear score, its loss logistic or square, and
/// losses are bounded, not rates.
[[nodiscard]] bool has_exact_optimum(const Problem& problem);

/// Mean loss of the training part and of its cells at w, with derivatives. Keeps the rows cell by
/// cell in blocks: memory as much as the features of the training part.
class CellLosses {
 public:
  using Matrix = Eigen::MatrixXd;
  using Vector = Eigen::VectorXd;
  /// Rows of one slot: no. 0 holds the rows of no cell, no. k those of cell k - 1.
  struct Block {
    std::size_t slot;
    Matrix x;  ///< a column a row, the last element 1: shape (n, rows)
    Eigen::ArrayXd label;
  };

  /// Keeps a reference.
  /// @throws std::invalid_argument  has_exact_optimum() is false.
  explicit CellLosses(const Problem& problem);

  /// Loss, gaps and their gradients.
  void evaluate(std::span<const double> w);
  [[nodiscard]] double loss() const { return loss_; }
  [[nodiscard]] std::span<const double> gaps() const { return gaps_; }
  [[nodiscard]] std::span<const double> gradient() const {
    return {gradient_.data(), static_cast<std::size_t>(gradient_.size())};
  }
  /// Mean losses of the slots and, column by column, their gradients (n, slots); 0 of an empty one.
  [[nodiscard]] const Vector& slot_losses() const { return slot_losses_; }
  [[nodiscard]] const Matrix& slot_gradients() const { return slot_gradients_; }
  /// out += J'v. @param v  shape (gaps,).
  void add_pulled_back(std::span<const double> v, std::span<double> out) const;

  /// The Hessians of the slots' mean losses at w, both triangles; 0 of an empty one.
  [[nodiscard]] std::vector<Matrix> hessians(std::span<const double> w) const;
  /// The mean of x x' over all rows.
  [[nodiscard]] const Matrix& second_moments() const { return second_moments_; }

  /// What rows of no cell and of each cell weigh in f + v'd, of all weights: shape (slots,).
  /// Where none is below 0 the function is convex.
  [[nodiscard]] std::vector<double> weights(std::span<const double> v) const;

  [[nodiscard]] std::size_t parameters() const { return columns_; }
  [[nodiscard]] std::size_t num_gaps() const { return gaps_.size(); }
  [[nodiscard]] std::size_t num_slots() const { return counts_.size(); }
  [[nodiscard]] const std::vector<Block>& blocks() const { return blocks_; }
  /// Rows of a slot.
  [[nodiscard]] std::int64_t count(std::size_t slot) const { return counts_[slot]; }
  [[nodiscard]] const Problem& problem() const { return problem_; }

 private:
  void pack();

  const Problem& problem_;
  std::size_t columns_;
  std::vector<std::int64_t> counts_;
  std::vector<Block> blocks_;
  Matrix second_moments_;
  double loss_ = 0;
  Vector gradient_, slot_losses_;
  Matrix slot_gradients_;
  std::vector<double> gaps_;
};

/// Of a block's rows at w the derivatives of the loss by the score, and, of slopes, the second
/// ones.
[[nodiscard]] Eigen::ArrayXd slopes_at(models::LossKind loss, const CellLosses::Block& block,
                                       const CellLosses::Vector& w);
[[nodiscard]] Eigen::ArrayXd curvatures(models::LossKind loss, const Eigen::ArrayXd& slopes);

/// sum_k weights_k hessians_k, shape of both (slots,).
[[nodiscard]] CellLosses::Matrix weighted_sum(std::span<const CellLosses::Matrix> hessians,
                                              std::span<const double> weights);

}  // namespace fairfront::training
