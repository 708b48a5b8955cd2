#include "models/weighted_logistic.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "models/logistic.hpp"

namespace fairfront::models {
namespace {

TEST(WeightedLogistic, WholeWeightsAreAsManyCopiesOfTheRow) {
  base::Stream stream(base::StreamKey(1, "test", "weighted rows"), 0);
  std::vector<double> features, labels, weights;
  std::vector<std::int64_t> copies;
  for (std::int64_t i = 0; i < 300; ++i) {
    const double x = stream.normal();
    const double y = stream.normal();
    features.insert(features.end(), {x, y});
    labels.push_back(x - y + stream.normal() > 0.3 ? 1 : -1);
    weights.push_back(static_cast<double>(stream.below(4)));
    for (int copy = 0; copy < static_cast<int>(weights.back()); ++copy) copies.push_back(i);
  }
  for (const double l2 : {0.0, 0.05}) {
    const optimise::MinimiseResult found =
        fit_weighted_logistic(MixedRows(Rows(features, 2)), labels, weights,
                              std::vector<double>(3, 0.0), {.l2 = l2, .tolerance = 1e-11});
    const optimise::MinimiseResult copied =
        fit_logistic(Rows(features, 2, copies), labels, {.l2 = l2, .tolerance = 1e-11});
    ASSERT_TRUE(found.converged());
    for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(found.weights[j], copied.weights[j], 1e-9);
    EXPECT_NEAR(found.value, copied.value, 1e-12);
  }
}

TEST(WeightedLogistic, AllWeightOnOneLabelGivesAConstantAndNoWeightIsRefused) {
  const std::vector<double> features{1, 2, 3}, labels{1, -1, 1}, start(2, 0.0);
  const auto fit = [&](const std::vector<double>& weights) {
    return fit_weighted_logistic(MixedRows(Rows(features, 1)), labels, weights, start).weights;
  };
  EXPECT_GT(fit({1, 0, 2})[0], 0);
  EXPECT_EQ(fit({1, 0, 2})[1], 0);
  EXPECT_LT(fit({0, 1, 0})[0], 0);
  EXPECT_THROW((void)fit({0, 0, 0}), std::invalid_argument);
  EXPECT_THROW((void)fit_weighted_logistic(MixedRows(Rows(features, 1)), labels, labels, {}),
               std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::models
