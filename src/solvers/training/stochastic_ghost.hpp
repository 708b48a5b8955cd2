/// @file
/// The stochastic ghost method of F. Facchinei, V. Kungurtsev (2023), as in Algorithm 1 of
/// A. Kliachkin, J. Lepsova, G. Bareilles, J. Marecek (2025).
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/ghost_direction.hpp"
#include "solvers/training/options.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

/// Defaults as in the paper.
struct GhostOptions {
  double p = 0.4;                ///< p_0 of the law of levels
  std::int64_t most_level = 12;  ///< N is at most this
  double step = 0.05;            ///< alpha_0
  double step_decay = 0.05;      ///< alphahat
  GhostSubproblem subproblem{};
  Rules rules = Rules::paper;
};
[[nodiscard]] base::OptionTable options_of(GhostOptions& options);

/// Draws N with Pr(N) = p (1-p)^N below `most_level` and (1-p)^N there, J = 2^(N+1) rows of the
/// objective and of every cell with replacement, and one of each beside them, and goes along
///
///     d = d(one row) + (d(J rows) - (d(first half) + d(second half)) / 2) / Pr(N),
///
/// alpha_k = alpha_(k-1) (1 - alphahat alpha_(k-1)). The mean of d is that of d(2^(most_level + 1)
/// rows). Where the rest of the budget does not pay for `most_level`, the greatest level that it
/// pays for stands in its place, so that a run ends when not even level 0 can be paid. The authors'
/// rules take lambda and rho for each other, as their program does.
class StochasticGhost final : public Algorithm {
 public:
  StochasticGhost(const Problem& problem, const GhostOptions& options, const Address& address);

  bool step(std::span<double> w, Allowance& allowance) override;
  [[nodiscard]] double mean_cost() const override;
  void pack(solvers::Packer& packer) const override;
  void unpack(solvers::Unpacker& unpacker) override;

  /// d at w for the random numbers of an iteration; its rows are drawn next.
  /// @param level  N. @param most  the greatest level, which gets the probability of all above.
  std::span<const double> direction(std::span<const double> w, std::int64_t level,
                                    std::int64_t most);
  [[nodiscard]] std::int64_t draw_level(std::int64_t iteration, std::int64_t most) const;
  [[nodiscard]] double probability(std::int64_t level, std::int64_t most) const;
  /// The greatest level up to `most_level` that so many evaluations pay for; -1: none.
  [[nodiscard]] std::int64_t most_level_within(std::int64_t evaluations) const;

 private:
  /// In evaluations, of a step.
  [[nodiscard]] std::int64_t cost_of(std::int64_t level) const;
  /// Means over some rows.
  struct Estimate {
    std::vector<double> gradient, cell_losses, gaps, jacobian;
    [[nodiscard]] Linearised view() const { return {gradient, gaps, jacobian}; }
  };
  [[nodiscard]] Estimate empty() const;
  /// @param first, count  of each list of rows_.
  void estimate(std::span<const double> w, std::int64_t first, std::int64_t count, Estimate& out);
  void add_rows(std::span<const double> w, std::span<const std::int64_t> rows, double factor,
                double& mean, std::span<double> gradient, MeanOf of);
  void average(const Estimate& a, const Estimate& b, Estimate& out) const;
  void add_direction(const Estimate& at, double factor);

  const Problem& problem_;
  GhostOptions options_;
  base::StreamKey level_key_;
  RowSource xi_;
  std::vector<RowSource> zeta_;
  Pass pass_;
  std::vector<std::vector<std::int64_t>> rows_;  ///< of the objective, then of every cell
  std::vector<double> factors_, of_cell_, one_, direction_;
  Estimate first_, second_, all_;
  double alpha_;
};

}  // namespace fairfront::training
