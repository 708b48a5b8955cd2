/// @file
/// Elementary functions with one answer on every x86-64 processor.
///
/// The C library picks its exp, log, pow, sin and so on when the program is loaded, by what the
/// processor can do (fused multiply-add, AVX2), and the variants differ in the last bit. These here
/// use +, -, *, /, integers and choices made at compile time, nothing else, so that a result can be
/// replayed on another machine. Results, and all that leads to them, use only these; a test
/// (tests/layers) looks for calls of the library's.
///
/// The array forms give exactly the bits of the scalar ones. `x` and `y` have one size, and are
/// either the same memory or do not overlap; the loops are free of branches, so that the compiler
/// makes vector code of them.
///
/// The errors stated are the greatest that were seen in some 10^6 to 10^7 random arguments of all
/// sizes against MPFR, in units in the last place (0.5 would be right rounding), for normal
/// results; subnormal ones are rounded twice, with errors up to 0.77. NaN gives NaN; infinities,
/// signed zeros and overflow are as in annex F of the C standard. Not for other rounding modes than
/// to nearest.
#pragma once

#include <span>

namespace fairfront::base {

/// e^x. Error 0.58.
[[nodiscard]] double exp(double x) noexcept;
/// e^x - 1. Error 0.80, also near 0.
[[nodiscard]] double expm1(double x) noexcept;
/// Natural logarithm: -infinity at 0, NaN below. Error 0.88.
[[nodiscard]] double log(double x) noexcept;
/// log(1 + x): -infinity at -1, NaN below. Error 0.88, also near 0.
[[nodiscard]] double log1p(double x) noexcept;
/// Logarithm to base 2. Error 0.501: exact for powers of 2.
[[nodiscard]] double log2(double x) noexcept;
/// Logarithm to base 10. Error 0.501: exact for powers of 10 that are doubles.
[[nodiscard]] double log10(double x) noexcept;
/// x^y. Error 0.66: exact where the power is a double. Slow: some 50 ns.
[[nodiscard]] double pow(double x, double y) noexcept;
/// Sine of an angle in radians, |x| <= 1e6: NaN beyond, for which nobody here has a use. Error
/// 0.79, also next to multiples of pi.
[[nodiscard]] double sin(double x) noexcept;
/// Cosine of an angle in radians, |x| <= 1e6: NaN beyond. Error 0.79.
[[nodiscard]] double cos(double x) noexcept;
struct SineCosine {
  double sine;
  double cosine;
};
/// The same two of one angle, for the price of one.
[[nodiscard]] SineCosine sin_cos(double x) noexcept;
/// Hyperbolic tangent. Error 0.69.
[[nodiscard]] double tanh(double x) noexcept;
/// 1 / (1 + e^-x), without overflow. Error 0.58, also in both tails.
[[nodiscard]] double sigmoid(double x) noexcept;
/// log(1 + e^x), without overflow. Error 0.91, also in both tails.
[[nodiscard]] double softplus(double x) noexcept;

void exp(std::span<const double> x, std::span<double> y) noexcept;
void expm1(std::span<const double> x, std::span<double> y) noexcept;
void log(std::span<const double> x, std::span<double> y) noexcept;
void log1p(std::span<const double> x, std::span<double> y) noexcept;
void sin(std::span<const double> x, std::span<double> y) noexcept;
void cos(std::span<const double> x, std::span<double> y) noexcept;
/// sin and cos of the same x at the price of one; the three arrays do not overlap.
void sin_cos(std::span<const double> x, std::span<double> sines,
             std::span<double> cosines) noexcept;
void tanh(std::span<const double> x, std::span<double> y) noexcept;
void sigmoid(std::span<const double> x, std::span<double> y) noexcept;
void softplus(std::span<const double> x, std::span<double> y) noexcept;

}  // namespace fairfront::base
