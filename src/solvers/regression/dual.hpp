/// @file
/// The dual problem of regression under demographic parity by post-processing: E. Chzhen, M.
/// Hebiri, G. Taturyan (2024), section 3. Plain functions of rows that somebody else has predicted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/soft_prediction.hpp"

namespace fairfront::regression {

using models::difference_of;
using models::Grid;
using models::soft_maximum;
using models::SoftPrediction;

/// What post-processing knows of N rows: no label and no group.
struct PredictedRows {
  std::int64_t groups = 0;       ///< K
  std::vector<double> eta;       ///< shape (N,): prediction of the target, in the unit of the grid
  std::vector<double> tilt;      ///< row-major, shape (N, K): t_s(x) = 1 - tau_s(x) / p_s
  std::vector<double> shares{};  ///< shape (K,): p_s

  [[nodiscard]] std::int64_t rows() const noexcept { return std::ssize(eta); }
  [[nodiscard]] std::span<const double> tilts(std::int64_t row) const noexcept {
    return {tilt.data() + row * groups, static_cast<std::size_t>(groups)};
  }
};

/// @param eta  shape (N,).
/// @param tau  row-major, shape (N, K): probability of every group.
/// @param p    shape (K,), > 0: share of every group.
/// @throws std::invalid_argument  shapes that do not fit, a value that is not finite, a p_s <= 0.
[[nodiscard]] PredictedRows predicted_rows(std::span<const double> eta, std::span<const double> tau,
                                           std::span<const double> p);

/// The means of tau over the rows: the shares for which every epsilon >= 0 is feasible.
/// @param tau  row-major, shape (N, K).
[[nodiscard]] std::vector<double> mean_shares(std::span<const double> tau, std::int64_t groups);

/// sigma^2 = sum_s (1 - p_s) / p_s: bounds the variance of the stochastic gradient (Lemma 4.1).
[[nodiscard]] double gradient_variance(std::span<const double> p);

/// min over w = (Lambda, V) >= 0 of F(w) = mean over the rows of LSE_beta(<d_l, t(x)> - r_l(x)) +
/// sum_{s,l} eps_s (lambda_sl + nu_sl), d = Lambda - V: equation (5) with the mean over rows.
///
/// w has length 2 K n: Lambda first, block after block of a group s, atoms contiguous; then V.
class DualProblem {
 public:
  /// @param rows     must outlive the problem.
  /// @param epsilon  shape (K,), >= 0: slack of every atom of a group.
  /// @throws std::invalid_argument  no rows, shapes that do not fit, a value out of range.
  DualProblem(const PredictedRows& rows, const Grid& grid, double beta,
              std::vector<double> epsilon);

  [[nodiscard]] const PredictedRows& rows() const noexcept { return *rows_; }
  [[nodiscard]] const SoftPrediction& prediction() const noexcept { return prediction_; }
  [[nodiscard]] std::span<const double> epsilon() const noexcept { return epsilon_; }
  [[nodiscard]] std::int64_t groups() const noexcept { return rows_->groups; }
  [[nodiscard]] std::int64_t atoms() const noexcept { return prediction_.grid().atoms(); }
  [[nodiscard]] std::int64_t half_size() const noexcept { return groups() * atoms(); }
  [[nodiscard]] std::int64_t size() const noexcept { return 2 * half_size(); }

  /// F(w). O(N K n).
  [[nodiscard]] double value(std::span<const double> w) const;
  /// Fills the gradient, shape (2 K n,), and returns F(w). Sums in the order of the rows.
  double value_and_gradient(std::span<const double> w, std::span<double> gradient) const;
  /// The gradient of one row's term: of mean grad F(w) over a uniform draw, equation (11).
  void stochastic_gradient(std::span<const double> w, std::int64_t row,
                           std::span<double> gradient) const;

 private:
  double accumulate(std::span<const double> w, std::span<double> moments) const;

  const PredictedRows* rows_;
  SoftPrediction prediction_;
  std::vector<double> epsilon_;
};

/// E_n[pi(l | X) t_s(X)] for every group and atom, shape (K, n): its size is the unfairness
/// U_s(pi, l) of equation (2) with tau and p for the true groups.
/// @param d  shape (K, n).
[[nodiscard]] std::vector<double> atom_gaps(const PredictedRows& rows,
                                            const SoftPrediction& prediction,
                                            std::span<const double> d);

/// |G_alpha(w)|, G_alpha(w) = (w - (w - alpha grad F(w))_+) / alpha: 0 at optima alone. By Lemma
/// 3.5 its square bounds sum_{l,s} (U_s(l) - eps_s)_+^2, for every w >= 0 and alpha > 0.
[[nodiscard]] double gradient_map_norm(std::span<const double> w, std::span<const double> gradient,
                                       double alpha);

/// How small epsilon may be. The gaps of all atoms of group s sum up to E_n[t_s] whatever the
/// prediction, and are all equal for the uniform one: parity within eps_s is possible just when
/// eps_s >= |E_n[t_s]| / n; below that F has no minimum.
/// @return shape (K,); 0, up to rounding, where p is the mean of tau.
[[nodiscard]] std::vector<double> least_epsilon(const PredictedRows& rows, const Grid& grid);

}  // namespace fairfront::regression
