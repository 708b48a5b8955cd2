/// @file
/// Small random problems for the tests of regression.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/elementary.hpp"
#include "base/random.hpp"
#include "solvers/regression/dual.hpp"

namespace fairfront::regression {

/// Predictions of N rows and K groups, which depend on each other.
struct Sample {
  std::vector<double> eta;  ///< shape (N,)
  std::vector<double> tau;  ///< row-major, shape (N, K)
};

inline base::Stream stream_of(std::uint64_t seed, std::string_view purpose) {
  return base::Stream(base::StreamKey(seed, "test", purpose), 0);
}

inline Sample random_sample(std::int64_t rows, std::int64_t groups, std::uint64_t seed) {
  base::Stream stream = stream_of(seed, "sample");
  Sample sample;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double eta = 1.6 * stream.uniform() - 0.8;
    sample.eta.push_back(eta);
    const std::size_t first = sample.tau.size();
    double sum = 0;
    for (std::int64_t s = 0; s < groups; ++s) {
      sample.tau.push_back(base::exp(2 * static_cast<double>(s) * eta + stream.normal()));
      sum += sample.tau.back();
    }
    for (std::size_t k = first; k < sample.tau.size(); ++k) sample.tau[k] /= sum;
  }
  return sample;
}

/// With the mean of tau as shares of the groups.
inline PredictedRows random_rows(std::int64_t rows, std::int64_t groups, std::uint64_t seed) {
  const Sample sample = random_sample(rows, groups, seed);
  return predicted_rows(sample.eta, sample.tau, mean_shares(sample.tau, groups));
}

/// Nonnegative multipliers, about a third of them 0.
inline std::vector<double> random_multipliers(std::int64_t size, double scale, std::uint64_t seed) {
  base::Stream stream = stream_of(seed, "multipliers");
  std::vector<double> w;
  for (std::int64_t i = 0; i < size; ++i) {
    w.push_back(std::max(0.0, scale * (stream.uniform() - 0.33)));
  }
  return w;
}

}  // namespace fairfront::regression
