/// @file
/// Losses of rows and the way back to gradients: what every step of training is made of.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "models/rows.hpp"
#include "solvers/training/problem.hpp"
#include "solvers/training/row_pieces.hpp"

namespace fairfront::training {

/// A run whose rows have a greater mean loss than this has diverged, though every number may still
/// be finite: it is the loss of a score of a million on the wrong side.
[[nodiscard]] double greatest_mean_loss(models::LossKind loss);
/// For weights that are known not to have diverged, as those within the bounds: rows far from all
/// that they were trained on may have any loss.
constexpr double any_mean_loss = std::numeric_limits<double>::infinity();

/// What is a mean over rows: losses, or what rows add to the means of their cells.
enum class MeanOf { losses, cells };

/// One pass forward over a few rows, and any number of ways back. Allocates until it has seen its
/// largest batch. Not for several threads. Batches of 512 rows or more are passed in pieces, see
/// RowPieces: where a team shares the problem, calls are collective for is_shared_batch().
class Pass {
 public:
  /// Keeps a reference.
  explicit Pass(const Problem& problem) : Pass(problem, greatest_mean_loss(problem.loss)) {}
  /// @param greatest  mean loss of weights that have not diverged.
  Pass(const Problem& problem, double greatest) : problem_{problem}, greatest_{greatest} {}

  /// The losses of rows of the matrix at w. Valid until the next call.
  /// @throws std::domain_error  their mean is NaN or above the greatest one: the run has diverged.
  std::span<const double> forward(std::span<const double> w, std::span<const std::int64_t> rows);
  /// The scores that these losses are of.
  [[nodiscard]] std::span<const double> scores() const { return scores_; }
  /// What the last layer has made them of: row-major, shape (rows, its inputs). Of less than 512
  /// rows.
  [[nodiscard]] std::span<const double> last_inputs() const {
    return problem_.model.last_inputs(scratch_.front());
  }
  /// The labels of these rows.
  [[nodiscard]] std::span<const double> labels() const { return labels_; }

  /// d loss_i / d score_i of these rows.
  [[nodiscard]] std::span<const double> slopes();

  /// What these rows add to the means of their cells, see cell_values(): where losses are bounded,
  /// the losses.
  [[nodiscard]] std::span<const double> cell_values();
  /// What stands for the derivatives of these in the scores.
  [[nodiscard]] std::span<const double> cell_slopes();

  /// gradient += sum_i factors[i] d loss_i / d w, for the w and rows of the last forward().
  void backward(std::span<const double> w, std::span<const double> factors,
                std::span<double> gradient) {
    backward(w, factors, gradient, factors.size());
  }
  /// The same, but with the cell value in place of the loss from row `first_of_cells` on.
  void backward(std::span<const double> w, std::span<const double> factors,
                std::span<double> gradient, std::size_t first_of_cells);
  /// gradient += sum_i slopes[i] d score_i / d w.
  void backward_scores(std::span<const double> w, std::span<const double> slopes,
                       std::span<double> gradient);

 private:
  const Problem& problem_;
  double greatest_;  ///< mean loss of a run that has not diverged
  /// Cuts a batch of that many rows.
  void cut(std::int64_t count);
  /// The rows of the last batch that a piece has.
  [[nodiscard]] models::Rows view(const Piece& piece) const;
  [[nodiscard]] models::Perceptron::Scratch& scratch_of(const Piece& piece);

  std::vector<models::Perceptron::Scratch> scratch_;  ///< of pieces
  std::span<const std::int64_t> rows_;
  std::int64_t cut_ = 0;             ///< rows of a piece
  std::optional<RowPieces> pieces_;  ///< of the last batch
  std::vector<double> labels_, scores_, losses_, slopes_, scaled_;
  std::vector<double> cell_values_, cell_slopes_;  ///< unused where they are those of losses
  bool has_slopes_ = false;
};

}  // namespace fairfront::training
