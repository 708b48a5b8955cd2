#include "solvers/alternating/least_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "support.hpp"

namespace fairfront::alternating {
namespace {

double square_of(const std::vector<double>& products, const std::vector<double>& weights) {
  const std::size_t m = weights.size();
  double sum = 0;
  for (std::size_t i = 0; i < m; ++i) {
    for (std::size_t k = 0; k < m; ++k) sum += weights[i] * weights[k] * products[i * m + k];
  }
  return sum;
}

std::vector<double> products_of(const std::vector<std::vector<double>>& vectors) {
  std::vector<double> products;
  for (const auto& a : vectors) {
    for (const auto& b : vectors) {
      double sum = 0;
      for (std::size_t j = 0; j < a.size(); ++j) sum += a[j] * b[j];
      products.push_back(sum);
    }
  }
  return products;
}

TEST(LeastNorm, NoPointOfAFineLatticeIsShorterThanTheCombination) {
  base::Stream stream = test::stream_of("least norm");
  for (std::size_t m = 1; m <= 3; ++m) {
    for (int sample = 0; sample < 60; ++sample) {
      std::vector<std::vector<double>> vectors(m, std::vector<double>(4));
      const double shift = sample % 3;  // far from 0 the best one is often on a face
      for (auto& v : vectors) {
        for (double& component : v) component = stream.normal() + shift;
      }
      const auto products = products_of(vectors);
      const auto weights = least_norm_weights(products);
      ASSERT_EQ(weights.size(), m);
      double sum = 0;
      for (const double weight : weights) {
        EXPECT_GE(weight, 0);
        sum += weight;
      }
      EXPECT_NEAR(sum, 1, 1e-12);
      const double found = square_of(products, weights);
      const auto count = lattice_size(60, static_cast<std::int64_t>(m));
      for (std::int64_t k = 0; k < count; ++k) {
        const auto other = weights_of(lattice_point(k, 60, static_cast<std::int64_t>(m)));
        ASSERT_LE(found, square_of(products, other) + 1e-12);
      }
    }
  }
}

TEST(LeastNorm, IsThatOfTwoGradientsInClosedForm) {
  base::Stream stream = test::stream_of("two gradients");
  for (int sample = 0; sample < 200; ++sample) {
    const std::vector<double> a{stream.normal(), stream.normal(), stream.normal()};
    const std::vector<double> b{stream.normal(), stream.normal(), stream.normal()};
    const auto p = products_of({a, b});
    const double first = std::clamp((p[3] - p[1]) / (p[0] - 2 * p[1] + p[3]), 0.0, 1.0);
    EXPECT_NEAR(least_norm_weights(p)[0], first, 1e-9);
  }
}

TEST(LeastNorm, DependentAndVanishingVectorsAreNoTrouble) {
  const auto of = [](const std::vector<std::vector<double>>& vectors) {
    const auto products = products_of(vectors);
    return square_of(products, least_norm_weights(products));
  };
  EXPECT_EQ(of({{1, 2}, {1, 2}, {1, 2}}), 5);
  EXPECT_EQ(of({{0, 0}, {1, 2}, {3, 4}}), 0);
  EXPECT_NEAR(of({{1, 0}, {-3, 0}, {-1, 0}}), 0, 1e-15);
}

}  // namespace
}  // namespace fairfront::alternating
