#include "base/elementary.hpp"

#include <cassert>
#include <cstddef>
#include <cstdint>

#include "base/elementary_lanes.hpp"
#include "base/elementary_table.hpp"
#include "base/simd.hpp"

namespace fairfront::base {
namespace {

// ---- powers: one value at a time ----------------------------------------------------------------

/// log x to about 65 bits, for a finite x > 0.
Pair precise_log(double x) {
  constexpr Pair two_thirds{0x1.5555555555555p-1, 0x1.5555555555555p-55};
  const Binary b = split_binary(x);
  const Pair s = quotient({b.f, 0}, fast_sum(2, b.f));
  const Pair z = product(s, s);
  // (log(1 + f) - 2 s - 2/3 s^3) / s^5, error 2^-72 of the logarithm
  constexpr double q[] = {0x1.9999999999997p-2, 0x1.2492492492e39p-2, 0x1.c71c71c5b27d7p-3,
                          0x1.745d181dcb1ddp-3, 0x1.3b13677dca77fp-3, 0x1.1120124ac3fc5p-3,
                          0x1.de4abed872f39p-4, 0x1.ea60ac2013c31p-4};
  double series = 0;
  for (std::size_t i = std::size(q); i-- > 0;) series = series * z.high + q[i];
  const Pair second = fast_sum(two_thirds.high, two_thirds.low + series * z.high);
  const Pair cubic = product(product(s, z), second);
  const Pair fraction = fast_sum(2 * s.high, cubic.high);
  const Pair whole = fast_sum(b.k * ln2_high, fraction.high);
  const double rest = whole.low + (b.k * ln2_low + (fraction.low + (2 * s.low + cubic.low)));
  return fast_sum(whole.high, rest);
}

/// log(x) factor
double scaled_log(double x, Pair factor) {
  const bool inside = x > 0 && x < infinity;
  return log_ends(x, inside ? product(precise_log(x), factor).high : 0.0);
}

enum class Whole { no, even, odd };

/// Whether a finite y is a whole number, and which.
Whole whole(double y) {
  const double size = magnitude(y);
  if (size >= 0x1p53) return Whole::even;
  const auto integer = static_cast<std::int64_t>(size);
  if (static_cast<double>(integer) != size) return Whole::no;
  return integer % 2 == 0 ? Whole::even : Whole::odd;
}

/// x^y for a finite x > 0 and any y but NaN.
double positive_power(double x, double y) {
  constexpr double enough = 0x1p65;  // log x is 2^-53 or more: overflow or underflow is certain
  const double bounded = y > enough ? enough : (y < -enough ? -enough : y);
  const Pair l = precise_log(x);
  const Pair exponent = product(l, {bounded, 0});
  if (!(magnitude(exponent.high) < 800)) return exponent.high > 0 ? infinity : 0.0;
  const Exponent e = split_exponent(exponent.high, exponent.low);
  return scale(mantissa(e).high, e.k);
}

using Loop = void (*)(const double*, double*, std::size_t);

const ElementaryTable& taken() {
  static const ElementaryTable& table = elementary_table(simd());
  return table;
}

void apply(Loop loop, std::span<const double> x, std::span<double> y) {
  assert(x.size() == y.size());
  loop(x.data(), y.data(), x.size());
}

}  // namespace

double exp(double x) noexcept { return exp_lane(x); }
double expm1(double x) noexcept { return expm1_lane(x); }
double log(double x) noexcept { return log_lane(x); }
double log1p(double x) noexcept { return log1p_lane(x); }
double sin(double x) noexcept { return sin_lane(x); }
double cos(double x) noexcept { return cos_lane(x); }
SineCosine sin_cos(double x) noexcept { return sin_cos_lane(x); }
double tanh(double x) noexcept { return tanh_lane(x); }
double sigmoid(double x) noexcept { return sigmoid_lane(x); }
double softplus(double x) noexcept { return softplus_lane(x); }

double log2(double x) noexcept {
  return scaled_log(x, {0x1.71547652b82fep+0, 0x1.777d0ffda0d24p-56});
}
double log10(double x) noexcept {
  return scaled_log(x, {0x1.bcb7b1526e50ep-2, 0x1.95355baaafad3p-57});
}

double pow(double x, double y) noexcept {
  if (y == 0 || x == 1) return 1;
  if (x != x || y != y) return nan;
  const bool endless = magnitude(y) == infinity;
  const Whole kind = endless ? Whole::even : whole(y);
  const double sign = x < 0 && kind == Whole::odd ? -1.0 : 1.0;
  const double size = magnitude(x);
  if (size == 0 || size == infinity) {
    const double signed_one = kind == Whole::odd ? with_sign_of(1, x) : 1.0;
    return (size == 0) == (y > 0) ? signed_one * 0.0 : signed_one * infinity;
  }
  if (size == 1 && endless) return 1;
  if (x < 0 && kind == Whole::no) return nan;
  return sign * positive_power(size, y);
}

const ElementaryTable& elementary_table([[maybe_unused]] Simd simd) noexcept {
#ifdef __x86_64__
  if (simd == Simd::avx512) return elementary_avx512;
  if (simd == Simd::avx2) return elementary_avx2;
#endif
  return elementary_baseline;
}

void exp(std::span<const double> x, std::span<double> y) noexcept { apply(taken().exp, x, y); }
void expm1(std::span<const double> x, std::span<double> y) noexcept { apply(taken().expm1, x, y); }
void log(std::span<const double> x, std::span<double> y) noexcept { apply(taken().log, x, y); }
void log1p(std::span<const double> x, std::span<double> y) noexcept { apply(taken().log1p, x, y); }
void sin(std::span<const double> x, std::span<double> y) noexcept { apply(taken().sin, x, y); }
void cos(std::span<const double> x, std::span<double> y) noexcept { apply(taken().cos, x, y); }
void sin_cos(std::span<const double> x, std::span<double> sines,
             std::span<double> cosines) noexcept {
  assert(x.size() == sines.size() && x.size() == cosines.size());
  taken().sin_cos(x.data(), sines.data(), cosines.data(), x.size());
}
void tanh(std::span<const double> x, std::span<double> y) noexcept { apply(taken().tanh, x, y); }
void sigmoid(std::span<const double> x, std::span<double> y) noexcept {
  apply(taken().sigmoid, x, y);
}
void softplus(std::span<const double> x, std::span<double> y) noexcept {
  apply(taken().softplus, x, y);
}

}  // namespace fairfront::base
