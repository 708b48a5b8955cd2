/// @file
/// Predictions as of tables that are hard: outliers that press most rows onto a few atoms, targets
/// that are integers, groups of any size that features tell apart hardly, or for certain.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "solvers/regression/parity_dual.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {

template <class T, std::size_t N>
T one_of(base::Stream& stream, const std::array<T, N>& values) {
  return values[static_cast<std::size_t>(stream.uniform() * N)];
}

inline constexpr std::int64_t most_unknowns = 160;  ///< of many groups, for the test's time

/// A problem of two groups, or of up to 16; everything about it is drawn.
struct HardProblem {
  PredictedRows rows;
  Grid grid;
  ParityBound bound = ParityBound::atom;
  double beta = 0;

  HardProblem(std::uint64_t seed, std::int64_t groups, std::int64_t most_rows) {
    base::Stream stream(base::StreamKey(seed, "stress", "table"), 0);
    std::int64_t count = most_rows;  // unlabelled rows of tables of 80 to 3,000
    while (count >= most_rows)
      count = one_of(stream, std::array<std::int64_t, 5>{24, 60, 150, 360, 900});
    const std::vector<double> shares = unequal_shares(stream, groups);
    const auto features = 1 + static_cast<std::int64_t>(stream.uniform() * 5);
    const double apart = one_of(stream, std::array{0.0, 0.3, 3.0});
    const double of_group = one_of(stream, std::array{0.0, 0.5, 5.0});
    const bool tails = stream.uniform() < 0.5, integers = stream.uniform() < 0.3;
    std::vector<double> scales, factors;
    for (std::int64_t j = 0; j < features; ++j) {
      scales.push_back(one_of(stream, std::array{0.01, 0.1, 1.0, 10.0, 100.0}));
      factors.push_back(stream.normal());
    }
    std::vector<double> tau, eta;
    double largest = 0;
    for (std::int64_t i = 0; i < count; ++i) {
      const std::int64_t group = drawn(stream, shares);
      std::vector<double> x;
      double mean = 0, target = of_group * static_cast<double>(group);
      for (std::size_t j = 0; j < scales.size(); ++j) {
        x.push_back(scales[j] * stream.normal() + apart * static_cast<double>(group));
        mean += factors[j] * x.back() / (scales[j] + apart);
      }
      // Of Student's distribution with two degrees of freedom: variance has no end.
      const double noise =
          stream.normal() / (tails ? std::sqrt(-std::log(1 - stream.uniform())) : 1);
      target += mean + noise;
      if (integers) target = std::round(target);
      largest = std::max(largest, std::abs(target));
      eta.push_back(mean + of_group * static_cast<double>(group) * std::min(apart, 1.0));
      for (const double p : posterior(x, shares, scales, apart)) tau.push_back(p);
    }
    for (double& prediction : eta) prediction /= std::max(largest, 1.0);
    rows = predicted_rows(eta, tau, mean_shares(tau, groups));
    do {
      grid = {one_of(stream, std::array<std::int64_t, 3>{5, 15, 30}), 1};
    } while (groups > 2 && grid.half > 5 && groups * grid.atoms() > most_unknowns);
    bound = stream.uniform() < 0.5 ? ParityBound::atom : ParityBound::cumulative;
    const auto number = static_cast<double>(count);
    beta = 0.5 * std::sqrt(number) * std::log2(number);
  }

 private:
  /// Of all sizes: from alike to one that has nearly all rows.
  static std::vector<double> unequal_shares(base::Stream& stream, std::int64_t groups) {
    const double spread = one_of(stream, std::array{0.3, 1.0, 2.5});
    std::vector<double> shares;
    double sum = 0;
    for (std::int64_t s = 0; s < groups; ++s) {
      shares.push_back(std::exp(spread * stream.normal()));
      sum += shares.back();
    }
    for (double& share : shares) share /= sum;
    return shares;
  }
  static std::int64_t drawn(base::Stream& stream, const std::vector<double>& shares) {
    double left = stream.uniform();
    for (std::size_t s = 0; s + 1 < shares.size(); ++s) {
      if (left < shares[s]) return static_cast<std::int64_t>(s);
      left -= shares[s];
    }
    return std::ssize(shares) - 1;
  }
  /// Of normal features whose means are `apart` from group to group.
  static std::vector<double> posterior(const std::vector<double>& x,
                                       const std::vector<double>& shares,
                                       const std::vector<double>& scales, double apart) {
    std::vector<double> logs;
    for (std::size_t s = 0; s < shares.size(); ++s) {
      double log = std::log(shares[s]);
      for (std::size_t j = 0; j < x.size(); ++j) {
        const double z = (x[j] - apart * static_cast<double>(s)) / scales[j];
        log -= 0.5 * z * z;
      }
      logs.push_back(log);
    }
    const double most = *std::ranges::max_element(logs);
    double sum = 0;
    for (double& log : logs) {
      // No classifier is as sure of more.
      log = std::exp(std::max(log - most, -30.0));
      sum += log;
    }
    for (double& log : logs) log /= sum;
    return logs;
  }
};

inline ParityDual hard_dual(const HardProblem& problem, double slack) {
  return {problem.rows, problem.grid, problem.bound,
          std::vector<double>(static_cast<std::size_t>(problem.rows.groups), slack)};
}

}  // namespace fairfront::regression
