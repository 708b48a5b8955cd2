/// @file
/// Which centres are nearest to some points, compiled for several processors.
#pragma once

#include <cstdint>

#include "base/simd.hpp"

namespace fairfront::clustering {

/// Centres as Centres lays them out, and the points of a problem.
struct CentresAndRows {
  const double* centres;  ///< shape (blocks, d, 4)
  std::int64_t blocks;    ///< of four centres
  const double* rows;     ///< shape (N, d)
  std::int64_t columns;   ///< d
};

/// Writes what Centres::nearest() finds for each of `count` points.
using NearestCentres = void (*)(const CentresAndRows& given, const std::int64_t* points,
                                std::int64_t count, std::int64_t* nearest) noexcept;

extern const NearestCentres nearest_centres_baseline;
extern const NearestCentres nearest_centres_avx2;  ///< only on x86-64, as the next
extern const NearestCentres nearest_centres_avx512;

/// @param simd  one of base::available_simd()
[[nodiscard]] NearestCentres nearest_centres(base::Simd simd) noexcept;

}  // namespace fairfront::clustering
