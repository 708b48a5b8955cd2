/// @file
/// The array forms of the elementary functions, compiled for several processors.
#pragma once

#include <cstddef>

#include "base/simd.hpp"

namespace fairfront::base {

/// y[i] = f(x[i]) for i < n; x and y are the same memory or do not overlap.
struct ElementaryTable {
  void (*exp)(const double* x, double* y, std::size_t n) noexcept;
  void (*expm1)(const double* x, double* y, std::size_t n) noexcept;
  void (*log)(const double* x, double* y, std::size_t n) noexcept;
  void (*log1p)(const double* x, double* y, std::size_t n) noexcept;
  void (*sin)(const double* x, double* y, std::size_t n) noexcept;
  void (*cos)(const double* x, double* y, std::size_t n) noexcept;
  /// x, sines and cosines do not overlap.
  void (*sin_cos)(const double* x, double* sines, double* cosines, std::size_t n) noexcept;
  void (*tanh)(const double* x, double* y, std::size_t n) noexcept;
  void (*sigmoid)(const double* x, double* y, std::size_t n) noexcept;
  void (*softplus)(const double* x, double* y, std::size_t n) noexcept;
};

extern const ElementaryTable elementary_baseline;
extern const ElementaryTable elementary_avx2;  ///< only on x86-64, as the next
extern const ElementaryTable elementary_avx512;

/// @param simd  one of available_simd()
[[nodiscard]] const ElementaryTable& elementary_table(Simd simd) noexcept;

}  // namespace fairfront::base
