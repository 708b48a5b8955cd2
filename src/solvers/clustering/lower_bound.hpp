/// @file
/// A certified lower bound on the cost of all clusterings with a balance of at least a floor.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::clustering {

struct LowerBoundOptions {
  double floor = 0.1;              ///< b: the bound is on clusterings with at least this balance
  std::int64_t starts = 8;         ///< ladders that look for a good clustering
  std::int64_t relocations = 200;  ///< attempts of theirs with one centre put elsewhere
  std::int64_t refinements = 200;  ///< floors of theirs tried in gaps of their front
  std::int64_t steps = 600;        ///< of the bundle method, at most
  std::int64_t cuts = 300;         ///< clusters kept as cuts
  std::int64_t searches = 20;      ///< of boxes that look for clusters which pricing has missed
  std::int64_t boxes = 200'000;    ///< of the proof, at most; a tenth for a search
  double tolerance = 0.001;        ///< share of the cost that the proof may lose
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(LowerBoundOptions& options);

/// @throws std::invalid_argument  an option out of range, a floor above the bound of the balance, a
///         group with fewer members than clusters, or K > 4,096.
void validate_for(const Problem& problem, const LowerBoundOptions& options);

struct LowerBoundResult {
  Clustering clustering;  ///< the best one known, from which the bound started
  double cost_lower = 0;  ///< proven: no clustering at the floor has a smaller cost f1
  double dual = 0;        ///< value of the dual by the clusters known, not proven
  std::vector<double>
      potentials;  ///< pi of every row of the data set, from which the proof follows
  /// To find the clustering, not the proof: see comparisons.hpp.
  std::int64_t comparisons = 0;
  std::int64_t steps = 0;  ///< of the bundle method
  std::int64_t boxes = 0;  ///< of all searches and proofs
  double rounding = 0;     ///< cost that the proof takes off for errors of rounding
  bool complete = false;   ///< the proof lost no more than the tolerance, rounding included
};
/// Of what proves the bound; the clustering, and what it took, are known before.
template <solvers::MaybeConst<LowerBoundResult> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.cost_lower, self.dual, self.potentials, self.steps, self.boxes, self.rounding,
        self.complete);
}

/// For any potentials pi in R^N, over the nonempty clusters C whose own balance is at least b,
///     N f1(b) >= sum_p pi_p + K min_C [cost(C) - pi(C)],  cost(C) = sum_{p in C} |x_p -
///     mean(C)|^2,
/// as a clustering covers every point once: the Lagrangian dual of set partitioning. O. du Merle,
/// P. Hansen, B. Jaumard, N. Mladenovic, "An interior point algorithm for minimum sum-of-squares
/// clustering" (1999); D. Aloise, P. Hansen, L. Liberti, "An improved column generation algorithm
/// for minimum sum-of-squares clustering" (2012). There without balance, which the clusters bear
/// here.
///
/// 1. A clustering: the cheapest that a balance ladder has at the floor or above, settled there.
/// 2. Potentials: from start_potentials() by a proximal bundle method (CutBundle). Clusters are
///    priced by descents from the means of the cuts that are best there and from points.
/// 3. When the model promises little, boxes (bound_by_mean_boxes) look for clusters that pricing
///    has missed; these are cuts, and 2. goes on.
/// 4. When they find no more: the proof, by more boxes. What it meets once more goes to 2.
///
/// 5. Of two clusters of two groups: pairs of boxes (bound_by_pair_boxes).
///
/// But for 5. the bound is at most that of the linear relaxation of set partitioning, which itself
/// may lie below the optimum: with few clusters by some per cent. Boxes have as many dimensions as
/// the data: up to some six the proof is near the dual's value. O(N d) a box.
/// All limits are counts, so that results are the same bits always. Has checkpoints: going on from
/// one gives the bits of a run that was never stopped.
///
/// @param seed, task_key  address of the ladder's random streams; the rest draws nothing.
/// @throws std::invalid_argument  as validate_for.
/// @throws base::InputError  no clustering at the floor was found: whole rows need not reach it.
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] LowerBoundResult lower_bound(const Problem& problem, const LowerBoundOptions& options,
                                           std::uint64_t seed, const std::string& task_key,
                                           const solvers::Control& control = {});

struct ProvenBound {
  double cost_lower = 0;  ///< as in LowerBoundResult; at least 0, and not far above the claim
  std::int64_t boxes = 0;
};

/// Proves a bound from potentials and the data alone: whatever run they come from need not be
/// trusted, and any numbers are right. Boxes that hold no cluster below the claim are done, so that
/// what lower_bound() has proven takes no more boxes here than its own proof. Of two clusters of
/// two groups pairs of boxes follow, where the potentials are not enough. Proof in floating point:
/// errors of the sums are bounded and taken off (ClusterPricing::rounding()).
/// @param claim  a cost, >= 0: proven when `cost_lower` of the result is no smaller.
/// @param potentials  shape (N,), finite, in the data set's row order.
/// @param boxes  at most, for the proof and for that by pairs.
/// @throws std::invalid_argument  potentials of another number, or not finite, or a claim that is
///         negative or not finite.
[[nodiscard]] ProvenBound prove_lower_bound(const Problem& problem, double floor, double claim,
                                            std::span<const double> potentials, std::int64_t boxes,
                                            const solvers::Control& control = {});

/// Bytes that a run is expected to hold.
[[nodiscard]] double lower_bound_bytes(const Problem& problem, const LowerBoundOptions& options);

}  // namespace fairfront::clustering
