#include "solvers/training/gap_coordinates.hpp"
#include "optimise/decomposition.hpp"

#include <algorithm>
#include <vector>

namespace fairfront::training {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// The best of what iterations d <- E[sigma' (u'd)^3 u] tend to.
Vector heaviest_tail(const Matrix& u, const ArrayXd& weight, const std::function<void()>& beat) {
  Index longest = 0;
  u.colwise().squaredNorm().maxCoeff(&longest);
  std::vector<Vector> starts{u.col(longest).normalized()};
  for (Index j = 0; j < u.rows(); ++j) starts.emplace_back(Vector::Unit(u.rows(), j));
  double most = -1;
  Vector best;
  for (Vector& d : starts) {
    constexpr int most_steps = 20;
    for (int k = 0; k < most_steps; ++k) {
      beat();
      const ArrayXd score = (u.transpose() * d).array();
      const Vector next = (u * (weight * score.cube()).matrix()).normalized();
      if (!next.allFinite() || next.norm() == 0) break;
      const double change = (next - d).norm();
      d = next;
      if (change < 1e-4) break;
    }
    const ArrayXd score = (u.transpose() * d).array();
    const double value = (weight * score.square().square()).sum();
    if (value > most) {
      most = value;
      best = d;
    }
  }
  return best;
}

/// An orthogonal matrix with this first column.
Matrix completed(const Vector& first) {
  Matrix found = optimise::Qr(first).q();
  if (found.col(0).dot(first) < 0) found.col(0) = -found.col(0);
  return found;
}

}  // namespace

std::optional<Matrix> gap_coordinates(const Matrix& convex, const Matrix& other,
                                      const BoundedRows& rows, const Vector& at,
                                      const std::function<void()>& beat) {
  const optimise::Cholesky factor(convex);
  if (!factor.is_definite()) return std::nullopt;
  const ArrayXd pivots = factor.diagonal();
  if (!(pivots.minCoeff() > 1e-5 * pivots.maxCoeff())) return std::nullopt;
  const Index n = convex.rows();
  Matrix basis = factor.inverse_upper();
  const Matrix seen = basis.transpose() * other * basis;
  basis = basis * completed(optimise::spectrum(seen).vectors.col(n - 1));
  const ArrayXd chance = rows.at(at, beat).chance, weight = chance * (1 - chance);
  for (Index done = 1; done + 1 < n; ++done) {
    const Matrix u = basis.rightCols(n - done).transpose() * rows.rows();
    basis.rightCols(n - done) =
        basis.rightCols(n - done) * completed(heaviest_tail(u, weight, beat));
  }
  return basis;
}

}  // namespace fairfront::training
