/// @file
/// The min-max form of the problem, in which one row at a time is enough: equations (13) to (30) of
/// Y. Yao, Q. Lin, T. Yang (2023). With c1 = scale, c2 = margin of the surrogate
///
///     loss of (G, G') = min_{a,b} max_alpha E[F + alpha G] - c1 alpha^2,
///     F = c1 c2^2 - 2 c1 c2 h 1_G/Pr(G) + 2 c1 c2 h 1_G'/Pr(G')
///         + c1 (h - a)^2 1_G/Pr(G) + c1 (h - b)^2 1_G'/Pr(G'),
///     G = 2 c1 h 1_G/Pr(G) - 2 c1 h 1_G'/Pr(G').
///
/// The paper prints alpha^2 without c1, which is right for c1 = 1 alone.
#pragma once

#include <array>
#include <utility>
#include <vector>

#include "solvers/common/packing.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::ranking {

/// Values for each pair loss.
using PerPair = std::vector<double>;
/// Values for the objective and the constraints.
using PerRow = std::vector<double>;

/// What the levels of SFLS minimise over x = (w, a, b) in turn:
///
///     max over y of  sum_j y_j (F_j - target_j) + sum_i y_row(i) (alpha_i G_i - c1 alpha_i^2).
struct Saddle {
  PairSets pairs;
  Surrogate surrogate;
  CellSet all;                                       ///< cells
  std::vector<std::array<double, 2>> inverse_share;  ///< 1/Pr of above, below of every pair
  PerRow target;                                     ///< r, 1 + kappa, 1 + kappa, ...

  /// @param rows  of each cell, which make the shares.
  Saddle(const PairSets& pairs, const Surrogate& surrogate,
         const std::array<double, max_cells>& rows);

  /// Makes the shares anew. A set without rows contributes nothing.
  void set_shares(const std::array<double, max_cells>& rows);

  /// Of a batch: its F less the target, summed over the pairs of a row, and G.
  struct Values {
    PerRow f;
    PerPair g;

    explicit Values(std::size_t pairs = 0) : f(rows_of_pairs(pairs)), g(pairs) {}
    Values(PerRow of_rows, PerPair of_pairs) : f{std::move(of_rows)}, g{std::move(of_pairs)} {}
  };
  /// @param values  of as many pairs.
  void evaluate(const CellSums& batch, const PerPair& a, const PerPair& b, Values& values) const;

  /// Gradients of the batch's mean for fixed y.
  struct Slopes {
    PerPair a, b;
    /// Slope of row i of the batch in its score h_i: of_score h_i + constant, by cell; the batch's
    /// mean is taken already.
    std::array<double, max_cells> of_score{}, constant{};

    explicit Slopes(std::size_t pairs) : a(pairs), b(pairs) {}
  };
  /// @param slopes  of as many pairs.
  void differentiate(const CellSums& batch, const PerPair& a, const PerPair& b, const PerRow& y,
                     const PerPair& alpha, Slopes& slopes) const;
};

/// Replaces values by as many of a checkpoint.
/// @throws base::CheckpointError  there are more or fewer.
void unpack_values(solvers::Unpacker& unpacker, std::vector<double>& values);

/// y of the saddle: weights of objective and constraints on the simplex, alpha in [-I, I]. Kept as
/// alpha and logarithms, in which nothing is divided by 0.
class DualPoint {
 public:
  /// Equal weights, alpha = 0. @param interval  I. @param scale  c1. @param pairs  losses.
  DualPoint(double interval, double scale, std::size_t pairs);

  [[nodiscard]] const PerRow& y() const { return y_; }
  [[nodiscard]] const PerPair& alpha() const { return alpha_; }

  /// The mirror ascent step: maximises over y and alpha
  ///
  ///     <y, f> + sum_i y_row(i) (alpha_i g_i - c1 alpha_i^2)
  ///         - (entropy KL(y, y_before) + sum_i y_row(i) (alpha_i - alpha_i_before)^2) / step.
  ///
  /// @param entropy  C = 2 (1 + sqrt(2) I)^2 in the paper.
  void ascend(const Saddle::Values& values, double step, double entropy);

  void pack(solvers::Packer& packer) const;
  /// @throws base::CheckpointError  a point of another problem.
  void unpack(solvers::Unpacker& unpacker);

 private:
  void weigh();

  double interval_;
  double scale_;
  PerRow log_y_;  ///< up to a constant
  PerRow y_;      ///< of log_y_
  PerRow gain_;   ///< of a step
  PerPair alpha_;
};

/// The largest value over all y: max_j (f_j + sum over its pairs of max_alpha (alpha g - c1
/// alpha^2)). Of averages along a run it is the bound U(r) of the level-set method.
[[nodiscard]] double largest_over_duals(const Saddle::Values& values, double interval,
                                        double scale);

}  // namespace fairfront::ranking
