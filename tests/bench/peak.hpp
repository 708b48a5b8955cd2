/// @file
/// What a core can do at most.
#pragma once

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

#include "base/simd.hpp"

namespace fairfront::bench {

template <int Lanes>
using Vector __attribute__((vector_size(Lanes * sizeof(double)))) = double;

/// GFLOP/s of s = a b + s with the sums in registers, more than a core needs to be busy; in seconds
/// of this process. For the processor that the calling function is compiled for.
template <int Lanes>
[[gnu::always_inline]] inline double measure_peak() {
  constexpr std::int64_t steps = 500'000;
  constexpr int count = 10;
  double best = 0;
  for (int trial = 0; trial < 40; ++trial) {
    Vector<Lanes> a = 0.5 - Vector<Lanes>{};
    const Vector<Lanes> b = 1e-3 - Vector<Lanes>{};
    Vector<Lanes> sums[count] = {b, b, b, b, b, b, b, b, b, b};
    const std::clock_t start = std::clock();
    for (std::int64_t i = 0; i < steps; ++i) {
      for (int s = 0; s < count; ++s) {
        // Says that a changed, so that a b is not computed once for all.
        asm volatile("" : "+m"(a));
        sums[s] = a * b + sums[s];
      }
    }
    const double seconds =
        static_cast<double>(std::clock() - start) / static_cast<double>(CLOCKS_PER_SEC);
    for (int s = 0; s < count; ++s) {
      double first = sums[s][0];
      benchmark::DoNotOptimize(first);
    }
    best = std::max(best, 2e-9 * static_cast<double>(Lanes * count * steps) / seconds);
  }
  return best;
}

#ifdef __x86_64__
[[gnu::target("avx2")]] inline double peak_of_avx2() { return measure_peak<4>(); }
[[gnu::target("avx512f")]] inline double peak_of_avx512() { return measure_peak<8>(); }
#endif

inline double peak_of(base::Simd simd) {
#ifdef __x86_64__
  if (simd == base::Simd::avx512) return peak_of_avx512();
  if (simd == base::Simd::avx2) return peak_of_avx2();
#endif
  return measure_peak<2>();
}

/// With the vectors that this process computes with; measured once, at the first call.
inline double peak() {
  static const double value = peak_of(base::simd());
  return value;
}

}  // namespace fairfront::bench
