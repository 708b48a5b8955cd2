#include "solvers/regression/dual.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "support.hpp"

namespace fairfront::regression {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::Pointwise;

constexpr Grid grid{.half = 3, .bound = 1};
constexpr double beta = 7;
const std::vector<double> slack{0.02, 0.05, 0.03};

/// F(w) by its definition, in long double.
long double direct_value(const PredictedRows& rows, std::span<const double> w,
                         std::span<const double> epsilon) {
  const std::int64_t n = grid.atoms();
  const std::int64_t half = rows.groups * n;
  const auto at = [&](std::int64_t i) { return w[static_cast<std::size_t>(i)]; };
  long double total = 0;
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    long double sum = 0;
    for (std::int64_t l = 0; l < n; ++l) {
      const long double q = static_cast<long double>(l - grid.half) / grid.half;
      long double z = -std::pow(static_cast<long double>(rows.eta[std::size_t(i)]) - q, 2);
      for (std::int64_t s = 0; s < rows.groups; ++s) {
        const long double d = static_cast<long double>(at(s * n + l)) - at(half + s * n + l);
        z += d * rows.tilts(i)[std::size_t(s)];
      }
      sum += std::exp(beta * z);
    }
    total += std::log(sum) / beta;
  }
  total /= static_cast<long double>(rows.rows());
  for (std::int64_t i = 0; i < half; ++i) {
    total += static_cast<long double>(epsilon[std::size_t(i / n)]) * (at(i) + at(half + i));
  }
  return total;
}

TEST(DualProblem, ValueIsThatOfTheDefinition) {
  const PredictedRows rows = random_rows(20, 3, 1);
  const DualProblem problem(rows, grid, beta, slack);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto w = random_multipliers(problem.size(), 3, seed);
    const auto expected = static_cast<double>(direct_value(rows, w, slack));
    EXPECT_NEAR(problem.value(w), expected, 1e-14 * (1 + std::abs(expected)));
  }
}

TEST(DualProblem, GradientIsThatOfCentralDifferences) {
  const PredictedRows rows = random_rows(20, 3, 2);
  const DualProblem problem(rows, grid, beta, slack);
  std::vector<double> w = random_multipliers(problem.size(), 1, 3);
  std::vector<double> gradient(w.size());
  const double value = problem.value_and_gradient(w, gradient);
  EXPECT_EQ(value, problem.value(w));
  constexpr double h = 1e-4;  // error h^2 / 6 times a third derivative of some beta^2
  for (std::size_t i = 0; i < w.size(); ++i) {
    const double kept = w[i];
    w[i] = kept + h;
    const long double above = direct_value(rows, w, slack);
    w[i] = kept - h;
    const long double below = direct_value(rows, w, slack);
    w[i] = kept;
    EXPECT_NEAR(gradient[i], static_cast<double>((above - below) / (2 * h)), 1e-6) << i;
  }
}

TEST(DualProblem, StochasticGradientsHaveTheGradientAsMeanAndTheStatedVariance) {
  const Sample sample = random_sample(50, 2, 4);
  const auto p = mean_shares(sample.tau, 2);
  const PredictedRows rows = predicted_rows(sample.eta, sample.tau, p);
  const DualProblem problem(rows, grid, beta, {0.1, 0.2});
  const auto w = random_multipliers(problem.size(), 1, 5);
  std::vector<double> gradient(w.size()), mean(w.size(), 0.0), one(w.size());
  problem.value_and_gradient(w, gradient);
  double squares = 0;
  for (std::int64_t row = 0; row < 50; ++row) {
    problem.stochastic_gradient(w, row, one);
    for (std::size_t i = 0; i < w.size(); ++i) {
      mean[i] += one[i] / 50;
      squares += std::pow(one[i] - gradient[i], 2) / 50;
    }
  }
  EXPECT_THAT(mean, Pointwise(DoubleNear(1e-14), gradient));
  // Lemma 4.1 counts lambda and nu once; both together have twice the variance at most.
  EXPECT_LE(squares, 2 * gradient_variance(p));
}

TEST(DualProblem, GradientMapIsThatOfItsDefinitionAndBoundsTheUnfairness) {
  const PredictedRows rows = random_rows(40, 3, 6);
  const DualProblem problem(rows, grid, beta, slack);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const auto w = random_multipliers(problem.size(), 0.5, seed);
    std::vector<double> gradient(w.size());
    problem.value_and_gradient(w, gradient);
    const auto gaps = atom_gaps(rows, problem.prediction(), difference_of(w));
    double excess = 0;
    for (std::size_t i = 0; i < gaps.size(); ++i) {
      excess += std::pow(std::max(0.0, std::abs(gaps[i]) - slack[i / 7]), 2);
    }
    for (const double alpha : {0.01, 1.0, 100.0}) {
      double sum = 0;
      for (std::size_t i = 0; i < w.size(); ++i) {
        sum += std::pow((w[i] - std::max(0.0, w[i] - alpha * gradient[i])) / alpha, 2);
      }
      const double norm = gradient_map_norm(w, gradient, alpha);
      EXPECT_NEAR(norm, std::sqrt(sum), 1e-12);
      EXPECT_LE(excess, norm * norm) << "Lemma 3.5, alpha " << alpha;
    }
  }
}

TEST(SoftPrediction, IsADistributionAlsoWhereBetaOrMultipliersAreHuge) {
  std::vector<double> pi(7);
  std::vector<double> d(7, 0.0);
  const std::vector<double> tilt{-1.0};
  const SoftPrediction sharp(grid, 1, 1e6);
  const double value = sharp(0.3, tilt, d, pi);
  EXPECT_THAT(pi, ElementsAre(0, 0, 0, 0, 1, 0, 0));  // the atom 1/3 is nearest
  EXPECT_NEAR(value, -std::pow(0.3 - 1.0 / 3, 2), 1e-15);
  d[0] = -1e300;
  EXPECT_NEAR(sharp(0.3, tilt, d, pi), 1e300, 1e285);
  EXPECT_THAT(pi, ElementsAre(1, 0, 0, 0, 0, 0, 0));
}

TEST(PredictedRows, TiltsHaveWeightedSumZeroAndTheMeanOfTauMakesTheirMeansZero) {
  const Sample sample = random_sample(30, 3, 7);
  const auto p = mean_shares(sample.tau, 3);
  const PredictedRows rows = predicted_rows(sample.eta, sample.tau, p);
  std::vector<double> means(3, 0.0);
  for (std::int64_t i = 0; i < 30; ++i) {
    double sum = 0;
    for (std::size_t s = 0; s < 3; ++s) {
      sum += p[s] * rows.tilts(i)[s];
      means[s] += rows.tilts(i)[s];
    }
    EXPECT_NEAR(sum, 0, 1e-15);
  }
  EXPECT_THAT(means, Each(DoubleNear(0, 1e-13)));
  EXPECT_THAT(least_epsilon(rows, grid), Each(DoubleNear(0, 1e-15)));
}

TEST(LeastEpsilon, BelowItTheDualIsUnboundedAndAtItTheUniformPredictionIsFair) {
  const Sample sample = random_sample(30, 2, 8);
  auto p = mean_shares(sample.tau, 2);
  p[0] += 0.1;
  p[1] -= 0.1;
  const PredictedRows rows = predicted_rows(sample.eta, sample.tau, p);
  const auto least = least_epsilon(rows, grid);
  ASSERT_GT(least[1], 0.01);
  ASSERT_GT(least[0], 0.01);
  const auto value_at = [&](double epsilon, double length) {
    const DualProblem problem(rows, grid, beta, {epsilon, 1});
    std::vector<double> w(static_cast<std::size_t>(problem.size()), 0.0);
    double mean = 0;
    for (std::int64_t i = 0; i < 30; ++i) mean += rows.tilts(i)[0];
    const std::size_t first = mean > 0 ? 14 : 0;  // nu or lambda of group 0
    for (std::size_t l = 0; l < 7; ++l) w[first + l] = length;
    return problem.value(w);
  };
  EXPECT_LT(value_at(0.99 * least[0], 1e6), -1e3);
  EXPECT_GT(value_at(1.01 * least[0], 1e6), 1e3);
  const SoftPrediction uniform(grid, 2, 1e-12);
  const auto gaps = atom_gaps(rows, uniform, std::vector<double>(14, 0.0));
  for (std::size_t i = 0; i < 14; ++i) EXPECT_NEAR(std::abs(gaps[i]), least[i / 7], 1e-12);
}

TEST(DualProblem, RefusesWhatIsOutOfRange) {
  const PredictedRows rows = random_rows(5, 2, 9);
  EXPECT_THROW(DualProblem(rows, grid, beta, {0.1}), std::invalid_argument);
  EXPECT_THROW(DualProblem(rows, grid, beta, {0.1, -0.1}), std::invalid_argument);
  EXPECT_THROW(DualProblem(rows, grid, 0, {0.1, 0.1}), std::invalid_argument);
  EXPECT_THROW(DualProblem(rows, {.half = 0}, beta, {0.1, 0.1}), std::invalid_argument);
  EXPECT_THROW(DualProblem(rows, {.bound = 0}, beta, {0.1, 0.1}), std::invalid_argument);
  EXPECT_THROW(DualProblem({2, {}, {}}, grid, beta, {0.1, 0.1}), std::invalid_argument);
  const std::vector<double> eta{0.5}, tau{0.5, 0.5}, zero{0.0, 1.0}, nan{NAN, 1.0}, one{1.0};
  EXPECT_THROW((void)predicted_rows(eta, tau, zero), std::invalid_argument);
  EXPECT_THROW((void)predicted_rows(eta, nan, tau), std::invalid_argument);
  EXPECT_THROW((void)predicted_rows(eta, tau, one), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
