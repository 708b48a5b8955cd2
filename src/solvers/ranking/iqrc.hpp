/// @file
/// The inexact quadratically regularised constrained method of Y. Yao, Q. Lin, T. Yang (2023),
/// Algorithm 3, for scores whose problem is weakly convex, as those of networks.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/ranking/level_set.hpp"
#include "solvers/ranking/network_scores.hpp"

namespace fairfront::ranking {

struct IqrcOptions {
  double rho = 1e-5;              ///< weight of rho/2 |x - x_s|^2
  std::int64_t iterations = 100;  ///< S, at most
  /// Of each iteration, but for `evaluations`, which are those of all together.
  LevelSetOptions level{
      .descent = {.step = 0.3, .steps = 2000}, .most_calls = 5, .evaluations = 5'000'000};
};
/// About as many steps as a run takes.
[[nodiscard]] double expected_steps(const IqrcOptions& options);
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, IqrcOptions& options);

struct IqrcResult {
  std::vector<double> w;
  std::int64_t improved =
      0;  ///< iterations whose result is not where they began; 0: w is the start
  std::vector<LevelSetCall> calls;  ///< of all iterations
  std::int64_t steps = 0;           ///< of all calls
  std::int64_t evaluations = 0;     ///< of rows
};

/// Iteration s minimises f0 + rho/2 |x - x_s|^2 under f1, f2 + rho/2 |x - x_s|^2 <= 1 + kappa by
/// the level-set method, from x_s with a and b on and r_0 = f0(x_s), both of all rows; x_(s+1) is
/// its result: feasible, and never worse than x_s. Local: never communicates. Has
/// checkpoints: going on from one gives the bits of a run that was never stopped.
/// @param start  shape (parameters,), feasible; is put onto the ball. a and b start at the means of
///               its scores.
/// @param seed, task_key  address of the stream of rows.
/// @throws std::invalid_argument  an option or the problem out of range, a start of another size.
/// @throws std::domain_error  the iterates are not finite: the step is too long.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
template <ScoreRows Scores>
[[nodiscard]] IqrcResult iqrc(const SurrogateProblem<Scores>& problem, const IqrcOptions& options,
                              std::span<const double> start, std::uint64_t seed,
                              const std::string& task_key, const solvers::Control& control = {},
                              const IterateWatch& watch = {});

extern template IqrcResult iqrc(const SurrogateProblem<LinearScores>&, const IqrcOptions&,
                                std::span<const double>, std::uint64_t, const std::string&,
                                const solvers::Control&, const IterateWatch&);
extern template IqrcResult iqrc(const SurrogateProblem<NetworkScores>&, const IqrcOptions&,
                                std::span<const double>, std::uint64_t, const std::string&,
                                const solvers::Control&, const IterateWatch&);

}  // namespace fairfront::ranking
