/// @file
/// The stochastic smoothed and linearised augmented Lagrangian method of R. Huang, J. Zhang,
/// A. Alacaoglu (2025) with slacks for inequalities, as in Algorithm 2 of A. Kliachkin,
/// J. Lepsova, G. Bareilles, J. Marecek (2025); without its smoothing the paper's ALM.
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

/// Defaults as in the paper.
struct AlmOptions {
  double delta = 0.005;          ///< bound of every |gap|
  double step = 0.01;            ///< tau
  double dual_step = 0.05;       ///< eta
  double penalty = 1;            ///< rho
  double dual_bound = 10;        ///< M_y: duals of at least this norm become 0
  std::int64_t batch = 8;        ///< rows of the objective
  std::int64_t group_batch = 8;  ///< rows of every cell, twice
  Sampling sampling = Sampling::shuffled;
  Sampling group_sampling = Sampling::shuffled;
  Rules rules = Rules::paper;
};
[[nodiscard]] base::OptionTable options_of(AlmOptions& options);

struct SslAlmOptions : AlmOptions {
  double smoothing = 2;         ///< mu
  double smoothing_step = 0.5;  ///< beta
};
[[nodiscard]] base::OptionTable options_of(SslAlmOptions& options);

/// Constraints c become h = c + s = 0 with slacks s >= 0, x = (w, s). An iteration:
///
///     y += eta h(x; zeta_1);  y = 0 where |y| >= M_y
///     G = grad f(w; xi) + grad h(x; zeta_1)'(y + rho h(x; zeta_2)) + mu (x - z)
///     x, z = proj(x - tau G), z + beta (x - z)
///
/// with xi, zeta_1 and zeta_2 independent of each other. Rules of the authors: at the end one more
/// step with the gradient of the objective on all rows and bootstraps of every cell in the place of
/// zeta_1 and zeta_2, which is no part of the budget.
class SslAlm final : public Algorithm {
 public:
  SslAlm(const Problem& problem, const SslAlmOptions& options, const Address& address);
  /// The ALM: mu = 0.
  SslAlm(const Problem& problem, const AlmOptions& options, const Address& address);

  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override { return static_cast<double>(cost()); }
  void finish(std::span<double> w) override;
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

  /// y of d_i - delta <= 0 and of -d_i - delta <= 0 in turn, shape (2 gaps,).
  [[nodiscard]] std::span<const double> duals() const { return y_; }
  [[nodiscard]] std::span<const double> slacks() const { return slack_; }

 private:
  [[nodiscard]] std::int64_t cost() const {
    return options_.batch + 2 * zeta_1_.cells() * options_.group_batch;
  }
  /// out = h of these gaps.
  void equalities(std::span<const double> gaps, std::span<double> out) const;
  void begin(std::span<const double> w);
  void update_duals(std::span<const double> h);
  /// y + rho h(zeta_2) for both sides of every gap, and their difference for its gradient.
  void weigh(std::span<const double> gaps_2);
  /// x and z from the gradient of the Lagrangian without smoothing.
  void move(std::span<double> w);

  SslAlmOptions options_;
  const Problem& problem_;
  Address address_;
  RowSource xi_;
  CellSource zeta_1_, zeta_2_;
  Pass pass_1_, pass_2_;
  BatchGaps gaps_;
  std::vector<std::int64_t> rows_1_, rows_2_;
  std::vector<double> factors_, gradient_;
  std::vector<double> y_, slack_, h_, weight_, of_gaps_;
  std::vector<double> z_, z_slack_;  ///< empty before the first step
};

}  // namespace fairfront::training
