/// @file
/// What a core can do at most.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "models/lanes.hpp"

namespace fairfront::bench {

/// GFLOP/s of s = a b + s in registers alone, with the vectors of this build and more sums than a
/// core needs to be busy; in seconds of this process, as the rates below.
inline double measure_peak() {
  using models::Lanes, models::broadcast, models::lanes;
  constexpr std::int64_t steps = 500'000;
  double best = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Lanes a = broadcast(0.5), b = broadcast(1e-3);
    Lanes s0 = b, s1 = b, s2 = b, s3 = b, s4 = b, s5 = b, s6 = b, s7 = b, s8 = b, s9 = b;
    const std::clock_t start = std::clock();
    for (std::int64_t i = 0; i < steps; ++i) {
      // Says that a changed, so that a b is not computed once for all.
      const auto add = [&](Lanes& sum) {
        asm volatile("" : "+v"(a));
        sum = models::multiply_add(a, b, sum);
      };
      add(s0), add(s1), add(s2), add(s3), add(s4), add(s5), add(s6), add(s7), add(s8), add(s9);
    }
    const double seconds =
        static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
    for (const Lanes& value : {s0, s1, s2, s3, s4, s5, s6, s7, s8, s9}) {
      benchmark::DoNotOptimize(models::sum(value));
    }
    best = std::max(best, 2e-9 * static_cast<double>(lanes * 10 * steps) / seconds);
  }
  return best;
}

/// Measured once, at the first call.
inline double peak() {
  static const double value = measure_peak();
  return value;
}

}  // namespace fairfront::bench
