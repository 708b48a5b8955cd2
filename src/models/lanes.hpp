/// @file
/// The widest vector of doubles that the including unit is compiled for: two lanes on any x86-64
/// processor, four with AVX2, eight with AVX-512; loaded from any address. Nothing here is fused,
/// and the sums that cross lanes have one order: what is computed depends on neither processor nor
/// alignment.
///
/// Every unit has its own copy, as the linker would keep one of several equal functions for all.
#pragma once

#if defined(__AVX2__)
#include <immintrin.h>
#endif

#include <cstdint>
#include <cstring>

#include "base/widest_vector.hpp"

namespace fairfront::models {
namespace {

constexpr std::int64_t lanes = base::widest_vector;

using Lanes __attribute__((vector_size(lanes * sizeof(double)))) = double;
/// What is summed by itself wherever a sum crosses lanes: one of even, one of odd numbers.
using Pair __attribute__((vector_size(2 * sizeof(double)))) = double;

inline Lanes load(const double* from) {
  Lanes values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline void store(Lanes values, double* to) { std::memcpy(to, &values, sizeof values); }

/// `value` in every lane; the subtraction of 0 keeps the sign of a zero.
inline Lanes broadcast(double value) { return value - Lanes{}; }

/// `values`, loaded once: GCC would take them from memory again at every use.
inline Lanes in_register(Lanes values) {
#if defined(__x86_64__)
  asm("" : "+v"(values));
#endif
  return values;
}

inline Pair load_pair(const double* from) {
  Pair values;
  std::memcpy(&values, from, sizeof values);
  return values;
}

/// a b + c, rounded twice.
template <class Vector>
Vector multiply_add(Vector a, Vector b, Vector c) {
  return a * b + c;
}

#if defined(__AVX512F__)

/// The first `count` lanes, in 1 .. lanes - 1; the others are 0, and nothing is read for them.
inline Lanes load(const double* from, std::int64_t count) {
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from);
}
inline void store(Lanes values, double* to, std::int64_t count) {
  _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1U), values);
}

/// `pair`, or the two numbers at `from`, in every two lanes.
inline Lanes repeat(Pair pair) {
  return __builtin_shufflevector(pair, pair, 0, 1, 0, 1, 0, 1, 0, 1);
}
inline Lanes repeat(const double* from) {
  return _mm512_maskz_broadcast_f64x2(0xff, _mm_loadu_pd(from));
}

/// pair(0), pair(1), ... side by side.
template <class PairOf>
Lanes join(const PairOf& pair) {
  const auto low = _mm256_set_m128d(pair(1), pair(0));
  const auto high = _mm256_set_m128d(pair(3), pair(2));
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
}

/// The sum of each pair of a, then of b.
inline Lanes sum_pairs(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6, 8, 10, 12, 14) +
         __builtin_shufflevector(a, b, 1, 3, 5, 7, 9, 11, 13, 15);
}

#elif defined(__AVX2__)

inline Lanes load(const double* from, std::int64_t count) {
  alignas(32) static constexpr std::int64_t taken[] = {-1, -1, -1, 0, 0, 0};
  __m256i mask;
  std::memcpy(&mask, taken + 3 - count, sizeof mask);
  return _mm256_maskload_pd(from, mask);
}
inline void store(Lanes values, double* to, std::int64_t count) {
  to[0] = values[0];
  if (count > 1) to[1] = values[1];
  if (count > 2) to[2] = values[2];
}

inline Lanes repeat(Pair pair) { return __builtin_shufflevector(pair, pair, 0, 1, 0, 1); }
inline Lanes repeat(const double* from) {
  const Pair pair = load_pair(from);
  return _mm256_set_m128d(pair, pair);
}

template <class PairOf>
Lanes join(const PairOf& pair) {
  return _mm256_set_m128d(pair(1), pair(0));
}

inline Lanes sum_pairs(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
}

#else

inline Lanes load(const double* from, std::int64_t) { return Lanes{from[0], 0.0}; }
inline void store(Lanes values, double* to, std::int64_t) { to[0] = values[0]; }

inline Lanes repeat(Pair pair) { return pair; }
inline Lanes repeat(const double* from) { return load_pair(from); }

template <class PairOf>
Lanes join(const PairOf& pair) {
  return pair(0);
}

inline Lanes sum_pairs(Lanes a, Lanes b) {
  return __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
}

#endif

using Counts __attribute__((vector_size(lanes * sizeof(std::int64_t)))) = std::int64_t;

/// One more in the lanes where a < b, and one more where a <= b.
inline Counts count_half_wins(Counts counts, Lanes a, Lanes b) {
#if defined(__AVX512F__)
  const __m512i one = _mm512_set1_epi64(1);
  auto sums = reinterpret_cast<__m512i>(counts);
  sums = _mm512_mask_add_epi64(sums, _mm512_cmp_pd_mask(a, b, _CMP_LT_OQ), sums, one);
  sums = _mm512_mask_add_epi64(sums, _mm512_cmp_pd_mask(a, b, _CMP_LE_OQ), sums, one);
  return reinterpret_cast<Counts>(sums);
#else
  return counts - (a < b) - (a <= b);  // less minus one for each true
#endif
}

/// Four sums, of every fourth number; even and odd pairs of numbers.
#if defined(__AVX2__)

using Four __attribute__((vector_size(4 * sizeof(double)))) = double;

inline Four load_four(const double* from) {
  Four values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline void store_four(Four values, double* to) { std::memcpy(to, &values, sizeof values); }
inline Four broadcast_four(double value) { return value - Four{}; }
/// Rows of a square become its columns.
inline void transpose(Four (&rows)[4]) {
  const Four a = __builtin_shufflevector(rows[0], rows[1], 0, 4, 2, 6);
  const Four b = __builtin_shufflevector(rows[0], rows[1], 1, 5, 3, 7);
  const Four c = __builtin_shufflevector(rows[2], rows[3], 0, 4, 2, 6);
  const Four d = __builtin_shufflevector(rows[2], rows[3], 1, 5, 3, 7);
  rows[0] = __builtin_shufflevector(a, c, 0, 1, 4, 5);
  rows[1] = __builtin_shufflevector(b, d, 0, 1, 4, 5);
  rows[2] = __builtin_shufflevector(a, c, 2, 3, 6, 7);
  rows[3] = __builtin_shufflevector(b, d, 2, 3, 6, 7);
}
inline Pair even_of(Four values) { return __builtin_shufflevector(values, values, 0, 1); }
inline Pair odd_of(Four values) { return __builtin_shufflevector(values, values, 2, 3); }

#else

struct Four {
  Pair even;
  Pair odd;
};
inline Four load_four(const double* from) { return {load_pair(from), load_pair(from + 2)}; }
inline Four multiply_add(const Four& a, const Four& b, const Four& c) {
  return {multiply_add(a.even, b.even, c.even), multiply_add(a.odd, b.odd, c.odd)};
}
inline Pair even_of(const Four& values) { return values.even; }
inline Pair odd_of(const Four& values) { return values.odd; }

#endif

}  // namespace
}  // namespace fairfront::models
