/// @file
/// The balance ladder: the front of cost against balance by local search under a rising and
/// falling floor on the balance.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::parallel {
class Comm;
}

namespace fairfront::clustering {

struct BalanceLadderOptions {
  std::int64_t starts = 8;    ///< ladders, each from k-means of its own
  std::int64_t seedings = 1;  ///< runs of k-means for a start, of which the cheapest goes on
  std::int64_t lloyd_iterations = 30;  ///< of such a run, at most
  std::int64_t levels = 10;            ///< L: floors i / L times the bound of the balance
  std::int64_t bisections = 6;    ///< floors tried between the last one held and the first one not
  std::int64_t passes = 3;        ///< of local improvement at a floor, at most
  std::int64_t relocations = 40;  ///< attempts with one centre put elsewhere
  double reach = 0.2;  ///< range of the floor without gain, a share of the bound of the balance
  std::int64_t refinements = 50;  ///< floors tried in gaps of the front and from random labels
  std::int64_t boxes = 1000;      ///< ranges of the balance with one clustering each
  std::int64_t sample = 20'000;   ///< points of a sample that goes first, at least; 0: none
  std::int64_t carried = 60;      ///< clusterings of its front that all points are put into
};

/// Name, rule, unit and meaning of every field.
[[nodiscard]] base::OptionTable options_of(BalanceLadderOptions& options);

/// @throws std::invalid_argument  an option out of range, or K > 4,096.
void validate_for(const Problem& problem, const BalanceLadderOptions& options);

/// What is done of the options: with K > 256 clusters starts, relocations, refinements and carried
/// are 256 / K times what they say, rounded up, as every floor takes so much longer; of carried, at
/// least 8 stay.
[[nodiscard]] BalanceLadderOptions budget_of(const Problem& problem, BalanceLadderOptions options);

/// What the archive holds after one step: a start, a relocation or a try of refinement.
struct BalanceLadderStep {
  std::int64_t step = 0;    ///< 1, 2, ...
  std::int64_t floors = 0;  ///< tried so far
  double hypervolume = 0;   ///< never falls
};

struct BalanceLadderResult {
  ClusteringFront front;  ///< strictly nondominated
  std::vector<BalanceLadderStep> trace;
  std::int64_t floors_tried = 0;  ///< clusterings that were brought to a floor and improved
  std::int64_t gains = 0;         ///< of which the hypervolume grew, and which were carried on
  std::int64_t comparisons = 0;   ///< on the sample and on all points: see comparisons.hpp
};

/// Traces the front of cost against balance by following clusterings over a floor on the balance.
/// Local: never communicates. A method of this program; its parts are known:
///
/// 1. Starts: Lloyd's k-means (1982) from greedy k-means++ seeds, the cheapest of several. Then up:
///    the floor rises level by level. Repair takes the single moves that cost least for what they
///    mend; single moves (Hartigan and Wong, 1979) and exchanges within a group lower the cost
///    while the floor holds (BalancedSearch). Above the last level that holds, bisection looks for
///    the greatest balance. Then down: the same levels in reverse.
/// 2. Relocations: an archived clustering at a random level gets one of its centres put on a
///    random point (random swap: Fraenti, Kivijaervi, 2000), all points go to their nearest centre,
///    and repair and improvement follow.
/// 3. Refinement, three times of four in a gap of the front: between the neighbours i, i + 1 with
///    the largest (f1_{i+1} - f1_i) (f2_{i+1} - f2_i) / (1 + tries)^2. The first try brings both
///    neighbours to (f2_i + f2_{i+1}) / 2 and to just above f2_i; later ones give random points of
///    a neighbour random labels and take any floor between. One time of four, a clustering of the
///    front with some labels at random, or random labels, at any fraction a / b: so every
///    clustering is tried at some time.
///
/// 4. Before and after every step of refinement all clusterings of the front are polished
///    (BalancePolish) where that takes little: with at most 20,000 rows times clusters, or 8 rows a
///    cluster in at most 512 clusters. Its work is at most 40 million comparisons, or as much time,
///    more than all comparisons of the run so far. Not after a sample.
///
/// With at most 20,000 rows times clusters, and K R^2 <= 1,000,000 for the R rows of the rarest
/// group, levels end at the greatest balance that whole rows reach, and not at the bound: see
/// greatest_balance(). Where repair ends below a floor that they reach, all rows are assigned to
/// the means of the clusters, see BalancePolish::labels_at(), and the clustering is improved from
/// there. Every start polishes what it has reached before it goes down.
///
/// What makes the hypervolume grow in 2 or 3 is carried up and down over `reach`, in steps of the
/// floor that double while nothing is gained. As refinement comes last, and what it does next
/// depends on what it has done alone, more of it never ends with less hypervolume.
/// Everything on the way is offered to a BoxArchive.
///
/// With at least twice `sample` points (see sample_size) all this happens on a stratified sample,
/// with at most 50 refinements, and in rounds: eight relocations begin from one state of the front,
/// and so do up to eight steps of refinement that try one clustering each; what they found is
/// taken in afterwards, in their order. The first try in a gap is a round of its own. Then
/// `carried` clusterings of its front are carried over to all points (see CarriedClustering), each
/// settles at its floor and is repaired up to the next one's, and those refinements follow that are
/// left, times the sample's share of the points: from 50 on, more of them never end with less
/// hypervolume. Trace and counts are of all points then.
///
/// With more than 128 clusters points and repair look at the 32 clusters around alone (Outlook,
/// NearClusters), k-means does so after seeds of many_seeds_labels, and budget_of() is what is
/// done.
///
/// O(N K d) a pass, O(N d) with more than 128 clusters; repair looks at all points once for every
/// eighth (half, after a sample) of what a cluster misses. After a sample, in clusters of 1,000
/// members and more on average, it does so once for every fiftieth of the members that have moved,
/// and another pass follows only where the last one saved a fiftieth of the cost: each saves some
/// fiftieth of the one before. The work is a matter of counts alone, so results are the same bits
/// always.
///
/// `control` is asked before every step and at every floor. A stop between two steps saves a state
/// first; one within a step leaves the state that was saved last. Going on from a state gives the
/// bits of an uninterrupted run.
/// @param seed, task_key  address of the random streams, with the number of the start or attempt.
/// @throws std::invalid_argument  as validate_for.
/// @throws base::CheckpointError  a state that is damaged or of another problem or other options.
/// @throws solvers::Interrupted  `control` wants a stop.
[[nodiscard]] BalanceLadderResult balance_ladder(const Problem& problem,
                                                 const BalanceLadderOptions& options,
                                                 std::uint64_t seed, const std::string& task_key,
                                                 const solvers::Control& control = {});

/// The same by all ranks of a team. Collective. The same bits for every team; complete on rank 0,
/// empty elsewhere. Where it is not is_shared(), rank 0 does it all.
/// @param control  of every rank; a state to go on from, and reports, on rank 0 alone.
/// @throws parallel::CollectiveError  on every rank: one has thrown anything else.
[[nodiscard]] BalanceLadderResult balance_ladder(const parallel::Comm& team, const Problem& problem,
                                                 const BalanceLadderOptions& options,
                                                 std::uint64_t seed, const std::string& task_key,
                                                 const solvers::Control& control = {});

/// Whether a ladder on this problem climbs on a sample first. Then a team shares all rounds, and
/// what carries the front over to all points; the first tries in gaps are rank 0's.
[[nodiscard]] bool is_shared(const Problem& problem, const BalanceLadderOptions& options);

/// Bytes that a run is expected to hold, with every box in use.
[[nodiscard]] double balance_ladder_bytes(const Problem& problem,
                                          const BalanceLadderOptions& options);

}  // namespace fairfront::clustering
