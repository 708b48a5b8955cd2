/// @file
/// What a balance ladder does with one clustering: it is led over floors on the balance.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "base/random.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/balance_polish.hpp"
#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/box_front.hpp"
#include "solvers/clustering/clustering_trail.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/many_seeds.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/clustering/settle.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {

/// Where a walk begins and what it is to reach.
template <class Label>
struct LadderProposal {
  std::int64_t start = -1;    ///< number of a ladder from k-means; negative: none, all below counts
  std::vector<Label> labels;  ///< shape (N,), in the problem's order
  std::int64_t cluster = -1;  ///< whose centre is put on `point` first; negative: no one's
  std::int64_t point = -1;
  double floor = 0;
  double step = 0;  ///< first steps of the floor from there

  void pack(solvers::Packer& packer) const {
    packer.number(start);
    packer.array(std::span{labels});
    packer.number(cluster);
    packer.number(point);
    packer.number(floor);
    packer.number(step);
  }
  [[nodiscard]] static LadderProposal unpack(solvers::Unpacker& unpacker) {
    LadderProposal proposal;
    proposal.start = unpacker.number<std::int64_t>();
    proposal.labels = unpacker.array<std::vector<Label>>();
    proposal.cluster = unpacker.number<std::int64_t>();
    proposal.point = unpacker.number<std::int64_t>();
    proposal.floor = unpacker.number<double>();
    proposal.step = unpacker.number<double>();
    return proposal;
  }
};

/// What a walk sees of a front, and where it leaves the clusterings that it comes by.
template <class Label>
class LadderFinds {
 public:
  virtual ~LadderFinds() = default;
  virtual void offer(const Partition<Label>& partition) = 0;
  [[nodiscard]] virtual double hypervolume() const = 0;
  /// Where every change of a label is written down; null: nowhere.
  [[nodiscard]] virtual ClusteringTrail<Label>* trail() { return nullptr; }
};

/// What a walk has done.
struct LadderCounts {
  std::int64_t floors = 0;  ///< tried
  std::int64_t gains = 0;   ///< of which the hypervolume grew, and which were carried on
  std::int64_t comparisons = 0;
};

/// What it took to polish a clustering.
struct PolishCounts {
  std::int64_t comparisons = 0;
  std::int64_t work = 0;  ///< in about the time of a comparison each, these included
};

/// All that it would offer to an archive.
template <class Label>
struct LadderOutcome {
  ClusteringTrail<Label> trail;
  LadderCounts counts;

  void pack(solvers::Packer& packer) const {
    packer.number(counts);
    trail.pack(packer);
  }
  [[nodiscard]] static LadderOutcome unpack(solvers::Unpacker& unpacker) {
    const auto counts = unpacker.number<LadderCounts>();
    return {ClusteringTrail<Label>::unpack(unpacker), counts};
  }
};

/// Finds of a walk away from the archive: a mark for each that the front would have kept.
template <class Label>
class LadderTrail final : public LadderFinds<Label> {
 public:
  /// @param front  as it was when the walk was proposed; null: everything is marked.
  LadderTrail(const Problem& problem, const BoxFront* front) : problem_{problem} {
    if (front != nullptr) front_.emplace(*front);
  }

  void offer(const Partition<Label>& partition) override {
    const double cost = partition.cost(problem_);
    const double balance = partition.bottleneck().balance.value();
    if (front_ && !front_->offer(cost, balance)) return;
    trail_.marks.push_back({cost, balance, trail_.changes.size()});
  }
  [[nodiscard]] double hypervolume() const override { return front_ ? front_->hypervolume() : 0; }
  [[nodiscard]] ClusteringTrail<Label>* trail() override { return &trail_; }

  [[nodiscard]] ClusteringTrail<Label> take() {
    if (trail_.marks.empty()) return {};
    trail_.end_at_last_mark();
    return std::move(trail_);
  }

 private:
  const Problem& problem_;
  std::optional<BoxFront> front_;
  ClusteringTrail<Label> trail_;
};

/// See balance_ladder(). What a walk does follows from its proposal, its number and the front that
/// it sees, so ranks may share them.
template <class Label>
class LadderWalk {
 public:
  LadderWalk(const Problem& problem, const BalanceLadderOptions& options, const SettleRules& rules,
             std::uint64_t seed, const std::string& task_key, const solvers::Control& control)
      : problem_{problem},
        options_{options},
        rules_{rules},
        control_{control},
        start_key_{seed, task_key, "balance_ladder/start"},
        heart_{control},
        search_{problem, [this] { obey_now_and_then(); }, Outlook::nearby},
        polish_{problem, search_},
        solution_{problem} {
    if (NearClusters::are_of_use(problem)) near_.emplace(problem);
    if (!assigns(problem)) return;
    greatest_ = greatest_balance(members_of_groups(problem), problem.clusters());
    if (greatest_ > 0) top_ = greatest_;
  }

  /// @throws solvers::Interrupted  the caller wants a stop.
  LadderCounts follow(const LadderProposal<Label>& proposal, LadderFinds<Label>& finds) {
    finds_ = &finds;
    counts_ = {};
    const std::int64_t searched_before = search_.comparisons();
    search_.log_changes(nullptr);  // those of a walk that was cut short
    if (proposal.start >= 0) {
      start(proposal.start);
    } else {
      if (proposal.cluster >= 0) {
        put_centre(proposal);
      } else {
        begin_with(proposal.labels);
      }
      settle_and_carry(proposal.floor, proposal.step);
    }
    search_.log_changes(nullptr);
    counts_.comparisons += search_.comparisons() - searched_before;
    return counts_;
  }

  /// Away from the archive. @param front  as that of LadderTrail.
  [[nodiscard]] LadderOutcome<Label> explore(const LadderProposal<Label>& proposal,
                                             const BoxFront* front) {
    LadderTrail<Label> finds(problem_, front);
    const LadderCounts counts = follow(proposal, finds);
    return {finds.take(), counts};
  }

  /// Makes a clustering cheaper at the balance that it has: see BalancePolish.
  PolishCounts polish(std::span<const Label> labels, LadderFinds<Label>& finds) {
    const auto compared = [this] { return search_.comparisons() + polish_.comparisons(); };
    const std::int64_t compared_before = compared();
    const std::int64_t other_before = polish_.other_work();
    search_.log_changes(nullptr);
    search_.assign(labels);
    if (polish_.run()) finds.offer(search_.partition());
    const std::int64_t comparisons = compared() - compared_before;
    return {comparisons, comparisons + polish_.other_work() - other_before};
  }
  [[nodiscard]] const Partition<Label>& partition() const noexcept { return search_.partition(); }

  /// @param level  0 .. levels; fractions lie between the levels.
  [[nodiscard]] double floor_of(double level) const {
    return top_ * level / static_cast<double>(options_.levels);
  }

  /// What the caller wants, now or since it was last asked for.
  [[nodiscard]] solvers::Request take_request() {
    return std::max(std::exchange(pending_, solvers::Request::go_on), control_.wanted());
  }

  /// There is no state within a step: a checkpoint waits for its end.
  void obey_now_and_then() { obey(heart_.ask()); }

 private:
  void obey(solvers::Request now) {
    pending_ = std::max(pending_, now);
    if (now == solvers::Request::stop) throw solvers::Interrupted();
  }

  /// Whether rows are few, and those of the rarest group: of many, moves leave little of the
  /// greatest balance, which takes K R^2 steps to find.
  [[nodiscard]] static bool assigns(const Problem& problem) {
    constexpr std::int64_t few_steps = 1'000'000;
    const std::int64_t rarest = std::ranges::min(members_of_groups(problem));
    return BalancePolish<Label>::can_assign(problem) &&
           problem.clusters() * rarest * rarest <= few_steps;
  }

  [[nodiscard]] std::vector<Label> copy_of_labels() const {
    const std::span<const Label> labels = search_.partition().labels();
    return {labels.begin(), labels.end()};
  }

  void begin_with(std::span<const Label> labels) {
    search_.assign(labels);
    ClusteringTrail<Label>* trail = finds_->trail();
    if (trail == nullptr) return;
    trail->labels.assign(labels.begin(), labels.end());
    search_.log_changes(&trail->changes);
  }

  /// To labels that the search has had, or that follow from those at hand.
  void go_back(const std::vector<Label>& labels) {
    if (ClusteringTrail<Label>* trail = finds_->trail(); trail != nullptr) {
      for (std::int64_t p = 0; p < problem_.points(); ++p) {
        const Label label = labels[base::at(p)];
        if (label == search_.partition().label(p)) continue;
        trail->changes.push_back({static_cast<std::uint32_t>(p), label});
      }
    }
    search_.assign(labels);
  }

  /// A ladder of its own from k-means, up and down.
  void start(std::int64_t number) {
    base::Stream stream(start_key_, static_cast<std::uint64_t>(number));
    begin_with(problem_.total_variance() == 0 ? dealt_labels() : cheapest_kmeans(stream));
    const std::int64_t level = climb();
    if (greatest_ > 0) polish_here();
    descend(level);
  }

  /// Where all points coincide the balance alone counts: each group's points in turns. Where none
  /// has one for every cluster there is no balance: all points in turns.
  [[nodiscard]] std::vector<Label> dealt_labels() const {
    bool by_group = false;
    for (std::int64_t j = 0; j < problem_.groups(); ++j) {
      by_group |= problem_.group_begin(j + 1) - problem_.group_begin(j) >= problem_.clusters();
    }
    std::vector<Label> labels;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const std::int64_t place = by_group ? p - problem_.group_begin(problem_.group_of(p)) : p;
      labels.push_back(static_cast<Label>(place % problem_.clusters()));
    }
    return labels;
  }

  /// The cheapest of several runs of k-means. They need not converge: floor 0 improves the rest.
  [[nodiscard]] std::vector<Label> cheapest_kmeans(base::Stream& stream) {
    const Partition<Label>& partition = solution_.partition;
    const auto obey = [this] { obey_now_and_then(); };
    std::vector<Label> cheapest;
    double least = std::numeric_limits<double>::infinity();
    for (std::int64_t i = 0; i < options_.seedings; ++i) {
      const CountedLabels<Label> seeded = seeded_labels(stream, obey);
      solution_.partition.assign(problem_, seeded.labels);
      if (near_) near_->clear();
      const LloydIterations done = lloyd_iterations(problem_, solution_, options_.lloyd_iterations,
                                                    obey, near_ ? &*near_ : nullptr);
      counts_.comparisons += seeded.comparisons + done.comparisons;
      if (const double cost = partition.cost(problem_); cost < least) {
        least = cost;
        cheapest.assign(partition.labels().begin(), partition.labels().end());
      }
    }
    return cheapest;
  }

  [[nodiscard]] CountedLabels<Label> seeded_labels(base::Stream& stream,
                                                   const Between& between) const {
    if (near_) return many_seeds_labels<Label>(problem_, stream, between);
    return {kmeans_plus_plus_labels<Label>(problem_, stream, between),
            kmeans_plus_plus_comparisons(problem_)};
  }

  /// Brings the clustering at hand to the floor and improves it there.
  /// @return whether the floor holds.
  bool settle(double floor) {
    obey(control_.wanted());
    ++counts_.floors;
    const auto offer = [this](const Partition<Label>& partition) { finds_->offer(partition); };
    if (floor == 0 || floor > greatest_) {
      return clustering::settle(problem_, search_, floor, rules_, offer);
    }
    const std::vector<Label> before = copy_of_labels();
    if (clustering::settle(problem_, search_, floor, rules_, offer)) return true;
    go_back(before);
    if (!assign_at(floor)) return false;
    return clustering::settle(problem_, search_, floor, rules_, offer);
  }

  /// Makes the clustering at hand cheaper at the balance that it has.
  void polish_here() {
    const std::int64_t compared_before = polish_.comparisons();
    const std::vector<Label> before = copy_of_labels();
    search_.log_changes(nullptr);
    polish_.run();
    const std::vector<Label> after = copy_of_labels();
    search_.assign(before);
    if (ClusteringTrail<Label>* trail = finds_->trail(); trail != nullptr) {
      search_.log_changes(&trail->changes);
    }
    go_back(after);
    finds_->offer(search_.partition());
    counts_.comparisons += polish_.comparisons() - compared_before;
  }

  /// Where moves of single rows find no way to a floor. @return whether there is one.
  bool assign_at(double floor) {
    const std::int64_t compared_before = polish_.comparisons();
    const std::optional<std::vector<Label>> labels = polish_.labels_at(floor);
    counts_.comparisons += polish_.comparisons() - compared_before;
    if (labels) go_back(*labels);
    return labels.has_value();
  }

  /// Settles at all levels up to the first that does not hold. The clustering at hand is then one
  /// that holds the greatest floor that could be reached.
  /// @return the first level that was not reached.
  std::int64_t climb() {
    std::vector<Label> held = copy_of_labels();
    for (std::int64_t level = 0; level <= options_.levels; ++level) {
      if (!settle(floor_of(static_cast<double>(level)))) {
        bisect(level, std::move(held));
        return level;
      }
      held = copy_of_labels();
    }
    return options_.levels + 1;
  }

  /// Looks for the greatest floor that holds between `level` - 1 and `level`.
  void bisect(std::int64_t level, std::vector<Label> held) {
    auto low = static_cast<double>(level - 1);
    auto high = static_cast<double>(level);
    for (std::int64_t i = 0; i < options_.bisections; ++i) {
      const double middle = 0.5 * (low + high);
      go_back(held);
      if (settle(floor_of(middle))) {
        low = middle;
        held = copy_of_labels();
      } else {
        high = middle;
      }
    }
    go_back(held);
  }

  /// Settles at the levels below `level`.
  void descend(std::int64_t level) {
    while (level-- > 0) {
      if (!settle(floor_of(static_cast<double>(level)))) return;
    }
  }

  /// Settles, and if that makes the hypervolume larger, carries the clustering up and down.
  /// @param step  the first steps of the floor.
  void settle_and_carry(double floor, double step) {
    if (!settle_and_gain(floor)) return;
    ++counts_.gains;
    const std::vector<Label> found = copy_of_labels();
    carry(floor, step);
    go_back(found);
    carry(floor, -step);
  }

  /// @return whether the floor holds and the hypervolume has become larger.
  bool settle_and_gain(double floor) {
    const double before = finds_->hypervolume();
    return settle(floor) && finds_->hypervolume() > before;
  }

  /// Settles at floors further and further off, until there was no gain for `reach`. Steps double
  /// while nothing is gained.
  void carry(double floor, double first_step) {
    double last_gain = floor;
    double step = first_step;
    for (floor += step; floor >= 0 && floor <= top_; floor += step) {
      if (std::abs(floor - last_gain) > options_.reach * top_) return;
      const bool gained = settle_and_gain(floor);
      if (gained) last_gain = floor;
      step = gained ? first_step : 2 * step;
    }
  }

  /// Takes up the clustering with one centre put on a point and all points at their nearest centre.
  void put_centre(const LadderProposal<Label>& proposal) {
    const std::int64_t cluster = proposal.cluster;
    Partition<Label>& partition = solution_.partition;
    Centres& centres = solution_.centres;
    partition.assign(problem_, proposal.labels);
    solution_.set_exact_centres(problem_);
    const std::int64_t beside = near_ ? nearest_other(cluster) : 0;
    centres.set(cluster, problem_.coordinates(proposal.point));
    if (near_) near_->clear();
    if (near_) near_->update(centres);
    const std::int64_t nearby_before = near_ ? near_->comparisons() : 0;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const double* x = problem_.point(p);
      const std::int64_t from = partition.label(p) == cluster ? beside : partition.label(p);
      const auto nearest =
          static_cast<Label>(near_ ? near_->nearest_from(from, centres, x) : centres.nearest(x));
      if (nearest != partition.label(p)) partition.relabel(problem_, p, nearest);
    }
    counts_.comparisons +=
        near_ ? near_->comparisons() - nearby_before : comparisons_of_all(problem_);
    counts_.comparisons +=
        refill_empty_clusters(problem_, centres, partition, [this] { obey_now_and_then(); });
    begin_with(partition.labels());
  }

  /// The cluster whose centre is nearest to that of another one.
  [[nodiscard]] std::int64_t nearest_other(std::int64_t cluster) const {
    std::int64_t nearest = cluster == 0 ? 1 : 0;
    for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
      if (k != cluster && solution_.centres.squared_distance_between(k, cluster) <
                              solution_.centres.squared_distance_between(nearest, cluster)) {
        nearest = k;
      }
    }
    return nearest;
  }

  const Problem& problem_;
  const BalanceLadderOptions& options_;
  SettleRules rules_;
  const solvers::Control& control_;
  base::StreamKey start_key_;
  solvers::Heartbeat heart_;
  BalancedSearch<Label> search_;
  BalancePolish<Label> polish_;            ///< of what the search has
  Solution<Label> solution_;               ///< of k-means and of relocations
  std::optional<NearClusters> near_;       ///< of its centres, where there are many clusters
  double top_ = problem_.balance_bound();  ///< of the levels
  double greatest_ = 0;  ///< floor that rows are assigned at where moves do not reach it
  LadderFinds<Label>* finds_ = nullptr;
  LadderCounts counts_;
  solvers::Request pending_ = solvers::Request::go_on;  ///< what was wanted within a step
};

}  // namespace fairfront::clustering
