/// @file
/// Rows with probabilities of groups, random vectors and a slow method, for tests of the dual and
/// its optimum.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "solvers/regression/optimum.hpp"

namespace fairfront::regression {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Sampled {
  std::vector<double> eta, tau;
  std::vector<double> p;
  std::int64_t groups;

  Sampled(std::uint64_t seed, std::int64_t count, std::int64_t k) : groups{k} {
    base::Stream stream(base::StreamKey(seed, "optimum", "test"), 0);
    for (std::int64_t i = 0; i < count; ++i) {
      const double x = stream.normal(), z = stream.normal();
      std::vector<double> weights;
      double sum = 0;
      for (std::int64_t s = 0; s < k; ++s) {
        weights.push_back(std::exp(1.2 * x * static_cast<double>(s) + 0.5 * z));
        sum += weights.back();
      }
      for (const double w : weights) tau.push_back(w / sum);
      eta.push_back(0.35 * x + 0.2 * stream.normal());
    }
    p = mean_shares(tau, k);
  }
  [[nodiscard]] PredictedRows rows() const { return predicted_rows(eta, tau, p); }
};

inline VectorXd random_vector(std::uint64_t seed, Index size, double scale) {
  base::Stream stream(base::StreamKey(seed, "optimum", "vector"), 0);
  VectorXd v(size);
  for (double& x : v) x = scale * stream.normal();
  return v;
}

/// Many groups, the last of them rare, whose probabilities depend on two numbers of a row.
inline PredictedRows many_groups(std::uint64_t seed, std::int64_t count, std::int64_t groups) {
  base::Stream stream(base::StreamKey(seed, "optimum", "many groups"), 0);
  std::vector<double> eta, tau;
  for (std::int64_t i = 0; i < count; ++i) {
    const double x = stream.normal(), z = stream.normal();
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t s = 0; s < groups; ++s) {
      const auto number = static_cast<double>(s);
      weights.push_back(std::exp(3 * std::sin(1.3 * number + 2 * x) +
                                 2 * z * std::cos(2.1 * number) - 0.3 * number));
      sum += weights.back();
    }
    for (const double w : weights) tau.push_back(w / sum);
    eta.push_back(0.35 * x + 0.2 * stream.normal());
  }
  return predicted_rows(eta, tau, mean_shares(tau, groups));
}

/// The minimum of the whole problem, 2 K n unknowns, by accelerated projected gradients with
/// restarts; stops at a projected gradient of 1e-10.
inline double full_minimum(const DualProblem& problem) {
  const auto size = static_cast<std::size_t>(problem.size());
  double largest = 0;  // of |t|^2, a row's; the gradient is Lipschitz with beta |t|^2, twice for w
  for (std::int64_t i = 0; i < problem.rows().rows(); ++i) {
    double sum = 0;
    for (const double t : problem.rows().tilts(i)) sum += t * t;
    largest = std::max(largest, sum);
  }
  const double step = 1 / (2 * problem.prediction().beta() * largest);
  std::vector<double> w(size, 0.0), y = w, gradient(size);
  double momentum = 1, value = 0;
  for (int k = 0; k < 400'000; ++k) {
    value = problem.value_and_gradient(w, gradient);
    if (k % 50 == 0 && gradient_map_norm(w, gradient, 1) < 1e-10) return value;
    problem.value_and_gradient(y, gradient);
    const double next = (1 + std::sqrt(1 + 4 * momentum * momentum)) / 2;
    double uphill = 0;
    std::vector<double> moved(size);
    for (std::size_t j = 0; j < size; ++j) {
      moved[j] = std::max(0.0, y[j] - step * gradient[j]);
      uphill += (y[j] - moved[j]) * (moved[j] - w[j]);
    }
    const double inertia = uphill > 0 ? 0 : (momentum - 1) / next;
    for (std::size_t j = 0; j < size; ++j) y[j] = moved[j] + inertia * (moved[j] - w[j]);
    momentum = uphill > 0 ? 1 : next;
    w = moved;
  }
  ADD_FAILURE() << "the slow method did not end";
  return value;
}

}  // namespace fairfront::regression
