#include "solvers/regression/adw.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "solvers/regression/literal_adw.hpp"

namespace fairfront::regression {
namespace {

TEST(BestMixture, TwoHypothesesByHand) {
  // Error 0.1 with gaps +-0.4, or error 0.3 without. Within 0.1 only a quarter of the first fits;
  // the price of a gap is (0.3 - 0.1) / 0.4.
  const std::vector<Hypothesis> hypotheses{{{}, 0.1, 0, {0.4, -0.4}}, {{}, 0.3, 0, {0, 0}}};
  const BestMixture strict = best_mixture(hypotheses, 0.1, 10);
  EXPECT_NEAR(strict.mixture[0], 0.25, 1e-12);
  EXPECT_NEAR(strict.mixture[1], 0.75, 1e-12);
  EXPECT_NEAR(strict.value, 0.25, 1e-12);
  EXPECT_NEAR(strict.multiplier[0] - strict.multiplier[1], 0.5, 1e-12);
  EXPECT_GE(strict.multiplier[0], 0);
  EXPECT_LE(strict.multiplier[1], 0);
  // With a bound below that price the gap is paid for.
  const BestMixture cheap = best_mixture(hypotheses, 0.1, 0.2);
  EXPECT_NEAR(cheap.mixture[0], 1, 1e-12);
  EXPECT_NEAR(cheap.value, 0.1 + 0.2 * 0.3, 1e-12);
  EXPECT_NEAR(cheap.multiplier[0] - cheap.multiplier[1], 0.2, 1e-12);
}

TEST(BestMixture, ThreeHypothesesThatCancelEachOther) {
  // Gaps +0.2 and -0.6 cancel at 3 : 1, error 0.75 * 0.1 + 0.25 * 0.2 = 0.125; the fair one costs
  // 0.4.
  const std::vector<Hypothesis> hypotheses{
      {{}, 0.1, 0, {0.2}}, {{}, 0.2, 0, {-0.6}}, {{}, 0.4, 0, {0.0}}};
  const BestMixture found = best_mixture(hypotheses, 0, 1000);
  EXPECT_NEAR(found.mixture[0], 0.75, 1e-12);
  EXPECT_NEAR(found.mixture[1], 0.25, 1e-12);
  EXPECT_NEAR(found.mixture[2], 0, 1e-12);
  EXPECT_NEAR(found.value, 0.125, 1e-12);
  // The Lagrangian is equal for those that are mixed: 0.1 + 0.2 l = 0.2 - 0.6 l.
  EXPECT_NEAR(found.multiplier[0], 0.125, 1e-12);
}

TEST(Adw, PlaysTheRoundsOfTheLiteralProgram) {
  std::int64_t converged = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const AdwSample sample(seed, 60, 4, 2);
    const double epsilon = seed % 2 == 0 ? 0.02 : 0.004;
    const double accuracy = seed <= 4 ? 0.5 : 0;  // 0: all rounds, through three checks of the step
    LiteralAdw literal(sample, 2, 9, epsilon);
    const auto expected = literal.run(25, accuracy);
    const ThresholdGame game(sample.rows(2), {9});
    const AdwResult found = adw(game, {.epsilon = epsilon, .rounds = 25, .accuracy = accuracy});
    EXPECT_EQ(found.rounds, static_cast<std::int64_t>(expected.rounds)) << seed;
    EXPECT_EQ(found.best_round, static_cast<std::int64_t>(expected.best_round)) << seed;
    EXPECT_EQ(found.responses, static_cast<std::int64_t>(expected.responses)) << seed;
    EXPECT_EQ(found.hypotheses, static_cast<std::int64_t>(expected.hypotheses)) << seed;
    EXPECT_NEAR(found.target_gap, expected.target_gap, 1e-13);
    EXPECT_NEAR(found.gap, expected.gap, 1e-9);
    std::vector<double> mixture = expected.mixture;
    std::erase(mixture, 0.0);
    ASSERT_EQ(found.model.mixture.size(), mixture.size()) << seed;
    for (std::size_t h = 0; h < mixture.size(); ++h) {
      EXPECT_NEAR(found.model.mixture[h], mixture[h], 1e-9) << seed;
    }
    if (found.converged) ++converged;
  }
  EXPECT_GT(converged, 0);
}

TEST(Adw, ALooseBoundEndsInTheFirstRoundWithTheUnconstrainedFit) {
  const AdwSample sample(1, 80, 3, 2);
  const ThresholdGame game(sample.rows(2), {41});
  const AdwResult result = adw(game, {.epsilon = 1});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.rounds, 1);
  ASSERT_EQ(result.model.mixture, std::vector<double>{1});
  EXPECT_NEAR(result.gap, 0, 1e-15);
  const Hypothesis plain = game.fit(game.picks(std::vector<double>(82, 0.0)));
  EXPECT_EQ(result.model.hypotheses[0].weights, plain.weights);
  EXPECT_EQ(result.error, plain.error);
  EXPECT_EQ(result.responses, 6);  // two at the start, four for the gap
}

TEST(Adw, TheFirstRoundsByHand) {
  // Group a scores are its own: one row each, features the groups' indicators, targets 1/4 and 3/4
  // with thresholds 0, 1/2, 1. Unconstrained, gaps 0 at 0 and 1 and -1/2, +1/2 at 1/2.
  const std::vector<double> features{1, 0, 0, 1}, targets{0.25, 0.75};
  const std::vector<std::int32_t> groups{0, 1};
  const ThresholdGame game({models::Rows(features, 2), targets, groups, 2}, {3});
  const std::vector<double> none(6, 0.0);
  const Hypothesis free = game.fit(game.picks(none));
  // Weights |theta - y| are 1/4, 1/4, 3/4 and 3/4, 1/4, 1/4, in units of their mean 5/12; labels
  // 1, 0, 0 and 1, 1, 0: the atoms 1/4 and 3/4 make no error.
  EXPECT_NEAR(free.weights[0], 0.25, 1e-15);
  EXPECT_NEAR(free.weights[1], 0.75, 1e-15);
  EXPECT_NEAR(free.error, 0, 1e-15);
  EXPECT_NEAR(free.gaps[2], -0.5, 1e-15);
  EXPECT_NEAR(free.gaps[3], 0.5, 1e-15);
  // Multipliers that pay more than 0.6 for the gap at 1/2 (row 1 gains W = 0.6 by its answer 1
  // there, and loses 3 (l - l / (1/2)) = -3 l for a multiplier l of its gap): 3 * 0.3 > 0.6.
  const std::vector<double> paid{0, 0, 0, 0.3, 0, 0};
  EXPECT_EQ(game.picks(paid), (std::vector<std::int32_t>{1, 0}));
  const std::vector<double> cheap{0, 0, 0, 0.1, 0, 0};
  EXPECT_EQ(game.picks(cheap), (std::vector<std::int32_t>{0, 1}));

  // Both groups alike at 1/4: one of six answers is wrong at 0.6; so the best fair error is 0.1, a
  // mixture with the free one within epsilon = 0.1 leaves gap 1/2 in one fifth: 0.8 * 0.1.
  const AdwResult result = adw(game, {.epsilon = 0.1, .accuracy = 0});
  EXPECT_NEAR(result.error, 0.08, 1e-9);
  EXPECT_NEAR(result.largest_gap, 0.1, 1e-9);
  EXPECT_NEAR(result.gap, 0, 1e-9);
}

TEST(Adw, MixesBetterThanTheUnconstrainedFitAtThePriceOfTheMultipliersBound) {
  const AdwSample sample(5, 300, 5, 3);
  const ThresholdGame game(sample.rows(3), {41});
  const Hypothesis plain = game.fit(game.picks(std::vector<double>(3 * 41, 0.0)));
  const double plain_gap =
      std::abs(*std::ranges::max_element(plain.gaps, {}, [](double gap) { return std::abs(gap); }));
  double last_error = 0, last_gap = 1;
  for (const double epsilon : {0.2, 0.05, 0.01}) {
    const AdwResult result = adw(game, {.epsilon = epsilon});
    const auto price = [&](double error, double gap) {
      return error + std::max(gap - epsilon, 0.0) / epsilon;
    };
    EXPECT_LE(price(result.error, result.largest_gap), price(plain.error, plain_gap) + 1e-9);
    EXPECT_GT(result.error, last_error);
    EXPECT_LT(result.largest_gap, last_gap);
    last_error = result.error;
    last_gap = result.largest_gap;
    double sum = 0;
    Hypothesis mixed{{}, 0, 0, std::vector<double>(plain.gaps.size(), 0.0)};
    for (std::size_t h = 0; h < result.model.mixture.size(); ++h) {
      sum += result.model.mixture[h];
      for (std::size_t i = 0; i < mixed.gaps.size(); ++i) {
        mixed.gaps[i] += result.model.mixture[h] * result.model.hypotheses[h].gaps[i];
      }
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    EXPECT_NEAR(std::abs(*std::ranges::max_element(mixed.gaps, {},
                                                   [](double gap) { return std::abs(gap); })),
                result.largest_gap, 1e-12);
  }
}

/// With the bytes of all that a run has found.
bool same(const AdwResult& a, const AdwResult& b) {
  const auto weights = [](const AdwResult& found) {
    std::vector<std::vector<double>> all{found.model.mixture};
    for (const Hypothesis& h : found.model.hypotheses) all.push_back(h.weights);
    all.push_back({found.error, found.largest_gap, found.gap, found.target_gap});
    return all;
  };
  return weights(a) == weights(b) && a.rounds == b.rounds && a.best_round == b.best_round &&
         a.responses == b.responses && a.hypotheses == b.hypotheses && a.converged == b.converged;
}

TEST(Adw, GoesOnFromACheckpointToTheSameBits) {
  const AdwSample sample(6, 60, 4, 2);
  const ThresholdGame game(sample.rows(2), {9});
  const AdwOptions options{.epsilon = 0.004, .rounds = 25, .accuracy = 0};
  const AdwResult whole = adw(game, options);
  ASSERT_EQ(whole.rounds, 25);
  for (int nth = 1; nth < 5; ++nth) {
    std::string state;
    int asked = 0;
    const auto request = [&] {
      return ++asked == nth ? solvers::Request::stop : solvers::Request::go_on;
    };
    const auto save = [&](const std::string& bytes) { state = bytes; };
    EXPECT_THROW((void)adw(game, options, {.request = request, .save = save}),
                 solvers::Interrupted);
    EXPECT_TRUE(same(adw(game, options, {.resume = state}), whole)) << nth;
    asked = nth - 1;  // stops at once, and goes on from there
    const std::string once = state;
    EXPECT_THROW((void)adw(game, options, {.request = request, .save = save, .resume = once}),
                 solvers::Interrupted);
    EXPECT_TRUE(same(adw(game, options, {.resume = state}), whole)) << nth;
    for (const std::string& bad :
         {once.substr(0, once.size() - 1), once + "x", std::string("x"), "X" + once.substr(1)}) {
      EXPECT_THROW((void)adw(game, options, {.resume = bad}), base::CheckpointError);
    }
  }
}

TEST(Adw, PredictsAtomsOfTheMixture) {
  const AdwModel model{{{{1.0}, 0, 0, {}}, {{0.0}, 0, 0, {}}}, {0.25, 0.75}, {5}};
  std::vector<double> pi(5);
  model.probabilities(std::vector<double>{0.6}, pi);  // reaches 0, 1/4, 1/2: atom 2; 0: atom 0
  EXPECT_EQ(pi, (std::vector<double>{0.75, 0, 0.25, 0, 0}));
  model.probabilities(std::vector<double>{-1}, pi);  // nothing reached is atom 0 as well
  EXPECT_EQ(pi, (std::vector<double>{1, 0, 0, 0, 0}));
}

TEST(Adw, BadInputIsRefused) {
  const AdwSample sample(1, 10, 2, 2);
  const ThresholdGame game(sample.rows(2), {5});
  EXPECT_THROW((void)adw(game, {.epsilon = 0}), std::invalid_argument);
  EXPECT_THROW((void)adw(game, {.rounds = 0}), std::invalid_argument);
  EXPECT_THROW(ThresholdGame(sample.rows(2), {1}), std::invalid_argument);
  EXPECT_THROW(ThresholdGame(sample.rows(3), {5}), std::invalid_argument);  // group 2 is empty
  AdwSample outside = sample;
  outside.targets[3] = 1.5;
  EXPECT_THROW(ThresholdGame(outside.rows(2), {5}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::regression
