#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "solvers/training/last_layer.hpp"
#include "solvers/training/rounded_hinge.hpp"

namespace fairfront::training {
namespace {

/// Weights beyond which curvature is the diagonal's alone: n^2 numbers a row would cost more than
/// they save.
constexpr std::int64_t most_curved = 601;

}  // namespace

std::size_t LastLayer::curvature_width(std::int64_t weights) {
  const auto n = static_cast<std::size_t>(weights);
  return weights > most_curved ? n : n * n;
}

double LastLayer::second_derivative(std::size_t row) const {
  switch (problem_.loss) {
    case models::LossKind::logistic: {
      const double size = std::abs(slopes_[row]);
      return std::max(size * (1 - size), 1e-3);  // where all scores are certain, steps have an end
    }
    case models::LossKind::square:
      return 1;
    case models::LossKind::hinge:
      break;
  }
  constexpr double tried = 0.25;  // it has none; steps are tried before they are taken
  if (bend_ == 0) return tried;
  constexpr double least = 0.02;
  return std::max(least, RoundedHinge(bend_).curvature(scores_[row], labels_[row]));
}

std::int64_t LastLayer::stride_of(const Slot& slot) const {
  // Some 8 N / n rows cost as much as two evaluations; 30 of a cell tell its directions.
  const auto n = static_cast<std::int64_t>(size());
  const auto share = std::max<std::int64_t>(30, slot.count * 8 / n + 1);
  return std::max<std::int64_t>(1, slot.count / share);
}

void LastLayer::add_curvature(const Piece& piece, double weight, std::span<double> out) const {
  const auto n = static_cast<Eigen::Index>(size());
  const Slot& slot = slots_[piece.slot];
  const std::int64_t stride = stride_of(slot), end = piece.first + piece.count;
  const std::int64_t before = (piece.first - slot.first + stride - 1) / stride;
  const std::int64_t begin = slot.first + before * stride;
  weight *=
      static_cast<double>(slot.count) / static_cast<double>((slot.count + stride - 1) / stride);
  constexpr std::int64_t taken = 128;  // at once
  Matrix scaled(n, static_cast<Eigen::Index>(taken));
  for (std::int64_t first = begin; first < end; first += taken * stride) {
    base::stop_point();
    const std::int64_t count = std::min(taken, (end - first + stride - 1) / stride);
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t row = first + j * stride;
      const double root = std::sqrt(weight * second_derivative(static_cast<std::size_t>(row)));
      const double* const inputs = inputs_of(row);
      for (Eigen::Index i = 0; i + 1 < n; ++i) scaled(i, j) = root * inputs[i];
      scaled(n - 1, j) = root;
    }
    const auto some = scaled.leftCols(count);
    if (n > most_curved) {
      Eigen::Map<Vector>(out.data(), n) += some.rowwise().squaredNorm();
    } else {
      Eigen::Map<Matrix>(out.data(), n, n).selfadjointView<Eigen::Lower>().rankUpdate(some);
    }
  }
}

void LastLayer::curvature(std::span<const double> multipliers, Matrix& out) {
  stop_point();
  const auto n = static_cast<Eigen::Index>(size());
  out = Matrix::Zero(n, n);
  Vector diagonal = Vector::Zero(n);
  const std::span<double> sums{n > most_curved ? diagonal.data() : out.data(), curvature_width(n)};
  pieces_.add(sums, [&](const Piece& piece, std::span<double> of_piece) {
    add_curvature(piece, row_weight(piece.slot, multipliers), of_piece);
  });
  if (n > most_curved) out.diagonal() = diagonal;
  const bool are_losses = cell_slopes_.empty();
  if (is_linear_ || problem_.constraints.has_one_side() || !are_losses) {
    raise_diagonal(multipliers, out);
  }
  out.diagonal() += one_row_;
}

double LastLayer::row_weight(std::size_t slot, std::span<const double> multipliers) const {
  const double own = slots_[slot].share / static_cast<double>(slots_[slot].count);
  const bool counts = slot > 0 && cell_slopes_.empty();
  const double extra = counts ? multipliers[slot - 1] / static_cast<double>(slots_[slot].count) : 0;
  return std::max(0.05 * own, own + extra);
}

void LastLayer::raise_diagonal(std::span<const double> multipliers, Matrix& out) {
  Vector sums = Vector::Zero(out.rows());
  const auto add = [&](const Piece& piece, std::span<double> of_piece) {
    base::stop_point();
    const double weight = row_weight(piece.slot, multipliers);
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      const double curved = weight * second_derivative(static_cast<std::size_t>(row));
      const double* const inputs = inputs_of(row);
      for (std::size_t j = 0; j + 1 < of_piece.size(); ++j) {
        of_piece[j] += curved * inputs[j] * inputs[j];
      }
      of_piece.back() += curved;
    }
  };
  pieces_.add({sums.data(), size()}, add);
  out.diagonal() = out.diagonal().cwiseMax(sums);
}

}  // namespace fairfront::training
