/// @file
/// Potentials for many clusters, of which each point looks at those around it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/least_two.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Potentials L_k of one group at which the cluster with the least |x - c_k|^2 - L_k, of those
/// around the nearest one, has nearly the members wanted: one cluster after the other gets the L_k
/// that makes its own count right.
class NearCalibration {
 public:
  /// @param homes  the nearest cluster of every point of the sample, shape (N,).
  NearCalibration(const Problem& sample, const Centres& centres, const NearClusters& near,
                  std::span<const std::uint16_t> homes, std::int64_t group);

  /// @param counts  wanted, shape (K,).
  /// @return shape (K,).
  [[nodiscard]] std::vector<double> run(std::span<const std::int32_t> counts,
                                        const std::function<void()>& between);
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }

 private:
  void look_around(std::int64_t p);
  void look_at(LeastTwo& two, std::int64_t p, std::int64_t k);
  void set_potential(std::int64_t k, std::int64_t count);
  [[nodiscard]] double between_keys(std::int64_t count);
  [[nodiscard]] std::int64_t misplaced(std::span<const std::int32_t> counts) const;

  const Problem& sample_;
  const Centres& centres_;
  const NearClusters& near_;
  std::span<const std::uint16_t> homes_;
  std::int64_t begin_;
  std::vector<std::vector<std::int64_t>> residents_;  ///< points of every home, shape (K,)
  std::vector<std::vector<std::int64_t>> around_;     ///< homes that look at a cluster, shape (K,)
  std::vector<double> potentials_;                    ///< shape (K,)
  std::vector<LeastTwo> two_;      ///< by least |x - c_k|^2 - L_k, of each member
  std::vector<std::int32_t> now_;  ///< members of each cluster, shape (K,)
  std::vector<double> keys_;       ///< scratch
  std::int64_t comparisons_ = 0;
};

}  // namespace fairfront::clustering
