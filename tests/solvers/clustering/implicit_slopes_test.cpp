#include "solvers/clustering/implicit_slopes.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace fairfront::clustering {
namespace {

struct Cluster {
  std::vector<double> shares, masses;
};

Cluster random_cluster(std::uint64_t seed, std::size_t groups) {
  base::Stream stream(base::StreamKey(seed, "test", "cluster"), 0);
  Cluster cluster;
  double total = 0;
  for (std::size_t j = 0; j < groups; ++j) {
    cluster.shares.push_back(0.01 + stream.uniform());
    cluster.masses.push_back(std::exp(6 * stream.normal()));
    total += cluster.shares.back();
  }
  for (double& share : cluster.shares) share /= total;
  return cluster;
}

double penalty(const Cluster& cluster, double mu) {
  const double size = std::accumulate(cluster.masses.begin(), cluster.masses.end(), 0.0);
  double sum = std::log(size);
  for (std::size_t j = 0; j < cluster.masses.size(); ++j) {
    sum -= cluster.shares[j] * std::log(cluster.masses[j]);
  }
  return mu * sum;
}

/// By differences of the penalty itself.
std::vector<double> slopes_at(Cluster cluster, double mu) {
  std::vector<double> slopes;
  for (double& mass : cluster.masses) {
    const double whole = mass;
    const double step = 1e-4 * whole;
    mass = whole + step;
    const double above = penalty(cluster, mu);
    mass = whole - step;
    slopes.push_back((above - penalty(cluster, mu)) / (2 * step));
    mass = whole;
  }
  return slopes;
}

TEST(ImplicitSlopes, AreTheDerivativesWhereTheUpdateEnds) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const double mu : {0.5, 50.0, 4000.0}) {
      Cluster cluster = random_cluster(seed, 2 + seed % 3);
      cluster.masses.assign(cluster.masses.size(), 3.0);
      const std::vector<double> expected = slopes_at(cluster, mu);
      for (const double lipschitz : {0.25, 2.0, 1e3}) {
        std::vector<double> slopes = expected;  // those there already: nothing to change
        make_implicit(cluster.shares, cluster.masses, mu, lipschitz, slopes);
        for (std::size_t j = 0; j < slopes.size(); ++j) {
          EXPECT_NEAR(slopes[j], expected[j], 1e-6 * mu);
        }
      }
    }
  }
}

/// The c with c = mu (1/size - share / (mass exp(-(c - before) / L))), by bisection.
double bisect(double share, double mass, double size, double mu, double lipschitz, double before) {
  double low = -1e9, high = 1e9;
  for (int i = 0; i < 200; ++i) {
    const double c = (low + high) / 2;
    const double there = mu * (1 / size - share / (mass * std::exp(-(c - before) / lipschitz)));
    (c < there ? low : high) = c;
  }
  return low;
}

TEST(ImplicitSlopes, SolveTheirEquations) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Cluster cluster = random_cluster(seed, 3);
    base::Stream stream(base::StreamKey(seed, "test", "slopes"), 0);
    const double mu = std::exp(3 * stream.normal() + 3);
    const double lipschitz = std::exp(stream.normal());
    const double size = std::accumulate(cluster.masses.begin(), cluster.masses.end(), 0.0);
    std::vector<double> slopes, expected;
    for (std::size_t j = 0; j < 3; ++j) {
      slopes.push_back(10 * stream.normal());
      expected.push_back(
          bisect(cluster.shares[j], cluster.masses[j], size, mu, lipschitz, slopes.back()));
    }
    make_implicit(cluster.shares, cluster.masses, mu, lipschitz, slopes);
    for (std::size_t j = 0; j < 3; ++j) {
      EXPECT_NEAR(slopes[j], expected[j], 1e-9 * (std::abs(expected[j]) + mu / size))
          << "seed " << seed;
    }
  }
}

TEST(ImplicitSlopes, OfShortStepsAreTheExplicitOnes) {
  const Cluster cluster{{0.75, 0.25}, {2.0, 5.0}};
  std::vector<double> slopes{0, 0};
  make_implicit(cluster.shares, cluster.masses, 10, 1e9, slopes);
  EXPECT_NEAR(slopes[0], 10 * (1.0 / 7 - 0.75 / 2), 1e-6);
  EXPECT_NEAR(slopes[1], 10 * (1.0 / 7 - 0.25 / 5), 1e-6);
}

/// Masses at the least membership, and weights as large as may be.
TEST(ImplicitSlopes, AreFiniteAtTheEndsOfTheNumberRange) {
  for (const double mass : {1e-150, 1e-15, 1.0, 1e7}) {
    for (const double mu : {1e-9, 1.0, 1e12}) {
      for (const double lipschitz : {1e-4, 2.0, 1e18}) {
        for (const double before : {-1e20, 0.0, 1e20}) {
          std::vector<double> slopes{before, -before};
          make_implicit(std::vector{0.9, 0.1}, std::vector{mass, 1.0}, mu, lipschitz, slopes);
          EXPECT_TRUE(std::isfinite(slopes[0]) && std::isfinite(slopes[1]));
        }
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
