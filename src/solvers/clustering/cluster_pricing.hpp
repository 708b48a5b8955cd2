/// @file
/// The cluster that is cheapest when every point pays a price for being in it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Points as a column of the problem of set partitioning.
struct PricedCluster {
  std::vector<std::int32_t> members;  ///< in the problem's order, ascending, at least one
  std::vector<std::uint64_t> bits;    ///< bit p: whether point p is a member
  std::vector<double> mean;           ///< shape (d,)
  double cost = 0;                    ///< sum over the members of |x_p - mean|^2
};

[[nodiscard]] std::vector<std::vector<std::int32_t>> members_of(
    std::span<const PricedCluster> clusters);

/// Clusters whose balance is at least a floor b, and what they cost less the potentials pi of their
/// members. As in BalancedSearch a cluster holds the floor when b max_j n_j - min_j n_j <= 1e-9.
class ClusterPricing {
 public:
  /// @param floor  b, in [0, 1].
  ClusterPricing(const Problem& problem, double floor);

  [[nodiscard]] std::int64_t points() const noexcept { return points_; }
  [[nodiscard]] std::int64_t columns() const noexcept { return columns_; }
  /// Coordinate i of all points, shape (N,).
  [[nodiscard]] std::span<const double> column(std::int64_t i) const noexcept;

  /// @param potentials  shape (N,), in the problem's order.
  void set_potentials(std::span<const double> potentials);
  [[nodiscard]] std::span<const double> potentials() const noexcept { return potentials_; }

  /// phi(c) = min_C sum_{p in C} v_p with v_p = |x_p - c|^2 - pi_p - slack, over the nonempty
  /// clusters that hold the floor. Exact but for rounding: with M members of the most common group
  /// every group has between ceil(b M) and M, and of those numbers the best is that of its
  /// negative v_p, or the nearest to it; all M are gone through. O(N d), and a partial sort where
  /// the negative v_p do not hold the floor.
  /// @param centre  c, shape (d,), in the box around all points.
  /// @param slack   in [0, squared diagonal of that box].
  [[nodiscard]] double least(const double* centre, double slack);

  /// No call of least() is farther from the truth. With u = 2^-53, a v_p of 2 + d additions of
  /// numbers with a relative error of at most 3 u each, and sums of at most N + J of them:
  /// |error| <= (N + J + d + 8) u / (1 - ...) sum_p (|pi_p| + |x_p - c|^2 + slack), where both
  /// squares are at most that of the box's diagonal.
  [[nodiscard]] double rounding() const noexcept { return rounding_; }
  /// The truth is no farther below what least() returned with that slack. Where every cluster holds
  /// the floor, neither what it summed nor the members of the true minimiser reach beyond
  /// |x_p - c|^2 = pi_p + slack, unless it is one point alone, whose own v_p it is: so a point far
  /// from all others takes nothing from bounds near those.
  ///     (N + J + 4 d + 16) u / (1 - ...) (sum_p (|pi_p| + slack) + max(0, value)).
  /// @param value  what least() returned.
  [[nodiscard]] double rounding(double value, double slack) const noexcept;
  /// The minimiser of the last call of least().
  [[nodiscard]] PricedCluster minimiser();
  /// @param members  ascending, at least one.
  [[nodiscard]] PricedCluster cluster_of(std::vector<std::int32_t> members) const;
  /// The same of members that a checkpoint has kept.
  /// @throws base::CheckpointError  they are no members of this problem's clusters.
  [[nodiscard]] PricedCluster kept_cluster(std::vector<std::int32_t> members) const;
  /// cost(C) - sum_{p in C} pi_p.
  [[nodiscard]] double value(const PricedCluster& cluster) const noexcept;

  struct Descent {
    PricedCluster cluster;
    double value = 0;
  };
  /// C <- the minimiser at c, c <- mean(C), until the value does not fall: k-means for one cluster.
  [[nodiscard]] Descent descend(std::vector<double> centre);

 private:
  /// Where least() is with one group.
  struct Group {
    std::int64_t begin = 0;
    std::int64_t end = 0;
    std::int64_t negative = 0;  ///< number of v_p below 0
    double negative_sum = 0;
    std::int64_t taken = 0;    ///< members, now
    std::int64_t best = 0;     ///< members of the minimiser
    std::vector<double> next;  ///< v_p of those that come in as M grows
    std::size_t at = 0;        ///< of which so many are in
  };

  /// ceil(b M).
  [[nodiscard]] std::int64_t fewest(std::int64_t most) const noexcept;
  [[nodiscard]] std::int64_t wanted(const Group& group, std::int64_t most) const noexcept;
  /// The greatest M <= most whose ceil(b M) is at most `count`, and at least 1.
  [[nodiscard]] std::int64_t greatest_for(std::int64_t count, std::int64_t most) const noexcept;
  void set_values(const double* centre, double slack);
  void count_negative(Group& group) const;
  [[nodiscard]] double take_smallest(Group& group, std::int64_t least, std::int64_t most) const;
  [[nodiscard]] double grow(std::int64_t from, std::int64_t to, double sum);
  [[nodiscard]] double least_value() const;

  std::int64_t points_;
  std::int64_t columns_;
  double floor_;
  std::vector<double> coordinates_;  ///< (d, N)
  double squared_diameter_ = 0;
  std::vector<double> potentials_;  ///< (N,)
  double magnitude_ = 0;            ///< sum_p |pi_p|
  double rounding_ = 0;
  std::vector<double> values_;  ///< (N,): v_p of the last call
  std::vector<Group> groups_;
  std::vector<std::int32_t> order_;  ///< scratch
};

}  // namespace fairfront::clustering
