#include "optimise/mixture_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace fairfront::optimise {
namespace {

double value_at(const std::vector<double>& errors, const std::vector<double>& excess,
                double penalty, const std::vector<double>& q) {
  const std::size_t m = errors.size();
  double worst = 0;
  for (std::size_t k = 0; k < excess.size() / m; ++k) {
    worst = std::max(worst, std::inner_product(q.begin(), q.end(), &excess[k * m], 0.0));
  }
  return std::inner_product(q.begin(), q.end(), errors.begin(), 0.0) + penalty * worst;
}

TEST(BestMixture, IsNoWorseThanAnyMixtureOfAGridAndItsMultipliersProveIt) {
  constexpr int steps = 40;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "mixtures"), 0);
    std::vector<double> errors(3), excess(3 * 4);
    for (double& value : errors) value = stream.uniform();
    for (double& value : excess) value = stream.uniform() - 0.6;
    const double penalty = 0.2 + 4 * stream.uniform();
    const Mixture found = best_mixture(errors, excess, penalty);
    EXPECT_NEAR(best_mixture(errors, excess, penalty, Pricing::steepest).value, found.value, 1e-8);

    EXPECT_NEAR(std::accumulate(found.shares.begin(), found.shares.end(), 0.0), 1, 1e-12);
    EXPECT_GE(std::ranges::min(found.shares), 0);
    EXPECT_NEAR(value_at(errors, excess, penalty, found.shares), found.value, 1e-10);
    for (int a = 0; a <= steps; ++a) {
      for (int b = 0; a + b <= steps; ++b) {
        const std::vector<double> q{a / 40.0, b / 40.0, (steps - a - b) / 40.0};
        EXPECT_GE(value_at(errors, excess, penalty, q), found.value - 1e-10);
      }
    }
    // By weak duality the least Lagrangian of a member is below the optimum; here it is equal.
    double dual = std::numeric_limits<double>::infinity();
    for (std::size_t j = 0; j < 3; ++j) {
      double lagrangian = errors[j];
      for (std::size_t k = 0; k < 4; ++k) lagrangian += found.multipliers[k] * excess[3 * k + j];
      dual = std::min(dual, lagrangian);
    }
    EXPECT_NEAR(dual, found.value, 1e-9);
    EXPECT_LE(std::accumulate(found.multipliers.begin(), found.multipliers.end(), 0.0),
              penalty + 1e-9);
  }
}

}  // namespace
}  // namespace fairfront::optimise
