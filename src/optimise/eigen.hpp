/// @file
/// Eigen, as all our code includes it.
///
/// Eigen asks the processor for its cache sizes and cuts matrix products accordingly, also along
/// the sums: the last bits would depend on the machine. Here the sizes are fixed before main()
/// begins. What Eigen vectorises it also starts at an aligned address, so that sums over memory of
/// others would depend on where that lies: copy into matrices of Eigen's own, which are always
/// aligned, before anything is added up.
#pragma once

#include <Eigen/Dense>

namespace fairfront::optimise {

/// Bytes of the first, second and third cache that Eigen plans with.
inline constexpr std::ptrdiff_t planned_caches[3] = {32 * 1024, 512 * 1024, 4 * 1024 * 1024};

inline const bool caches_are_fixed = [] {
  Eigen::setCpuCacheSizes(planned_caches[0], planned_caches[1], planned_caches[2]);
  return true;
}();

}  // namespace fairfront::optimise
