/// @file
/// The cheapest assignment of rows to clusters with limits on how many each cluster gets.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fairfront::clustering {

/// A transportation problem in integers, solved exactly, and again after its limits have changed.
///
/// The rows have at any time the cheapest labels with the counts that the clusters have: no cycle
/// of rows that change places would make them cheaper. One row more in a cluster and one less in
/// another, at the least cost, is a shortest path in a graph of K nodes, whose arcs are the
/// cheapest moves from cluster to cluster (K^2 heaps, with what has moved away taken out when it
/// comes up). The least cost as a function of the counts is M-convex (Murota, 2003, "Discrete
/// Convex Analysis", section 6), so within limits it is least where no such path lowers it.
/// O(K^3 + K log n) a path. Ties go to the smallest cluster, then to the smallest row.
class Transport {
 public:
  /// Every row at its cheapest cluster, of equal ones the first.
  /// @param costs     row-major, shape (N, K), >= 0, sums below 2^62; must outlive this.
  /// @param rows      which of them.
  Transport(std::span<const std::int64_t> costs, std::vector<std::int64_t> rows,
            std::int64_t clusters);

  /// The least cost with at least `least` and at most `most` rows in each cluster.
  /// @param least, most  shape (K,): sums of at most, and at least, the number of rows.
  std::int64_t settle(std::span<const std::int64_t> least, std::span<const std::int64_t> most);

  [[nodiscard]] std::int64_t cost() const noexcept { return cost_; }
  /// What one row more in a cluster is worth, by the limits that were settled last: with y+ and y-
  /// the positive and negative parts of these, other limits cost at least sum_k (y+_k times what
  /// least_k rises by - y-_k times what most_k rises by) more. Until the next call.
  [[nodiscard]] std::span<const std::int64_t> prices();
  /// Searches for shortest paths so far.
  [[nodiscard]] std::int64_t paths() const noexcept { return paths_; }
  [[nodiscard]] std::span<const std::int64_t> counts() const noexcept { return counts_; }
  [[nodiscard]] std::span<const std::int64_t> rows() const noexcept { return rows_; }
  /// Cluster of each of rows().
  [[nodiscard]] std::span<const std::int32_t> labels() const noexcept { return labels_; }

 private:
  using Move = std::pair<std::int64_t, std::int32_t>;  ///< what it costs more, and place of the row

  [[nodiscard]] std::int64_t cost_of(std::int32_t place, std::int64_t cluster) const noexcept;
  [[nodiscard]] std::vector<Move>& moves(std::int64_t from, std::int64_t to) noexcept;
  void refresh(std::int64_t from);
  void find_paths(const std::vector<char>& sources);
  [[nodiscard]] std::int64_t cheapest(const std::vector<char>& sinks) const noexcept;
  void walk(std::int64_t sink);
  void relabel(std::int32_t place, std::int64_t to);
  void tidy(std::int64_t from, std::vector<Move>& heap);
  void keep_limits(std::span<const std::int64_t> least, std::span<const std::int64_t> most);
  void descend(std::span<const std::int64_t> least, std::span<const std::int64_t> most);

  std::span<const std::int64_t> costs_;
  std::vector<std::int64_t> rows_;
  std::int64_t clusters_;
  std::vector<std::int32_t> labels_;
  std::vector<std::int64_t> counts_;
  std::int64_t cost_ = 0;
  std::int64_t paths_ = 0;
  std::vector<std::vector<Move>> heaps_;  ///< shape (K, K): cheapest first
  std::vector<std::int64_t> arcs_;        ///< shape (K, K): cost of the cheapest move
  std::vector<char> stale_;               ///< shape (K,): arcs from here
  std::vector<std::int64_t> distance_;    ///< shape (K,), from the nearest source
  std::vector<std::int64_t> before_;      ///< shape (K,), on the path; -1: a source
};

}  // namespace fairfront::clustering
