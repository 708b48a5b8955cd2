/// @file
/// PF-SMG: a list of points that stochastic multi-gradient steps move towards the front together.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/random.hpp"
#include "parallel/comm.hpp"
#include "pareto/front.hpp"
#include "solvers/alternating/epsilon_constraint.hpp"
#include "solvers/alternating/problem.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::alternating {

struct PfSmgOptions {
  std::int64_t starts = 50;              ///< points drawn in the box, >= 1
  std::int64_t copies = 2;               ///< perturbed copies of each entry an iteration, >= 0
  std::int64_t runs = 1;                 ///< p_1: from each entry and copy, >= 1
  std::int64_t steps = 2;                ///< p_2: multi-gradient steps of each run, >= 1
  double step = 0.1;                     ///< of iteration 0, > 0; later step / sqrt(iteration + 1)
  double perturbation = 0.05;            ///< deviation of copies, a share of the intervals; shrinks
                                         ///< as the step does, >= 0
  std::int64_t list_budget = 100;        ///< entries kept, >= 3
  std::int64_t most_gradients = 60'000;  ///< of single objectives, >= 1: ends the run
};
[[nodiscard]] base::OptionTable options_of(PfSmgOptions& options);

/// @throws std::invalid_argument  a field out of range.
void validate(const PfSmgOptions& options);

/// Objectives with estimates of their gradients.
struct StochasticFunctions {
  std::int64_t objectives = 2;
  ObjectiveFunctions exact;
  std::function<void(std::int64_t, std::span<const double>, base::Stream&, std::span<double>)> draw;
};

/// One point of the trace: what an iteration left behind.
struct PfSmgIteration {
  std::int64_t iteration = 0;  ///< 0: the start list
  std::int64_t gradients = 0;  ///< drawn up to there
  std::int64_t list_length = 0;
  double hypervolume = 0;
};

struct PfSmgResult {
  pareto::Front front{2};              ///< mutually nondominated; origins count them
  std::vector<std::vector<double>> x;  ///< of each, shape (n,)
  std::vector<PfSmgIteration> trace;   ///< iterations 0, 1, ...
  std::int64_t gradients = 0;          ///< of single objectives, drawn by all ranks
  std::int64_t values = 0;             ///< of single objectives
};

/// Moves a list of points towards the front. Every iteration takes each entry and `copies` normal
/// perturbations of it, `runs` times, `steps` stochastic multi-gradient steps
///
///     x <- P(x - alpha sum_i w_i g_i(x)),   w >= 0, sum w = 1, with the least |sum_i w_i g_i(x)|,
///
/// and keeps what no entry and no other end point dominates, at most `list_budget` of them by
/// hypervolume contribution. S. Liu, L. N. Vicente, "The stochastic multi-gradient algorithm for
/// multi-objective optimization and its application to supervised machine learning", Annals of
/// Operations Research (2021), Algorithm 3, with a list that is thinned. The least norm of a few
/// drawn gradients makes steps biased; that is the method's own.
///
/// Collective over `team`: candidates are dealt to its ranks, objective vectors are merged by one
/// reduction an iteration, points of those that stay are then given to all. The same bits for every
/// number of ranks.
///
/// @param reference       of the hypervolume, shape (m,), 2 or 3 objectives.
/// @param seed, task_key  address of the random streams, with iteration and candidate.
/// @param control  on every rank; asked before every iteration. Rank 0 reports, saves a state on
///                 every request, and has the one to resume from. Going on from a state gives the
///                 bits of an uninterrupted run.
/// @throws std::invalid_argument  options out of range.
/// @throws std::domain_error  a point is not finite; on several ranks a CollectiveError of it.
/// @throws base::CheckpointError  a state that is not one of this run; collective.
/// @throws solvers::Interrupted  a rank wants a stop, on every rank.
[[nodiscard]] PfSmgResult pf_smg(const parallel::Comm& team, const StochasticFunctions& problem,
                                 std::span<const double> reference, const PfSmgOptions& options,
                                 std::uint64_t seed, const std::string& task_key,
                                 const solvers::Control& control = {});

/// The same for any problem.
template <Objectives P>
[[nodiscard]] PfSmgResult pf_smg(const parallel::Comm& team, const P& problem,
                                 std::span<const double> reference, const PfSmgOptions& options,
                                 std::uint64_t seed, const std::string& task_key,
                                 const solvers::Control& control = {}) {
  const StochasticFunctions functions{
      problem.objectives(), functions_of(problem),
      [&problem](std::int64_t i, std::span<const double> x, base::Stream& stream,
                 std::span<double> out) { draw_gradient(problem, i, x, stream, out); }};
  return pf_smg(team, functions, reference, options, seed, task_key, control);
}

}  // namespace fairfront::alternating
