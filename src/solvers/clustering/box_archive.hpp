/// @file
/// A bounded front of clusterings: one for every narrow range of the balance.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/box_front.hpp"
#include "solvers/clustering/clustering.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// The clusterings behind the points of a BoxFront.
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
  /// The same of labels, shape (N,), whose cost and balance are known.
  bool offer(double cost, double balance, std::span<const Label> labels);

  /// Costs and balances alone.
  [[nodiscard]] const BoxFront& front() const noexcept { return front_; }

  /// One of every box; labels are as they were offered.
  [[nodiscard]] std::span<const Entry> entries() const noexcept { return entries_; }

  /// Puts a clustering that entries() had into its box, unasked. @return whether the box was empty.
  bool put_back(const Partition<Label>& partition);

  /// The cheapest clustering in the box of this balance or above; nullptr when there is none.
  [[nodiscard]] const Entry* cheapest_from(double balance) const;

  /// Boxes whose clustering no other dominates, by ascending balance (and cost).
  [[nodiscard]] std::vector<std::size_t> nondominated() const { return front_.nondominated(); }

  /// Up to (total variance, balance 0).
  [[nodiscard]] double hypervolume() const { return front_.hypervolume(); }

  /// The strictly nondominated clusterings. They leave the archive one by one, so that labels are
  /// never held twice.
  [[nodiscard]] ClusteringFront take_front();

 private:
  void keep(std::size_t box, std::span<const Label> labels);

  const Problem& problem_;
  BoxFront front_;
  std::vector<Entry> entries_;  ///< (boxes,)
};

extern template class BoxArchive<std::uint8_t>;
extern template class BoxArchive<std::uint16_t>;

}  // namespace fairfront::clustering
