#include "solvers/training/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/random.hpp"

namespace fairfront::training {
namespace {

TEST(Adam, TakesTheStepsOfThePaper) {
  base::Stream stream(base::StreamKey(1, "test", "adam"), 0);
  constexpr std::size_t n = 7;
  for (const double decay : {0.0, 0.3}) {
    std::vector<double> w(n, 1.0), mine(n, 1.0), gradient(n), m(n, 0.0), v(n, 0.0);
    Adam adam(n);
    for (int t = 1; t <= 50; ++t) {
      for (double& g : gradient) g = stream.normal();
      const double size = 0.01 / t;
      adam.step(mine, gradient, size, decay);
      for (std::size_t j = 0; j < n; ++j) {
        m[j] = 0.9 * m[j] + 0.1 * gradient[j];
        v[j] = 0.999 * v[j] + 0.001 * gradient[j] * gradient[j];
        const double mean = m[j] / (1 - std::pow(0.9, t));
        const double square = v[j] / (1 - std::pow(0.999, t));
        w[j] -= size * (mean / (std::sqrt(square) + 1e-8) + decay * w[j]);
        EXPECT_NEAR(mine[j], w[j], 1e-13);
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::training
