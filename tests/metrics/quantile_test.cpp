#include "metrics/quantile.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

namespace fairfront::metrics {
namespace {

TEST(NormalQuantile, IsTheInverseOfTheDistributionFunction) {
  // In the left tail, where the function itself is exact in the relative sense.
  for (double p = 0.5; p > 1e-300; p *= 0.83) {
    const double x = normal_quantile(p);
    const long double probability = std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
    // d ln p / dx is about |x|: a relative error of 1e-15 of x weighs 1e-15 x^2.
    EXPECT_NEAR(static_cast<double>(probability / p), 1, 1e-15 * (4 + x * x)) << p;
  }
  for (const double p : {0.6, 0.9, 0.925, 0.926, 0.975, 0.999}) {
    EXPECT_NEAR(normal_quantile(p), -normal_quantile(1 - p), 1e-14) << p;
  }
  EXPECT_NEAR(normal_quantile(0.975), 1.959963984540054, 1e-15);
  EXPECT_EQ(normal_quantile(0.5), 0);
}

/// Pr(at least `hits` of n draws with probability x) = I_x(hits, n - hits + 1), by the sum.
long double binomial_tail(int hits, int n, long double x) {
  long double sum = 0;
  for (int k = hits; k <= n; ++k) {
    sum += std::exp(std::lgamma(n + 1.0L) - std::lgamma(k + 1.0L) - std::lgamma(n - k + 1.0L) +
                    k * std::log(x) + (n - k) * std::log1p(-x));
  }
  return sum;
}

TEST(IncompleteBeta, OfWholeNumbersIsABinomialTail) {
  for (const int n : {1, 5, 30, 200}) {
    for (const int hits : {1, 1 + n / 5, 1 + n / 2, n}) {
      for (const double x : {1e-3, 0.03, 0.25, 0.5, 0.9, 0.999}) {
        const auto expected = static_cast<double>(binomial_tail(hits, n, x));
        EXPECT_NEAR(incomplete_beta(hits, n - hits + 1, x, 1 - x), expected,
                    1e-14 + 1e-12 * expected)
            << hits << " of " << n << ", " << x;
      }
    }
  }
}

TEST(BetaQuantile, AgreesWithClosedForms) {
  for (const double p : {1e-12, 4.5e-5, 0.025, 0.3, 0.49, 0.9}) {
    for (const double n : {1.0, 7.0, 30.0, 1000.0, 1e6}) {
      EXPECT_NEAR(beta_quantile(p, n, 1), std::exp(std::log(p) / n), 1e-12) << p << ' ' << n;
      EXPECT_NEAR(beta_quantile(p, 1, n), -std::expm1(std::log1p(-p) / n), 1e-12) << p << ' ' << n;
    }
    const double sine = std::sin(std::numbers::pi * p / 2);  // the arcsine distribution
    EXPECT_NEAR(beta_quantile(p, 0.5, 0.5), sine * sine, 1e-12) << p;
  }
}

TEST(BetaQuantile, AgreesWithScipy) {
  EXPECT_NEAR(beta_quantile(0.025, 3, 9), 0.06021773417290664, 1e-12);
  EXPECT_NEAR(beta_quantile(1e-4, 40, 61), 0.2291477776093397, 1e-12);
  EXPECT_NEAR(beta_quantile(0.3, 0.5, 0.7), 0.13726226496361182, 1e-12);
  EXPECT_NEAR(beta_quantile(0.025, 12000, 8000), 0.593201260159112, 1e-12);
}

/// Where the quantile is too small for a number the search ends early: the bits of the whole one.
TEST(BetaQuantile, EndsWithTheBitsOfTheWholeSearchWhereItIsNearlyZero) {
  for (const double a : {1e-300, 1e-80, 1e-6, 5.3e-3, 5.35e-3, 1.33e-2, 1.3375e-2}) {
    EXPECT_EQ(beta_quantile(1e-4, a, 401 - a), 0) << a;
  }
  EXPECT_EQ(beta_quantile(1e-4, 1.35e-2, 401 - 1.35e-2), 0x1.331864599b538p-994);
  EXPECT_EQ(beta_quantile(1e-4, 0.02, 401 - 0.02), 0x1.1dedeee3551d1p-674);
  EXPECT_EQ(beta_quantile(0.025, 1.33e-2, 401 - 1.33e-2), 0x1.5000b7a3a215cp-410);
  EXPECT_EQ(beta_quantile(0.025, 1.35e-2, 401 - 1.35e-2), 0x1.3fb6c2ab84c64p-404);
}

TEST(StudentQuantile, AgreesWithClosedForms) {
  for (const double tail : {1e-9, 4.5e-5, 0.025, 0.2, 0.45}) {
    const double u = 1 - 2 * tail;
    const double one = 1 / std::tan(std::numbers::pi * tail);
    EXPECT_NEAR(student_quantile(tail, 1) / one, 1, 1e-12) << tail;
    const double two = 2 * u / std::sqrt(8 * tail * (1 - tail));
    EXPECT_NEAR(student_quantile(tail, 2) / two, 1, 1e-12) << tail;
    const double a = 4 * tail * (1 - tail);
    const double q = std::cos(std::acos(std::sqrt(a)) / 3) / std::sqrt(a);
    EXPECT_NEAR(student_quantile(tail, 4) / (2 * std::sqrt(q - 1)), 1, 1e-11) << tail;
    // Towards the normal distribution: z + (z^3 + z) / 4n + (5 z^5 + 16 z^3 + 3 z) / 96 n^2.
    const double z = -normal_quantile(tail);
    for (const double n : {2e4, 29'999.0, 3e4, 1e6}) {
      const double far =
          z + (z * z * z + z) / (4 * n) +
          (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n) +
          (3 * std::pow(z, 7) + 19 * std::pow(z, 5) + 17 * z * z * z - 15 * z) / (384 * n * n * n);
      EXPECT_NEAR(student_quantile(tail, n) / far, 1, 1e-12) << tail << ' ' << n;
    }
  }
}

TEST(StudentQuantile, AgreesWithScipy) {
  EXPECT_NEAR(student_quantile(0.025, 29), 2.0452296421327048, 1e-12);
  EXPECT_NEAR(student_quantile(1e-5, 7), 10.10268425296758, 1e-11);
  EXPECT_NEAR(student_quantile(0.4, 3.5), 0.273265454055779, 1e-12);
}

}  // namespace
}  // namespace fairfront::metrics
