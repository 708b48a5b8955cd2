#include "optimise/decomposition.hpp"

#include <algorithm>
#include <utility>

#include "base/beside.hpp"

namespace fairfront::optimise {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

/// What `work(matrix)` returns, of some rows * columns * min(rows, columns) operations.
/// @param work  owns what it touches beside the matrix.
template <class Work>
auto with_matrix(Matrix matrix, Work work) {
  constexpr double few = 1e8;  // well below a second
  const auto rows = static_cast<double>(matrix.rows()),
             columns = static_cast<double>(matrix.cols());
  if (rows * columns * std::min(rows, columns) < few) return work(std::move(matrix));
  return base::beside([matrix = std::move(matrix), work = std::move(work)]() mutable {
    return work(std::move(matrix));
  });
}

/// Decomposition(matrix), such as an Eigen::LLT.
template <class Decomposition>
Decomposition decompose(Matrix matrix) {
  return with_matrix(std::move(matrix), [](Matrix given) { return Decomposition(given); });
}

using Orthogonal = Eigen::CompleteOrthogonalDecomposition<Matrix>;

Orthogonal orthogonal(Matrix matrix, double share) {
  return with_matrix(std::move(matrix), [share](Matrix given) {
    Orthogonal found;
    found.setThreshold(share);
    found.compute(given);
    return found;
  });
}

}  // namespace

Cholesky::Cholesky(Matrix matrix) : factors_{decompose<Eigen::LLT<Matrix>>(std::move(matrix))} {}
Vector Cholesky::diagonal() const { return factors_.matrixLLT().diagonal(); }
Vector Cholesky::solve(const Vector& right) const { return factors_.solve(right); }
Matrix Cholesky::solve_columns(const Matrix& right) const { return factors_.solve(right); }
Matrix Cholesky::inverse_upper() const {
  return factors_.matrixU().solve(Matrix::Identity(factors_.rows(), factors_.rows()));
}

PivotedCholesky::PivotedCholesky(Matrix matrix)
    : factors_{decompose<Eigen::LDLT<Matrix>>(std::move(matrix))} {}
Vector PivotedCholesky::solve(const Vector& right) const { return factors_.solve(right); }
Matrix PivotedCholesky::solve_columns(const Matrix& right) const { return factors_.solve(right); }

PivotedLu::PivotedLu(Matrix matrix)
    : factors_{decompose<Eigen::PartialPivLU<Matrix>>(std::move(matrix))} {}
Vector PivotedLu::solve(const Vector& right) const { return factors_.solve(right); }
Matrix PivotedLu::inverse() const { return factors_.inverse(); }

Spectrum spectrum(Matrix matrix) {
  const auto found = decompose<Eigen::SelfAdjointEigenSolver<Matrix>>(std::move(matrix));
  return {found.eigenvalues(), found.eigenvectors()};
}

Vector eigenvalues(Matrix matrix) {
  return with_matrix(std::move(matrix), [](Matrix given) -> Vector {
    return Eigen::SelfAdjointEigenSolver<Matrix>(given, Eigen::EigenvaluesOnly).eigenvalues();
  });
}

Spectrum generalised_spectrum(Matrix a, Matrix b) {
  return with_matrix(std::move(b), [a = std::move(a)](Matrix given) -> Spectrum {
    const Eigen::GeneralizedSelfAdjointEigenSolver<Matrix> found(a, given);
    return {found.eigenvalues(), found.eigenvectors()};
  });
}

Qr::Qr(Matrix matrix) : factors_{decompose<Eigen::HouseholderQR<Matrix>>(std::move(matrix))} {}
Matrix Qr::q() const { return factors_.householderQ(); }
Matrix Qr::r(Index rows) const {
  return factors_.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
}
Vector Qr::rotated(Vector v) const {
  v.applyOnTheLeft(factors_.householderQ().adjoint());
  return v;
}
Vector Qr::solve(const Vector& right) const { return factors_.solve(right); }

PivotedQr::PivotedQr(Matrix matrix)
    : factors_{decompose<Eigen::ColPivHouseholderQR<Matrix>>(std::move(matrix))} {}
Index PivotedQr::rank(double share) {
  factors_.setThreshold(share);
  return factors_.rank();
}
Matrix PivotedQr::q(Index columns) const {
  if (columns == 0) return Matrix(factors_.rows(), 0);  // Eigen would move a null pointer
  return factors_.householderQ() * Matrix::Identity(factors_.rows(), columns);
}
Matrix PivotedQr::r(Index rows) const {
  return factors_.matrixQR().topRows(rows).triangularView<Eigen::Upper>();
}
Matrix PivotedQr::solve_columns(const Matrix& right) const { return factors_.solve(right); }

CompleteOrthogonal::CompleteOrthogonal(Matrix matrix)
    : factors_{decompose<Orthogonal>(std::move(matrix))} {}
CompleteOrthogonal::CompleteOrthogonal(Matrix matrix, double share)
    : factors_{orthogonal(std::move(matrix), share)} {}
Vector CompleteOrthogonal::solve(const Vector& right) const { return factors_.solve(right); }
Matrix CompleteOrthogonal::q() const {
  return factors_.householderQ() * Matrix::Identity(factors_.rows(), rank());
}
Matrix CompleteOrthogonal::t() const {
  return factors_.matrixT().topLeftCorner(rank(), rank()).triangularView<Eigen::Upper>();
}
Matrix CompleteOrthogonal::inverse_t() const {
  return factors_.matrixT()
      .topLeftCorner(rank(), rank())
      .triangularView<Eigen::Upper>()
      .solve(Matrix::Identity(rank(), rank()));
}
Vector CompleteOrthogonal::rotated(const Vector& v) const {
  return factors_.householderQ().adjoint() * v;
}
Vector CompleteOrthogonal::of_columns(const Vector& x) const {
  // Of full rank Eigen leaves Z, which is the identity then, without its numbers.
  if (rank() == factors_.cols()) return factors_.colsPermutation() * x;
  return factors_.colsPermutation() * (factors_.matrixZ().adjoint() * x);
}
Matrix CompleteOrthogonal::of_columns(Matrix x) const {
  if (rank() < factors_.cols()) x = factors_.matrixZ().adjoint() * x;
  return factors_.colsPermutation() * x;
}

}  // namespace fairfront::optimise
