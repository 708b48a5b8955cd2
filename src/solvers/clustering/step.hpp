/// @file
/// One step of SAfairKM from one clustering: mini-batch k-means updates and balance swaps.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "base/random.hpp"
#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/member_lists.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/common/subset_sampler.hpp"

namespace fairfront::clustering {

enum class Target { local, global };
enum class StepOrder { kmeans_first, swaps_first };
enum class SwapUnit { exchange, move };
enum class CentreRule { exact, running };

/// n_a points relabelled to their nearest centre, n_b swaps.
struct Effort {
  std::int64_t kmeans = 0;  ///< n_a >= 0
  std::int64_t swaps = 0;   ///< n_b >= 0
  bool operator==(const Effort&) const = default;
};

/// What a step does. The defaults are Algorithm 2 of Liu and Vicente (2021) with local targets
/// and increasingly accurate swaps, which they used, and with exact centroids, which the cluster
/// sums give for free. The public program is {global, swaps_first, move, running}.
struct StepOptions {
  Target target = Target::local;
  StepOrder step_order = StepOrder::kmeans_first;
  SwapUnit swap_unit = SwapUnit::exchange;
  CentreRule centres = CentreRule::exact;
  double swap_growth = 1.003;  ///< b: swap candidates at iteration t are floor(b^floor(t/2))
};

/// Adds the fields of `options` to `table`.
void describe(base::OptionTable& table, StepOptions& options);

/// Says where these fields matter.
/// @param swaps, both  some steps make swaps, and both swaps and updates.
void add_conditions(base::OptionTable& table, base::Condition swaps, base::Condition both);

/// Points looked at on each side of a swap at iteration t >= 0: min(N, floor(b^floor(t/2))).
[[nodiscard]] std::int64_t swap_batch(const StepOptions& options, std::int64_t iteration,
                                      std::int64_t points);

/// A clustering and the centres that its next step measures distances to.
template <class Label>
struct Solution {
  Solution(const Problem& problem) : partition(problem), centres(problem) {}
  /// Sets the centres to the exact means. O(K d).
  void set_exact_centres(const Problem& problem);
  Partition<Label> partition;
  Centres centres;
};

/// Takes steps in place, remembers what they changed, and takes them back. Steps never empty a
/// cluster: a move that would is left out. Owns only scratch space: one stepper serves many
/// solutions, one after another.
///
/// With several attributes every swap widens the bottleneck of one of them, which the stream
/// chooses.
///
/// Cost of a step: O(n_a K d) + O(n_b (sqrt(N) + b^(t/2) (log N + d))), never a pass over the
/// points as long as b^(t/2) is small beside them.
template <class Label>
class Stepper {
 public:
  using Change = LabelChange<Label>;

  /// @param between  called for every few points and every swap of a step; what it throws ends the
  /// step, whose
  ///                 partition is then of no use.
  Stepper(const Problem& problem, const StepOptions& options,
          std::function<void()> between = nullptr);

  /// Changes `partition`, measured from `centres`; the step's own centres are centres().
  void advance(Partition<Label>& partition, const Centres& centres, Effort effort,
               std::int64_t batch, base::Stream& stream);
  /// Takes the last step back.
  void undo(Partition<Label>& partition);
  /// The next steps are all from one partition, each taken back before the next one: what one finds
  /// out about it the others use. Ends with the next call, or with a step that is not taken back.
  void share_steps();

  /// What the last step changed, in order; a point may occur more than once.
  [[nodiscard]] const std::vector<Change>& changes() const noexcept { return changes_; }
  /// Of all steps: K a relabelled point, one a candidate of a swap; see comparisons.hpp.
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }
  /// The centres after the last step; those of untouched clusters are as they were.
  [[nodiscard]] const Centres& centres() const noexcept { return centres_; }

 private:
  void kmeans_updates(Partition<Label>& partition, std::int64_t count, base::Stream& stream);
  void exchanges(Partition<Label>& partition, std::int64_t count, std::int64_t batch,
                 base::Stream& stream);
  void moves(Partition<Label>& partition, std::int64_t count, std::int64_t batch,
             base::Stream& stream);
  /// The bottleneck that a swap is to widen: of an attribute that the stream chooses.
  Bottleneck find_bottleneck(const Partition<Label>& partition, base::Stream& stream) const;
  std::int64_t choose(const Partition<Label>& partition, std::int64_t cluster,
                      std::span<const std::int64_t> groups, std::int64_t towards,
                      std::int64_t batch, base::Stream& stream);
  std::int64_t nearest_listed(const MemberList& list, std::int64_t draws, bool take_all,
                              base::Stream& stream);
  std::int64_t find_target(const Partition<Label>& partition, const Bottleneck& worst);
  void set_towards(std::int64_t cluster);
  void relabel(Partition<Label>& partition, std::int64_t point, std::int64_t to);
  void settle_swaps(const Partition<Label>& partition);

  const Problem& problem_;
  StepOptions options_;
  std::function<void()> between_;
  Centres centres_;
  std::vector<Change> changes_;
  std::vector<Pull> pulls_;  ///< towards which points running centres move
  solvers::SubsetSampler sampler_;
  std::vector<std::int64_t> nearest_;  ///< centres of the points of a batch
  MemberLists<Label> lists_;
  std::int64_t members_per_draw_;
  std::int64_t comparisons_ = 0;
  bool sharing_ = false;
  bool taken_back_ = true;
  std::vector<std::int64_t> drawn_;
  MemberIndex index_;
  std::vector<std::int64_t> weights_;
  std::vector<double> towards_;    ///< (d,), the centre that a swapped point comes to
  std::vector<double> distances_;  ///< padded (K,), squared, of centres to the worst one
};

extern template struct Solution<std::uint8_t>;
extern template struct Solution<std::uint16_t>;
extern template class Stepper<std::uint8_t>;
extern template class Stepper<std::uint16_t>;

}  // namespace fairfront::clustering
