/// @file
/// Pareto-front SAfairKM: a list of clusterings that is advanced and cleaned together.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "parallel/comm.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/front_state.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

enum class ListFilter { strict, authors };
enum class ListThinning { hypervolume, authors };

/// Algorithm 3 of Liu and Vicente (2021) with q = 1.
struct SafairFrontOptions {
  std::int64_t iterations = 2500;  ///< T
  std::int64_t starts = 30;        ///< half random labels, half k-means++ labels
  RandomStart random_start = RandomStart::softmax;
  std::vector<Effort> pairs = {{25, 0}, {20, 4}, {15, 3}, {5, 2}};  ///< (n_a, n_b)
  std::int64_t replicas = 1;  ///< steps per entry, pair and iteration
  std::int64_t list_budget = 1500;
  bool stop_at_budget = false;  ///< the paper ends there; else the list is thinned
  ListFilter filter = ListFilter::strict;
  ListThinning thinning = ListThinning::hypervolume;
  double dense_threshold = 1.0 / 300;  ///< of the authors' thinning
  StepOptions step;
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(SafairFrontOptions& options);

/// Checks the options alone and against the problem.
/// @throws std::invalid_argument  an option out of range, a pair with n_a > N, options that
///         exclude each other, or a problem with more than two attributes.
void validate_for(const Problem& problem, const SafairFrontOptions& options);

enum class FrontStop { iterations_done, budget_reached };

struct SafairFrontResult {
  /// Rows (cost f1, balance of every attribute), shape (n, m); strictly nondominated, cost
  /// ascending. With one attribute, which the groups are, balance ascends as well.
  std::vector<double> points;
  /// Labels of each point, shape (N,) in the data set's row order; on the team's rank 0 only.
  std::vector<LabelVector> labels;
  std::vector<FrontIteration> trace;  ///< iterations 0 .. T
  double reference_cost = 0;          ///< total variance: the reference point is (this, 0, ..., 0)
  double hypervolume = 0;             ///< of points, in units of cost times balances
  double hypervolume_lost = 0;        ///< sum over all thinnings, an upper bound of the loss
  std::int64_t list_length = 0;       ///< at the end; with strict rules the number of points
  std::int64_t candidates = 0;        ///< steps taken by all ranks
  std::int64_t comparisons = 0;       ///< of starts and steps, by all ranks: see comparisons.hpp
  std::int64_t rebalanced = 0;        ///< entries that changed hands; depends on the ranks
  FrontStop stop = FrontStop::iterations_done;
};

/// Traces the front of cost against the balance of every attribute of the problem. Collective over
/// `team`: each rank advances the list entries it owns, objective vectors are merged by one
/// reduction an iteration. The same bits for every number of ranks, except `rebalanced`.
///
/// S. Liu, L. N. Vicente, "A stochastic alternating balance k-means algorithm for fair
/// clustering" (2021), Algorithms 2 and 3, with exact centroids, strict dominance and thinning
/// by hypervolume contribution only beyond the list budget. Two attributes, the paper's closing
/// remark, make three objectives; see Stepper for the swaps. Where all starts of the paper have
/// balance 0, as with many clusters, and a greater one is possible, ListStarts adds balanced ones.
///
/// @param seed, task_key  address of the random streams, with iteration, entry, pair and replica.
/// @param control  on every rank; asked before every iteration. Rank 0 reports, saves a state on
///                 every request, and has the one to resume from. Going on from a state gives the
///                 bits of an uninterrupted run.
/// @throws std::invalid_argument  as validate_for, on every rank.
/// @throws base::CheckpointError  a state that is inconsistent or of another problem or other
///         options; collective.
/// @throws solvers::Interrupted  a rank wants a stop, on every rank.
[[nodiscard]] SafairFrontResult safairkm_front(const parallel::Comm& team, const Problem& problem,
                                               const SafairFrontOptions& options,
                                               std::uint64_t seed, const std::string& task_key,
                                               const solvers::Control& control = {});

/// Bytes that one of `ranks` ranks is expected to hold with a full list: the old and the new list
/// side by side, the labels that rank 0 gathers, problem and scratch. A rank whose entries make
/// most of the new ones may hold more until the list is evened out.
[[nodiscard]] double safairkm_front_bytes(const Problem& problem, const SafairFrontOptions& options,
                                          std::int64_t ranks);

}  // namespace fairfront::clustering
