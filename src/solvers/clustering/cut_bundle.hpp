/// @file
/// The proximal bundle of the dual of set partitioning.
#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <vector>

#include "solvers/clustering/cluster_pricing.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::clustering {

/// Clusters as cuts of the dual of set partitioning into K clusters,
///     L(pi) = sum_p pi_p + K min_C [cost(C) - pi(C)],
/// which is concave, and lies below the model with the minimum over the cuts alone. For the method
/// see J.-B. Hiriart-Urruty, C. Lemarechal, "Convex Analysis and Minimization Algorithms II"
/// (1993), chapter XV.
class CutBundle {
 public:
  /// @param clusters  K.
  /// @param most      cuts that forget() leaves.
  CutBundle(std::int64_t clusters, std::int64_t most);

  /// @return whether the cluster is a new one.
  bool add(PricedCluster cluster);
  [[nodiscard]] bool has(const PricedCluster& cluster) const {
    return known_.contains(cluster.bits);
  }
  [[nodiscard]] std::span<const PricedCluster> cuts() const noexcept { return cuts_; }

  struct Step {
    std::vector<double> potentials;
    double model = 0;  ///< there
  };
  /// Maximises model(pi) - |pi - centre|^2 / (2 t): with weights lambda of the cuts that sum to 1,
  /// pi = centre + t (1 - K sum_i lambda_i 1_{C_i}). The weights minimise a convex quadratic over
  /// the simplex, by pairs of them that exchange weight (Fan, Chen, Lin, 2005), from where they
  /// were at the last call.
  /// @param centre  shape (N,).
  [[nodiscard]] Step maximise(std::span<const double> centre, double t);

  /// What it is made of again, beside its options.
  struct Kept {
    std::vector<std::vector<std::int32_t>> members;  ///< of the cuts
    std::vector<double> weights;
    std::vector<std::int64_t> idle;
  };
  template <solvers::MaybeConst<Kept> Self, class Visit>
  friend void each_part(Self& self, Visit&& visit) {
    visit(self.members, self.weights, self.idle);
  }
  [[nodiscard]] Kept kept() const { return {members_of(cuts_), weights_, idle_}; }
  /// Of a bundle without cuts. @throws base::CheckpointError  it is of another problem.
  void restore(const ClusterPricing& pricing, Kept kept);

  /// Drops the cuts that had no weight for the longest time, where there are too many.
  void forget();

 private:
  [[nodiscard]] double shared(std::size_t i, std::size_t k) const noexcept { return gram_[i][k]; }
  void balance_weights(std::vector<double>& slope, double curvature, double tolerance);

  double clusters_;
  std::size_t most_;
  std::vector<PricedCluster> cuts_;
  std::set<std::vector<std::uint64_t>> known_;
  std::vector<std::vector<double>> gram_;  ///< members that two cuts share
  std::vector<double> weights_;            ///< lambda
  std::vector<std::int64_t> idle_;         ///< calls of maximise() without weight
};

}  // namespace fairfront::clustering
