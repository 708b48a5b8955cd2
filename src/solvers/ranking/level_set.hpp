/// @file
/// The stochastic feasible level-set method of Y. Yao, Q. Lin, T. Yang (2023), Algorithms 1 and 2,
/// for a linear score, whose problem is convex.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "solvers/ranking/mirror_descent.hpp"

namespace fairfront::ranking {

/// Where a call of mirror descent starts.
enum class Start {
  last_mean,  ///< the mean of the call before; the first one at 0
  zero,       ///< 0, as in the paper
};

struct LevelSetOptions {
  MirrorDescentOptions descent{};
  double level_step = 1;    ///< theta: r <- r + U / (2 theta)
  double tolerance = 1e-3;  ///< eps_opt: the end is at U in [-eps_opt, 0]
  std::int64_t most_calls = 25;
  std::int64_t most_doublings = 4;        ///< of T, each after a call with U >= -eps_opt
  std::int64_t evaluations = 50'000'000;  ///< of rows, at most: of steps and of whole passes
  Start start = Start::last_mean;
};
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, MirrorDescentOptions& options);
void add_options(base::OptionTable& table, LevelSetOptions& options);

/// That `evaluations` leaves room for.
[[nodiscard]] std::int64_t most_steps(const LevelSetOptions& options);

/// About as many steps as one problem after another takes: calls of T steps while the level falls
/// to the tolerance, then one of each doubled length, and one for each further problem. On COMPAS
/// and synthetic sets 0.5 to 2 times as many were taken.
/// @param begin     how far from the least level the first problem begins.
/// @param problems  whose evaluations are those of `options` together.
[[nodiscard]] double expected_steps(const LevelSetOptions& options, double begin,
                                    std::int64_t problems);
[[nodiscard]] double expected_steps(const LevelSetOptions& options);

enum class LevelSetStop {
  converged,          ///< U within [-eps_opt, 0], twice where T may be doubled
  too_coarse,         ///< U > 0 after most_doublings: the calls cannot tell more
  calls_spent,        ///< of most_calls
  evaluations_spent,  ///< what is left of them is less than a call of one step needs
};

/// One call of mirror descent.
struct LevelSetCall {
  double level;        ///< r
  double upper_bound;  ///< U
};

struct LevelSetResult {
  /// Feasible on all rows: of the multiples of the calls' means and last iterates the one with the
  /// least objective there.
  std::vector<double> w;
  bool found = false;  ///< one is better than w = 0; else w is 0
  LevelSetStop stop = LevelSetStop::calls_spent;
  std::vector<LevelSetCall> calls;
  std::int64_t steps = 0;        ///< of all calls
  std::int64_t evaluations = 0;  ///< of rows
};

/// r_0 = c1 c2^2, the objective of w = 0, which is feasible. Each call of mirror descent takes
/// `steps` steps towards min_x max_y of the level r, and says U and its mean iterate. U < -eps_opt
/// lowers r by |U| / (2 theta); after U > 0, of which the paper makes no use, the level is tried
/// again with twice the steps, of half the length where that is above 0.03. So it is where U is
/// within the tolerance, once: U is an upper bound, near 0 also where the steps of a call are too
/// few to come to a lower level. Steps allocate nothing.
/// Local: never communicates. Has checkpoints: going on from one gives the bits of a run that was
/// never stopped.
/// @param seed, task_key  address of the stream of rows.
/// @throws std::invalid_argument  an option out of range, kappa not above
///         Surrogate::infeasible_kappa(), a radius or interval not > 0.
/// @throws std::domain_error  the iterates are not finite: the step is too long.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] LevelSetResult level_set(const SurrogateProblem<LinearScores>& problem,
                                       const LevelSetOptions& options, std::uint64_t seed,
                                       const std::string& task_key,
                                       const solvers::Control& control = {},
                                       const IterateWatch& watch = {});

}  // namespace fairfront::ranking
