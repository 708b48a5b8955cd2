#include "solvers/alternating/data_minimum.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "support.hpp"

namespace fairfront::alternating {
namespace {

constexpr std::array losses{models::LossKind::logistic, models::LossKind::square};

DataProblem problem_of(models::LossKind loss, double bound = 10,
                       FairnessKind fairness = FairnessKind::covariance) {
  return {test::small_dataset(),
          {.loss = loss,
           .fairness = fairness,
           .fairness_scale = 10,
           .regularisation = 0.01,
           .bound = bound}};
}

/// The same rows with the first feature alone: two weights.
DataProblem problem_in_two_weights(models::LossKind loss, double bound) {
  auto dataset = std::make_shared<data::Dataset>(*test::small_dataset());
  std::vector<double> first;
  for (std::int64_t i = 0; i < dataset->rows; ++i) first.push_back(dataset->row(i)[0]);
  dataset->features = first;
  dataset->columns = 1;
  dataset->feature_names = {"a"};
  return {dataset, {.loss = loss, .fairness_scale = 10, .regularisation = 0.01, .bound = bound}};
}

/// The least value on grids of the box, each around the best point of the one before.
double least_on_grids(const DataProblem& problem, std::span<const double> weights) {
  constexpr int half = 20;
  std::array<double, 2> centre{0, 0};
  double width = problem.box().upper()[0];
  double least = std::numeric_limits<double>::infinity();
  for (int zoom = 0; zoom < 12; ++zoom, width /= 4) {
    const std::array<double, 2> from = centre;
    for (int a = -half; a <= half; ++a) {
      for (int b = -half; b <= half; ++b) {
        std::array<double, 2> w{from[0] + width * a / half, from[1] + width * b / half};
        problem.box().project(w);
        const double value = scalarised(problem, weights, w);
        if (!(value < least)) continue;
        least = value;
        centre = w;
      }
    }
  }
  return least;
}

TEST(CertifiedGap, IsNeverBelowTheTrueGapThatGridsFind) {
  base::Stream stream = test::stream_of("certified gap");
  for (const models::LossKind loss : losses) {
    for (const double bound : {0.1, 5.0}) {  // with and without bounds that hold
      const DataProblem problem = problem_in_two_weights(loss, bound);
      for (const double share : {1.0, 0.6, 0.1, 0.0}) {
        const std::array<double, 2> weights{share, 1 - share};
        const double least = least_on_grids(problem, weights);
        for (int sample = 0; sample < 50; ++sample) {
          const std::vector<double> w = problem.box().random_point(stream);
          const double gap = scalarised(problem, weights, w) - least;
          EXPECT_GE(*certified_gap(problem, weights, w), gap - 1e-12);
        }
      }
    }
  }
}

TEST(CertifiedGap, IsUnknownOfProblemsThatAreNotConvex) {
  const std::vector<double> w(4, 0.1);
  EXPECT_FALSE(certified_gap(problem_of(models::LossKind::logistic, 1, FairnessKind::loss_gap),
                             std::array{0.5, 0.5}, w));
}

TEST(DataProblem, SecondDerivativesMatchCentralDifferencesOfGradients) {
  const std::vector<double> w{0.3, -0.7, 1.1, 0.2};
  const std::array<double, 2> weights{0.3, 0.7};
  for (const models::LossKind loss : losses) {
    const DataProblem problem = problem_of(loss);
    std::vector<double> matrix(16);
    problem.hessian(weights, w, matrix);
    const auto gradient = [&](std::vector<double> at) {
      std::vector<double> sum(4, 0.0);
      std::vector<double> one(4);
      for (const std::int64_t i : {0, 1}) {
        problem.gradient(i, at, one);
        for (std::size_t j = 0; j < 4; ++j) sum[j] += weights[static_cast<std::size_t>(i)] * one[j];
      }
      return sum;
    };
    for (std::size_t j = 0; j < 4; ++j) {
      constexpr double h = 1e-5;
      std::vector<double> above = w;
      std::vector<double> below = w;
      above[j] += h;
      below[j] -= h;
      const auto high = gradient(above);
      const auto low = gradient(below);
      for (std::size_t i = j; i < 4; ++i) {
        EXPECT_NEAR(matrix[j * 4 + i], (high[i] - low[i]) / (2 * h), 1e-8) << i << " " << j;
      }
    }
  }
}

TEST(MinimiseSum, FindsTheLeastValueThatGridsFindAndProvesIt) {
  for (const models::LossKind loss : losses) {
    for (const double bound : {0.1, 5.0}) {
      const DataProblem problem = problem_in_two_weights(loss, bound);
      for (const double share : {1.0, 0.6, 0.01}) {
        const std::array<double, 2> weights{share, 1 - share};
        const SumMinimum found = minimise_sum(problem, weights, std::array{0.05, -0.05}, 1e-12);
        EXPECT_LE(found.certified_gap, 1e-12);
        EXPECT_TRUE(problem.box().contains(found.w));
        EXPECT_NEAR(scalarised(problem, weights, found.w), least_on_grids(problem, weights), 1e-10);
        EXPECT_GT(found.gradients, 0);
      }
    }
  }
}

TEST(MinimiseSum, RefusesProblemsThatAreNotConvex) {
  const std::vector<double> zero(4, 0.0);
  EXPECT_THROW((void)minimise_sum(problem_of(models::LossKind::logistic, 1, FairnessKind::loss_gap),
                                  std::array{0.5, 0.5}, zero, 1e-8),
               std::invalid_argument);
}

TEST(ImproveFront, EveryPointIsTheMinimumOfItsWeightedSum) {
  const DataProblem problem = problem_of(models::LossKind::logistic);
  auto traced = epsilon_constraint(problem, EpsilonConstraintOptions{}, 1, "key");
  const auto before = traced;
  improve_front(problem, traced, {.gap = 1e-8, .largest_gap = 0.03});
  ASSERT_GT(traced.front.size(), 20u);
  EXPECT_GT(traced.gradients, before.gradients);
  EXPECT_LE(traced.open_gap, 0.03);
  double largest = 0;
  for (const TracedPoint& point : before.front) {
    largest = std::max(largest, *certified_gap(problem, point.weights, point.x));
  }
  EXPECT_GT(largest, 1e-8);  // there was something to improve
  for (std::size_t k = 0; k < traced.front.size(); ++k) {
    const TracedPoint& point = traced.front[k];
    EXPECT_LE(*certified_gap(problem, point.weights, point.x), 1e-8);
    EXPECT_EQ(point.values[0], problem.value(0, point.x));
    EXPECT_EQ(point.values[1], problem.value(1, point.x));
    if (k == 0) continue;
    EXPECT_LT(traced.front[k - 1].values[0], point.values[0]);
    EXPECT_GT(traced.front[k - 1].values[1], point.values[1]);
  }
  // No point traced before lies below a line that supports the front.
  for (const TracedPoint& point : traced.front) {
    const auto along = [&](const TracedPoint& p) {
      return point.weights[0] * p.values[0] + point.weights[1] * p.values[1];
    };
    for (const TracedPoint& other : before.front) EXPECT_GE(along(other), along(point) - 1e-8);
  }
}

/// The traced ends of such a front may be anywhere: of data without scaling they lay a large part
/// of the front inside.
TEST(ImproveFront, HasBothEndsWhereverTheTracedOnesAre) {
  for (const models::LossKind loss : losses) {
    const DataProblem problem = problem_of(loss);
    auto traced = epsilon_constraint(problem, EpsilonConstraintOptions{}, 1, "key");
    const auto middle = traced.front.begin() + std::ssize(traced.front) / 2;
    const std::vector<double> start = middle->x;
    traced.front = {*middle, *(middle + 1)};
    const FrontProof proof = improve_front(problem, traced, {.gap = 1e-8, .largest_gap = 0.03});
    EXPECT_EQ(proof.unproven, 0);
    EXPECT_LE(proof.largest, 1e-8);
    EXPECT_LE(traced.open_gap, 0.03);
    ASSERT_GT(traced.front.size(), 20u);
    const SumMinimum least = minimise_sum(problem, std::array{1.0, 0.0}, start, 1e-16);
    const TracedPoint& first = traced.front.front();
    EXPECT_NEAR(first.values[0], problem.value(0, least.w), 1e-12);
    EXPECT_NEAR(first.values[1], problem.value(1, least.w), 1e-8);
    // At the other end no covariance is left, and a point without it is hardly better in f_1.
    const TracedPoint& last = traced.front.back();
    EXPECT_LE(last.values[1], 1e-9 * first.values[1]);
    const SumMinimum fair = minimise_sum(problem, std::array{1e-9, 1 - 1e-9}, last.x, 1e-18);
    const double range = last.values[0] - first.values[0];
    EXPECT_NEAR(last.values[0], problem.value(0, fair.w), 1e-3 * range);
  }
}

/// In a large box, without regularisation, Newton steps from afar end anywhere.
TEST(ImproveFront, NoPointOfASeparableLabelIsBehindEqualScores) {
  auto rows = std::make_shared<data::Dataset>();
  rows->rows = 30;
  rows->columns = 1;
  rows->feature_names = {"x"};
  rows->group_names = {"a", "b"};
  rows->provenance.name = "separable";
  for (int i = 0; i < 30; ++i) {
    rows->features.push_back((i - 14.5) / 8.7);
    rows->group.push_back(i % 2);
    rows->label.push_back(i > 15 ? 1 : 0);
  }
  const DataProblem problem(rows, {.regularisation = 0, .bound = 1e4});
  auto traced = epsilon_constraint(problem, EpsilonConstraintOptions{}, 1, "key");
  (void)improve_front(problem, traced, {});
  const std::vector<double> zero(2, 0.0);
  for (const TracedPoint& point : traced.front) {
    EXPECT_LE(point.values[0], problem.value(0, zero));
  }
}

TEST(ImproveFront, SaysWhatIsNotProven) {
  const DataProblem problem = problem_of(models::LossKind::logistic);
  auto traced = epsilon_constraint(problem, EpsilonConstraintOptions{}, 1, "key");
  const FrontProof proof = improve_front(problem, traced, {.gap = 1e-40, .largest_gap = 0.3});
  EXPECT_GT(proof.unproven, 0);
  EXPECT_GT(proof.largest, 1e-40);
}

}  // namespace
}  // namespace fairfront::alternating
