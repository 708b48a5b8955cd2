/// @file
/// The elementary functions of one value, without branches: choices are made between two values
/// that are both computed. So the scalar forms (elementary.cpp) call them once, the array forms in
/// a loop that the compiler turns into vector code, and both give the same bits.
///
/// Every unit has its own copy: units are compiled for different processors, and the linker would
/// keep one of several equal functions for all. So nothing here calls a function of another header.
///
/// The polynomials are minimax fits of our own (Remez's exchange in 220 bits), coefficients then
/// rounded to double.
#pragma once

#include <cstdint>
#include <limits>

#include "base/elementary.hpp"

namespace fairfront::base {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double smallest_normal = std::numeric_limits<double>::min();
/// Added to |v| < 2^51 it rounds v to an integer, which then stands in the lowest bits.
constexpr double rounder = 0x1.8p52;
constexpr double ln2_high = 0x1.62e42fefa3000p-1;  ///< 41 bits: k * ln2_high is exact
constexpr double ln2_low = 0x1.3de6af278ece6p-42;

inline std::uint64_t bits(double v) { return __builtin_bit_cast(std::uint64_t, v); }
inline double from_bits(std::uint64_t b) { return __builtin_bit_cast(double, b); }

inline double magnitude(double v) { return from_bits(bits(v) & ~(std::uint64_t{1} << 63)); }
inline double with_sign_of(double size, double sign) {
  return from_bits(bits(size) | (bits(sign) & (std::uint64_t{1} << 63)));
}
/// 2^k for a whole number k in [-1022, 1023].
inline double power_of_two(double k) { return from_bits(bits(k + (rounder + 1023)) << 52); }

/// high + low, where |low| is a rounding error of high, or little more.
struct Pair {
  double high;
  double low;
};

/// The exact a + b, where |a| >= |b| or a is a multiple of b's last bit (Dekker, 1971).
inline Pair fast_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
/// The exact a + b (Knuth, 1969).
inline Pair sum(double a, double b) {
  const double sum = a + b;
  const double part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
/// The exact a * b for factors below 2^990 and a product that is not close to underflow (Dekker,
/// 1971). Not std::fma: without the instruction it is a slow call.
inline Pair product(double a, double b) {
  constexpr double splitter = 0x1p27 + 1;
  const double a_high = a * splitter - (a * splitter - a);
  const double b_high = b * splitter - (b * splitter - b);
  const double a_low = a - a_high;
  const double b_low = b - b_high;
  const double high = a * b;
  return {high, ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low};
}
inline Pair product(Pair a, Pair b) {
  const Pair p = product(a.high, b.high);
  return fast_sum(p.high, p.low + (a.high * b.low + a.low * b.high));
}
/// n / d to about 100 bits.
inline Pair quotient(Pair n, Pair d) {
  const double inverse = 1 / d.high;
  const double first = n.high * inverse;
  const Pair back = product(first, d.high);
  const double rest = ((n.high - back.high) - back.low) + (n.low - first * d.low);
  return fast_sum(first, rest * inverse);
}

// ---- exponentials -------------------------------------------------------------------------------

/// x = k ln 2 + r + c with |r| <= ln 2 / 2 and a small c; tail = e^(r + c) - 1 - r.
struct Exponent {
  double k;
  double r;
  double tail;
};

/// For |x| < 2^15; `low` is added to x and less than a rounding error of it.
inline Exponent split_exponent(double x, double low) {
  constexpr double per_ln2 = 0x1.71547652b82fep+0;
  const double k = (x * per_ln2 + rounder) - rounder;
  const double exact = x - k * ln2_high;
  const double rest = k * ln2_low - low;
  const double r = exact - rest;
  const double c = (exact - r) - rest;
  // (e^r - 1 - r - r^2 / 2) / r^3, error 2^-61 of e^r; grouped so that few products wait for others
  const double r2 = r * r;
  const double r4 = r2 * r2;
  const double p12 = 0x1.5555555555559p-3 + r * 0x1.555555555555ap-5;
  const double p34 = 0x1.111111110f7bbp-7 + r * 0x1.6c16c16c1460ep-10;
  const double p56 = 0x1.a01a01af8474dp-13 + r * 0x1.a01a01b0421b0p-16;
  const double p78 = 0x1.71ddf9355b5d4p-19 + r * 0x1.27e4c67cced5dp-22;
  const double p910 = 0x1.af5d4da6d26bbp-26 + r * 0x1.1f9431ce1d4c1p-29;
  const double p = (p12 + r2 * p34) + r4 * ((p56 + r2 * p78) + r4 * p910);
  return {k, r, 0.5 * r2 + (r * r2 * p + (c + c * r))};
}

/// e^(r + c), between 0.7 and 1.5.
inline Pair mantissa(const Exponent& e) {
  const Pair one = fast_sum(1.0, e.r);
  return fast_sum(one.high, one.low + e.tail);
}

/// v 2^k for a whole k in [-2040, 2040], with overflow and underflow, rounded once.
inline double scale(double v, double k) {
  const double half = (0.5 * k + rounder) - rounder;
  return v * power_of_two(half) * power_of_two(k - half);
}

/// x where e^x is neither 0 nor infinity, and little more beyond; NaN stays.
inline double exponent_range(double x) {
  const double below = x > 710.0 ? 710.0 : x;
  return below < -746.0 ? -746.0 : below;
}

inline double exp_lane(double x) {
  const Exponent e = split_exponent(exponent_range(x), 0);
  return scale(mantissa(e).high, e.k);
}

/// unit (e^x - 1) for a power of 2 `unit` and x in [-746, 710].
inline Pair expm1_pair(double x, double unit) {
  const Exponent e = split_exponent(x, 0);
  const double k = e.k < -100 ? -100 : e.k;  // far below the last bit of 1
  const double power = power_of_two(k - 1) * (2 * unit);
  const Pair whole = sum(power, -unit);
  const Pair most = fast_sum(whole.high, power * e.r);
  return fast_sum(most.high, most.low + (whole.low + power * e.tail));
}

inline double expm1_lane(double x) {
  const double result = 2 * expm1_pair(exponent_range(x), 0.5).high;
  return magnitude(x) < 0x1p-54 ? x : result;
}

inline double tanh_lane(double x) {
  const double size = magnitude(x);
  const Pair m = expm1_pair(-2 * (size > 30 ? 30.0 : size), 1);  // tanh 30 rounds to 1
  const Pair d = fast_sum(2, m.high);
  return with_sign_of(quotient({-m.high, -m.low}, {d.high, d.low + m.low}).high, x);
}

inline double sigmoid_lane(double x) {
  const Exponent e = split_exponent(exponent_range(-magnitude(x)), 0);
  const Pair m = mantissa(e);
  const double power = power_of_two(e.k < -1000 ? -1000 : e.k);
  const Pair d = fast_sum(1, power * m.high);
  const bool negative = x < 0;
  const Pair n{negative ? m.high : 1.0, negative ? m.low : 0.0};
  return scale(quotient(n, {d.high, d.low + power * m.low}).high, negative ? e.k : 0.0);
}

// ---- logarithms ---------------------------------------------------------------------------------

/// x = 2^k (1 + f) for x > 0, with 1 + f between sqrt(1/2) and sqrt(2).
struct Binary {
  double k;
  double f;
};

inline Binary split_binary(double x) {
  constexpr std::uint64_t root_half = 0x3fe6a09e667f3bcd;
  constexpr std::uint64_t exponent_field = std::uint64_t{0xfff} << 52;
  const bool subnormal = x < smallest_normal;
  const std::uint64_t b = bits(subnormal ? x * 0x1p54 : x);
  const std::uint64_t above = b - root_half;
  // k + 1024, as the last bits of a double: shifts that keep the sign have no vector form
  const std::uint64_t biased = ((above + (std::uint64_t{1024} << 52)) >> 52) | bits(0x1p52);
  const double k = from_bits(biased) - (0x1p52 + 1024);
  return {subnormal ? k - 54 : k, from_bits(b - (above & exponent_field)) - 1};
}

/// log(2^k (1 + f)) + low
inline Pair log_pair(Binary x, double low) {
  const double f = x.f;
  const double half = 0.5 * f * f;
  const double s = f / (2 + f);
  const double z = s * s;
  const double z2 = z * z;
  // (log(1 + f) - 2 s) / s^3 = 2/3 + 2/5 z + ..., error 2^-58 of the logarithm
  const double q12 = 0x1.999999997fddbp-2 + z * 0x1.24924941ef7c5p-2;
  const double q34 = 0x1.c71c520a8bd58p-3 + z * 0x1.74663eb0ab04fp-3;
  const double q56 = 0x1.39a1bfd700da5p-3 + z * 0x1.2f0533effc8b0p-3;
  const double q = z * (0x1.5555555555592p-1 + z * (q12 + z2 * (q34 + z2 * q56)));
  const Pair most = fast_sum(x.k * ln2_high, f);
  const double rest = (s * (half + q) - half) + (x.k * ln2_low + low);
  return fast_sum(most.high, most.low + rest);
}

/// `value`, or what a logarithm is at the ends of its domain and beyond, for the argument x.
inline double log_ends(double x, double value) {
  const double above = x < infinity ? value : x;  // also NaN
  const double at_zero = x == 0 ? -infinity : above;
  return x < 0 ? nan : at_zero;
}

inline double log_lane(double x) { return log_ends(x, log_pair(split_binary(x), 0).high); }

inline double log1p_lane(double x) {
  const Pair one = sum(1, x);
  const double result =
      log_ends(one.high, log_pair(split_binary(one.high), one.low / one.high).high);
  return magnitude(x) < 0x1p-54 ? x : result;
}

inline double softplus_lane(double x) {
  const Exponent e = split_exponent(exponent_range(-magnitude(x)), 0);
  const Pair m = mantissa(e);
  const double power = power_of_two(e.k < -100 ? -100 : e.k);
  const Pair one = fast_sum(1, power * m.high);
  const Pair l = log_pair(split_binary(one.high), (one.low + power * m.low) / one.high);
  const Pair total = sum(x > 0 ? x : 0.0, l.high);
  const double series = m.high + (m.low - 0.5 * m.high * (power * m.high));
  const double tail = scale(series, e.k);
  const double result = x < -30 ? tail : total.high + (total.low + l.low);
  return x == infinity ? x : result;
}

// ---- sine and cosine ----------------------------------------------------------------------------

/// x = q pi/2 + r + c with |r| <= pi/4; `quarter` holds q in its lowest two bits.
struct Angle {
  std::uint64_t quarter;
  double r;
  double c;
};

/// For |x| <= 2^20. pi/2 in four parts; the products with the first three are exact. The sums need
/// not know which summand is larger: the first one is always a multiple of the second's last bit.
inline Angle split_angle(double x) {
  const double shifted = x * 0x1.45f306dc9c883p-1 + rounder;
  const double q = shifted - rounder;
  const Pair a = fast_sum(x - q * 0x1.921fb54400000p+0, -(q * 0x1.0b4611a600000p-34));
  const Pair b = fast_sum(a.high, -(q * 0x1.3198a2e000000p-69));
  const Pair r = fast_sum(b.high, (b.low + a.low) - q * 0x1.b839a252049c1p-104);
  return {bits(shifted), r.high, r.low};
}

/// `odd` ? b : a. SSE2 cannot compare 64-bit integers, so the choice is made of bits.
inline double choose(std::uint64_t odd, double a, double b) {
  const std::uint64_t all = 0 - (odd & 1);
  return from_bits((bits(b) & all) | (bits(a) & ~all));
}

/// Both in full for |x| <= 2^20; the sine but for the smallest x.
inline SineCosine circle_lane(double x) {
  const Angle a = split_angle(x);
  const double r = a.r;
  const double z = r * r;
  const double z2 = z * z;
  const double s01 = -0x1.5555555555549p-3 + z * 0x1.111111110f8cfp-7;
  const double s23 = -0x1.a01a019c1a69fp-13 + z * 0x1.71de357e5e0a1p-19;
  const double s45 = -0x1.ae5e6ae5e5bf9p-26 + z * 0x1.5d943de39ef5ep-33;
  const double sine = r + (r * z * (s01 + z2 * (s23 + z2 * s45)) + a.c * (1 - 0.5 * z));
  const double c01 = 0x1.555555555554ep-5 + z * -0x1.6c16c16c154eap-10;
  const double c23 = 0x1.a01a019cfc68fp-16 + z * -0x1.27e4f83a23205p-22;
  const double c45 = 0x1.1eea09af1854ep-29 + z * -0x1.8fbccd0b3c943p-37;
  const Pair most = fast_sum(1, -0.5 * z);
  const double cosine = most.high + (most.low + (z2 * (c01 + z2 * (c23 + z2 * c45)) - r * a.c));
  const double size_of_sine = choose(a.quarter, sine, cosine);
  const double size_of_cosine = choose(a.quarter, cosine, sine);
  const bool inside = magnitude(x) <= 1e6;
  return {inside ? from_bits(bits(size_of_sine) ^ ((a.quarter & 2) << 62)) : nan,
          inside ? from_bits(bits(size_of_cosine) ^ (((a.quarter + 1) & 2) << 62)) : nan};
}

inline double sine_of(double x, double sine) { return magnitude(x) < 0x1p-27 ? x : sine; }
inline double sin_lane(double x) { return sine_of(x, circle_lane(x).sine); }
inline double cos_lane(double x) { return circle_lane(x).cosine; }
inline SineCosine sin_cos_lane(double x) {
  const SineCosine both = circle_lane(x);
  return {sine_of(x, both.sine), both.cosine};
}

}  // namespace
}  // namespace fairfront::base
