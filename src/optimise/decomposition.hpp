/// @file
/// Decompositions of dense matrices.
///
/// Eigen's, each made once here: its templates take seconds of every source that names them. Those
/// of large matrices are made beside the thread that asks, so that a stop does not wait for them;
/// all may throw base::Interrupted, see base::stop_point().
#pragma once

#include "optimise/eigen.hpp"

namespace fairfront::optimise {

/// L L' = A, of a symmetric matrix of which the lower triangle is looked at.
class Cholesky {
 public:
  Cholesky() = default;  ///< of a matrix without rows
  explicit Cholesky(Eigen::MatrixXd matrix);
  /// Whether A is positive definite in floating point; otherwise all else is of no use.
  [[nodiscard]] bool is_definite() const { return factors_.info() == Eigen::Success; }
  [[nodiscard]] Eigen::VectorXd diagonal() const;  ///< of L
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  [[nodiscard]] Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& right) const;
  [[nodiscard]] Eigen::MatrixXd inverse_upper() const;  ///< of L'

 private:
  Eigen::LLT<Eigen::MatrixXd> factors_;
};

/// P' L D L' P = A, of a symmetric matrix that may be semidefinite; its lower triangle is looked
/// at.
class PivotedCholesky {
 public:
  explicit PivotedCholesky(Eigen::MatrixXd matrix);
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  [[nodiscard]] Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& right) const;

 private:
  Eigen::LDLT<Eigen::MatrixXd> factors_;
};

/// Row by row pivoted L U = P A, of a square matrix.
class PivotedLu {
 public:
  explicit PivotedLu(Eigen::MatrixXd matrix);
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  [[nodiscard]] Eigen::MatrixXd inverse() const;

 private:
  Eigen::PartialPivLU<Eigen::MatrixXd> factors_;
};

struct Spectrum {
  Eigen::VectorXd values;   ///< ascending
  Eigen::MatrixXd vectors;  ///< as columns
};
/// Of a symmetric matrix, of which the lower triangle is looked at.
[[nodiscard]] Spectrum spectrum(Eigen::MatrixXd matrix);
[[nodiscard]] Eigen::VectorXd eigenvalues(Eigen::MatrixXd matrix);
/// Of A x = value B x, with B positive definite.
[[nodiscard]] Spectrum generalised_spectrum(Eigen::MatrixXd a, Eigen::MatrixXd b);

/// Q R = A.
class Qr {
 public:
  Qr() = default;  ///< of a matrix without columns
  explicit Qr(Eigen::MatrixXd matrix);
  [[nodiscard]] Eigen::Index rows() const { return factors_.rows(); }
  [[nodiscard]] Eigen::Index columns() const { return factors_.cols(); }
  [[nodiscard]] Eigen::MatrixXd q() const;                                  ///< square
  [[nodiscard]] Eigen::MatrixXd r(Eigen::Index rows) const;                 ///< its first rows
  [[nodiscard]] Eigen::VectorXd rotated(Eigen::VectorXd v) const;           ///< Q' v
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;  ///< least squares

 private:
  Eigen::HouseholderQR<Eigen::MatrixXd> factors_;
};

/// Q R P' = A with the largest of what is left first, so that the rank shows.
class PivotedQr {
 public:
  explicit PivotedQr(Eigen::MatrixXd matrix);
  /// Pivots above this share of the largest count.
  [[nodiscard]] Eigen::Index rank(double share);
  [[nodiscard]] Eigen::MatrixXd q(Eigen::Index columns) const;  ///< its first columns
  [[nodiscard]] Eigen::MatrixXd r(Eigen::Index rows) const;     ///< its first rows
  [[nodiscard]] const auto& permutation() const { return factors_.colsPermutation(); }  ///< P
  [[nodiscard]] Eigen::MatrixXd solve_columns(const Eigen::MatrixXd& right) const;

 private:
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> factors_;
};

/// Q (T 0; 0 0) Z P' = A with T of full rank.
class CompleteOrthogonal {
 public:
  CompleteOrthogonal() = default;  ///< of a matrix without rows
  explicit CompleteOrthogonal(Eigen::MatrixXd matrix);
  /// @param share  pivots above this share of the largest count.
  CompleteOrthogonal(Eigen::MatrixXd matrix, double share);
  [[nodiscard]] Eigen::Index rank() const { return factors_.rank(); }
  /// The shortest of all least-squares solutions.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right) const;
  [[nodiscard]] Eigen::MatrixXd q() const;  ///< its first `rank` columns
  [[nodiscard]] Eigen::MatrixXd t() const;
  [[nodiscard]] Eigen::MatrixXd inverse_t() const;
  [[nodiscard]] Eigen::VectorXd rotated(const Eigen::VectorXd& v) const;  ///< Q' v
  /// P Z' x, shape (columns,).
  [[nodiscard]] Eigen::VectorXd of_columns(const Eigen::VectorXd& x) const;
  [[nodiscard]] Eigen::MatrixXd of_columns(Eigen::MatrixXd x) const;

 private:
  Eigen::CompleteOrthogonalDecomposition<Eigen::MatrixXd> factors_;
};

}  // namespace fairfront::optimise
