/// @file
/// [adw]: fair regression by exponentiated gradient, A. Agarwal, M. Dudik, S. Wu (2019), Algorithm
/// 1 with the steps of A. Agarwal, A. Beygelzimer, M. Dudik, J. Langford, H. Wallach (2018).
#pragma once

#include <cstdint>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/regression/threshold_game.hpp"

namespace fairfront::regression {

struct AdwOptions {
  /// At every threshold, of |P(f(X) >= theta | a) - P(f(X) >= theta)|; > 0.
  double epsilon = 0.01;
  std::int64_t rounds = 50;     ///< at most, >= 1
  double multiplier_bound = 0;  ///< B, of the multipliers' sum; 0: 1 / epsilon
  double step = 2;              ///< eta = step / B at first
  double accuracy = 0.5;        ///< stops at a gap below nu = accuracy * std(W |h - Y|) / sqrt(N m)
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(AdwOptions& options);
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, AdwOptions& options);

/// A draw among linear scores: hypothesis h with probability mixture[h].
struct AdwModel {
  std::vector<Hypothesis> hypotheses;  ///< those with a probability above 0
  std::vector<double> mixture;         ///< sums to 1
  Thresholds thresholds;

  /// P(prediction = atom_k | x), shape (m,).
  /// @param features  of the row, shape (d,).
  void probabilities(std::span<const double> features, std::span<double> out) const;
};

struct AdwResult {
  AdwModel model;
  double error = 0;         ///< of the model on its rows: mean of W |h - Y|
  double largest_gap = 0;   ///< of E[h | theta, a] - E[h | theta], in size
  double gap = 0;           ///< of the game: how far model and multipliers are from a saddle point
  double target_gap = 0;    ///< nu
  bool converged = false;   ///< gap < nu
  std::int64_t rounds = 0;  ///< made
  std::int64_t best_round = 0;  ///< counted from 0, where the model is from
  std::int64_t responses = 0;   ///< least-squares fits
  std::int64_t hypotheses = 0;  ///< different ones, all rounds together
};

/// Rounds of a game between multipliers lambda = B exp(v) / (1 + sum exp v), v += eta (gaps -
/// epsilon), and the learner's best responses to them. After every round two averages are tried:
/// that of all rounds, and the best mixture of the hypotheses so far, which a linear program finds
/// with its multipliers; the one with the smaller gap stands for the round, and the round with the
/// smallest gap gives the model. The gap of a mixture Q and multipliers lambda is the larger of
/// L(Q, lambda) - L_low, L_low the least of L(h, lambda) over the responses h to 1, 2, 5 and 10
/// lambda (those after the first are left out once the gap is above nu), and of err(Q) + B
/// max(gaps - epsilon, 0) - L(Q, lambda). eta shrinks by 0.8 where at a check, at rounds 8, 13,
/// 21, .. (1.6 times the last), the averages' smallest gap is above 0.8 times that of the last.
///
/// The least-squares response is not the exact one, so that the gap may be too small, even below
/// 0. No randomness.
/// @throws std::invalid_argument  an option out of range.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] AdwResult adw(const ThresholdGame& game, const AdwOptions& options,
                            const solvers::Control& control = {});

/// The averaging step: min over mixtures Q of err(Q) + B max(largest gap of Q - epsilon, 0).
struct BestMixture {
  std::vector<double> mixture;     ///< of the hypotheses, sums to 1
  std::vector<double> multiplier;  ///< lambda+ - lambda-, shape (m, K)
  double value = 0;
};
/// @param hypotheses  not empty.
[[nodiscard]] BestMixture best_mixture(std::span<const Hypothesis> hypotheses, double epsilon,
                                       double multiplier_bound);

}  // namespace fairfront::regression
