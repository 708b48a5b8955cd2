/// @file
/// Numbers of about 106 bits as the unevaluated sum of two doubles, for sums that nearly cancel.
#pragma once

namespace fairfront::base {

/// high + low with |low| at most half a unit in high's last place. Relative error of an operation
/// below 2^-100 (Dekker, 1971). Operands and results must stay between about 1e-140 and 1e290 in
/// magnitude, or be 0.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  /// a + b without error (Knuth).
  [[nodiscard]] static DoubleDouble sum(double a, double b) noexcept {
    const double high = a + b;
    const double of_b = high - a;
    return {high, (a - (high - of_b)) + (b - of_b)};
  }
  /// a * b without error (Veltkamp, Dekker).
  [[nodiscard]] static DoubleDouble product(double a, double b) noexcept {
    constexpr double splitter = 134217729;  // 2^27 + 1
    const double wide_a = splitter * a;
    const double wide_b = splitter * b;
    const double a1 = wide_a - (wide_a - a);
    const double b1 = wide_b - (wide_b - b);
    const double a2 = a - a1;
    const double b2 = b - b1;
    const double high = a * b;
    return {high, ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2};
  }

  DoubleDouble& operator+=(DoubleDouble more) noexcept {
    const DoubleDouble highs = sum(high, more.high);
    const DoubleDouble lows = sum(low, more.low);
    const DoubleDouble first = sum(highs.high, highs.low + lows.high);
    return *this = sum(first.high, first.low + lows.low);
  }
  [[nodiscard]] friend DoubleDouble operator-(DoubleDouble a) noexcept { return {-a.high, -a.low}; }
  [[nodiscard]] friend DoubleDouble operator*(DoubleDouble a, DoubleDouble b) noexcept {
    const DoubleDouble highs = product(a.high, b.high);
    return sum(highs.high, highs.low + (a.high * b.low + a.low * b.high));
  }
  [[nodiscard]] friend DoubleDouble operator/(DoubleDouble a, double divisor) noexcept {
    const double first = a.high / divisor;
    DoubleDouble rest = a;
    rest += -product(first, divisor);
    const double second = rest.high / divisor;
    rest += -product(second, divisor);
    const DoubleDouble quotient = sum(first, second);
    return sum(quotient.high, quotient.low + rest.high / divisor);
  }
  [[nodiscard]] double value() const noexcept { return high + low; }
};

}  // namespace fairfront::base
