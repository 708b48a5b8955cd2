/// @file
/// VfairKM: k-means with a Kullback-Leibler penalty on the groups' shares, over a grid of weights.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

/// What happens to an inner step that makes the objective worse: L was too small for a bound.
enum class VfairStep {
  descent,  ///< it is taken back, and from then on slopes are implicit; L is doubled where need be
  fixed,    ///< it is taken, as the public program does; memberships may then collapse
};

/// Where each weight starts.
enum class VfairWarmStart {
  none,  ///< from the k-means++ labels of the run, as the public program does
  only,  ///< from the labels of the weight before it
  both,  ///< from either in turn: both clusterings count
};

/// The tolerances are those of the public program, which has no warm starts and 10,000 inner
/// iterations.
struct VfairOptions {
  /// mu_i = mu_min + i (mu_max - mu_min) / (mu_count - 1). A weight counts against N f1, so a
  /// useful greatest one grows with N and with the squared unit of the data. On rows of unit norm
  /// Liu and Vicente (2021) go up to 0.5 N .. 0.65 N for K = 10 and 1.0 N .. 1.2 N for K = 5.
  double mu_min = 0;
  double mu_max = 0;            ///< 0: N
  std::int64_t mu_count = 100;  ///< 1: mu_min alone
  /// Runs from different k-means++ seeds; the front is that of all their clusterings.
  std::int64_t restarts = 1;
  VfairWarmStart warm_start = VfairWarmStart::both;
  double lipschitz = 2;  ///< L: the smaller, the longer the inner steps
  VfairStep step = VfairStep::descent;
  std::int64_t inner_iterations = 1'000;
  double inner_tolerance = 1e-5;  ///< inner stop from the third step: |E - E_old| <= tol |E_old|
  std::int64_t outer_iterations = 100;
  double outer_tolerance = 1e-4;  ///< outer stop from the third iteration, of the objective
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(VfairOptions& options);

/// @throws std::invalid_argument  an option out of range, or mu_max < mu_min.
void validate_for(const Problem& problem, const VfairOptions& options);

/// The weights of a run, ascending. Shape (mu_count,).
[[nodiscard]] std::vector<double> weights_of(const Problem& problem, const VfairOptions& options);

/// How often a weight is solved in a run: each of mu_count once for every restart, and again from
/// the one before it where that is wanted.
[[nodiscard]] std::int64_t weights_solved(const VfairOptions& options);

enum class VfairStop { converged, cycle, iterations_done };

/// What became of one weight: of several clusterings, that with the least objective.
struct VfairWeight {
  double mu = 0;
  double cost = 0;     ///< f1 of the hard labels
  double balance = 0;  ///< f2 of the hard labels
  /// Of the memberships behind them; N f1 for mu = 0, and where no clustering is balanced.
  double objective = 0;
  std::int64_t outer_iterations = 0;  ///< of all its clusterings, as the counts below
  std::int64_t inner_iterations = 0;  ///< of all outer ones together
  std::int64_t taken_back = 0;        ///< inner steps among them that were undone
  std::int64_t refills = 0;           ///< outer iterations that left a cluster empty
  VfairStop stop = VfairStop::iterations_done;
};

struct VfairResult {
  ClusteringFront front;             ///< the strictly nondominated ones over all weights
  std::vector<VfairWeight> weights;  ///< in order of mu
  std::int64_t clusterings = 0;      ///< of all weights, restarts and starts; those solved
  /// See comparisons.hpp: of seeds; and N K for the distances of an outer iteration, as for every
  /// update of the memberships, also one that is taken back.
  std::int64_t comparisons = 0;
};

/// I. M. Ziko, J. Yuan, E. Granger, I. Ben Ayed, "Variational fair clustering" (AAAI 2021), in its
/// k-means form; the sweep over mu and the filter are those of Liu and Vicente (2021), section 4.
/// Local: never communicates.
///
/// One k-means++ clustering from the stream (seed, task key, r) is where every weight of restart r
/// starts, unless the run is warm; the front is that of all clusterings, so restarts and
/// VfairWarmStart::both only add to it. mu = 0 is Lloyd's method. Else an outer iteration takes the
/// means of the hard labels as centres, starts memberships from exp(-a) and updates them
/// (SoftAssignment) until E settles; the labels are where memberships are greatest. An outer
/// iteration is thus a function of its labels alone, and where the public program is at a loss, one
/// rule each applies:
/// * a cluster without labels is given a point by refill_empty_clusters (the public program
///   replaces everything by k-means, three times, and then gives up);
/// * labels that occurred before end the iterations: unchanged ones as converged, others as a
///   cycle (the public program goes round until its limit);
/// * the answer is the iterate with the least objective. Within an outer iteration, where centres
///   stay, it falls; from one to the next it may rise, as the means of hard labels are not those of
///   the memberships, and memberships begin anew. To end at the first rise gave larger objectives:
///   they often fall again behind it;
/// * where a group has fewer rows than K, each clustering lacks it in some cluster: all have a
///   balance of 0 and the same, infinite penalty, and weight 0 answers for all, once a restart;
/// * an inner step that makes the objective worse is taken back (VfairStep). For the rest of the
///   inner loop slopes are those at the end of a step (make_implicit), with L at least the mean
///   distance first. L is doubled after steps that are worse even so, and halved, down to a half
///   of its option, after eight good steps, twice as many after each try that fails, and when E
///   settles;
/// * underflow: see SoftAssignment.
/// Has checkpoints, behind outer iterations.
/// @throws std::invalid_argument  as validate_for.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] VfairResult vfairkm(const Problem& problem, const VfairOptions& options,
                                  std::uint64_t seed, const std::string& task_key,
                                  const solvers::Control& control = {});

/// Bytes that a run is expected to hold.
[[nodiscard]] double vfairkm_bytes(const Problem& problem, const VfairOptions& options);

}  // namespace fairfront::clustering
