/// @file
/// One run of the balance ladder on one set of points.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/box_archive.hpp"
#include "solvers/clustering/clustering_trail.hpp"
#include "solvers/clustering/front_gaps.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/many_seeds.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/clustering/settle.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/clustering/step.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {

/// See balance_ladder().
template <class Label>
class LadderRun {
 public:
  /// @param refinements  floors tried at the end.
  /// @param steps_taken  in place of starts and relocations, see begin_with(); 0: none were.
  LadderRun(const Problem& problem, const BalanceLadderOptions& options, std::int64_t refinements,
            const SettleRules& rules, std::int64_t steps_taken, std::uint64_t seed,
            const std::string& task_key, const solvers::Control& control)
      : problem_{problem},
        options_{options},
        rules_{rules},
        steps_taken_{steps_taken},
        most_refinements_{refinements},
        control_{control},
        start_key_{seed, task_key, "balance_ladder/start"},
        relocation_key_{seed, task_key, "balance_ladder/relocation"},
        refinement_key_{seed, task_key, "balance_ladder/refinement"},
        archive_{problem, options.boxes},
        gaps_{options.boxes},
        heart_{control},
        search_{problem, [this] { obey_now_and_then(); }, Outlook::nearby},
        solution_{problem} {
    if (NearClusters::are_of_use(problem)) near_.emplace(problem);
  }

  /// Takes up what others have found, in place of starts and relocations.
  /// @param so_far  its trace has as many steps as were taken; its front is empty.
  void begin_with(BalanceLadderResult&& so_far) { result_ = std::move(so_far); }

  /// One of the clusterings that were found. Shape (N,), in the problem's order.
  void put(std::span<const Label> labels) {
    solution_.partition.assign(problem_, labels);
    archive_.put_back(solution_.partition);
  }

  /// Takes up a state that is to be gone on from, if there is one.
  void take_up() {
    if (control_.resume) restore(*control_.resume);
  }

  /// All steps that are left.
  BalanceLadderResult run() {
    while (std::ssize(result_.trace) < steps_before_refinement() ||
           refinements() < most_refinements_) {
      obey_between_steps();
      step(std::ssize(result_.trace));
      finish_step();
    }
    result_.front = archive_.take_front();
    return std::move(result_);
  }

  // Starts know nothing of one another: ranks may run them, and one of them adds what they saw to
  // its archive, in their order.

  /// A start, as all that it offers to an archive.
  struct SeenStart {
    ClusteringTrail<Label> trail;  ///< a mark for every clustering that was offered
    std::int64_t floors = 0;       ///< tried

    void pack(solvers::Packer& packer) const {
      packer.number(floors);
      trail.pack(packer);
    }
    [[nodiscard]] static SeenStart unpack(solvers::Unpacker& unpacker) {
      const auto floors = unpacker.number<std::int64_t>();
      return {ClusteringTrail<Label>::unpack(unpacker), floors};
    }
  };

  [[nodiscard]] std::int64_t next_start() const { return std::ssize(result_.trace); }
  [[nodiscard]] bool starts_are_left() const {
    return steps_taken_ == 0 && next_start() < options_.starts;
  }

  /// Runs a start and leaves the archive as it is.
  /// @throws solvers::Interrupted  nothing is left of it.
  [[nodiscard]] SeenStart see_start(std::int64_t number) {
    const std::int64_t floors = result_.floors_tried;
    SeenStart start;
    const auto end = [&] {
      trail_ = nullptr;
      search_.log_changes(nullptr);
      start.floors = std::exchange(result_.floors_tried, floors) - floors;
    };
    trail_ = &start.trail;
    try {
      this->start(number);
    } catch (...) {
      end();
      throw;
    }
    end();
    start.trail.end_at_last_mark();
    return start;
  }

  /// The next start, which some rank has run, as if it had been run here.
  void add_start(const SeenStart& start) {
    result_.floors_tried += start.floors;
    std::vector<std::size_t> places(start.trail.marks.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    start.trail.replay(places, [&](std::size_t place, std::span<const Label> labels) {
      archive_.offer(start.trail.marks[place].cost, start.trail.marks[place].balance, labels);
    });
    finish_step();
  }

  /// What the caller wants, now or since it was last asked for.
  [[nodiscard]] solvers::Request take_request() {
    return std::max(std::exchange(pending_, Request::go_on), control_.wanted());
  }
  void save() const {
    if (control_.save) control_.save(pack());
  }

 private:
  using Request = solvers::Request;
  static constexpr std::string_view magic = "balance_ladder state 3\n";
  static constexpr std::int64_t most_floors = 1'000'000'000'000;  ///< more than there is time for

  /// @param level  0 .. levels; fractions lie between the levels.
  [[nodiscard]] double floor_of(double level) const {
    return problem_.balance_bound() * level / static_cast<double>(options_.levels);
  }

  [[nodiscard]] std::vector<Label> copy_of_labels() const {
    const std::span<const Label> labels = search_.partition().labels();
    return {labels.begin(), labels.end()};
  }

  [[nodiscard]] std::int64_t steps_before_refinement() const {
    return steps_taken_ > 0 ? steps_taken_ : options_.starts + options_.relocations;
  }

  /// Floors tried since refinement began.
  [[nodiscard]] std::int64_t refinements() const {
    const auto& trace = result_.trace;
    const std::int64_t before = steps_before_refinement();
    return std::ssize(trace) < before ? 0
                                      : trace.back().floors - trace[base::at(before - 1)].floors;
  }

  /// Starts first, then relocations, then refinement: a run with more of it begins as one with
  /// less.
  void step(std::int64_t number) {
    if (steps_taken_ > 0) return refine(number - steps_taken_);
    if (number < options_.starts) return start(number);
    number -= options_.starts;
    if (number < options_.relocations) return relocate(number);
    refine(number - options_.relocations);
  }

  void obey_between_steps() {
    const Request now = take_request();
    if (now != Request::go_on) save();
    if (now == Request::stop) throw solvers::Interrupted();
  }

  /// There is no state within a step: a checkpoint waits for its end.
  void obey_within_step() { obey_within_step(control_.wanted()); }
  void obey_now_and_then() { obey_within_step(heart_.ask()); }
  void obey_within_step(Request now) {
    pending_ = std::max(pending_, now);
    if (now == Request::stop) throw solvers::Interrupted();
  }

  /// Everything the next step needs: random streams follow from its number, costs, balances and
  /// centres from the labels.
  [[nodiscard]] std::string pack() const {
    solvers::Packer packer;
    packer.raw(magic);
    packer.number(problem_.points());
    packer.number(problem_.clusters());
    packer.number(options_.boxes);
    packer.number(result_.floors_tried);
    packer.number(result_.gains);
    packer.array(std::span{result_.trace});
    const std::vector<TriedGap> tried = gaps_.tried();
    packer.array(std::span{tried});
    for (const auto& entry : archive_.entries()) {
      if (!entry.empty()) packer.array(std::span<const Label>{entry.labels});
    }
    return packer.take();
  }

  /// @throws base::CheckpointError  the state is not one that a run with these options leaves.
  void restore(const std::string& state) {
    solvers::Unpacker unpacker(state);
    require(unpacker.raw(magic.size()) == magic,
            "a checkpoint is not one of balance_ladder, or of another version");
    require(unpacker.number<std::int64_t>() == problem_.points() &&
                unpacker.number<std::int64_t>() == problem_.clusters() &&
                unpacker.number<std::int64_t>() == options_.boxes,
            "a checkpoint is of another problem or other options");
    result_.floors_tried = unpacker.number<std::int64_t>();
    result_.gains = unpacker.number<std::int64_t>();
    result_.trace = unpacker.array<std::vector<BalanceLadderStep>>();
    require(gaps_.put_back(unpacker.array<std::vector<TriedGap>>()),
            "a checkpoint's gaps are not those of these options");
    while (!unpacker.at_end()) put_back(unpacker.array<std::vector<Label>>());
    require_consistent();
  }

  void put_back(const std::vector<Label>& labels) {
    require(std::ssize(labels) == problem_.points() &&
                std::ranges::all_of(labels,
                                    [this](Label label) {
                                      return static_cast<std::int64_t>(label) < problem_.clusters();
                                    }),
            "a checkpoint has labels of another problem");
    solution_.partition.assign(problem_, labels);
    require(archive_.put_back(solution_.partition), "a checkpoint has two clusterings of one box");
  }

  void require_consistent() const {
    const auto& trace = result_.trace;
    BalanceLadderStep before;
    for (const BalanceLadderStep& now : trace) {
      require(now.step == before.step + 1 && now.floors >= before.floors &&
                  now.floors <= result_.floors_tried && now.hypervolume >= before.hypervolume,
              "a checkpoint's trace is not one of these options");
      before = now;
    }
    require(before.floors == result_.floors_tried && before.hypervolume == archive_.hypervolume(),
            "a checkpoint's trace is not that of its clusterings");
    require(result_.gains >= 0 && result_.gains <= result_.floors_tried &&
                result_.floors_tried <= most_floors,
            "a checkpoint's counts are out of range");
  }

  static void require(bool holds, const char* what) {
    if (!holds) throw base::CheckpointError(what);
  }

  /// A ladder of its own from k-means, up and down.
  void start(std::int64_t number) {
    base::Stream stream(start_key_, static_cast<std::uint64_t>(number));
    const std::vector<Label> labels =
        problem_.total_variance() == 0 ? dealt_labels() : cheapest_kmeans(stream);
    search_.assign(labels);
    if (trail_ != nullptr) {
      trail_->labels = labels;
      search_.log_changes(&trail_->changes);
    }
    descend(climb());
  }

  /// Where all points coincide the balance alone counts: each group's points in turns.
  [[nodiscard]] std::vector<Label> dealt_labels() const {
    std::vector<Label> labels;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const std::int64_t place = p - problem_.group_begin(problem_.group_of(p));
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
      solution_.partition.assign(problem_,
                                 near_ ? many_seeds_labels<Label>(problem_, stream, obey)
                                       : kmeans_plus_plus_labels<Label>(problem_, stream, obey));
      if (near_) near_->clear();
      lloyd_iterations(problem_, solution_, options_.lloyd_iterations, obey,
                       near_ ? &*near_ : nullptr);
      if (const double cost = partition.cost(problem_); cost < least) {
        least = cost;
        cheapest.assign(partition.labels().begin(), partition.labels().end());
      }
    }
    return cheapest;
  }

  /// Brings the clustering at hand to the floor and improves it there.
  /// @return whether the floor holds.
  bool settle(double floor) {
    obey_within_step();
    ++result_.floors_tried;
    const auto seen = [this](const Partition<Label>& partition) {
      if (trail_ == nullptr) {
        archive_.offer(partition);
      } else {
        trail_->marks.push_back({partition.cost(problem_), partition.bottleneck().balance.value(),
                                 trail_->changes.size()});
      }
    };
    return clustering::settle(problem_, search_, floor, rules_, seen);
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

  /// To labels that the search has had.
  void go_back(const std::vector<Label>& labels) {
    if (trail_ != nullptr) {
      for (std::int64_t p = 0; p < problem_.points(); ++p) {
        const Label label = labels[base::at(p)];
        if (label == search_.partition().label(p)) continue;
        trail_->changes.push_back({static_cast<std::uint32_t>(p), label});
      }
    }
    search_.assign(labels);
  }

  /// Settles at the levels below `level`.
  void descend(std::int64_t level) {
    while (level-- > 0) {
      if (!settle(floor_of(static_cast<double>(level)))) return;
    }
  }

  void relocate(std::int64_t attempt) {
    base::Stream stream(relocation_key_, static_cast<std::uint64_t>(attempt));
    const auto draw = [&stream](std::int64_t bound) {
      return std::int64_t{stream.below(static_cast<std::uint32_t>(bound))};
    };
    const std::int64_t level = draw(options_.levels);
    const std::int64_t cluster = draw(problem_.clusters());
    const std::int64_t point = draw(problem_.points());
    const double floor = floor_of(static_cast<double>(level));
    const auto* source = archive_.cheapest_from(floor);
    if (source == nullptr) return;
    put_centre(*source, cluster, point);
    settle_and_carry(floor, floor_of(1));
  }

  /// Settles, and if that makes the hypervolume larger, carries the clustering up and down.
  /// @param step  the first steps of the floor.
  void settle_and_carry(double floor, double step) {
    if (!settle_and_gain(floor)) return;
    ++result_.gains;
    const std::vector<Label> found = copy_of_labels();
    carry(floor, step);
    search_.assign(found);
    carry(floor, -step);
  }

  /// @return whether the floor holds and the hypervolume has become larger.
  bool settle_and_gain(double floor) {
    const double before = archive_.hypervolume();
    return settle(floor) && archive_.hypervolume() > before;
  }

  /// Settles at floors further and further off, until there was no gain for `reach`. Steps double
  /// while nothing is gained.
  void carry(double floor, double first_step) {
    const double bound = problem_.balance_bound();
    double last_gain = floor;
    double step = first_step;
    for (floor += step; floor >= 0 && floor <= bound; floor += step) {
      if (std::abs(floor - last_gain) > options_.reach * bound) return;
      const bool gained = settle_and_gain(floor);
      if (gained) last_gain = floor;
      step = gained ? first_step : 2 * step;
    }
  }

  /// Takes up a clustering with one centre put on a point and all points at their nearest centre.
  void put_centre(const typename BoxArchive<Label>::Entry& source, std::int64_t cluster,
                  std::int64_t point) {
    Partition<Label>& partition = solution_.partition;
    Centres& centres = solution_.centres;
    partition.assign(problem_, source.labels);
    solution_.set_exact_centres(problem_);
    const std::int64_t beside = near_ ? nearest_other(cluster) : 0;
    centres.set(cluster, problem_.coordinates(point));
    if (near_) near_->clear();
    if (near_) near_->update(centres);
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      const double* x = problem_.point(p);
      const std::int64_t from = partition.label(p) == cluster ? beside : partition.label(p);
      const auto nearest =
          static_cast<Label>(near_ ? near_->nearest_from(from, centres, x) : centres.nearest(x));
      if (nearest != partition.label(p)) partition.relabel(problem_, p, nearest);
    }
    refill_empty_clusters(problem_, centres, partition, [this] { obey_now_and_then(); });
    search_.assign(partition.labels());
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

  /// Three times of four in the gap of the front that promises most, else at any floor.
  void refine(std::int64_t attempt) {
    base::Stream stream(refinement_key_, static_cast<std::uint64_t>(attempt));
    const bool anywhere = stream.below(4) == 0;
    const std::optional<Gap> gap = gaps_.most_promising(archive_);
    if (anywhere || !gap) return try_anywhere(stream);
    if (gaps_.count_try(*gap) == 0) return try_between(*gap);
    try_relabelled(*gap, stream);
  }

  /// Both neighbours, halfway between their balances and just above the lower one.
  void try_between(const Gap& gap) {
    const std::vector<Label> low = archive_.entries()[gap.low].labels;
    const std::vector<Label> high = archive_.entries()[gap.high].labels;
    for (const double share : {0.5, 1e-6}) {
      for (const auto* labels : {&high, &low}) {
        search_.assign(*labels);
        settle_and_carry(gap.low_balance + share * gap.width(), 0.5 * gap.width());
      }
    }
  }

  /// One of the neighbours with some labels at random, at a random floor between them.
  void try_relabelled(const Gap& gap, base::Stream& stream) {
    const bool lower = stream.below(2) == 0;
    const double share = 1 - stream.uniform();
    std::vector<Label> labels = archive_.entries()[lower ? gap.low : gap.high].labels;
    relabel_some(labels, stream);
    search_.assign(labels);
    settle_and_carry(gap.low_balance + share * gap.width(), 0.5 * gap.width());
  }

  /// A clustering of the front with some labels at random, or random labels, at any fraction that
  /// a balance can be: whatever the front, every labelling may be tried at every floor.
  void try_anywhere(base::Stream& stream) {
    const bool by_cost = stream.below(2) == 0;
    const double floor = by_cost ? balance_at_random_cost(stream) : random_fraction(stream);
    const auto source = stream.below(8);
    std::vector<Label> labels(base::at(problem_.points()));
    if (source < 2) {
      relabel(labels, problem_.points(), stream);
    } else {
      const auto* cheapest = source < 5 ? nullptr : archive_.cheapest_from(floor);
      labels = cheapest == nullptr ? random_of_front(stream).labels : cheapest->labels;
      relabel_some(labels, stream);
    }
    search_.assign(labels);
    settle_and_carry(floor, 0.1 * floor_of(1));
  }

  [[nodiscard]] const typename BoxArchive<Label>::Entry& random_of_front(
      base::Stream& stream) const {
    const std::vector<std::size_t> front = archive_.nondominated();
    return archive_.entries()[front[stream.below(static_cast<std::uint32_t>(front.size()))]];
  }

  /// A number of points that is geometric with mean 4, or 2 + 0.1 N u^2 with u uniform.
  void relabel_some(std::vector<Label>& labels, base::Stream& stream) {
    std::int64_t count = 1;
    if (stream.below(2) == 0) {
      while (stream.below(4) != 0) ++count;
    } else {
      const double u = stream.uniform();
      count = 2 + static_cast<std::int64_t>(0.1 * static_cast<double>(problem_.points()) * u * u);
    }
    relabel(labels, count, stream);
  }

  void relabel(std::vector<Label>& labels, std::int64_t count, base::Stream& stream) {
    relabel_points(problem_, labels, count, stream, [this] { obey_now_and_then(); });
  }

  /// The balance that the front has at a cost uniform in its range: most often where it is steep.
  [[nodiscard]] double balance_at_random_cost(base::Stream& stream) const {
    const std::vector<std::size_t> front = archive_.nondominated();
    const double least = archive_.entries()[front.front()].cost;
    const double greatest = archive_.entries()[front.back()].cost;
    const double cost = least + stream.uniform() * (greatest - least);
    const auto above = std::ranges::find_if(
        front, [&](std::size_t box) { return archive_.entries()[box].cost >= cost; });
    return archive_.entries()[above == front.end() ? front.back() : *above].balance;
  }

  /// a / b with b uniform in 1 .. the members of the largest group and a uniform in 0 .. b times
  /// the bound of the balance.
  [[nodiscard]] double random_fraction(base::Stream& stream) const {
    std::int64_t largest = 1;
    for (std::int64_t j = 0; j < problem_.groups(); ++j) {
      largest = std::max(largest, problem_.group_begin(j + 1) - problem_.group_begin(j));
    }
    const double bound = problem_.balance_bound();
    const double most = 1.0 + stream.below(static_cast<std::uint32_t>(largest));
    const auto least = stream.below(1 + static_cast<std::uint32_t>(bound * most + 1e-9));
    return std::min(static_cast<double>(least) / most, bound);
  }

  void finish_step() {
    const std::int64_t done = std::ssize(result_.trace) + 1;
    result_.trace.push_back({done, result_.floors_tried, archive_.hypervolume()});
    const std::int64_t before = steps_before_refinement();
    control_.tell(solvers::progress(
        "step", std::min(done, before) + std::min(refinements(), most_refinements_),
        before + most_refinements_, fmt::format("hypervolume {:.6g}", archive_.hypervolume())));
  }

  const Problem& problem_;
  const BalanceLadderOptions& options_;
  SettleRules rules_;
  std::int64_t steps_taken_;
  std::int64_t most_refinements_;
  const solvers::Control& control_;
  base::StreamKey start_key_;
  base::StreamKey relocation_key_;
  base::StreamKey refinement_key_;
  BoxArchive<Label> archive_;
  FrontGaps gaps_;
  solvers::Heartbeat heart_;
  BalancedSearch<Label> search_;
  Solution<Label> solution_;          ///< of k-means and of relocations
  std::optional<NearClusters> near_;  ///< of its centres, where there are many clusters
  BalanceLadderResult result_;
  Request pending_ = Request::go_on;         ///< what was wanted within a step
  ClusteringTrail<Label>* trail_ = nullptr;  ///< of a start that is not offered to the archive
};

}  // namespace fairfront::clustering
