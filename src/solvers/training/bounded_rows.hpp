/// @file
/// The mean logistic loss of some rows, its derivatives and bounds of what it is elsewhere.
#pragma once

#include <functional>
#include <vector>

#include "optimise/eigen.hpp"
#include "solvers/training/row_moments.hpp"

namespace fairfront::training {

/// L(v) = mean_i softplus(u_i'v). Without rows 0.
class BoundedRows {
 public:
  BoundedRows() = default;
  /// @param u  a column a row, shape (n, rows).
  explicit BoundedRows(Eigen::MatrixXd u) : u_{std::move(u)} {}

  struct Local {
    double value = 0;
    Eigen::VectorXd gradient;
    Eigen::ArrayXd score, chance;  ///< u_i'v and sigma of it
  };
  [[nodiscard]] Local at(const Eigen::VectorXd& v, const std::function<void()>& beat) const;
  [[nodiscard]] Eigen::MatrixXd hessian(const Eigen::VectorXd& v,
                                        const std::function<void()>& beat) const;

  /// bounding_moments() around a point, for all d = basis e with |e_j| <= half_j in the first
  /// coordinates and |rest of e| <= radius, in terms of e.
  [[nodiscard]] std::vector<Moments> moments(const Local& local, const Eigen::MatrixXd& basis,
                                             const Eigen::VectorXd& half, double radius, bool below,
                                             const FourthDerivatives& fourth,
                                             const std::function<void()>& beat) const;

  /// In terms of e, v = basis e, from now on.
  void change_basis(const Eigen::MatrixXd& basis) { u_ = basis.transpose() * u_; }
  [[nodiscard]] const Eigen::MatrixXd& rows() const { return u_; }

 private:
  Eigen::MatrixXd u_;
};

}  // namespace fairfront::training
