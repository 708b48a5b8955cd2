/// @file
/// Predictions that are drawn from a few atoms, with probabilities that multipliers tilt towards
/// parity: E. Chzhen, M. Hebiri, G. Taturyan (2024), section 3.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::models {

/// The n = 2L+1 atoms q_l = l B / L, l = -L..L, that a randomised prediction chooses from.
struct Grid {
  std::int64_t half = 14;  ///< L >= 1
  double bound = 1;        ///< B > 0

  [[nodiscard]] std::int64_t atoms() const noexcept { return 2 * half + 1; }
  /// Shape (n,), ascending.
  /// @throws std::invalid_argument  a field out of range.
  [[nodiscard]] std::vector<double> values() const;
};

/// t_s(x) = 1 - tau_s(x) / p_s, of the probability of a group and its share.
[[nodiscard]] inline double tilt(double tau, double share) { return 1 - tau / share; }

/// z becomes softmax(beta z), all at least 0 with sum 1.
/// @return  log(sum_l exp(beta z_l)) / beta, without overflow.
double soft_maximum(double beta, std::span<double> z);

/// The same of each of a few rows, with the same bits and whole vectors of exponentials.
/// @param z       row-major, shape (rows, n).
/// @param values  gets what soft_maximum() returns for each, shape (rows,), rows >= 1.
void soft_maxima(double beta, std::span<double> z, std::span<double> values);

/// The randomised prediction pi(. | x) = softmax(beta (<d, t(x)> - r(x))), r_l(x) = (eta(x) -
/// q_l)^2, equation (6). Holds no rows and no multipliers; never allocates after its construction.
class SoftPrediction {
 public:
  /// @throws std::invalid_argument  a field of the grid or beta out of range, groups < 1.
  SoftPrediction(const Grid& grid, std::int64_t groups, double beta);

  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] std::span<const double> atoms() const noexcept { return atoms_; }
  [[nodiscard]] std::int64_t groups() const noexcept { return groups_; }
  [[nodiscard]] double beta() const noexcept { return beta_; }

  /// Fills the probabilities of the atoms.
  /// @param eta   of the row.
  /// @param tilt  of the row, shape (K,).
  /// @param d     row-major, shape (K, n): Lambda - V.
  /// @param pi    shape (n,).
  /// @return  log of the softmax's denominator over beta: LSE_beta in the paper.
  double operator()(double eta, std::span<const double> tilt, std::span<const double> d,
                    std::span<double> pi) const;

 private:
  Grid grid_;
  std::int64_t groups_;
  double beta_;
  std::vector<double> atoms_;
};

/// d = Lambda - V, shape (K, n).
[[nodiscard]] std::vector<double> difference_of(std::span<const double> w);

}  // namespace fairfront::models
