#include "metrics/quantile.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>

#include "base/elementary.hpp"

namespace fairfront::metrics {
namespace {

/// numerator(x) / denominator(x), coefficients from the constant upwards.
template <std::size_t N>
double ratio_of_polynomials(const double (&numerator)[N], const double (&denominator)[N],
                            double x) {
  double above = 0;
  double below = 0;
  for (std::size_t i = N; i-- > 0;) {
    above = above * x + numerator[i];
    below = below * x + denominator[i];
  }
  return above / below;
}

/// ln Gamma(x + 1) less Stirling's formula of it, x > 0: Loader (2000).
double stirling_error(double x) {
  double error = 0;
  for (; x < 16; x += 1) error += (x + 0.5) * base::log1p(1 / x) - 1;
  const double square = x * x;
  constexpr double series[]{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188};
  double sum = 0;
  for (std::size_t i = std::size(series); i-- > 0;) sum = sum / square + series[i];
  return error + sum / x;
}

/// x ln(x / mean) + mean - x without cancellation near x = mean: Loader (2000).
double deviance(double x, double mean) {
  if (std::abs(x - mean) >= 0.1 * (x + mean)) return x * base::log(x / mean) + mean - x;
  const double ratio = (x - mean) / (x + mean);
  double sum = (x - mean) * ratio;
  double power = 2 * x * ratio;
  for (int j = 1; j < 1000; ++j) {
    power *= ratio * ratio;
    const double next = sum + power / (2 * j + 1);
    if (next == sum) break;
    sum = next;
  }
  return sum;
}

/// x^a y^b / B(a, b), x + y = 1, for many x.
class BetaPrefactor {
 public:
  BetaPrefactor(double a, double b)
      : a_{a},
        b_{b},
        stirling_{stirling_error(a + b) - stirling_error(a) - stirling_error(b)},
        root_{std::sqrt(a * b / (2 * std::numbers::pi * (a + b)))} {}
  [[nodiscard]] double operator()(double x, double y) const {
    if (x == 0 || y == 0) return 0;
    const double n = a_ + b_;
    return base::exp(stirling_ - deviance(a_, n * x) - deviance(b_, n * y)) * root_;
  }

 private:
  double a_, b_;
  double stirling_, root_;
};

/// The continued fraction of I_x(a, b), by the method of Lentz; for x <= (a + 1) / (a + b + 2).
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  const auto away_from_zero = [](double v) { return std::abs(v) < tiny ? tiny : v; };
  double c = 1;
  double d = 1 / away_from_zero(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < 1'000'000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / away_from_zero(1 + even * d);
    c = away_from_zero(1 + even / c);
    fraction *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / away_from_zero(1 + odd * d);
    c = away_from_zero(1 + odd / c);
    const double factor = d * c;
    fraction *= factor;
    if (std::abs(factor - 1) < 1e-16) break;
  }
  return fraction;
}

/// I_x(a, b) from its prefactor at x.
double beta_from(double prefactor, double a, double b, double x, double y) {
  if (x * (a + b + 2) <= a + 1) return x == 0 ? 0 : prefactor * beta_fraction(a, b, x) / a;
  return y == 0 ? 1 : 1 - prefactor * beta_fraction(b, a, y) / b;
}

struct Point {
  double distribution;
  double density;
  double slope;  ///< of ln(density)
};

/// Solves distribution(x) = p for an increasing distribution function between `low` and `high` by
/// Halley's steps on ln(distribution), which is concave for those here, and halving where a step
/// would leave what is known to enclose the root.
/// @param evaluate  returns a Point.
/// @param least     roots below are not told apart: a bound on one is returned for it.
template <class Evaluate>
double solve(double p, double low, double high, double start, Evaluate evaluate,
             double least = -std::numeric_limits<double>::infinity()) {
  constexpr double small_step = 3e-6;  // its cube, the error that is left, is below the rounding
  double x = start;
  for (int step = 0; step < 200; ++step) {
    const Point at = evaluate(x);
    (at.distribution < p ? low : high) = x;
    if (high < least) return high;
    const double newton = at.distribution * base::log(at.distribution / p) / at.density;
    const double bend = 1 - newton * (at.slope - at.density / at.distribution) / 2;
    double next = x - newton / std::max(0.5, bend);
    if (std::abs(next - x) <= small_step * std::max(1.0, std::abs(x))) return next;
    if (!(next > low && next < high)) next = low + (high - low) / 2;
    x = next;
  }
  return x;
}

}  // namespace

double normal_quantile(double p) {
  const double q = p - 0.5;
  if (std::abs(q) <= 0.425) {
    constexpr double a[]{3.3871328727963666080e0,  1.3314166789178437745e+2,
                         1.9715909503065514427e+3, 1.3731693765509461125e+4,
                         4.5921953931549871457e+4, 6.7265770927008700853e+4,
                         3.3430575583588128105e+4, 2.5090809287301226727e+3};
    constexpr double b[]{1.0,
                         4.2313330701600911252e+1,
                         6.8718700749205790830e+2,
                         5.3941960214247511077e+3,
                         2.1213794301586595867e+4,
                         3.9307895800092710610e+4,
                         2.8729085735721942674e+4,
                         5.2264952788528545610e+3};
    return q * ratio_of_polynomials(a, b, 0.180625 - q * q);
  }
  const double r = std::sqrt(-base::log(q < 0 ? p : 1 - p));
  double tail = 0;
  if (r <= 5) {
    constexpr double c[]{1.42343711074968357734e0,  4.63033784615654529590e0,
                         5.76949722146069140550e0,  3.64784832476320460504e0,
                         1.27045825245236838258e0,  2.41780725177450611770e-1,
                         2.27238449892691845833e-2, 7.74545014278341407640e-4};
    constexpr double d[]{1.0,
                         2.05319162663775882187e0,
                         1.67638483018380384940e0,
                         6.89767334985100004550e-1,
                         1.48103976427480074590e-1,
                         1.51986665636164571966e-2,
                         5.47593808499534494600e-4,
                         1.05075007164441684324e-9};
    tail = ratio_of_polynomials(c, d, r - 1.6);
  } else {
    constexpr double e[]{6.65790464350110377720e0,  5.46378491116411436990e0,
                         1.78482653991729133580e0,  2.96560571828504891230e-1,
                         2.65321895265761230930e-2, 1.24266094738807843860e-3,
                         2.71155556874348757815e-5, 2.01033439929228813265e-7};
    constexpr double f[]{1.0,
                         5.99832206555887937690e-1,
                         1.36929880922735805310e-1,
                         1.48753612908506148525e-2,
                         7.86869131145613259100e-4,
                         1.84631831751005468180e-5,
                         1.42151175831644588870e-7,
                         2.04426310338993978564e-15};
    tail = ratio_of_polynomials(e, f, r - 5);
  }
  return q < 0 ? -tail : tail;
}

double incomplete_beta(double a, double b, double x, double y) {
  return beta_from(BetaPrefactor(a, b)(x, y), a, b, x, y);
}

double beta_quantile(double p, double a, double b) {
  // In u = ln(x / (1 - x)), where the distribution has no ends.
  const BetaPrefactor prefactor(a, b);
  const auto evaluate = [&](double u) {
    const double x = base::sigmoid(u);
    const double y = base::sigmoid(-u);
    const double density = prefactor(x, y);
    return Point{std::max(beta_from(density, a, b, x, y), 1e-308), density, a * y - b * x};
  };
  const double z = normal_quantile(p);
  const double middle = base::log(a / b);
  const double start = std::clamp(middle + z * std::sqrt(1 / a + 1 / b), -600.0, 600.0);
  constexpr double end = 690;
  // From here on no step that ends the search is so long that it would lead out again.
  constexpr double least = 1 - end - 0.01;
  const double u = solve(p, -end, end, start, evaluate, least);
  return u <= 1 - end ? 0 : base::sigmoid(u);
}

namespace {

/// Hill (1970): from 3e4 degrees on, exact to 1e-14 of the quantile.
double far_student_quantile(double z, double degrees) {
  const double square = z * z;
  const double first = z * (square + 1) / 4;
  const double second = z * ((5 * square + 16) * square + 3) / 96;
  const double third = z * (((3 * square + 19) * square + 17) * square - 15) / 384;
  return z + (first + (second + third / degrees) / degrees) / degrees;
}

}  // namespace

double student_quantile(double tail, double degrees) {
  constexpr double far = 3e4;
  if (degrees >= far) return far_student_quantile(-normal_quantile(tail), degrees);
  const BetaPrefactor prefactor(degrees / 2, 0.5);
  // In v = -ln t, in which the logarithm of the tail is concave.
  const auto evaluate = [&](double v) {
    const double square = base::exp(-2 * v);
    const double x = degrees / (degrees + square);
    const double y = square / (degrees + square);
    const double density = prefactor(x, y);
    const double beyond = beta_from(density, degrees / 2, 0.5, x, y) / 2;
    return Point{std::max(beyond, 1e-308), density, degrees * y - x};
  };
  const double z = -normal_quantile(tail);
  constexpr double end = 345;
  return base::exp(
      -solve(tail, -end, end, -base::log(z + (z * z * z + z) / (4 * degrees)), evaluate));
}

}  // namespace fairfront::metrics
