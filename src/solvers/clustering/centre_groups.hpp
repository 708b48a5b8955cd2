/// @file
/// The nearest of many centres, with an allowance for each, without a look at all of them.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// K centres in about sqrt(K) balls. No centre of a ball with middle m and radius r is nearer to x
/// than |x - m| - r, so balls that are too far off are left out as a whole.
class CentreGroups {
 public:
  /// @param potentials  L, shape (J, K), finite.
  CentreGroups(const Problem& problem, const Centres& centres, std::span<const double> potentials);

  /// The first k with the least |x - c_k|^2 - L_jk, as a look at all of them finds it, bit for bit.
  [[nodiscard]] std::int64_t least(const double* x, std::int64_t j);
  /// Of all calls of least().
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }

 private:
  struct Ball {
    std::int64_t middle = 0;             ///< the cluster in it
    std::vector<std::int64_t> clusters;  ///< ascending
    std::vector<double> allowances;      ///< the greatest L_jk, shape (J,)
    double radius = 0;
  };
  struct Best {
    double value;
    std::int64_t cluster;
  };
  void choose_middles(std::int64_t count);
  void fill();
  void look_into(const Ball& ball, const double* x, std::int64_t j, Best& best);

  const Problem& problem_;
  const Centres& centres_;
  std::span<const double> potentials_;
  std::vector<Ball> balls_;
  std::int64_t comparisons_ = 0;
  std::vector<double> bounds_;  ///< of each ball, scratch
};

}  // namespace fairfront::clustering
