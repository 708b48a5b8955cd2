/// @file
/// The points that benchmarks of clustering share.
#pragma once

#include <array>
#include <cmath>
#include <cstdint>

#include "base/random.hpp"
#include "data/dataset.hpp"

namespace fairfront::bench {

/// N points on the unit sphere in R^5, two groups (1:2).
/// @param shift  by which all coordinates of the rare group are apart, before they are scaled.
inline data::Dataset unit_norm_dataset(std::int64_t points, double shift) {
  base::Stream stream(base::StreamKey(1, "bench", "data"), 0);
  data::Dataset dataset;
  dataset.rows = points;
  dataset.columns = 5;
  dataset.feature_names = {"a", "b", "c", "d", "e"};
  dataset.group_names = {"rare", "common"};
  for (std::int64_t p = 0; p < points; ++p) {
    std::array<double, 5> x{};
    double squares = 0;
    for (double& value : x) {
      value = stream.normal() + (p % 3 == 0 ? shift : 0.0);
      squares += value * value;
    }
    for (const double value : x) dataset.features.push_back(value / std::sqrt(squares));
    dataset.group.push_back(p % 3 == 0 ? 0 : 1);
  }
  return dataset;
}

}  // namespace fairfront::bench
