/// @file
/// What a balance asks of the counts of a cluster, in whole rows.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace fairfront::clustering {

/// A cluster has the level l >= 1 if every group has at least l members in it and at most most(l).
/// Its balance min_j n_j / max_j n_j is then at least the one asked for, and every cluster of that
/// balance has a level: the count of its rarest group. An empty cluster has balance 0, and none.
class BalanceLimits {
 public:
  /// @param balance       in (0, 1].
  /// @param group_counts  shape (J,), members of all groups, each below 2^26.
  BalanceLimits(double balance, std::vector<std::int64_t> group_counts);

  [[nodiscard]] std::span<const std::int64_t> group_counts() const noexcept { return counts_; }
  /// Members of the rarest group: no level is greater.
  [[nodiscard]] std::int64_t rarest() const noexcept {
    return static_cast<std::int64_t>(most_.size()) - 1;
  }
  /// The largest count with level / count >= balance, as correctly rounded quotients, which order
  /// fractions as they are; at most the members of the most common group.
  /// @param level  0 .. rarest().
  [[nodiscard]] std::int64_t most(std::int64_t level) const noexcept {
    return most_[static_cast<std::size_t>(level)];
  }

  /// Whether all members of all groups can be put into clusters that have these levels.
  [[nodiscard]] bool hold(std::span<const std::int64_t> levels) const noexcept;

  /// Levels of K clusters that hold all members; nothing if there are none. All but one of them are
  /// small: a few thousand are tried, which leaves none out for a balance with two digits.
  [[nodiscard]] std::optional<std::vector<std::int64_t>> some_levels(std::int64_t clusters) const;

  /// Levels that hold all members and are near those that are wanted: of a few weights of the
  /// squares of how far they are, those of the greatest weight with which there are any. Levels far
  /// off are those of some_levels().
  /// @param wanted  shape (K,).
  [[nodiscard]] std::optional<std::vector<std::int64_t>> levels_near(
      std::span<const double> wanted) const;

 private:
  [[nodiscard]] std::vector<std::int64_t> most_valued(std::span<const double> wanted,
                                                      double weight) const;

  std::vector<std::int64_t> counts_;
  std::vector<std::int64_t> most_;
};

/// The greatest balance that whole rows of groups with so many members reach in that many clusters,
/// to some 1e-5 of the bound, and never above it; 0 where a group has too few for every cluster.
[[nodiscard]] double greatest_balance(const std::vector<std::int64_t>& group_counts,
                                      std::int64_t clusters);

}  // namespace fairfront::clustering
