#include "models/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/linear_model.hpp"

namespace fairfront::models {
namespace {

TEST(LogisticLoss, IsTheNegativeLogLikelihood) {
  for (const double score : {-3.0, -0.5, 0.0, 0.5, 3.0}) {
    for (const double label : {-1.0, 1.0}) {
      EXPECT_NEAR(LogisticLoss::value(score, label), std::log(1 + std::exp(-label * score)), 1e-15);
    }
  }
}

TEST(LogisticLoss, DoesNotOverflow) {
  EXPECT_DOUBLE_EQ(LogisticLoss::value(-1e4, 1), 1e4);
  EXPECT_EQ(LogisticLoss::value(1e4, 1), 0);
  EXPECT_EQ(LogisticLoss::slope(-1e4, 1), -1);
  EXPECT_EQ(LogisticLoss::slope(1e4, 1), 0);
}

template <class Loss>
void expect_slopes_match(double label) {
  constexpr double h = 1e-5;
  for (double score = -4; score <= 4; score += 0.37) {
    const double difference =
        (Loss::value(score + h, label) - Loss::value(score - h, label)) / (2 * h);
    EXPECT_NEAR(Loss::slope(score, label), difference, 1e-9);
  }
}

TEST(Losses, SlopesMatchCentralDifferences) {
  for (const double label : {-1.0, 1.0}) {
    expect_slopes_match<LogisticLoss>(label);
    expect_slopes_match<SquaredLoss>(label);
  }
}

TEST(LinearModel, ScoresHaveAnIntercept) {
  const std::vector<double> features = {1, 2, 3, 4};
  const std::vector<double> labels = {0, 1};
  const LinearModel model{2, features, labels};
  const std::vector<double> w = {10, 1, -1};
  EXPECT_EQ(model.rows(), 2);
  EXPECT_EQ(model.parameters(), 3);
  EXPECT_EQ(model.score(0, w), 9);
  EXPECT_EQ(model.score(1, w), 9);
  std::vector<double> gradient(3, 0.0);
  model.add_loss_gradient<SquaredLoss>(1, w, 0.5, gradient);
  EXPECT_EQ(gradient, (std::vector<double>{4, 12, 16}));
}

}  // namespace
}  // namespace fairfront::models
