/// @file
/// The inner iteration of VfairKM: soft memberships that follow a bound of its objective.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/soft_update.hpp"

namespace fairfront::clustering {

/// A row-stochastic N x K matrix s of memberships, and the sums that its updates need.
///
/// With a_pk = |x_p - c_k|^2, V_jk = sum of s_pk over group j, S_k = sum_j V_jk and u_j = N_j / N,
/// an update at weight mu is (Ziko et al., 2021)
///
///     s_pk <- s_pk exp(-(a_pk + b_jk) / L), rows normalised,  b_jk = mu (1/S_k - u_j/V_jk),
///
/// the minimiser of sum_pk s (a + b) + L s log(s / s_old). The inner loop watches
/// E = sum_pk s (a + b) + s log(s / s_old), as the public program does. What makes it cheap:
/// * b has J K values, so exp(-(a+b)/L) = exp(-a/L) exp(-b/L) takes J K exponentials an update;
///   exp(-a/L) does not change while the centres stay.
/// * log(s/s_old) = -(a+b)/L - log Z_p with the row's norm Z_p, so that
///   E = (1 - 1/L) (sum_pk s a + sum_jk b_jk V_jk) - sum_p log Z_p: no logarithm per entry, and the
///   sum over p is the logarithm of a product, taken once per lane with exponents counted apart.
///
/// Rules for the ends of the number range:
/// * Exponents are shifted by their largest value in the row (a) and in the group (b). Where their
///   spans together still exceed 600, a block of rows is updated through logarithms.
/// * A membership is at least 1e-150: it weighs nothing, but is never lost for good, as a zero is.
/// * In b, S_k and V_jk are taken as at least 1e-15, but for implicit slopes.
///
/// The bound holds as long as L >= mu u_j / V_jk along the way; where it does not, an update may
/// make the objective worse, which take_back() undoes. With use_implicit_slopes(), b is that of
/// make_implicit() in place of the formula above, which descends with an L far below. The masses it
/// wants are V_jk times what they were multiplied by in the update before, as that tells what the
/// distances do to them and normalised rows leave of it.
class SoftAssignment {
 public:
  /// @param lipschitz  L > 0.
  /// @param between    called for every few points; what it throws ends the work for good.
  SoftAssignment(const Problem& problem, double lipschitz, std::function<void()> between = nullptr);

  /// Distances to `centres`, and s_pk proportional to exp(-a_pk). O(N K d).
  void start(const Centres& centres);

  /// One update; returns E at the new memberships. O(N K).
  /// @param mu  >= 0.
  double update(double mu);

  /// Undoes the last update. Not twice in a row.
  void take_back();

  /// Of the updates to come, until the next start.
  void use_implicit_slopes() noexcept { is_implicit_ = true; }
  [[nodiscard]] bool is_implicit() const noexcept { return is_implicit_; }

  /// L of the updates to come, until the next start. O(N K); with as many exponentials, unless it
  /// is half of what it was.
  void set_lipschitz(double lipschitz);
  [[nodiscard]] double lipschitz() const noexcept { return lipschitz_; }

  /// sum_pk s_pk a_pk + mu sum_k sum_j u_j log(S_k / V_jk), >= 0: the clustering cost times N plus
  /// mu times the Kullback-Leibler divergences and a constant.
  [[nodiscard]] double objective(double mu) const;

  /// (1/N) sum_pk s_pk a_pk.
  [[nodiscard]] double mean_distance() const;

  /// The first k with the greatest membership, per point in the problem's order. Shape (N,).
  template <class Label>
  void hard_labels(std::span<Label> labels) const;

  [[nodiscard]] double membership(std::int64_t point, std::int64_t k) const;
  [[nodiscard]] double mass(std::int64_t k, std::int64_t group) const;  ///< V_jk

  /// Bytes held for a problem.
  [[nodiscard]] static double bytes(const Problem& problem);

 private:
  static constexpr std::int64_t lanes = SoftBlock::lanes;  ///< points of one group, side by side

  /// Up to `lanes` points of one group; entry (k, lane) of an array is at first + k * lanes + lane.
  struct Block {
    std::int64_t point;  ///< the first one
    std::int64_t count;
    double span;  ///< greatest max_k a_pk - min_k a_pk
  };
  struct GroupPass;

  /// Of one group, from one update.
  struct GroupSums {
    double least_slope = 0;
    double slope_range = 0;
    double log_norms = 0;               ///< of the rows updated through logarithms
    double norm_exponents[2] = {0, 0};  ///< of the products of the other rows' norms
  };

  void weigh_groups(double mu);
  void find_slopes(double mu);
  void find_implicit_slopes(double mu);
  void update_group(std::int64_t group);
  [[nodiscard]] double energy();
  void update_fast(std::size_t block, const double* factor, GroupPass& pass);
  void update_wide(std::size_t block, const double* exponent, GroupPass& pass);
  void place(std::size_t block, const Centres& centres);
  void fill_factors();
  void square_factors();
  static void exponentiate(std::span<double> entries, std::int64_t count);
  void find_least_distances(std::size_t block, std::span<double> least) const;
  [[nodiscard]] std::size_t entry(std::size_t block) const {
    return block * static_cast<std::size_t>(clusters_ * lanes);
  }
  [[nodiscard]] std::span<double> entries_of(std::vector<double>& array, std::size_t block) const {
    return {array.data() + entry(block), entry(1)};
  }
  [[nodiscard]] std::span<double> of_group(std::vector<double>& array, std::int64_t group) const {
    const auto clusters = static_cast<std::size_t>(clusters_);
    return std::span(array).subspan(static_cast<std::size_t>(group) * clusters, clusters);
  }
  [[nodiscard]] std::size_t entry_of(std::int64_t point) const;

  const Problem& problem_;
  std::function<void()> between_;
  std::int64_t clusters_;
  double first_lipschitz_;
  double lipschitz_;  ///< L of the next update
  SoftUpdate update_block_;
  std::vector<Block> blocks_;
  std::vector<std::size_t> first_block_;  ///< of each group, and the number of blocks
  std::vector<double> shares_;            ///< u_j
  std::vector<double> memberships_;       ///< s; at most 1e-150 in unused lanes
  std::vector<double> previous_;          ///< s before the last update
  std::vector<double> distances_;         ///< a; 0 in unused lanes
  std::vector<double> factors_;           ///< exp(-(a - min_k a) / L); 0 in unused lanes
  std::vector<double> masses_;            ///< (J, K), V_jk
  std::vector<double> sizes_;             ///< (K,), S_k before the update
  std::vector<double> slopes_;            ///< (J, K), b_jk of the last update; 0: there was none
  std::vector<double> previous_slopes_;   ///< those of the update before it
  std::vector<double> growths_;         ///< (J, K), by what an update is expected to multiply V_jk
  std::vector<double> cluster_masses_;  ///< (J,), of the cluster at work
  std::vector<double> cluster_slopes_;  ///< (J,), of the cluster at work
  bool is_implicit_ = false;
  std::vector<double> distances_to_;     ///< of a point to all centres, padded
  std::vector<double> exponents_;        ///< (J, K), -(b_jk - min_k b_jk) / L
  std::vector<double> slope_factors_;    ///< (J, K), their exponentials
  std::vector<double> norm_mantissas_;   ///< (J, 2), of the products of norms; then their logs
  std::vector<GroupSums> sums_;          ///< (J,)
  std::vector<double> lane_masses_;      ///< (K, lanes), of the group at work
  double least_distances_ = 0;           ///< sum_p min_k a_pk
  std::vector<double> previous_masses_;  ///< V_jk before the last update
  double attraction_ = 0;                ///< sum_pk s_pk a_pk
  double previous_attraction_ = 0;       ///< the same before the last update
};

}  // namespace fairfront::clustering
