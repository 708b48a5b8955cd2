#include "solvers/regression/bounded_system.hpp"

#include <algorithm>
#include <numeric>

#include "base/stop.hpp"
#include "optimise/decomposition.hpp"
#include "optimise/ridged_cholesky.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr optimise::Ridges system_ridges{.least = 1e-16, .most = 1e-2};  ///< of the curvature

/// Rows by decreasing length: Householder's decomposition is then accurate row by row, however
/// much they differ (Cox, Higham, 1998).
std::vector<Index> by_length(const Matrix& matrix) {
  const Vector length = matrix.rowwise().squaredNorm();
  std::vector<Index> order(static_cast<std::size_t>(matrix.rows()));
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](Index a, Index b) { return length[a] > length[b]; });
  return order;
}

}  // namespace

BoundedSystem::BoundedSystem(const ParityDual& dual, const FreeTilts& free,
                             const ParityDual& smooth)
    : to_free_{free.to_free},
      smooth_{smooth},
      blocks_{dual.blocks()},
      of_block_{dual.size() / dual.blocks()},
      has_kernel_{dual.bound() == ParityBound::atom} {}

bool BoundedSystem::factorise(std::span<const double> weights, const Vector& softness) {
  root_ = softness.cwiseSqrt();
  decompose(softness);
  system_ = assembled(smooth_.weighted_hessian(weights));
  if (has_kernel_) find_kernel();
  const Matrix lifted = without_kernel();
  auto found = optimise::ridged_cholesky(lifted, system_ridges, [&](double ridge) -> Vector {
    return (1 + ridge) * lifted.diagonal();
  });
  if (found) factors_ = *std::move(found);
  return found.has_value();
}

void BoundedSystem::decompose(const Vector& softness) {
  const Index rank = to_free_.rows();
  q_.assign(static_cast<std::size_t>(of_block_), {});
  r_ = rest_ = q_;
  for (Index l = 0; l < of_block_; ++l) {
    base::stop_point();
    Matrix scaled(blocks_, rank);
    for (Index b = 0; b < blocks_; ++b) {
      scaled.row(b) = std::sqrt(softness[b * of_block_ + l]) * to_free_.col(b).transpose();
    }
    const std::vector<Index> order = by_length(scaled);
    const optimise::PivotedQr factors(scaled(order, Eigen::all));
    const Matrix all = factors.q(blocks_);
    const Matrix r = factors.r(rank);
    Matrix q(blocks_, blocks_);
    for (Index b = 0; b < blocks_; ++b) q.row(order[static_cast<std::size_t>(b)]) = all.row(b);
    q_[static_cast<std::size_t>(l)] = q.leftCols(rank);
    rest_[static_cast<std::size_t>(l)] = q.rightCols(blocks_ - rank);
    r_[static_cast<std::size_t>(l)] = r * factors.permutation().transpose();
  }
}

/// With bounds of atoms, scores of all atoms that move together move no probability: H' R^T z = 0.
/// Where bounds are tight rounding of R H' R^T is more than the 1 that holds these z.
void BoundedSystem::find_kernel() {
  const Index rank = to_free_.rows();
  Matrix together(rank * of_block_, rank);
  for (Index l = 0; l < of_block_; ++l) {
    base::stop_point();
    const optimise::PivotedQr factors(r_[static_cast<std::size_t>(l)].transpose());
    together.middleRows(l * rank, rank) = factors.solve_columns(Matrix::Identity(rank, rank));
  }
  const std::vector<Index> order = by_length(together);
  const Matrix q = optimise::PivotedQr(together(order, Eigen::all)).q(rank);
  kernel_.resize(together.rows(), rank);
  for (Index i = 0; i < q.rows(); ++i) kernel_.row(order[static_cast<std::size_t>(i)]) = q.row(i);
}

/// The system with curvature of its own size in the kernel.
Matrix BoundedSystem::without_kernel() const {
  Matrix lifted = system_;
  for (Index k = 0; k < kernel_.cols(); ++k) {
    base::stop_point();
    const double size = kernel_.col(k).cwiseAbs2().dot(system_.diagonal());
    lifted += size * kernel_.col(k) * kernel_.col(k).transpose();
  }
  return lifted;
}

Vector BoundedSystem::beside_kernel(const Vector& z) const {
  if (!has_kernel_) return z;
  return z - kernel_ * (kernel_.transpose() * z);
}

/// In the kernel the system is 1.
Vector BoundedSystem::solve(const Vector& right) const {
  const Vector beside = beside_kernel(right);
  Vector z = beside_kernel(factors_.solve(beside));
  z += beside_kernel(factors_.solve(beside_kernel(beside - system_ * z)));
  if (has_kernel_) z += kernel_ * (kernel_.transpose() * right);
  return z;
}

/// 1 + R H' R^T, atom by atom; those of H' are apart by of_block_.
Matrix BoundedSystem::assembled(const Matrix& hessian) const {
  const Index rank = to_free_.rows();
  Matrix result(rank * of_block_, rank * of_block_);
  Matrix part(rank, rank);
  for (Index l = 0; l < of_block_; ++l) {
    base::stop_point();
    for (Index m = 0; m <= l; ++m) {
      for (Index b = 0; b < rank; ++b) {
        for (Index c = 0; c < rank; ++c) part(b, c) = hessian(b * of_block_ + l, c * of_block_ + m);
      }
      const Matrix block =
          r_[static_cast<std::size_t>(l)] * part * r_[static_cast<std::size_t>(m)].transpose();
      result.block(l * rank, m * rank, rank, rank) = block;
      if (m < l) result.block(m * rank, l * rank, rank, rank) = block.transpose();
    }
  }
  result.diagonal().array() += 1;
  return result;
}

BoundedSystem::Solution BoundedSystem::solve(const Vector& right,
                                             std::span<const double> moved) const {
  const Vector scaled = root_.cwiseProduct(right);
  const Index rank = to_free_.rows();
  Matrix of_atoms = scaled.reshaped(of_block_, blocks_).transpose();  // shape (blocks, atoms)
  const Vector gaps = smooth_.gaps(moved);
  const Matrix own = gaps.reshaped(of_block_, rank).transpose();
  Vector along(rank * of_block_);
  for (Index l = 0; l < of_block_; ++l) {
    const auto atom = static_cast<std::size_t>(l);
    along.segment(l * rank, rank) = q_[atom].transpose() * of_atoms.col(l) - r_[atom] * own.col(l);
  }
  Matrix c(rank, of_block_);
  const Vector z = solve(along);
  for (Index l = 0; l < of_block_; ++l) {
    const auto atom = static_cast<std::size_t>(l);
    const Vector beside = rest_[atom].transpose() * of_atoms.col(l);
    c.col(l) = r_[atom].transpose() * z.segment(l * rank, rank);
    of_atoms.col(l) = q_[atom] * z.segment(l * rank, rank) + rest_[atom] * beside;
  }
  return {root_.cwiseProduct(of_atoms.transpose().reshaped().eval()), c.transpose().reshaped()};
}

}  // namespace fairfront::regression
