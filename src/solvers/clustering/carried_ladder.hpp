/// @file
/// The front of all points from clusterings of a sample, by one rank or by a team.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/box_front.hpp"
#include "solvers/clustering/carried_clustering.hpp"
#include "solvers/clustering/clustering_trail.hpp"
#include "solvers/clustering/crew.hpp"
#include "solvers/clustering/settle.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::clustering {

/// Rules are carried over in rounds, some by each rank: no rule needs to know of another, so who
/// carries which changes nothing. What one leaves is a trail, of which only what its own boxes want
/// is marked; rank 0 has all trails and offers their marks to the boxes in the order of the rules.
template <class Label>
class CarriedLadder {
 public:
  /// @param rules    by ascending floor; the same on every rank.
  /// @param control  of every rank; reports on rank 0 alone.
  /// @param save     called on rank 0 between two rounds, to keep what pack() gives.
  CarriedLadder(const Crew& crew, const Problem& problem, const BalanceLadderOptions& options,
                const SettleRules& settle_rules, std::span<const CarriedClustering> rules,
                const solvers::Control& control, std::function<void()> save);

  /// Takes up what pack() has left. Local, on rank 0.
  /// @throws base::CheckpointError  it is of another problem or other options.
  void restore(solvers::Unpacker& unpacker);

  /// Carries those rules over that are left. Collective.
  /// @throws solvers::Interrupted  on every rank; rank 0 has saved what was done.
  void run();

  /// Local, on rank 0.
  void pack(solvers::Packer& packer) const;

  /// Steps, floors and hypervolumes up to now, without a front; on rank 0.
  [[nodiscard]] BalanceLadderResult so_far() const;

  /// Calls `use(cost, balance, labels)` for every clustering that the boxes hold, and forgets them.
  /// On rank 0.
  void take_all(const std::function<void(double, double, std::span<const Label>)>& use);

  /// The strictly nondominated ones, which are forgotten. On rank 0.
  [[nodiscard]] ClusteringFront take_front();

 private:
  using Trail = ClusteringTrail<Label>;
  /// The clustering of a box.
  struct Holder {
    std::size_t trail = 0;
    std::size_t mark = 0;
  };

  void round();
  [[nodiscard]] std::int64_t rules_of_rank() const;
  [[nodiscard]] std::vector<std::int64_t> share_of(int rank, std::int64_t end) const;
  void add_all(std::vector<Trail> mine, std::vector<std::string>& texts, std::int64_t end);
  void obey();
  void obey_within_round();
  [[nodiscard]] Trail carry(std::size_t number);
  void add(Trail trail);

  const Crew& crew_;
  const Problem& problem_;
  const BalanceLadderOptions& options_;
  SettleRules settle_rules_;
  std::span<const CarriedClustering> rules_;
  const solvers::Control& control_;
  std::function<void()> save_;
  solvers::Heartbeat heart_;
  solvers::Request pending_ = solvers::Request::go_on;  ///< what was wanted within a round
  BalancedSearch<Label> search_;
  std::int64_t done_ = 0;        ///< rules carried over, by all ranks
  std::vector<Trail> trails_;    ///< on rank 0, of every rule that was
  BoxFront boxes_;               ///< on rank 0
  std::vector<Holder> holders_;  ///< on rank 0, of every box
  std::vector<BalanceLadderStep> trace_;
};

extern template class CarriedLadder<std::uint8_t>;
extern template class CarriedLadder<std::uint16_t>;

}  // namespace fairfront::clustering
