#include "solvers/training/cell_losses.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/stop.hpp"
#include "models/loss.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Eigen::Map;
using Matrix = CellLosses::Matrix;
using Vector = CellLosses::Vector;

std::span<double> view(Eigen::ArrayXd& a) { return {a.data(), static_cast<std::size_t>(a.size())}; }
std::span<const double> view(const Eigen::ArrayXd& a) {
  return {a.data(), static_cast<std::size_t>(a.size())};
}

/// A vector of Eigen's own: sums over it do not depend on where the caller's memory lies.
Vector own(std::span<const double> w) { return Map<const Vector>(w.data(), std::ssize(w)); }

Eigen::ArrayXd scores_of(const CellLosses::Block& block, const Vector& w) {
  return (block.x.transpose() * w).array();
}

Eigen::ArrayXd slopes_of(models::LossKind loss, const CellLosses::Block& block,
                         const Eigen::ArrayXd& scores) {
  Eigen::ArrayXd slopes(scores.size());
  models::loss_slopes(loss, view(scores), view(block.label), view(slopes));
  return slopes;
}

/// matrix += x diag(factors) x', lower triangle. @param factors  at least 0.
void add_squares(const Matrix& x, const Eigen::ArrayXd& factors, Matrix& matrix) {
  const Matrix scaled = x * factors.sqrt().matrix().asDiagonal();
  matrix.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
}

void mirror(Matrix& lower) { lower.triangularView<Eigen::StrictlyUpper>() = lower.transpose(); }

}  // namespace

bool has_exact_optimum(const Problem& problem) {
  return problem.model.layers().size() == 1 && problem.loss != models::LossKind::hinge &&
         !problem.constraints.rate();
}

CellLosses::CellLosses(const Problem& problem) : problem_{problem}, columns_{problem.parameters()} {
  if (!has_exact_optimum(problem)) {
    throw std::invalid_argument(
        "an exact optimum needs a linear score (model.hidden empty) and training.loss = logistic "
        "or square");
  }
  counts_.resize(problem.constraints.cells().size() + 1);
  gaps_.resize(static_cast<std::size_t>(problem.constraints.gaps()));
  pack();
  const auto n = static_cast<Index>(columns_);
  second_moments_ = Matrix::Zero(n, n);
  for (const Block& block : blocks_) {
    add_squares(block.x, Eigen::ArrayXd::Ones(block.label.size()), second_moments_);
  }
  second_moments_ /= static_cast<double>(problem.train.size());
  mirror(second_moments_);
}

void CellLosses::pack() {
  constexpr std::size_t most_rows = 256;  // of a block: some hundred kilobytes
  const auto& train = problem_.train;
  std::vector<std::vector<std::int64_t>> rows(counts_.size());
  for (std::size_t i = 0; i < train.rows.size(); ++i) {
    rows[static_cast<std::size_t>(train.cell[i] + 1)].push_back(train.rows[i]);
  }
  const std::size_t d = columns_ - 1;
  for (std::size_t slot = 0; slot < rows.size(); ++slot) {
    counts_[slot] = std::ssize(rows[slot]);
    for (std::size_t first = 0; first < rows[slot].size(); first += most_rows) {
      const auto count = static_cast<Index>(std::min(most_rows, rows[slot].size() - first));
      Block block{slot, Matrix::Ones(static_cast<Index>(columns_), count), Eigen::ArrayXd(count)};
      for (Index i = 0; i < count; ++i) {
        const auto row = static_cast<std::size_t>(rows[slot][first + static_cast<std::size_t>(i)]);
        std::ranges::copy(problem_.features.subspan(row * d, d), block.x.col(i).begin());
        block.label[i] = problem_.labels[row];
      }
      blocks_.push_back(std::move(block));
    }
  }
}

void CellLosses::evaluate(std::span<const double> w) {
  const Vector at = own(w);
  const auto slots = static_cast<Index>(counts_.size());
  slot_losses_ = Vector::Zero(slots);
  slot_gradients_ = Matrix::Zero(at.size(), slots);
  for (const Block& block : blocks_) {
    base::stop_point();
    const Eigen::ArrayXd scores = scores_of(block, at);
    const auto slot = static_cast<Index>(block.slot);
    Eigen::ArrayXd losses(scores.size());
    models::loss_values(problem_.loss, view(scores), view(block.label), view(losses));
    slot_losses_[slot] += losses.sum();
    slot_gradients_.col(slot) += block.x * slopes_of(problem_.loss, block, scores).matrix();
  }
  const auto rows = static_cast<double>(problem_.train.size());
  loss_ = slot_losses_.sum() / rows;
  gradient_ = slot_gradients_.rowwise().sum() / rows;
  for (Index k = 0; k < slots; ++k) {
    const auto count = static_cast<double>(counts_[static_cast<std::size_t>(k)]);
    if (count == 0) continue;
    slot_losses_[k] /= count;
    slot_gradients_.col(k) /= count;
  }
  problem_.constraints.gaps_of({slot_losses_.data() + 1, static_cast<std::size_t>(slots - 1)},
                               gaps_);
}

void CellLosses::add_pulled_back(std::span<const double> v, std::span<double> out) const {
  std::vector<double> of_cells(counts_.size() - 1);
  problem_.constraints.pull_back(v, of_cells);
  for (std::size_t k = 0; k < of_cells.size(); ++k) {
    const auto gradient = slot_gradients_.col(static_cast<Index>(k + 1));
    for (std::size_t j = 0; j < columns_; ++j) {
      out[j] += of_cells[k] * gradient[static_cast<Index>(j)];
    }
  }
}

std::vector<double> CellLosses::weights(std::span<const double> v) const {
  const auto rows = static_cast<double>(problem_.train.size());
  std::vector<double> pulled(counts_.size() - 1);
  problem_.constraints.pull_back(v, pulled);
  std::vector<double> weights;
  for (std::size_t k = 0; k < counts_.size(); ++k) {
    weights.push_back(static_cast<double>(counts_[k]) / rows + (k > 0 ? pulled[k - 1] : 0.0));
  }
  return weights;
}

std::vector<Matrix> CellLosses::hessians(std::span<const double> w) const {
  const Vector at = own(w);
  const auto n = static_cast<Index>(columns_);
  std::vector<Matrix> found(counts_.size(), Matrix::Zero(n, n));
  for (const Block& block : blocks_) {
    base::stop_point();
    const Eigen::ArrayXd slopes = slopes_at(problem_.loss, block, at);
    add_squares(block.x, curvatures(problem_.loss, slopes), found[block.slot]);
  }
  for (std::size_t k = 0; k < found.size(); ++k) {
    if (counts_[k] > 0) found[k] /= static_cast<double>(counts_[k]);
    mirror(found[k]);
  }
  return found;
}

Eigen::ArrayXd slopes_at(models::LossKind loss, const CellLosses::Block& block, const Vector& w) {
  return slopes_of(loss, block, scores_of(block, w));
}

/// Of the logistic loss |slope| is the probability of the other label.
Eigen::ArrayXd curvatures(models::LossKind loss, const Eigen::ArrayXd& slopes) {
  if (loss == models::LossKind::square) return Eigen::ArrayXd::Ones(slopes.size());
  return slopes.abs() * (1 - slopes.abs());
}

Matrix weighted_sum(std::span<const Matrix> hessians, std::span<const double> weights) {
  Matrix sum = weights[0] * hessians[0];
  for (std::size_t k = 1; k < hessians.size(); ++k) sum += weights[k] * hessians[k];
  return sum;
}

}  // namespace fairfront::training
