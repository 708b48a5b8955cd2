/// @file
/// Coordinate ascent on the multipliers of a quadratic whose residuals are bounded.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <span>

namespace fairfront::optimise {

/// Residuals r of
///
///     min_s  g's + s'Ps / 2 + cap sum_i (|r_i(s)| - bound)_+,
///
/// linear in s, at the s that multipliers y in [-cap, cap] lead to.
template <class T>
concept DualResiduals = requires(T& rows, const T& known, std::size_t i, double change) {
  { known.residual(i) } -> std::convertible_to<double>;
  /// By how much it falls where y_i grows by 1, >= 0.
  { known.curvature(i) } -> std::convertible_to<double>;
  /// Of a change of y_i, that by which a sweep is measured.
  { known.length(i, change) } -> std::convertible_to<double>;
  /// y_i grows.
  rows.change(i, change);
};

/// Puts one multiplier after the other where the dual is largest along it (C. Hildreth, Naval
/// Research Logistics Quarterly 4(1), 1957). Opposite sides of a bound are never both active, so
/// that one multiplier with a sign is enough.
/// @param y  shape (residuals,).
/// @return  the greatest length() of a change.
template <DualResiduals Rows>
double hildreth_sweep(Rows& rows, double bound, double cap, std::span<double> y) {
  double moved = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double curvature = rows.curvature(i);
    if (!(curvature > 0)) continue;
    const double without = rows.residual(i) + y[i] * curvature;  // with y_i = 0
    const double excess = without - std::clamp(without, -bound, bound);
    const double wanted = std::clamp(excess / curvature, -cap, cap);
    const double change = wanted - y[i];
    if (change == 0) continue;
    y[i] = wanted;
    rows.change(i, change);
    moved = std::max(moved, rows.length(i, change));
  }
  return moved;
}

}  // namespace fairfront::optimise
