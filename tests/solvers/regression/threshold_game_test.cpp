#include "solvers/regression/threshold_game.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "models/least_squares.hpp"
#include "solvers/regression/literal_adw.hpp"

namespace fairfront::regression {
namespace {

std::vector<double> random_multiplier(base::Stream& stream, std::size_t size, double scale) {
  std::vector<double> result(size);
  for (double& l : result) l = scale * stream.normal();
  return result;
}

TEST(Thresholds, CountsThoseThatAValueReaches) {
  const Thresholds thresholds{5};  // 0, 1/4, 1/2, 3/4, 1
  EXPECT_EQ(thresholds.reached(-0.1), 0);
  EXPECT_EQ(thresholds.reached(0), 1);
  EXPECT_EQ(thresholds.reached(std::nextafter(0.25, 0)), 1);
  EXPECT_EQ(thresholds.reached(0.25), 2);
  EXPECT_EQ(thresholds.reached(0.99), 4);
  EXPECT_EQ(thresholds.reached(7), 5);
  const Thresholds many{41};
  for (std::int64_t k = 1; k < 41; ++k) {
    EXPECT_EQ(many.reached(many.threshold(k)), k + 1);
    EXPECT_EQ(many.reached(std::nextafter(many.threshold(k), 0)), k);
  }
}

TEST(ThresholdGame, PicksHaveTheLeastDisagreementOfASlowLoop) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const std::int64_t groups = 2 + static_cast<std::int64_t>(seed % 3);
    const AdwSample sample(seed, 40, 3, groups);
    const ThresholdGame game(sample.rows(groups), {11});
    const LiteralGame literal(sample, groups, 11);
    base::Stream stream(base::StreamKey(seed, "adw", "multipliers"), 0);
    for (const double scale : {0.0, 0.01, 0.1, 5.0}) {
      const auto multiplier =
          random_multiplier(stream, static_cast<std::size_t>(11 * groups), scale);
      const std::vector<std::int32_t> picks = game.picks(multiplier);
      for (std::int64_t i = 0; i < sample.count; ++i) {
        double least = std::numeric_limits<double>::infinity();
        for (std::int64_t k = 0; k < 11; ++k) {
          least = std::min(least, literal.disagreement(i, k, multiplier));
        }
        EXPECT_NEAR(literal.disagreement(i, picks[static_cast<std::size_t>(i)], multiplier), least,
                    1e-10 * (1 + least));
      }
    }
  }
}

TEST(ThresholdGame, AFitIsLeastSquaresWithErrorAndGapsAsDefined) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const AdwSample sample(seed, 60, 4, 3);
    const ThresholdGame game(sample.rows(3), {21});
    const LiteralGame literal(sample, 3, 21);
    base::Stream stream(base::StreamKey(seed, "adw", "multipliers"), 0);
    const auto picks = game.picks(random_multiplier(stream, 63, 0.05));
    const Hypothesis found = game.fit(picks);
    std::vector<double> atoms;
    for (const std::int32_t pick : picks) atoms.push_back((pick + 0.5) / 20);
    const auto weights = models::fit_least_squares(models::Rows(sample.features, 4), atoms,
                                                   {.intercept = models::Intercept::none})
                             .weights;
    for (std::size_t j = 0; j < 4; ++j) EXPECT_NEAR(found.weights[j], weights[j], 1e-12);
    const Hypothesis expected = literal.evaluate(found.weights);
    EXPECT_NEAR(found.error, expected.error, 1e-12);
    EXPECT_NEAR(found.deviation, expected.deviation, 1e-12);
    for (std::size_t i = 0; i < found.gaps.size(); ++i) {
      EXPECT_NEAR(found.gaps[i], expected.gaps[i], 1e-14);
    }
  }
}

TEST(ThresholdGame, ARankDeficientDesignHasFiniteWeightsThatFitAsWell) {
  AdwSample sample(3, 50, 3, 2);
  std::vector<double> wider;  // a column twice, one of zeros
  for (std::int64_t i = 0; i < sample.count; ++i) {
    const double* row = sample.features.data() + i * 3;
    wider.insert(wider.end(), {row[0], row[1], row[1], 0.0, row[2]});
  }
  const ThresholdGame narrow(sample.rows(2), {11});
  const ThresholdGame wide({models::Rows(wider, 5), sample.targets, sample.groups, 2}, {11});
  const auto picks = narrow.picks(std::vector<double>(22, 0.0));
  const Hypothesis expected = narrow.fit(picks), found = wide.fit(picks);
  EXPECT_NEAR(found.weights[1] + found.weights[2], expected.weights[1], 1e-12);
  EXPECT_NEAR(found.weights[1], found.weights[2], 1e-12);
  EXPECT_EQ(found.weights[3], 0);
  EXPECT_NEAR(found.error, expected.error, 1e-12);
}

}  // namespace
}  // namespace fairfront::regression
