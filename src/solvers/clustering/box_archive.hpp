/// @file
/// A bounded front: one clustering for every narrow range of the balance.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Boxes of equal width in the balance, from 0 to its bound, with at most one clustering each: of
/// two in one box the one that adds more hypervolume to what the other boxes hold. So the
/// hypervolume never falls, and compared with keeping everything a point of the front loses less
/// than a box's width of balance, or a cost that is worth less. A clustering with balance 0 has no
/// hypervolume and is kept where it is the cheapest of all and its box has nothing better. Where
/// all points coincide no clustering has any, and the more balanced one is better. Boxes as in M.
/// Laumanns, L. Thiele, K. Deb, E. Zitzler, "Combining convergence and diversity in evolutionary
/// multiobjective optimization" (2002); their boxes have all objectives as sides, and dominance
/// decides in them.
template <class Label>
class BoxArchive {
 public:
  struct Entry {
    double cost = 0;
    double balance = -1;        ///< negative: the box is empty
    std::vector<Label> labels;  ///< shape (N,), in the problem's order
    [[nodiscard]] bool empty() const noexcept { return balance < 0; }
  };

  /// @param boxes  >= 1.
  BoxArchive(const Problem& problem, std::int64_t boxes);

  /// Keeps a copy if it is wanted. @return whether it is.
  bool offer(const Partition<Label>& partition);

  /// One of every box; labels are as they were offered.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

  /// Puts a clustering that entries() had into its box, unasked. @return whether the box was empty.
  bool put_back(const Partition<Label>& partition);

  /// The cheapest clustering in the box of this balance or above; nullptr when there is none.
  [[nodiscard]] const Entry* cheapest_from(double balance) const;

  /// Boxes whose clustering no other dominates, by ascending balance (and cost).
  [[nodiscard]] std::vector<std::size_t> nondominated() const;

  /// Up to (total variance, balance 0).
  [[nodiscard]] double hypervolume() const;

  /// The strictly nondominated clusterings. They leave the archive one by one, so that labels are
  /// never held twice.
  [[nodiscard]] ClusteringFront take_front();

 private:
  [[nodiscard]] std::size_t box_of(double balance) const noexcept;
  [[nodiscard]] double measure() const;
  [[nodiscard]] double contribution(std::size_t box, double cost, double balance) const;
  void put(std::size_t box, double cost, double balance, const Partition<Label>& partition);
  void update_least_costs(std::size_t box);

  const Problem& problem_;
  double width_;
  std::vector<Entry> entries_;                 ///< (boxes,)
  std::vector<double> least_cost_;             ///< (boxes + 1,): of this box and those above
  mutable std::optional<double> hypervolume_;  ///< since the last change
};

extern template class BoxArchive<std::uint8_t>;
extern template class BoxArchive<std::uint16_t>;

}  // namespace fairfront::clustering
