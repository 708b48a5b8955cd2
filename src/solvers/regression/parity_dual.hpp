/// @file
/// The dual of regression under demographic parity in as few unknowns as it has, with its Hessian;
/// for the paper's bounds on atoms and for bounds on the distribution function.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "optimise/eigen.hpp"
#include "solvers/regression/dual.hpp"

namespace fairfront::regression {

class CovarianceSums;

/// What epsilon bounds, for every group s, in size.
enum class ParityBound {
  /// P(Y = q_l | s) - P(Y = q_l) of every atom: the paper's.
  atom,
  /// P(Y <= q_l | s) - P(Y <= q_l): the Kolmogorov-Smirnov distance between a group and all. There
  /// are no unknowns of the last atom, where both are 1; or, where shares are not the mean of tau,
  /// differ by E_n[t_s] whatever the prediction, so that no smaller bound is feasible.
  cumulative,
};

/// min over v of f(v) + sum_j weight_j |v_j|, f(v) = mean over rows of LSE_beta(<u_l, t(x)> -
/// r_l(x)), u the scores of the atoms: v itself, or for cumulative bounds u_l = sum_{k >= l} v_k.
///
/// K - 1 of the K blocks of unknowns are free, as sum_s p_s t_s = 0: f does not change where all
/// v_.l move along p. The gap of a group s is at most sum_{r != s} eps_r p_r / p_s, so its bound
/// follows from the others where that is not above eps_s: such a group, always one of two and any
/// where all bounds are 0, is left out. Otherwise all K blocks are there, as each of them has a
/// bound, but f, its gradient and its Hessian are computed for all but the group with
/// the largest share, from which the whole ones follow; and shorten() makes one of the K unknowns
/// of every atom 0, so that Newton's systems are of K - 1 blocks. Where the shares or tau do not
/// sum to 1, all K blocks are free.
class ParityDual {
 public:
  /// @param rows  must outlive it; with shares.
  /// @throws std::invalid_argument  no rows, shapes that do not fit, a value out of range.
  ParityDual(const PredictedRows& rows, const Grid& grid, ParityBound bound,
             std::vector<double> epsilon);

  [[nodiscard]] std::int64_t blocks() const noexcept { return std::ssize(kept_); }
  /// Those that f depends on.
  [[nodiscard]] std::int64_t free_blocks() const noexcept { return std::ssize(free_); }
  /// Unknowns: blocks times n, or n - 1 for cumulative bounds.
  [[nodiscard]] std::int64_t size() const noexcept { return blocks() * of_block_; }
  [[nodiscard]] const Eigen::VectorXd& weight() const noexcept { return weight_; }
  [[nodiscard]] const PredictedRows& rows() const noexcept { return *rows_; }
  [[nodiscard]] const Grid& grid() const noexcept { return grid_; }
  [[nodiscard]] ParityBound bound() const noexcept { return bound_; }
  [[nodiscard]] std::span<const double> epsilon() const noexcept { return epsilon_; }
  [[nodiscard]] std::int64_t group_of_block(std::int64_t block) const noexcept {
    return kept_[static_cast<std::size_t>(block)];
  }
  [[nodiscard]] std::span<const std::int64_t> kept_groups() const noexcept { return kept_; }

  /// All that is known of f at a point.
  struct Evaluation {
    double value = 0;
    Eigen::VectorXd gradient;
    std::vector<double>
        pi;  ///< row-major, shape (N, n), of problems where these are 32 MiB or less
  };
  /// O(N n free_blocks). Memory beyond 32 MiB is O(n).
  void evaluate(const Eigen::VectorXd& v, double beta, Evaluation& out) const;

  /// Mean over the rows of sum_l pi_l r_l. O(N n free_blocks).
  [[nodiscard]] double risk(const Eigen::VectorXd& v, double beta) const;

  /// The Hessian of f at v in the free blocks, `at` what evaluate() found there. Of each row only
  /// the atoms from the first to the last with a probability above 1e-10 are looked at. O(N n^2
  /// free_blocks^2) at most.
  [[nodiscard]] Eigen::MatrixXd free_hessian(const Eigen::VectorXd& v, double beta,
                                             const Evaluation& at) const;
  /// For any pi, shape (N, n): mean over rows of t_b pi_l of every block, cumulated where the
  /// bounds are, shape (size(),): the gradient of f where pi is its softmax. O(N n free_blocks).
  [[nodiscard]] Eigen::VectorXd gaps(std::span<const double> pi) const;
  /// Fills z_il = <u_l, t(x_i)> - r_l(x_i), shape (N, n).
  void score_rows(const Eigen::VectorXd& v, std::span<double> z) const;
  /// In the free blocks the quadratic form of how much gaps() changes where pi_il moves by
  /// weight_il (<u_l, t_i> - their mean over l): the Hessian of f is that of weights beta pi.
  /// Weights of a row may differ by many orders of magnitude.
  /// @param weights  >= 0, shape (N, n), a positive one in every row.
  [[nodiscard]] Eigen::MatrixXd weighted_hessian(std::span<const double> weights) const;
  /// The same quadratic form in all blocks, shape (size(), size()).
  [[nodiscard]] Eigen::MatrixXd expand(const Eigen::MatrixXd& free) const;

  /// Times beta, an upper bound on the free Hessian at any point, as quadratic forms. O(N
  /// free_blocks^2).
  [[nodiscard]] Eigen::MatrixXd curvature_bound() const;
  /// The quadratic form that is the same in the unknowns of every atom.
  /// @param blocks  shape (B, B), of the free blocks or of all.
  [[nodiscard]] Eigen::MatrixXd in_every_atom(const Eigen::MatrixXd& blocks) const;

  /// The limit of f for beta to infinity: mean over rows of max_l (<u_l, t(x)> - r_l(x)).
  [[nodiscard]] double limit(const Eigen::VectorXd& v) const;

  /// The multipliers of a SoftPrediction, shape (K, n): 0 for groups that are left out.
  [[nodiscard]] std::vector<double> scores(const Eigen::VectorXd& v) const;

  /// The unknowns of scores of every atom, of blocks() blocks: these themselves, or for cumulative
  /// bounds, with the same prediction, the differences between neighbours.
  [[nodiscard]] Eigen::VectorXd of_atoms(const Eigen::VectorXd& scores) const;

  /// An equivalent v with the least penalty: where a block is not free, all v_.l may be moved along
  /// p, until one of them is 0. Makes the solution of such a problem a unique one in most cases.
  void shorten(Eigen::VectorXd& v) const;

 private:
  /// The group whose bound follows from those of the others, if there is one.
  [[nodiscard]] std::optional<std::ptrdiff_t> implied_bound() const;
  void choose_free_blocks();
  /// p of the block's group.
  [[nodiscard]] double share(std::int64_t block) const noexcept {
    return rows_->shares[static_cast<std::size_t>(group_of_block(block))];
  }
  [[nodiscard]] double tilt(std::int64_t row, std::int64_t free_block) const noexcept {
    const std::int64_t block = free_[static_cast<std::size_t>(free_block)];
    return rows_->tilts(row)[static_cast<std::size_t>(group_of_block(block))];
  }
  void score_rows(std::int64_t first, const std::vector<double>& scores, std::span<double> z) const;
  void soften(std::int64_t first, const std::vector<double>& scores, double beta,
              std::span<double> pi, double& value) const;
  void add_moments(std::int64_t first, std::span<const double> pi,
                   std::vector<double>& moments) const;
  [[nodiscard]] std::vector<double> block_scores(const Eigen::VectorXd& v) const;
  [[nodiscard]] std::vector<double> free_scores(const Eigen::VectorXd& v) const;
  [[nodiscard]] Eigen::VectorXd gaps_of(std::vector<double> moments) const;
  [[nodiscard]] std::vector<double> tilts_of(std::int64_t first, std::int64_t rows) const;
  [[nodiscard]] Eigen::MatrixXd assembled(const CovarianceSums& sums, double scale) const;
  [[nodiscard]] bool has_implied_block() const noexcept { return implied_ >= 0; }

  const PredictedRows* rows_;
  Grid grid_;
  ParityBound bound_;
  std::vector<double> epsilon_;
  std::vector<double> atoms_;
  std::vector<std::int64_t> kept_;  ///< group of every block
  std::vector<std::int64_t> free_;  ///< blocks that f depends on
  std::int64_t implied_ = -1;       ///< the other block, if any
  std::vector<double> ratio_;       ///< p_s / p of the implied block's group, by free block
  std::int64_t of_block_ = 0;
  Eigen::VectorXd weight_;
};

}  // namespace fairfront::regression
