#include "solvers/training/fairret.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

struct Batch {
  std::vector<double> scores, labels;
};

Batch random_batch(base::Stream& stream, int rows) {
  Batch batch;
  for (int i = 0; i < rows; ++i) {
    batch.scores.push_back(1.5 * stream.normal());
    batch.labels.push_back(stream.uniform() < 0.4 ? 1 : -1);
  }
  return batch;
}

double value_of(Regulariser regulariser, Statistic statistic, const Batch& batch,
                std::size_t groups) {
  std::vector<double> slopes(batch.scores.size());
  return FairnessPenalty(regulariser, statistic)(batch.scores, batch.labels, groups, slopes);
}

double p_of(double score) { return 1 / (1 + std::exp(-score)); }

TEST(FairnessPenalty, TheNormIsTheSumOfRelativeDeviations) {
  // Soft decisions 0.5 and 0.8 of label 1, 0.5 and 0.5 of label 0; accuracies 0.65, 0.5 of 0.575.
  const Batch batch{{0, std::log(4.0), 0, 0}, {1, 1, -1, -1}};
  EXPECT_NEAR(value_of(Regulariser::norm, Statistic::accuracy, batch, 2),
              (0.65 / 0.575 - 1) + (1 - 0.5 / 0.575), 1e-15);
  EXPECT_NEAR(value_of(Regulariser::norm, Statistic::positive_rate, batch, 2),
              (0.65 / 0.575 - 1) + (1 - 0.5 / 0.575), 1e-15);
}

TEST(FairnessPenalty, SlopesOfTheNormAreThoseOfDifferences) {
  base::Stream stream(base::StreamKey(1, "test", "fairret"), 0);
  for (const Statistic statistic : {Statistic::accuracy, Statistic::positive_rate}) {
    Batch batch = random_batch(stream, 12);
    std::vector<double> slopes(12);
    FairnessPenalty(Regulariser::norm, statistic)(batch.scores, batch.labels, 3, slopes);
    for (std::size_t i = 0; i < 12; ++i) {
      constexpr double h = 1e-6;
      const double old = batch.scores[i];
      batch.scores[i] = old + h;
      const double above = value_of(Regulariser::norm, statistic, batch, 3);
      batch.scores[i] = old - h;
      const double below = value_of(Regulariser::norm, statistic, batch, 3);
      batch.scores[i] = old;
      EXPECT_NEAR(slopes[i], (above - below) / (2 * h), 1e-9);
    }
  }
}

double kl(double q, double p) {
  const auto part = [](double a, double b) { return a > 0 ? a * std::log(a / b) : 0.0; };
  return part(q, p) + part(1 - q, 1 - p);
}

TEST(FairnessPenalty, TheProjectionIsTheNearestPointWithEqualStatistics) {
  // Two rows a group: one number says a point of the line of equal statistics.
  base::Stream stream(base::StreamKey(2, "test", "fairret"), 0);
  for (int trial = 0; trial < 10; ++trial) {
    const Batch batch = random_batch(stream, 4);
    double all = 0;
    for (const double score : batch.scores) all += p_of(score) / 4;
    double least = 0;
    for (std::size_t first = 0; first < 4; first += 2) {
      double best = std::numeric_limits<double>::infinity();
      for (int k = 1; k < 20'000; ++k) {
        const double q = k / 20'000.0;
        const double other = 2 * all - q;
        if (other <= 0 || other >= 1) continue;
        best = std::min(
            best, kl(q, p_of(batch.scores[first])) + kl(other, p_of(batch.scores[first + 1])));
      }
      least += best / 4;
    }
    EXPECT_NEAR(value_of(Regulariser::kl_projection, Statistic::positive_rate, batch, 2), least,
                1e-6);
  }
}

TEST(FairnessPenalty, SlopesOfTheProjectionAreThoseOfDifferencesWhereTheMeanStaysTheSame) {
  base::Stream stream(base::StreamKey(3, "test", "fairret"), 0);
  Batch batch = random_batch(stream, 8);
  std::vector<double> slopes(8);
  FairnessPenalty(Regulariser::kl_projection, Statistic::positive_rate)(batch.scores, batch.labels,
                                                                        2, slopes);
  const auto logit = [](double p) { return std::log(p / (1 - p)); };
  for (std::size_t i = 1; i < 8; ++i) {
    const auto moved = [&](double e) {
      Batch other = batch;
      other.scores[i] = logit(p_of(batch.scores[i]) + e);
      other.scores[0] = logit(p_of(batch.scores[0]) - e);
      return value_of(Regulariser::kl_projection, Statistic::positive_rate, other, 2);
    };
    constexpr double h = 1e-5;
    const auto score_slope = [&](std::size_t k) {
      const double p = p_of(batch.scores[k]);
      return 1 / (p * (1 - p));
    };
    const double expected = slopes[i] * score_slope(i) - slopes[0] * score_slope(0);
    EXPECT_NEAR((moved(h) - moved(-h)) / (2 * h), expected, 1e-6);
  }
}

TEST(Fairret, ComparesOneCellOfEachGroup) {
  const test::Data data(1, 40, 2, 2);
  EXPECT_TRUE(Fairret::suits(data.problem({}, Fairness::equal_opportunity)));
  EXPECT_FALSE(Fairret::suits(data.problem({}, Fairness::equalised_odds)));
}

}  // namespace
}  // namespace fairfront::training
