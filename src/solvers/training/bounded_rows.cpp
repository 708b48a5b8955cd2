#include "solvers/training/bounded_rows.hpp"

#include <algorithm>

#include "base/elementary.hpp"

namespace fairfront::training {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr Index block = 4096;  ///< rows between two beats

}  // namespace

BoundedRows::Local BoundedRows::at(const Vector& v, const std::function<void()>& beat) const {
  Local found{0, Vector::Zero(v.size()), ArrayXd(u_.cols()), ArrayXd(u_.cols())};
  for (Index first = 0; first < u_.cols(); first += block) {
    beat();
    const Index count = std::min(block, u_.cols() - first);
    const Matrix some = u_.middleCols(first, count);
    ArrayXd score = (some.transpose() * v).array(), chance(count), loss(count);
    const std::span<const double> scores(score.data(), static_cast<std::size_t>(count));
    base::sigmoid(scores, {chance.data(), scores.size()});
    base::softplus(scores, {loss.data(), scores.size()});
    found.value += loss.sum();
    found.gradient += some * chance.matrix();
    found.score.segment(first, count) = score;
    found.chance.segment(first, count) = chance;
  }
  if (u_.cols() == 0) return found;
  found.value /= static_cast<double>(u_.cols());
  found.gradient /= static_cast<double>(u_.cols());
  return found;
}

Matrix BoundedRows::hessian(const Vector& v, const std::function<void()>& beat) const {
  const Local local = at(v, beat);
  Matrix found = Matrix::Zero(v.size(), v.size());
  for (Index first = 0; first < u_.cols(); first += block) {
    beat();
    const Index count = std::min(block, u_.cols() - first);
    const ArrayXd chance = local.chance.segment(first, count);
    const Matrix scaled =
        u_.middleCols(first, count) * (chance * (1 - chance)).sqrt().matrix().asDiagonal();
    found.selfadjointView<Eigen::Lower>().rankUpdate(scaled);
  }
  if (u_.cols() > 0) found /= static_cast<double>(u_.cols());
  found.triangularView<Eigen::StrictlyUpper>() = found.transpose();
  return found;
}

std::vector<Moments> BoundedRows::moments(const Local& local, const Matrix& basis,
                                          const Vector& half, double radius, bool below,
                                          const FourthDerivatives& fourth,
                                          const std::function<void()>& beat) const {
  const Matrix x = basis.transpose() * u_;
  const Index boxed = half.size(), rest = basis.rows() - boxed;
  ArrayXd reach(u_.cols());
  for (Index i = 0; i < reach.size(); ++i) {
    reach[i] = half.dot(x.col(i).head(boxed).cwiseAbs()) + radius * x.col(i).tail(rest).norm();
  }
  return bounding_moments({x, local.score, local.chance, reach * (1 + 1e-12)}, below, fourth, beat);
}

}  // namespace fairfront::training
