#include "optimise/minimise.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "optimise/eigen.hpp"

namespace fairfront::optimise {
namespace {

using Numbers = std::vector<double>;

/// sum_j c_j (w_j - j)^2 / 2 with curvatures from 1 to 1e6.
double curvature(std::size_t j) { return std::pow(10.0, static_cast<double>(j % 7)); }
double valley(std::span<const double> w, std::span<double> gradient) {
  double sum = 0;
  for (std::size_t j = 0; j < w.size(); ++j) {
    const double distance = w[j] - static_cast<double>(j);
    gradient[j] = curvature(j) * distance;
    sum += 0.5 * gradient[j] * distance;
  }
  return sum;
}

double rosenbrock(std::span<const double> w, std::span<double> gradient) {
  const double a = 1 - w[0], b = w[1] - w[0] * w[0];
  gradient[0] = -2 * a - 400 * w[0] * b;
  gradient[1] = 200 * b;
  return a * a + 100 * b * b;
}

TEST(MinimiseLbfgs, ReachesTheGradientNormThatItIsAskedFor) {
  const Numbers start(20, 0.0), ones(20, 1.0);
  const auto result = minimise_lbfgs(valley, ones, start, {.tolerance = 1e-9});
  EXPECT_EQ(result.stop, Stop::converged);
  EXPECT_LE(result.gradient_norm, 1e-9);
  for (std::size_t j = 0; j < 20; ++j) {
    EXPECT_NEAR(result.weights[j], static_cast<double>(j), 1e-9 / curvature(j) + 1e-14);
  }
}

TEST(MinimiseLbfgs, FollowsACurvedValley) {
  const auto result = minimise_lbfgs(rosenbrock, Numbers{1, 1}, Numbers{-1.2, 1}, {});
  ASSERT_TRUE(result.converged());
  EXPECT_NEAR(result.weights[0], 1, 1e-7);
  EXPECT_NEAR(result.weights[1], 1, 1e-7);
  EXPECT_LT(result.iterations, 60);
}

TEST(Minimise, CountsEveryCallOfTheFunction) {
  std::int64_t calls = 0;
  const auto counted = [&](std::span<const double> w, std::span<double> gradient) {
    ++calls;
    return rosenbrock(w, gradient);
  };
  const auto by_lbfgs = minimise_lbfgs(counted, Numbers{1, 1}, Numbers{-1.2, 1}, {});
  EXPECT_EQ(by_lbfgs.evaluations, std::exchange(calls, 0));
  const auto unit = [](std::span<const double>, std::span<double> matrix) {
    matrix[0] = matrix[3] = 1000;
    matrix[1] = 0;
  };
  const auto by_newton = minimise_newton(counted, unit, Numbers{-1.2, 1}, {.max_iterations = 20});
  EXPECT_EQ(by_newton.evaluations, calls);
  EXPECT_GT(calls, 20);
}

TEST(MinimiseLbfgs, SaysThatTheIterationsWereTooFew) {
  const auto result =
      minimise_lbfgs(rosenbrock, Numbers{1, 1}, Numbers{-1.2, 1}, {.max_iterations = 3});
  EXPECT_EQ(result.stop, Stop::iteration_limit);
  EXPECT_EQ(result.iterations, 3);
  EXPECT_GT(result.gradient_norm, 1e-3);
}

TEST(MinimiseLbfgs, SaysThatItHasStalled) {
  // |w|: the gradient stays 1 however near the minimum is.
  const auto absolute = [](std::span<const double> w, std::span<double> gradient) {
    gradient[0] = w[0] < 0 ? -1 : 1;
    return std::abs(w[0]);
  };
  const auto result = minimise_lbfgs(absolute, Numbers{1}, Numbers{0.3}, {});
  EXPECT_EQ(result.stop, Stop::stalled);
  EXPECT_FALSE(result.converged());
}

TEST(MinimiseNewton, SolvesAQuadraticInOneStep) {
  const auto hessian = [](std::span<const double> w, std::span<double> matrix) {
    for (std::size_t j = 0; j < w.size(); ++j) {
      for (std::size_t i = j; i < w.size(); ++i) {
        matrix[j * w.size() + i] = i == j ? curvature(j) : 0.0;
      }
    }
  };
  const auto result = minimise_newton(valley, hessian, Numbers(9, 0.0), {.tolerance = 1e-2});
  EXPECT_TRUE(result.converged());
  EXPECT_EQ(result.iterations, 1);
}

TEST(MinimiseNewton, StepsBackWhereTheFunctionRefuses) {
  // w - log w with its minimum at 1: from 4 the full step ends below 0.
  const auto function = [](std::span<const double> w, std::span<double> gradient) {
    gradient[0] = 1 - 1 / w[0];
    return w[0] > 0 ? w[0] - std::log(w[0]) : std::numeric_limits<double>::quiet_NaN();
  };
  const auto hessian = [](std::span<const double> w, std::span<double> matrix) {
    matrix[0] = 1 / (w[0] * w[0]);
  };
  const auto result = minimise_newton(function, hessian, Numbers{4}, {.tolerance = 1e-12});
  EXPECT_TRUE(result.converged());
  EXPECT_NEAR(result.weights[0], 1, 1e-11);
}

TEST(Minimise, BadOptionsAreRefused) {
  EXPECT_THROW((void)minimise_lbfgs(valley, Numbers{1}, Numbers{0}, {.tolerance = 0}),
               std::invalid_argument);
  EXPECT_THROW((void)minimise_lbfgs(valley, Numbers{1}, Numbers{0}, {.max_iterations = 0}),
               std::invalid_argument);
}

TEST(Eigen, PlansWithOurCacheSizesNotThoseOfTheProcessor) {
  EXPECT_EQ(::Eigen::l1CacheSize(), planned_caches[0]);
  EXPECT_EQ(::Eigen::l2CacheSize(), planned_caches[1]);
  EXPECT_EQ(::Eigen::l3CacheSize(), planned_caches[2]);
}

}  // namespace
}  // namespace fairfront::optimise
