/// @file
/// A run of the balance ladder by all ranks of a crew.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/index.hpp"
#include "solvers/clustering/crew.hpp"
#include "solvers/clustering/ladder_run.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/packing.hpp"

namespace fairfront::clustering {

/// Rank 0 has the archive and says what is tried; all ranks try their share of it and send back
/// what it would have kept. Who tries what changes nothing.
template <class Label>
class LadderRounds {
 public:
  /// @param ladder  on rank 0 the one that is run, elsewhere of the same problem and options.
  LadderRounds(const Crew& crew, const Problem& problem, const BalanceLadderOptions& options,
               LadderRun<Label>& ladder)
      : crew_{crew}, problem_{problem}, options_{options}, ladder_{ladder} {}

  /// All steps that are left. Collective.
  /// @throws solvers::Interrupted  on every rank; rank 0 has saved what was done, but for a stop
  ///                               within a round in order.
  void run() {
    while (steps_are_left()) {
      obey();
      run_round();
    }
  }

 private:
  using Round = LadderRound<Label>;
  using Outcome = LadderOutcome<Label>;

  [[nodiscard]] bool steps_are_left() const {
    return !crew_.of_root(ladder_.steps_are_left() ? "some" : "").empty();
  }

  /// Does what the most demanding rank wants.
  void obey() {
    const solvers::Request wanted = crew_.most_demanding(ladder_.take_request());
    if (wanted == solvers::Request::go_on) return;
    crew_.work_to_the_end([&] {
      if (crew_.is_root()) ladder_.save();
    });
    if (wanted == solvers::Request::stop) throw solvers::Interrupted();
  }

  void run_round() {
    Round round;
    std::vector<Outcome> outcomes;
    if (!propose(round)) return take_back();
    if (is_in_order(round)) return follow(round);
    share(round);
    if (!explore(round, outcomes)) return take_back();
    take_in(round, std::move(outcomes));
  }

  /// On rank 0. @return whether no rank was interrupted.
  [[nodiscard]] bool propose(Round& round) {
    return crew_.work([&] {
      if (crew_.is_root()) round = ladder_.next_round(crew_.size());
    });
  }

  [[nodiscard]] bool is_in_order(const Round& round) const {
    return !crew_.of_root(round.in_order ? "it is" : "").empty();
  }

  /// A round that is cut short leaves nothing: whoever has cut it wants a stop.
  void take_back() {
    if (crew_.is_root()) ladder_.take_back_round();
  }

  /// By rank 0, whose archive would have a part of it: what was saved last is gone on from.
  void follow(const Round& round) {
    crew_.work_to_the_end([&] {
      if (crew_.is_root()) ladder_.follow(round);
    });
  }

  /// That of rank 0, on every rank.
  void share(Round& round) {
    if (crew_.size() == 1) return;
    std::string bytes;
    crew_.work_to_the_end([&] {
      if (crew_.is_root()) bytes = packed(round);
    });
    bytes = crew_.of_root(std::move(bytes));
    crew_.work_to_the_end([&] {
      if (!crew_.is_root()) round = unpacked(bytes);
    });
  }

  /// @return whether no rank was interrupted.
  [[nodiscard]] bool explore(const Round& round, std::vector<Outcome>& outcomes) {
    return crew_.work([&] {
      for (const std::size_t place : share_of(round, crew_.rank())) {
        outcomes.push_back(ladder_.explore(round, place));
      }
    });
  }

  /// Gathers the outcomes of all ranks.
  /// @param mine  this rank's.
  void take_in(const Round& round, std::vector<Outcome> mine) {
    std::string text;
    crew_.work_to_the_end([&] {
      solvers::Packer packer;
      if (!crew_.is_root()) {
        for (const Outcome& outcome : mine) outcome.pack(packer);
      }
      text = packer.take();
    });
    const std::vector<std::string> texts = crew_.gather(std::move(text));
    crew_.work_to_the_end([&] {
      if (!crew_.is_root()) return;
      std::vector<Outcome> all(round.proposals.size());
      put(std::move(mine), share_of(round, 0), all);
      for (int rank = 1; rank < crew_.size(); ++rank) {
        solvers::Unpacker unpacker(texts[base::at(rank)]);
        for (const std::size_t place : share_of(round, rank))
          all[place] = Outcome::unpack(unpacker);
      }
      ladder_.add(round, all);
    });
  }

  static void put(std::vector<Outcome> outcomes, const std::vector<std::size_t>& places,
                  std::vector<Outcome>& all) {
    for (std::size_t i = 0; i < places.size(); ++i) all[places[i]] = std::move(outcomes[i]);
  }

  /// Places of the proposals that a rank tries. The higher the floor, the longer it takes, as more
  /// is mended: from the highest to the lowest they are dealt out there and back, so that every
  /// rank has about as much to do.
  [[nodiscard]] std::vector<std::size_t> share_of(const Round& round, int rank) const {
    std::vector<std::size_t> places(round.proposals.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, std::ranges::greater{},
                             [&](std::size_t place) { return round.proposals[place].floor; });
    const auto ranks = static_cast<std::size_t>(crew_.size());
    std::vector<std::size_t> share;
    for (std::size_t i = 0; i < places.size(); ++i) {
      const std::size_t along = i % (2 * ranks);
      if (std::min(along, 2 * ranks - 1 - along) == base::at(rank)) share.push_back(places[i]);
    }
    return share;
  }

  [[nodiscard]] static std::string packed(const Round& round) {
    solvers::Packer packer;
    packer.number(static_cast<std::uint64_t>(round.proposals.size()));
    for (const auto& proposal : round.proposals) proposal.pack(packer);
    packer.number(round.front.has_value());
    if (round.front) packer.array(round.front->points());
    return packer.take();
  }

  /// What the others need of it.
  [[nodiscard]] Round unpacked(const std::string& bytes) const {
    solvers::Unpacker unpacker(bytes);
    Round round;
    const auto count = unpacker.number<std::uint64_t>();
    for (std::uint64_t i = 0; i < count; ++i) {
      round.proposals.push_back(LadderProposal<Label>::unpack(unpacker));
    }
    if (!unpacker.number<bool>()) return round;
    round.front.emplace(problem_, options_.boxes);
    for (const auto& point : unpacker.array<std::vector<BoxFront::Point>>()) {
      if (!point.empty()) round.front->put(point.cost, point.balance);
    }
    return round;
  }

  const Crew& crew_;
  const Problem& problem_;
  const BalanceLadderOptions& options_;
  LadderRun<Label>& ladder_;
};

}  // namespace fairfront::clustering
