/// @file
/// One clustering with everything that makes a step cheap: sums, counts, and an index that finds
/// members of a (cluster, group) pair without a pass over the points.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// The balance min_j n_j / max_j n_j of a cluster, or of the worst cluster, as an exact fraction.
///
/// With fewer than 2^26 points the correctly rounded quotient orders fractions exactly as they
/// are: two different ones in [0, 1] with denominators below 2^26 differ by more than 2^-52,
/// while rounding moves each by at most 2^-54. So `value()` may be compared as it stands.
struct Balance {
  std::int32_t least = 0;  ///< members of the rarest group
  std::int32_t most = 1;   ///< members of the most common group, >= 1

  [[nodiscard]] double value() const noexcept {
    return static_cast<double>(least) / static_cast<double>(most);
  }
  [[nodiscard]] bool less(const Balance& other) const noexcept {
    return std::int64_t{least} * other.most < std::int64_t{other.least} * most;
  }
};

/// The cluster that limits the balance of an attribute, and the levels that do so in it. Of the
/// groups themselves, levels are groups.
struct Bottleneck {
  std::int64_t cluster = 0;  ///< first of least balance
  std::int64_t rare = 0;     ///< first level with the fewest members there
  std::int64_t common = 0;   ///< first level with the most members there
  Balance balance;
  std::int64_t attribute = 0;
};

/// Scratch space of Partition::find_members().
struct MemberIndex {
  std::vector<std::int32_t> through;  ///< of each block of the groups: members up to its end
  std::vector<std::int32_t> begins;   ///< of each: its first point
};

/// A labelling of the points of one problem, its exact cluster sums and counts.
/// @tparam Label  std::uint8_t for K <= 256, else std::uint16_t.
template <class Label>
class Partition {
 public:
  /// Every point in cluster 0.
  Partition(const Problem& problem);

  /// Replaces all labels: shape (N,), values below K, in the problem's order. O(N d).
  void assign(const Problem& problem, std::span<const Label> labels);

  /// Moves one point. O(d).
  void relabel(const Problem& problem, std::int64_t point, Label to);

  [[nodiscard]] Label label(std::int64_t point) const noexcept {
    return labels_[static_cast<std::size_t>(point)];
  }
  /// Begins to fetch the label of a point into the cache.
  void prefetch(std::int64_t point) const noexcept { __builtin_prefetch(labels_.data() + point); }
  [[nodiscard]] std::span<const Label> labels() const noexcept { return labels_; }
  /// Members of group j in cluster k.
  [[nodiscard]] std::int32_t count(std::int64_t k, std::int64_t j) const noexcept {
    return counts_[static_cast<std::size_t>(k * groups_ + j)];
  }
  /// Members of cluster k that have a level of attribute a.
  [[nodiscard]] std::int32_t count(const Problem& problem, std::int64_t k, std::int64_t a,
                                   std::int64_t level) const noexcept {
    std::int32_t sum = 0;
    for (const std::int64_t j : problem.attributes().groups_with(a, level)) sum += count(k, j);
    return sum;
  }
  [[nodiscard]] std::int32_t size(std::int64_t k) const noexcept {
    return sizes_[static_cast<std::size_t>(k)];
  }
  [[nodiscard]] bool has_empty_cluster() const noexcept;

  /// Member `rank` (0-based, in the problem's order) of group j in cluster k.
  [[nodiscard]] std::int64_t member(const Problem& problem, std::int64_t k, std::int64_t j,
                                    std::int64_t rank) const noexcept;
  /// For many members of one cluster: replaces ranks among those in some groups, one group after
  /// another, by members. O(blocks + ranks (log N + length of a block)).
  void find_members(const Problem& problem, std::int64_t k, std::span<const std::int64_t> groups,
                    MemberIndex& index, std::span<std::int64_t> ranks) const;
  /// Appends all of a pair, in order.
  /// @tparam Number  std::int32_t or std::int64_t
  template <class Number>
  void append_members(const Problem& problem, std::int64_t k, std::int64_t j,
                      std::vector<Number>& result) const;

  /// (1/N) sum_p |x_p - m_{s_p}|^2 with exact centroids m, from the cluster sums: O(K d).
  /// Relative error below 1e-9, also where it is tiny beside the squares of an outlier; 0 where
  /// every point is where its cluster's centroid is, and only there.
  [[nodiscard]] double cost(const Problem& problem) const noexcept;
  /// Of the groups.
  [[nodiscard]] Bottleneck bottleneck() const noexcept;
  /// Of one attribute.
  [[nodiscard]] Bottleneck bottleneck(const Problem& problem, std::int64_t attribute) const;
  /// (cost, -balance of each attribute): all minimised. Shape (m,).
  [[nodiscard]] std::vector<double> objectives(const Problem& problem) const;

  /// Puts centre k on the mean of cluster k.
  void mean(const Problem& problem, std::int64_t k, Centres& centres) const;

  /// Bytes of one partition; the storage as one block of that many bytes, for messages.
  [[nodiscard]] static std::size_t bytes(const Problem& problem);
  void pack(std::byte* to) const;
  void unpack(const std::byte* from);

 private:
  [[nodiscard]] double small_cost(const Problem& problem) const noexcept;
  std::int64_t clusters_;
  std::int64_t columns_;
  std::int64_t groups_;
  std::int64_t blocks_;
  std::vector<Label> labels_;                ///< (N,)
  std::vector<std::uint16_t> block_counts_;  ///< (K, blocks)
  std::vector<std::int32_t> counts_;         ///< (K, J)
  std::vector<std::int32_t> sizes_;          ///< (K,)
  std::vector<std::int64_t> sums_;           ///< (K, d), in steps of the grid
};

extern template class Partition<std::uint8_t>;
extern template class Partition<std::uint16_t>;

}  // namespace fairfront::clustering
