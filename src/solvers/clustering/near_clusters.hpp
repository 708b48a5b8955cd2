/// @file
/// The clusters around each cluster, for searches among many that look no further.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Of every cluster the `length` others whose centres are nearest to its own, nearest first, of
/// equal ones the first. A list serves until its cluster's centre has moved by a quarter of the
/// distance to the last one in it.
class NearClusters {
 public:
  static constexpr std::int64_t length = 32;

  explicit NearClusters(const Problem& problem);

  /// Whether there are so many clusters that a look at all of them for every point is too much.
  [[nodiscard]] static bool are_of_use(const Problem& problem) noexcept;

  /// Forgets all lists: what follows is a matter of the next centres alone.
  void clear();

  /// Makes the lists anew of clusters whose centre has moved far, and of those around them.
  /// O(K d), and O(K d) a list.
  /// @return the clusters whose lists are new; until the next call.
  std::span<const std::int64_t> update(const Centres& centres);

  /// Shape (length,).
  [[nodiscard]] std::span<const std::uint16_t> of(std::int64_t k) const noexcept {
    return {lists_.data() + static_cast<std::size_t>(k * length), length};
  }
  /// Of those of(k) from cluster k, when the list was made. Shape (length,).
  [[nodiscard]] std::span<const double> distances(std::int64_t k) const noexcept {
    return {distances_.data() + static_cast<std::size_t>(k * length), length};
  }
  /// Whether l is one of(k).
  [[nodiscard]] bool lists(std::int64_t k, std::int64_t l) const noexcept;

  /// The nearest centre that is found from cluster `start` by going to the nearest one around
  /// until none is nearer.
  [[nodiscard]] std::int64_t nearest_from(std::int64_t start, const Centres& centres,
                                          const double* x) noexcept;
  /// Of all calls of nearest_from().
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }

 private:
  struct Place {
    double square;
    std::uint16_t cluster;
    [[nodiscard]] bool operator<(const Place& other) const noexcept {
      return square != other.square ? square < other.square : cluster < other.cluster;
    }
  };
  [[nodiscard]] bool is_stale(std::int64_t k, const Centres& centres) const noexcept;
  void make(std::int64_t k, const Centres& centres);
  void keep_nearest();

  std::int64_t clusters_;
  std::int64_t columns_;
  std::int64_t comparisons_ = 0;
  Centres anchors_;                   ///< that the lists were made for
  std::vector<char> made_;            ///< shape (K,): whether there is a list
  std::vector<char> made_before_;     ///< shape (K,): whether there ever was one
  std::vector<std::uint16_t> lists_;  ///< shape (K, length)
  std::vector<double> distances_;     ///< shape (K, length)
  std::vector<std::int64_t> new_;     ///< of the last update
  std::vector<double> centre_;        ///< shape (d,), scratch
  std::vector<double> squares_;       ///< shape (padded K,), scratch
  std::vector<Place> places_;         ///< scratch
};

}  // namespace fairfront::clustering
