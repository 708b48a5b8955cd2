/// @file
/// What the stochastic methods need of a model and the rows that it learns from.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <functional>
#include <span>

#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::ranking {

/// Training rows with the cell of each, and the scores that weights give them. What a step needs of
/// memory lives in a Scratch of the caller.
///
/// - scores(w, batch, scratch, out): out[i] = score of row batch[i].
/// - add_gradient(w, batch, scratch, slopes, gradient): gradient += sum_i slopes[i] d score_i / d
/// w;
///   the last scores() with this scratch must have had the same weights and batch.
/// - sums(w): of the scores of all rows.
/// - multiply_scores(w, factor): makes w the weights of factor times the scores.
/// - most_factor(w, radius): the largest factor that keeps |w| <= radius, of w within it.
template <class S>
concept ScoreRows = std::default_initializable<typename S::Scratch> &&
    requires(const S& rows, typename S::Scratch& scratch, std::span<const double> w,
             std::span<const std::int64_t> batch, std::span<double> out) {
  { rows.rows() } -> std::convertible_to<std::int64_t>;
  { rows.parameters() } -> std::convertible_to<std::int64_t>;
  { rows.cells() } -> std::convertible_to<std::span<const std::uint8_t>>;
  { rows.rows_of_cell() } -> std::convertible_to<std::array<double, max_cells>>;
  { rows.sums(w) } -> std::convertible_to<CellSums>;
  rows.scores(w, batch, scratch, out);
  rows.add_gradient(w, batch, scratch, w, out);
  rows.multiply_scores(out, 0.5);
  { rows.most_factor(w, 1.0) } -> std::convertible_to<double>;
};

/// Minimise f0(w) under f1(w), f2(w) <= 1 + kappa and |w| <= radius.
template <ScoreRows Scores>
struct SurrogateProblem {
  const Scores& rows;
  PairSets pairs;
  Surrogate surrogate;
  double kappa = 0;
  double radius = 1;    ///< R
  double interval = 1;  ///< I: all a, b and alpha are within +-I
};

/// When somebody wants to see the iterates. Nothing of it changes the result.
struct IterateWatch {
  std::int64_t every = 0;  ///< steps; 0: never
  /// @param step  steps done in all calls. @param w  the iterate, not the mean.
  std::function<void(std::int64_t step, std::span<const double> w)> look = nullptr;

  void tell(std::int64_t step, std::span<const double> w) const {
    if (every > 0 && step % every == 0) look(step, w);
  }
};

/// The sum of the squares.
[[nodiscard]] double squared_norm(std::span<const double> w);

/// w <- w R / |w| if |w| > R.
void project(std::span<double> w, double radius);

/// What all stochastic methods ask of a problem.
/// @throws std::invalid_argument  kappa not above Surrogate::infeasible_kappa(), a radius or
///         interval not > 0.
void check_problem(const Surrogate& surrogate, double kappa, double radius, double interval);

}  // namespace fairfront::ranking
