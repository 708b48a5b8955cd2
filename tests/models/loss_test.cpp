#include "models/loss.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

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

TEST(HingeLoss, IsTheShortfallOfTheMargin) {
  EXPECT_EQ(HingeLoss::value(0.25, 1), 0.75);
  EXPECT_EQ(HingeLoss::value(0.25, -1), 1.25);
  EXPECT_EQ(HingeLoss::value(-3, -1), 0);
  EXPECT_EQ(HingeLoss::slope(1, 1), 0);
}

/// Scores that keep clear of the hinge's kink at y s = 1.
constexpr double first_score = -4.05, score_step = 0.37, last_score = 4;

template <class Loss>
void expect_slopes_match(double label) {
  constexpr double h = 1e-5;
  for (double score = first_score; score <= last_score; score += score_step) {
    const double difference =
        (Loss::value(score + h, label) - Loss::value(score - h, label)) / (2 * h);
    EXPECT_NEAR(Loss::slope(score, label), difference, 1e-9);
  }
}

TEST(Losses, SlopesMatchCentralDifferences) {
  for (const double label : {-1.0, 1.0}) {
    expect_slopes_match<LogisticLoss>(label);
    expect_slopes_match<SquaredLoss>(label);
    expect_slopes_match<HingeLoss>(label);
  }
}

template <class Loss>
void expect_batch_is_bit_for_bit(LossKind kind) {
  // An odd number, so that vector code has a remainder.
  std::vector<double> scores, labels;
  for (double score = first_score; score <= last_score; score += score_step) {
    scores.push_back(score);
    labels.push_back(scores.size() % 3 == 0 ? -1.0 : 1.0);
  }
  scores.push_back(1e3);
  labels.push_back(-1);
  ASSERT_EQ(scores.size() % 2, 1u);
  std::vector<double> values(scores.size()), slopes(scores.size());
  loss_values(kind, scores, labels, values);
  loss_slopes(kind, scores, labels, slopes);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    EXPECT_EQ(values[i], Loss::value(scores[i], labels[i]));
    EXPECT_EQ(slopes[i], Loss::slope(scores[i], labels[i]));
  }
}

TEST(Losses, ABatchGivesTheBitsOfItsRows) {
  expect_batch_is_bit_for_bit<LogisticLoss>(LossKind::logistic);
  expect_batch_is_bit_for_bit<SquaredLoss>(LossKind::square);
  expect_batch_is_bit_for_bit<HingeLoss>(LossKind::hinge);
}

TEST(Losses, ANumberThatIsNoneStaysNone) {
  const std::vector<double> scores = {std::numeric_limits<double>::quiet_NaN()};
  const std::vector<double> labels = {1};
  std::vector<double> out(1);
  for (const LossKind kind : {LossKind::logistic, LossKind::square, LossKind::hinge}) {
    loss_values(kind, scores, labels, out);
    EXPECT_TRUE(std::isnan(out[0]));
  }
}

}  // namespace
}  // namespace fairfront::models
