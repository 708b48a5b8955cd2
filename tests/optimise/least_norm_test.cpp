#include "optimise/least_norm.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/random.hpp"

namespace fairfront::optimise {
namespace {

base::Stream stream_of(const char* purpose) {
  return {base::StreamKey(20221228, "tests/optimise", purpose), 0};
}

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

/// All weights of up to three vectors that are multiples of 1 / steps.
std::vector<std::vector<double>> lattice_of(std::size_t m, int steps) {
  std::vector<std::vector<double>> found;
  for (int a = 0; a <= (m > 1 ? steps : 0); ++a) {
    for (int b = 0; b <= (m > 2 ? steps - a : 0); ++b) {
      std::vector<double> weights{double(steps - a - b) / steps, double(a) / steps,
                                  double(b) / steps};
      weights.resize(m);
      found.push_back(weights);
    }
  }
  return found;
}

TEST(LeastNorm, NoPointOfAFineLatticeIsShorterThanTheCombination) {
  base::Stream stream = stream_of("least norm");
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
      for (const auto& other : lattice_of(m, 60)) {
        ASSERT_LE(found, square_of(products, other) + 1e-12);
      }
    }
  }
}

TEST(LeastNorm, IsThatOfTwoGradientsInClosedForm) {
  base::Stream stream = stream_of("two gradients");
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
}  // namespace fairfront::optimise
