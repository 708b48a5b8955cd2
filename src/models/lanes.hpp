/// @file
/// The widest vector of doubles that the build targets: two lanes on any x86-64 processor, four or
/// eight where FAIRFRONT_NATIVE allows them. Chosen by the compiler, never at run time, and loaded
/// from any address: what is computed with it depends on neither processor nor alignment.
#pragma once

#if defined(__FMA__) || defined(__AVX512F__)  // whose operations GCC has no vector syntax for
#include <immintrin.h>
#endif

#include <array>
#include <cstdint>
#include <cstring>

namespace fairfront::models {

#if defined(__AVX512F__)
inline constexpr std::int64_t lanes = 8;
#elif defined(__AVX__)
inline constexpr std::int64_t lanes = 4;
#else
inline constexpr std::int64_t lanes = 2;
#endif

using Lanes __attribute__((vector_size(lanes * sizeof(double)))) = double;

inline Lanes load(const double* from) {
  Lanes values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline void store(Lanes values, double* to) { std::memcpy(to, &values, sizeof values); }

/// The first `count` lanes, in 1 .. lanes - 1; the others are 0.
inline Lanes load(const double* from, [[maybe_unused]] std::int64_t count) {
#if defined(__AVX512F__)
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from);
#elif defined(__AVX__)
  return Lanes{from[0], count > 1 ? from[1] : 0.0, count > 2 ? from[2] : 0.0, 0.0};
#else
  return Lanes{from[0], 0.0};
#endif
}
inline void store(Lanes values, double* to, std::int64_t count) {
  to[0] = values[0];
  for (std::int64_t i = 1; i < count; ++i) to[i] = values[i];
}

/// `value` in every lane; the subtraction of 0 keeps the sign of a zero.
inline Lanes broadcast(double value) { return value - Lanes{}; }

/// a b + c: fused where the build targets a processor that can, else rounded twice.
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return a * b + c;
#endif
}

/// The sum of the lanes, halves first.
inline double sum(Lanes values) {
  std::array<double, static_cast<std::size_t>(lanes)> part;
  std::memcpy(part.data(), &values, sizeof values);
  for (std::size_t half = part.size() / 2; half > 0; half /= 2) {
    for (std::size_t i = 0; i < half; ++i) part[i] += part[i + half];
  }
  return part[0];
}

}  // namespace fairfront::models
