/// @file
/// What SoftAssignment::update does to eight points, compiled for several processors.
#pragma once

#include <cstdint>

#include "base/simd.hpp"

namespace fairfront::clustering {

/// Up to `lanes` points of one group. Entry (k, lane) of a matrix is at k * lanes + lane.
struct SoftBlock {
  static constexpr std::int64_t lanes = 8;
  std::int64_t clusters;
  std::int64_t count;       ///< of points, in the first lanes
  const double* previous;   ///< (K, lanes): s before the update
  const double* factors;    ///< (K, lanes): exp(-a / L) up to a factor of each point
  const double* distances;  ///< (K, lanes): a
  const double* of_group;   ///< (K,): exp(-b / L) up to a common factor
  double* memberships;      ///< (K, lanes): s, at least `least_membership`
  double* masses;           ///< (K, lanes): s is added
  double* norms;            ///< (lanes,): of the rows before they were normalised; 1 in other lanes
  double* attraction;       ///< (lanes,): sum_k s a is added

  static constexpr double least_membership = 1e-150;
};

/// Each lane has the same operations in the same order in all of them.
using SoftUpdate = void (*)(const SoftBlock& block) noexcept;

extern const SoftUpdate soft_update_baseline;
extern const SoftUpdate soft_update_avx2;  ///< only on x86-64, as the next
extern const SoftUpdate soft_update_avx512;

/// @param simd  one of base::available_simd()
[[nodiscard]] SoftUpdate soft_update(base::Simd simd) noexcept;

}  // namespace fairfront::clustering
