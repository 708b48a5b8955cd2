/// @file
/// One run of the balance ladder on one set of points.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
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
#include "solvers/clustering/box_archive.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/front_gaps.hpp"
#include "solvers/clustering/ladder_walk.hpp"
#include "solvers/clustering/polished_front.hpp"
#include "solvers/clustering/settle.hpp"
#include "solvers/clustering/starts.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {

/// Floors of a start that take as long as a relocation or a refinement does; measured on Adult,
/// Bank and ACSIncome.
inline constexpr double floors_of_ladder_step = 1.4;

/// Steps that know nothing of one another: all that they propose is tried from one state.
template <class Label>
struct LadderRound {
  std::vector<LadderProposal<Label>> proposals;
  std::vector<std::int64_t> of_step;  ///< how many of the proposals are each step's
  std::optional<BoxFront> front;      ///< of that state; starts need none
  bool in_order =
      false;  ///< one step after all, each of whose proposals begins where the last ended
};

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
        steps_taken_{steps_taken},
        most_refinements_{refinements},
        control_{control},
        relocation_key_{seed, task_key, "balance_ladder/relocation"},
        refinement_key_{seed, task_key, "balance_ladder/refinement"},
        archive_{problem, options.boxes},
        gaps_{options.boxes},
        gaps_before_round_{gaps_},
        polished_{options.boxes},
        walk_{problem, options, rules, seed, task_key, control},
        partition_{problem} {}

  /// Takes up what others have found, in place of starts and relocations.
  /// @param so_far  its trace has as many steps as were taken; its front is empty.
  void begin_with(BalanceLadderResult&& so_far) { result_ = std::move(so_far); }

  /// One of the clusterings that were found. Shape (N,), in the problem's order.
  void put(std::span<const Label> labels) {
    partition_.assign(problem_, labels);
    archive_.put_back(partition_);
  }

  /// Takes up a state that is to be gone on from, if there is one.
  void take_up() {
    if (control_.resume) restore(*control_.resume);
  }

  [[nodiscard]] bool steps_are_left() const {
    return next_step() < steps_before_refinement() || refinements() < most_refinements_;
  }

  /// All steps that are left, one after the other.
  void run() {
    while (steps_are_left()) {
      const Request now = take_request();
      if (now != Request::go_on) save();
      if (now == Request::stop) throw solvers::Interrupted();
      step();
    }
  }

  /// What was found, when no steps are left.
  [[nodiscard]] BalanceLadderResult take_result() {
    result_.front = archive_.take_front();
    return std::move(result_);
  }

  // The same by a team: its ranks try what a round proposes, and one of them takes in what they
  // saw, in the order of the proposals. Which steps of relocation and refinement are a round is the
  // same for every team.

  /// @param ranks  as many starts are a round; each takes as long as many other steps, and a stop
  ///               costs a round.
  [[nodiscard]] LadderRound<Label> next_round(std::int64_t ranks) {
    gaps_before_round_ = gaps_;
    LadderRound<Label> round;
    const std::int64_t first = next_step();
    const std::int64_t refinement = steps_before_refinement();
    if (first >= refinement) {
      propose_refinements(round);
    } else if (is_start(first)) {
      propose(first, std::min(first + ranks, options_.starts), round);
    } else {
      propose(first, std::min(first + steps_of_round, refinement), round);
    }
    if (!is_start(first)) round.front = archive_.front();
    return round;
  }

  /// Leaves the archive as it is. @throws solvers::Interrupted  nothing is left of it.
  [[nodiscard]] LadderOutcome<Label> explore(const LadderRound<Label>& round, std::size_t place) {
    return walk_.explore(round.proposals[place], round.front ? &*round.front : nullptr);
  }

  /// @param outcomes  of all proposals.
  void add(const LadderRound<Label>& round, std::span<const LadderOutcome<Label>> outcomes) {
    for (const std::int64_t proposals : round.of_step) {
      for (const LadderOutcome<Label>& outcome : outcomes.first(base::at(proposals))) {
        add(outcome);
      }
      outcomes = outcomes.subspan(base::at(proposals));
      finish_step();
    }
  }

  /// The same of a round in order. @throws solvers::Interrupted  the archive has a part of it.
  void follow(const LadderRound<Label>& round) { follow(round.proposals); }

  /// As if the last round had not been proposed.
  void take_back_round() { gaps_ = gaps_before_round_; }

  /// What the caller wants, now or since it was last asked for.
  [[nodiscard]] solvers::Request take_request() { return walk_.take_request(); }
  void save() const {
    if (control_.save) control_.save(pack());
  }

 private:
  using Request = solvers::Request;
  static constexpr std::string_view magic = "balance_ladder state 5\n";
  using Proposal = LadderProposal<Label>;
  static constexpr std::int64_t most_floors = 1'000'000'000'000;  ///< more than there is time for
  static constexpr std::int64_t steps_of_round = 8;               ///< at most
  /// Work of polishing that is done in any case; more of it must not be more than all else.
  static constexpr std::int64_t free_polish = 40'000'000;

  /// Offers at once.
  class ArchiveFinds final : public LadderFinds<Label> {
   public:
    explicit ArchiveFinds(BoxArchive<Label>& archive) : archive_{archive} {}
    void offer(const Partition<Label>& partition) override { archive_.offer(partition); }
    [[nodiscard]] double hypervolume() const override { return archive_.hypervolume(); }

   private:
    BoxArchive<Label>& archive_;
  };

  [[nodiscard]] std::int64_t next_step() const { return std::ssize(result_.trace); }
  [[nodiscard]] bool is_start(std::int64_t step) const {
    return steps_taken_ == 0 && step < options_.starts;
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

  /// What a step tries. Starts first, then relocations, then refinement: a run with more of it
  /// begins as one with less.
  [[nodiscard]] std::vector<Proposal> propose(std::int64_t step) {
    if (is_start(step)) return {start(step)};
    if (step >= steps_before_refinement()) return refinement(step - steps_before_refinement());
    return relocation(step - options_.starts);
  }

  [[nodiscard]] static Proposal start(std::int64_t number) {
    Proposal proposal;
    proposal.start = number;
    return proposal;
  }

  /// Steps that try one clustering each, which seldom gain. The first look into a gap gains as a
  /// rule and ends where the next one need not begin again: it is a round of its own.
  void propose_refinements(LadderRound<Label>& round) {
    for (std::int64_t i = 0; i < steps_of_round; ++i) {
      const FrontGaps before = gaps_;
      std::vector<Proposal> proposals = propose(next_step() + i);
      const bool looks_into_gap = proposals.size() > 1;
      if (looks_into_gap && i > 0) {
        gaps_ = before;
        return;
      }
      put_in(round, std::move(proposals));
      round.in_order = looks_into_gap;
      if (looks_into_gap) return;
    }
  }

  void propose(std::int64_t first, std::int64_t end, LadderRound<Label>& round) {
    for (std::int64_t step = first; step < end; ++step) put_in(round, propose(step));
  }

  static void put_in(LadderRound<Label>& round, std::vector<Proposal> proposals) {
    round.of_step.push_back(std::ssize(proposals));
    std::ranges::move(proposals, std::back_inserter(round.proposals));
  }

  /// A step; of refinement between fronts that are polished, where that takes little.
  void step() {
    const bool polishes =
        next_step() >= steps_before_refinement() && BalancePolish<Label>::is_of_use(problem_);
    if (polishes) polish();
    try_all(propose(next_step()));
    if (polishes) polish();
    finish_step();
  }

  /// Every clustering of the front that has not been, from the best balanced one down, as far as
  /// the work done otherwise allows.
  void polish() {
    for (bool any = true; any;) {
      any = false;
      std::vector<std::size_t> front = archive_.nondominated();
      std::ranges::reverse(front);
      for (const std::size_t box : front) {
        const auto& entry = archive_.entries()[box];
        if (entry.empty() || polished_.has(box, entry.cost)) continue;
        if (polished_.work() > free_polish + result_.comparisons) return;
        polish(box);
        any = true;
      }
    }
  }

  void polish(std::size_t box) {
    ArchiveFinds finds(archive_);
    const std::vector<Label> labels = archive_.entries()[box].labels;
    polished_.add(box, archive_.entries()[box].cost);
    const PolishCounts counts = walk_.polish(labels, finds);
    polished_.add_work(counts.work);
    result_.comparisons += counts.comparisons;
    const double cost = walk_.partition().cost(problem_);
    const std::size_t now = archive_.front().box_of(walk_.partition().bottleneck().balance.value());
    if (archive_.entries()[now].cost == cost) polished_.add(now, cost);
  }

  /// A step.
  void follow(std::span<const Proposal> proposals) {
    try_all(proposals);
    finish_step();
  }

  void try_all(std::span<const Proposal> proposals) {
    ArchiveFinds finds(archive_);
    for (const Proposal& proposal : proposals) count(walk_.follow(proposal, finds));
  }

  void add(const LadderOutcome<Label>& outcome) {
    const auto& marks = outcome.trail.marks;
    std::vector<std::size_t> places(marks.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    outcome.trail.replay(places, [&](std::size_t place, std::span<const Label> labels) {
      archive_.offer(marks[place].cost, marks[place].balance, labels);
    });
    count(outcome.counts);
  }

  void count(const LadderCounts& counts) {
    result_.floors_tried += counts.floors;
    result_.gains += counts.gains;
    result_.comparisons += counts.comparisons;
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
    packer.number(result_.comparisons);
    packer.array(std::span{result_.trace});
    const std::vector<TriedGap> tried = gaps_.tried();
    packer.array(std::span{tried});
    polished_.pack(packer);
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
    result_.comparisons = unpacker.number<std::int64_t>();
    result_.trace = unpacker.array<std::vector<BalanceLadderStep>>();
    require(gaps_.put_back(unpacker.array<std::vector<TriedGap>>()),
            "a checkpoint's gaps are not those of these options");
    require(polished_.unpack(unpacker), "a checkpoint's polish is not that of these options");
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
    partition_.assign(problem_, labels);
    require(archive_.put_back(partition_), "a checkpoint has two clusterings of one box");
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
                result_.floors_tried <= most_floors && may_be_comparisons(result_.comparisons),
            "a checkpoint's counts are out of range");
  }

  static void require(bool holds, const char* what) {
    if (!holds) throw base::CheckpointError(what);
  }

  /// A clustering of the archive with one centre put elsewhere; nothing where none is as balanced.
  [[nodiscard]] std::vector<Proposal> relocation(std::int64_t attempt) const {
    base::Stream stream(relocation_key_, static_cast<std::uint64_t>(attempt));
    const auto draw = [&stream](std::int64_t bound) {
      return std::int64_t{stream.below(static_cast<std::uint32_t>(bound))};
    };
    const std::int64_t level = draw(options_.levels);
    const std::int64_t cluster = draw(problem_.clusters());
    const std::int64_t point = draw(problem_.points());
    const double floor = walk_.floor_of(static_cast<double>(level));
    const auto* source = archive_.cheapest_from(floor);
    if (source == nullptr) return {};
    return {{.labels = source->labels,
             .cluster = cluster,
             .point = point,
             .floor = floor,
             .step = walk_.floor_of(1)}};
  }

  /// Three times of four in the gap of the front that promises most, else at any floor.
  [[nodiscard]] std::vector<Proposal> refinement(std::int64_t attempt) {
    base::Stream stream(refinement_key_, static_cast<std::uint64_t>(attempt));
    const bool anywhere = stream.below(4) == 0;
    const std::optional<Gap> gap = gaps_.most_promising(archive_);
    if (anywhere || !gap) return {anywhere_at_all(stream)};
    if (gaps_.count_try(*gap) == 0) return between(*gap);
    return {relabelled(*gap, stream)};
  }

  /// Both neighbours, halfway between their balances and just above the lower one.
  [[nodiscard]] std::vector<Proposal> between(const Gap& gap) const {
    std::vector<Proposal> all;
    for (const double share : {0.5, 1e-6}) {
      for (const std::size_t end : {gap.high, gap.low}) {
        all.push_back({.labels = archive_.entries()[end].labels,
                       .floor = gap.low_balance + share * gap.width(),
                       .step = 0.5 * gap.width()});
      }
    }
    return all;
  }

  /// One of the neighbours with some labels at random, at a random floor between them.
  [[nodiscard]] Proposal relabelled(const Gap& gap, base::Stream& stream) {
    const bool lower = stream.below(2) == 0;
    const double share = 1 - stream.uniform();
    Proposal proposal{.labels = archive_.entries()[lower ? gap.low : gap.high].labels,
                      .floor = gap.low_balance + share * gap.width(),
                      .step = 0.5 * gap.width()};
    relabel_some(proposal.labels, stream);
    return proposal;
  }

  /// A clustering of the front with some labels at random, or random labels, at any fraction that
  /// a balance can be: whatever the front, every labelling may be tried at every floor.
  [[nodiscard]] Proposal anywhere_at_all(base::Stream& stream) {
    const bool by_cost = stream.below(2) == 0;
    const double floor = by_cost ? balance_at_random_cost(stream) : random_fraction(stream);
    const auto source = stream.below(8);
    Proposal proposal{.labels = std::vector<Label>(base::at(problem_.points())),
                      .floor = floor,
                      .step = 0.1 * walk_.floor_of(1)};
    if (source < 2) {
      relabel(proposal.labels, problem_.points(), stream);
    } else {
      const auto* cheapest = source < 5 ? nullptr : archive_.cheapest_from(floor);
      proposal.labels = cheapest == nullptr ? random_of_front(stream).labels : cheapest->labels;
      relabel_some(proposal.labels, stream);
    }
    return proposal;
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
    relabel_points(problem_, labels, count, stream, [this] { walk_.obey_now_and_then(); });
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
    solvers::Progress now = solvers::progress(
        "step", std::min(done, before) + std::min(refinements(), most_refinements_),
        before + most_refinements_, fmt::format("hypervolume {:.6g}", archive_.hypervolume()));
    now.fraction = share_of_work();
    now.label_bytes = label_bytes(problem_, archive_.nondominated().size(), sizeof(Label));
    control_.tell(now);
  }

  /// What has been done, as a share of the time that all takes: a start is a ladder of many floors.
  [[nodiscard]] double share_of_work() const {
    const std::int64_t refined = std::min(refinements(), most_refinements_);
    if (steps_taken_ > 0) return ratio(refined, most_refinements_);
    const std::int64_t started = std::min(next_step(), options_.starts);
    const double floors_of_start = ratio(result_.trace[base::at(started - 1)].floors, started);
    const auto work = [&](std::int64_t starts, std::int64_t others) {
      return floors_of_start * static_cast<double>(starts) +
             floors_of_ladder_step * static_cast<double>(others);
    };
    const std::int64_t relocated = std::min(next_step() - started, options_.relocations);
    return work(started, relocated + refined) /
           work(options_.starts, options_.relocations + most_refinements_);
  }

  [[nodiscard]] static double ratio(std::int64_t part, std::int64_t whole) {
    return static_cast<double>(part) / static_cast<double>(whole);
  }

  const Problem& problem_;
  const BalanceLadderOptions& options_;
  std::int64_t steps_taken_;
  std::int64_t most_refinements_;
  const solvers::Control& control_;
  base::StreamKey relocation_key_;
  base::StreamKey refinement_key_;
  BoxArchive<Label> archive_;
  FrontGaps gaps_;
  FrontGaps gaps_before_round_;
  PolishedFront polished_;
  LadderWalk<Label> walk_;
  Partition<Label> partition_;  ///< scratch
  BalanceLadderResult result_;
};

}  // namespace fairfront::clustering
