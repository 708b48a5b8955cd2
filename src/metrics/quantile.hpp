/// @file
/// Quantiles of distributions that limits are taken from. Only +, -, *, /, roots and
/// base/elementary.hpp, so that the bits are the same on every processor.
#pragma once

namespace fairfront::metrics {

/// The p-quantile of the standard normal distribution, 0 < p < 1: Wichura (1988), algorithm AS 241
/// (PPND16), relative error below 1e-15.
[[nodiscard]] double normal_quantile(double p);

/// I_x(a, b), the distribution function of Beta(a, b) at x, with y = 1 - x given beside it so that
/// neither loses digits near 0. a, b > 0, x, y in [0, 1]. Continued fraction of Didonato, Morris
/// (1992) with the prefactor of Loader (2000); O(sqrt(a + b)).
[[nodiscard]] double incomplete_beta(double a, double b, double x, double y);

/// The p-quantile of Beta(a, b), 0 < p < 1, a, b > 0; 0 where it would be below 1e-300.
[[nodiscard]] double beta_quantile(double p, double a, double b);

/// The value that a variable of Student's distribution exceeds with probability `tail`,
/// 0 < tail < 1/2, at `degrees` > 0 degrees of freedom.
[[nodiscard]] double student_quantile(double tail, double degrees);

}  // namespace fairfront::metrics
