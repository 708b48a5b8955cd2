#include "solvers/alternating/data_problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "solvers/alternating/sa2gd.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

struct Kinds {
  models::LossKind loss;
  FairnessKind fairness;
};
const std::vector<Kinds> all_kinds = {
    {models::LossKind::logistic, FairnessKind::covariance},
    {models::LossKind::logistic, FairnessKind::loss_gap},
    {models::LossKind::square, FairnessKind::covariance},
    {models::LossKind::square, FairnessKind::loss_gap},
};

DataProblem problem_of(const Kinds& kinds, std::int64_t batch = 0) {
  return {test::small_dataset(),
          {.loss = kinds.loss,
           .fairness = kinds.fairness,
           .fairness_scale = 2,
           .regularisation = 0.1,
           .batch = batch}};
}

const std::vector<double> some_w = {0.3, -0.7, 1.1, 0.2};

TEST(DataProblem, GradientsMatchCentralDifferences) {
  base::Stream stream = test::stream_of("data gradients");
  for (const Kinds& kinds : all_kinds) {
    const DataProblem problem = problem_of(kinds);
    for (int sample = 0; sample < 20; ++sample) {
      std::vector<double> w(4);
      for (double& value : w) value = stream.normal();
      std::vector<double> gradient(4);
      for (std::int64_t i = 0; i < 2; ++i) {
        problem.gradient(i, w, gradient);
        for (std::size_t j = 0; j < w.size(); ++j) {
          constexpr double h = 1e-5;
          std::vector<double> above = w;
          std::vector<double> below = w;
          above[j] += h;
          below[j] -= h;
          const double difference = (problem.value(i, above) - problem.value(i, below)) / (2 * h);
          EXPECT_NEAR(gradient[j], difference, 1e-8 * (1 + std::abs(difference)));
        }
      }
    }
  }
}

TEST(DataProblem, StochasticGradientsAreUnbiased) {
  // The mean of many draws lies within five of its own standard errors: seeds are fixed, so this
  // is a fact about these numbers, and a bias of the size of the batch's variance would show.
  constexpr int draws = 100000;
  for (const Kinds& kinds : all_kinds) {
    const DataProblem problem = problem_of(kinds, 2);
    base::Stream stream = test::stream_of("draws");
    std::vector<double> exact(4);
    std::vector<double> drawn(4);
    for (std::int64_t i = 0; i < 2; ++i) {
      problem.gradient(i, some_w, exact);
      std::vector<double> sum(4, 0.0);
      std::vector<double> squares(4, 0.0);
      for (int k = 0; k < draws; ++k) {
        problem.stochastic_gradient(i, some_w, stream, drawn);
        for (std::size_t j = 0; j < 4; ++j) {
          sum[j] += drawn[j];
          squares[j] += drawn[j] * drawn[j];
        }
      }
      for (std::size_t j = 0; j < 4; ++j) {
        const double mean = sum[j] / draws;
        const double error = std::sqrt((squares[j] / draws - mean * mean) / draws);
        EXPECT_NEAR(mean, exact[j], 5 * error);
        EXPECT_GT(error, 0);
      }
    }
  }
}

TEST(DataProblem, AStopEndsABatchOfThousandMillionRows) {
  base::Stream stream = test::stream_of("stop");
  std::vector<double> out(4);
  int asked = 0;
  const base::StopScope scope([&] { return ++asked > 10; });
  for (const Kinds& kinds : all_kinds) {
    const DataProblem problem = problem_of(kinds, 1'000'000'000);
    for (std::int64_t i = 0; i < 2; ++i) {
      asked = 0;
      EXPECT_THROW(problem.stochastic_gradient(i, some_w, stream, out), base::Interrupted);
    }
  }
}

TEST(DataProblem, CovarianceOfTwoGroupsIsTheSquaredCovarianceOfScoreAndGroup) {
  auto dataset = std::make_shared<data::Dataset>(*test::small_dataset());
  dataset->group_names = {"x", "y"};
  for (auto& group : dataset->group) group = group == 2 ? 0 : group;
  const DataProblem problem(dataset, {});
  double share = 0;
  double score = 0;
  double product = 0;
  for (std::int64_t i = 0; i < dataset->rows; ++i) {
    const auto x = dataset->row(i);
    const double s = some_w[0] + some_w[1] * x[0] + some_w[2] * x[1] + some_w[3] * x[2];
    const double z = dataset->group[static_cast<std::size_t>(i)];
    share += z / 60;
    score += s / 60;
    product += s * z / 60;
  }
  const double covariance = product - share * score;
  EXPECT_NEAR(problem.value(1, some_w), covariance * covariance, 1e-14);
}

TEST(DataProblem, Sa2gdTradesLossForFairness) {
  for (const Kinds& kinds : all_kinds) {
    const DataProblem problem = problem_of(kinds);
    const std::vector<double> start(4, 0.0);
    const auto values = [&](Efforts efforts) {
      const Sa2gdOptions options{.efforts = std::move(efforts),
                                 .run = {.iterations = 2000, .step = {.step = 1e-3}}};
      return values_at(problem, sa2gd(problem, start, options, 1, "key").last);
    };
    const auto accurate = values({10, 0});
    const auto between = values({5, 5});
    const auto fair = values({1, 9});
    EXPECT_LT(accurate[0], between[0]);
    EXPECT_LT(between[0], fair[0]);
    EXPECT_GT(accurate[1], between[1]);
    EXPECT_GT(between[1], fair[1]);
  }
}

TEST(DataProblem, UnfitDataAreInputErrors) {
  auto dataset = std::make_shared<data::Dataset>(*test::small_dataset());
  dataset->label[0] = 5;
  EXPECT_THROW(DataProblem(dataset, {}), base::InputError);
  EXPECT_NO_THROW(DataProblem(dataset, {.loss = models::LossKind::square}));
  dataset->label.clear();
  EXPECT_THROW(DataProblem(dataset, {.loss = models::LossKind::square}), base::InputError);
  auto one_group = std::make_shared<data::Dataset>(*test::small_dataset());
  one_group->group.assign(60, 0);
  one_group->group_names = {"all"};
  EXPECT_THROW(DataProblem(one_group, {}), base::InputError);
}

}  // namespace
}  // namespace fairfront::alternating
