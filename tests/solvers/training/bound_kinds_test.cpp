/// Bounds on the worst group and on ratios of rates in all that the methods of training are made
/// of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "base/random.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/constant_score.hpp"
#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/exact.hpp"
#include "solvers/training/last_layer.hpp"
#include "solvers/training/last_layer_descent.hpp"
#include "solvers/training/levels.hpp"
#include "solvers/training/rate_limits.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/switching_subgradient.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

const Address address_of_kinds{.seed = 1, .task_key = "test"};
constexpr RateKind rates_of_errors[] = {RateKind::equal_opportunity, RateKind::predictive_equality,
                                        RateKind::equalised_odds, RateKind::error_rate_parity};
constexpr Fairness losses_of_groups[] = {Fairness::loss_gap, Fairness::equal_opportunity,
                                         Fairness::equalised_odds};

GapConstraints worst_loss(Fairness fairness, std::size_t groups) {
  return {fairness, std::vector<double>(groups, 1 / static_cast<double>(groups)),
          BoundOf::worst_group};
}

/// Largest mean over the rows of a group, or of a group and a label, of what rows add.
template <class Value>
double largest_by_counting(const Data& data, bool positives, bool negatives, bool apart,
                           std::size_t groups, Value value) {
  double largest = 0;
  for (std::size_t g = 0; g < groups; ++g) {
    double sums[2] = {0, 0}, rows[2] = {0, 0};
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      const bool positive = data.labels[i] > 0;
      if (data.groups[i] != static_cast<std::int32_t>(g)) continue;
      if (positive ? !positives : !negatives) continue;
      const std::size_t slot = apart && !positive ? 1 : 0;
      sums[slot] += value(i);
      rows[slot] += 1;
    }
    for (const std::size_t slot : {0U, 1U}) {
      if (rows[slot] > 0) largest = std::max(largest, sums[slot] / rows[slot]);
    }
  }
  return largest;
}

double score_by_hand(const Data& data, const std::vector<double>& w, std::size_t row) {
  double score = w.back();
  for (std::size_t j = 0; j + 1 < w.size(); ++j) {
    score += w[j] * data.features[row * static_cast<std::size_t>(data.columns) + j];
  }
  return score;
}

std::vector<double> random_weights(base::Stream& stream, std::size_t size) {
  std::vector<double> w(size);
  for (double& weight : w) weight = stream.normal();
  return w;
}

TEST(BoundKinds, TheWorstGroupsLossIsTheLargestMeanCounted) {
  const Data data(1, 211, 3, 3);
  base::Stream stream(base::StreamKey(1, "test", "worst loss"), 0);
  for (const Fairness fairness : losses_of_groups) {
    const Problem problem = data.constrained({}, worst_loss(fairness, 3));
    for (int round = 0; round < 10; ++round) {
      const std::vector<double> w = random_weights(stream, problem.parameters());
      const PartLosses at = FullData(problem, test::no_control).losses(problem.train, w);
      const double counted = largest_by_counting(
          data, true, fairness != Fairness::equal_opportunity, fairness == Fairness::equalised_odds,
          3, [&](std::size_t i) {
            return std::log1p(std::exp(-data.labels[i] * score_by_hand(data, w, i)));
          });
      EXPECT_NEAR(at.gap(), counted, 1e-13);
      EXPECT_EQ(problem.constraints.unfairness(at.cells, at.gaps), at.gap());
    }
  }
}

TEST(BoundKinds, TheWorstGroupsErrorIsTheLargestShareOfWrongDecisionsCounted) {
  const Data data(2, 211, 3, 3);
  base::Stream stream(base::StreamKey(1, "test", "worst error"), 0);
  for (const RateKind kind : rates_of_errors) {
    const RateBound rate{kind, RateOf::decisions, 0.5};
    const Problem problem = data.constrained({}, GapConstraints(rate, 3, BoundOf::worst_group));
    for (int round = 0; round < 10; ++round) {
      const std::vector<double> w = random_weights(stream, problem.parameters());
      const double counted = largest_by_counting(
          data, kind != RateKind::predictive_equality, kind != RateKind::equal_opportunity,
          kind == RateKind::equalised_odds, 3, [&](std::size_t i) {
            return (score_by_hand(data, w, i) >= 0) == (data.labels[i] > 0) ? 0.0 : 1.0;
          });
      EXPECT_NEAR(FullData(problem, test::no_control).losses(problem.train, w).gap(), counted,
                  1e-13);
    }
  }
}

TEST(BoundKinds, AllGapsAreWithinOneExactlyWhereEveryRatioIsAtLeastTheOneAskedFor) {
  base::Stream stream(base::StreamKey(1, "test", "ratios"), 0);
  int within = 0;
  for (const RateKind kind : {RateKind::demographic_parity, RateKind::equalised_odds}) {
    const GapConstraints any({kind, RateOf::decisions, 0.5}, 3, BoundOf::ratio);
    const RateCells cells(kind, 3);
    std::vector<double> rates(any.cells().size());
    std::vector<double> gaps(static_cast<std::size_t>(any.gaps()));
    for (int round = 0; round < 300; ++round) {
      for (double& rate : rates) rate = 0.3 + 0.3 * stream.uniform();
      const double asked = stream.uniform();
      any.with_ratio(asked).gaps_of(rates, gaps);
      const double ratio = smallest_ratio(cells, rates);
      EXPECT_NEAR(any.unfairness(rates, gaps), 1 - ratio, 1e-15);
      EXPECT_EQ(largest_size(gaps) <= 1, ratio >= asked);
      EXPECT_GE(*std::ranges::min_element(gaps), 0);
      within += ratio >= asked ? 1 : 0;
    }
    std::ranges::fill(rates, 0.0);
    EXPECT_EQ(any.unfairness(rates, gaps), 0);  // nobody is decided 1, alike
  }
  EXPECT_GT(within, 100);
  EXPECT_LT(within, 500);
}

/// Between equal rates and the ratio that is asked for lies all the room that rates have.
TEST(BoundKinds, ABoundInsideLeavesItsShareOfTheRoomOfRates) {
  const auto ratios =
      GapConstraints({RateKind::equalised_odds, RateOf::decisions, 0.5}, 2, BoundOf::ratio)
          .with_ratio(0.8);
  const std::vector<double> rates{0.5, 0.5, 0.1, 0.1};  // of both events
  EXPECT_DOUBLE_EQ(ratios.inside(1, 1, rates), 1);
  std::vector<double> gaps(static_cast<std::size_t>(ratios.gaps()));
  ratios.gaps_of(rates, gaps);
  EXPECT_NEAR(*std::ranges::max_element(gaps), ratios.inside(1, 0, rates), 1e-12);
  EXPECT_NEAR(ratios.inside(1, 0.25, rates), 1 - 0.75 * 0.2 * 0.1, 1e-12);
  const GapConstraints differences({RateKind::equalised_odds, RateOf::decisions, 0.5}, 2);
  EXPECT_DOUBLE_EQ(differences.inside(0.02, 0.5, rates), 0.01);
}

TEST(BoundKinds, DerivativesAreThoseOfDifferences) {
  const Data data(4, 61, 2, 3);
  std::vector<GapConstraints> all;
  for (const Fairness fairness : losses_of_groups) all.push_back(worst_loss(fairness, 3));
  for (const RateKind kind : rates_of_errors) {
    const RateBound rate{kind, RateOf::probabilities, 0.5};
    all.push_back(GapConstraints(rate, 3, BoundOf::worst_group));
    all.push_back(GapConstraints(rate, 3, BoundOf::ratio).with_ratio(0.7));
  }
  for (const GapConstraints& constraints : all) {
    const Problem problem = data.constrained({4}, constraints);
    FullData full(problem, test::no_control);
    const auto w = initial_weights(problem.model, models::Initialisation::fan_in, 2);
    test::expect_derivatives_of_differences(problem, full, w, full.derivatives(w));
  }
}

/// Of an error on label 1, too, where a decision of 1 makes it smaller.
TEST(BoundKinds, SlopesOfErrorsAreThoseOfTheSigmoidThatStandsForThem) {
  const Data data(5, 30, 2, 2);
  const RateBound rate{RateKind::equalised_odds, RateOf::decisions, 0.4};
  const Problem problem = data.constrained({}, GapConstraints(rate, 2, BoundOf::worst_group));
  const std::vector<double> scores{-1.5, -0.1, 0.2, 0.9}, labels{1, -1, 1, -1};
  std::vector<double> slopes(4), values(4);
  cell_slopes(problem, scores, labels, slopes);
  cell_values(problem, scores, labels, values);
  EXPECT_THAT(values, testing::ElementsAre(1, 0, 0, 1));
  for (std::size_t i = 0; i < 4; ++i) {
    const auto error = [&](double score) {
      return 1 / (1 + std::exp(labels[i] * score / rate.width));
    };
    constexpr double h = 1e-6;
    EXPECT_NEAR(slopes[i], (error(scores[i] + h) - error(scores[i] - h)) / (2 * h), 1e-8);
  }
}

TEST(BoundKinds, ASideThatIsNoConstraintHasNoDualAndNoSlack) {
  const Data data(6, 200, 2, 2);
  const Problem problem = data.constrained({}, worst_loss(Fairness::loss_gap, 2));
  SslAlm alm(problem, AlmOptions{.delta = 0.4}, address_of_kinds);
  (void)train(problem, alm, std::vector<double>(3, 0.0), {.budget = 20'000, .trace_points = 0});
  PiDuals pi(problem, PiDualsOptions{{.delta = 0.4}}, address_of_kinds);
  (void)train(problem, pi, std::vector<double>(3, 0.0), {.budget = 20'000, .trace_points = 0});
  for (const std::size_t lower : {1U, 3U}) {
    EXPECT_EQ(alm.duals()[lower], 0);
    EXPECT_EQ(alm.slacks()[lower], 0);
    EXPECT_EQ(pi.duals()[lower], 0);
  }
  EXPECT_NE(alm.duals()[0], 0);
}

TEST(BoundKinds, LevelsAreTheGapsThemselves) {
  const GapConstraints ratio =
      GapConstraints({RateKind::equalised_odds, RateOf::decisions, 0.5}, 3, BoundOf::ratio)
          .with_ratio(0.8);
  for (const GapConstraints& constraints : {ratio, worst_loss(Fairness::equalised_odds, 3)}) {
    const Levels levels = levels_of(constraints);
    ASSERT_EQ(std::ssize(levels.matrix) / std::ssize(constraints.cells()), constraints.gaps());
    EXPECT_FALSE(levels.has_free_centre);
    EXPECT_EQ(levels.half_width, 1);
    std::vector<double> cells, gaps(static_cast<std::size_t>(constraints.gaps()));
    for (std::size_t k = 0; k < constraints.cells().size(); ++k) {
      cells.push_back(0.1 + 0.07 * static_cast<double>(k));
    }
    constraints.gaps_of(cells, gaps);
    for (std::size_t j = 0; j < gaps.size(); ++j) {
      double level = levels.constant;
      for (std::size_t k = 0; k < cells.size(); ++k) level += levels.row(j)[k] * cells[k];
      EXPECT_NEAR(level, gaps[j], 1e-15);
    }
  }
}

TEST(BoundKinds, TheConstantScoreThatIsBeyondTheBoundByLeastIsKnown) {
  Data data(7, 400, 1, 2);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    data.labels[i] = i % 20 < (data.groups[i] == 0 ? 2 : 15) ? 1 : -1;
  }
  const Problem problem = data.constrained({}, worst_loss(Fairness::loss_gap, 2));
  const ConstantScore found = best_constant_score(problem, 0.01);
  FullData full(problem, test::no_control);
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= 100; ++k) {
    const std::vector<double> w{0, -2 + 0.04 * k};
    least = std::min(least, full.losses(problem.train, w).gap());
  }
  EXPECT_NEAR(found.gap, least, 1e-2);
  EXPECT_NEAR(full.losses(problem.train, std::vector<double>{0, found.score}).gap(), found.gap,
              1e-12);
}

/// Of 10 rows of each group so many have label 1.
Data with_shares_of_ones(const std::vector<int>& of_groups, int rows = 200) {
  Data data(7, rows, 1, static_cast<int>(of_groups.size()));
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const auto group = static_cast<std::size_t>(data.groups[i]);
    const int place = static_cast<int>(i / of_groups.size() % 10);
    data.labels[i] = place < of_groups[group] ? 1 : -1;
  }
  return data;
}

TEST(BoundKinds, AConstantOfEitherSignThatKeepsABoundWithOneSideIsKnown) {
  for (const std::vector<int>& ones : {std::vector{9, 8}, std::vector{1, 2}, std::vector{5, 5}}) {
    const Data data = with_shares_of_ones(ones);
    for (const RateKind kind : {RateKind::equal_opportunity, RateKind::predictive_equality}) {
      const GapConstraints errors({kind, RateOf::decisions, 0.5}, 2, BoundOf::worst_group);
      const ConstantScore found = best_constant_score(data.constrained({}, errors), 0.05);
      EXPECT_EQ(found.gap, 0);
      EXPECT_EQ(found.score >= 0, kind == RateKind::equal_opportunity);
    }
    const Problem losses = data.constrained({}, worst_loss(Fairness::equal_opportunity, 2));
    EXPECT_LE(best_constant_score(losses, 0.1).gap, 0.1);
  }
  // Errors of .1 and .2, or .9 and .8.
  const GapConstraints ratio({RateKind::error_rate_parity, RateOf::decisions, 0.5}, 2,
                             BoundOf::ratio);
  const Data data = with_shares_of_ones({9, 8});
  const Problem problem = data.constrained({}, ratio.with_ratio(0.85));
  const ConstantScore found = best_constant_score(problem, promised_bound(problem, 1));
  EXPECT_LE(found.gap, 1);
  EXPECT_LT(found.score, 0);
}

/// A small group, of which few have label 1, and those by another feature.
Data with_a_small_group() {
  Data data(7, 900, 2, 2);
  base::Stream stream(base::StreamKey(7, "test", "a small group"), 0);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const bool small = i % 6 == 0;
    data.groups[i] = small ? 1 : 0;
    const double score = small ? 2 * data.features[2 * i + 1] - 1 : 2 * data.features[2 * i] + 0.5;
    data.labels[i] = score + stream.normal() > 0 ? 1 : -1;
  }
  return data;
}

template <class Method, class Options>
PartLosses losses_after(const Problem& problem, const Options& options,
                        std::int64_t budget = 60'000) {
  Method method(problem, options, address_of_kinds);
  const auto start = initial_weights(problem.model, models::Initialisation::fan_in, 1);
  const TrainingResult found = train(problem, method, start, {.budget = budget, .trace_points = 0});
  return FullData(problem, test::no_control).losses(problem.train, found.w);
}

TEST(BoundKinds, EveryMethodWithABoundComesNearerToIt) {
  const Data data = with_a_small_group();
  Data apart(7, 600, 2, 2);
  for (std::size_t i = 0; i < apart.labels.size(); i += 2) apart.features[2 * i] -= 1.5;
  const RateBound rate{RateKind::demographic_parity, RateOf::decisions, 0.5};
  const GapConstraints ratio = GapConstraints(rate, 2, BoundOf::ratio).with_ratio(0.9);
  const RateBound odds{RateKind::equalised_odds, RateOf::decisions, 0.5};
  const struct {
    Problem problem;
    double delta;
    double near;  // to the bound, of what the loss alone has beyond it
  } bounds[] = {{apart.constrained({}, ratio), 1, 0.7},
                {data.constrained({}, worst_loss(Fairness::loss_gap, 2)), 0.62, 0.7},
                {data.constrained({}, GapConstraints(odds, 2, BoundOf::worst_group)), 0.45, 0.7}};
  for (const auto& [problem, delta, near] : bounds) {
    const double most = delta + near * (losses_after<Sgd>(problem, SgdOptions{}).gap() - delta);
    ASSERT_GT(most, delta);
    EXPECT_LT(losses_after<SslAlm>(problem, AlmOptions{.delta = delta}).gap(), most);
    EXPECT_LT(losses_after<SwitchingSubgradient>(problem, SwitchingOptions{.delta = delta}).gap(),
              most);
    EXPECT_LT(
        losses_after<StochasticGhost>(problem, GhostOptions{.subproblem = {.delta = delta}}).gap(),
        most);
    EXPECT_LT(losses_after<ClampedAlm>(problem, ClampedAlmOptions{{.delta = delta}}).gap(), most);
    EXPECT_LT(losses_after<PiDuals>(problem, PiDualsOptions{{.delta = delta}}).gap(), most);
    EXPECT_LE(losses_after<Certified>(problem, CertifiedOptions{.delta = delta}).gap(), delta);
  }
}

TEST(BoundKinds, CertifiedTrainingOfABoundOutOfReachComesNearTheLeastThereIs) {
  const Data data = with_a_small_group();
  const Problem problem = data.constrained({}, worst_loss(Fairness::loss_gap, 2));
  const double least = exact_training(problem, {.delta = 0.01}).least_bound;
  const PartLosses at = losses_after<Certified>(problem, CertifiedOptions{.delta = 0.01}, 200'000);
  EXPECT_NEAR(at.gap(), least, 3e-4);
}

TEST(BoundKinds, CertifiedTrainingKeepsWhatAConstantDecisionKeeps) {
  for (const std::vector<int>& ones : {std::vector{9, 6}, std::vector{1, 4}}) {
    const Data data = with_shares_of_ones(ones, 40);
    for (const RateKind kind : {RateKind::equal_opportunity, RateKind::predictive_equality}) {
      const GapConstraints errors({kind, RateOf::decisions, 0.5}, 2, BoundOf::worst_group);
      for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{4}}) {
        const Problem problem = data.constrained(hidden, errors);
        for (const Classifier classifier : {Classifier::deterministic, Classifier::randomised}) {
          for (const std::int64_t passes : {16, 200}) {
            const CertifiedOptions options{.delta = 0.05, .classifier = classifier};
            EXPECT_LE(losses_after<Certified>(problem, options, passes * 40).gap(), 0.05) << passes;
          }
        }
      }
    }
  }
}

TEST(BoundKinds, CertifiedTrainingKeepsEveryRatio) {
  for (const RateKind kind : {RateKind::demographic_parity, RateKind::equal_opportunity,
                              RateKind::predictive_equality, RateKind::equalised_odds}) {
    for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{6}}) {
      const Data data(8, 400, 3, 3);
      const GapConstraints any(RateBound{kind, RateOf::decisions, 0.5}, 3, BoundOf::ratio);
      const Problem problem = data.constrained(hidden, any.with_ratio(0.8));
      const PartLosses at = losses_after<Certified>(problem, CertifiedOptions{.delta = 1}, 40'000);
      EXPECT_LE(at.gap(), 1);
      EXPECT_LE(problem.constraints.unfairness(at.cells, at.gaps), 0.2);
    }
  }
}

TEST(BoundKinds, WhereNothingIsDecidedEveryRatioIsKept) {
  Data data(9, 400, 1, 3);
  for (std::size_t i = 0; i < data.labels.size(); ++i) data.labels[i] = i % 4 == 0 ? 1 : -1;
  const double best = std::log(4.0) - 0.75 * std::log(3.0);
  for (const RateKind kind : {RateKind::demographic_parity, RateKind::equal_opportunity,
                              RateKind::predictive_equality, RateKind::equalised_odds}) {
    const GapConstraints any(RateBound{kind, RateOf::decisions, 0.5}, 3, BoundOf::ratio);
    for (const double ratio : {0.0, 0.8, 1.0}) {
      const Problem problem = data.constrained({}, any.with_ratio(ratio));
      const ConstantScore found = best_constant_score(problem, promised_bound(problem, 1));
      EXPECT_NEAR(found.score, -std::log(3.0), 1e-12);
      EXPECT_NEAR(found.loss, best, 1e-12);
      EXPECT_EQ(excess_of(problem, found.gap, 1), 0);
      const PartLosses at = losses_after<Certified>(problem, CertifiedOptions{.delta = 1}, 20'000);
      EXPECT_LE(at.loss, best + 1e-12);
      EXPECT_LE(problem.constraints.unfairness(at.cells, at.gaps), 1 - ratio);
    }
  }
}

TEST(BoundKinds, OnlyEqualRatesAreLeftOutOfTheLargestGapOfRatios) {
  const RateBound rate{RateKind::demographic_parity, RateOf::decisions, 0.5};
  const GapConstraints ratio = GapConstraints(rate, 3, BoundOf::ratio).with_ratio(0.5);
  std::vector<double> gaps(6);
  const auto largest = [&](const std::vector<double>& rates) {
    ratio.gaps_of(rates, gaps);
    return ratio.largest_gap(rates, gaps);
  };
  EXPECT_EQ(largest({0, 0, 0}), 0);
  EXPECT_EQ(largest({0.5, 0.5, 0.5}), 0);
  EXPECT_EQ(largest({0, 0, 0.5}), 1.25);
  EXPECT_EQ(largest({0.25, 0.5, 0.5}), 1);
  EXPECT_EQ(largest({0.5, 0.5, 0.75}), 1 + 0.5 * 0.75 - 0.5);
  EXPECT_TRUE(std::isnan(largest({0, std::numeric_limits<double>::quiet_NaN(), 0})));
}

TEST(BoundKinds, WhatHasNoMeaningIsRefused) {
  const std::vector<double> shares{0.5, 0.5};
  const RateBound decided{.kind = RateKind::demographic_parity};
  EXPECT_THROW(GapConstraints(Fairness::loss_gap, shares, BoundOf::ratio), std::invalid_argument);
  EXPECT_THROW(GapConstraints(Fairness::group_to_overall, shares, BoundOf::worst_group),
               std::invalid_argument);
  EXPECT_THROW(GapConstraints(decided, 2, BoundOf::worst_group), std::invalid_argument);
  EXPECT_THROW((void)GapConstraints(decided, 2).with_ratio(0.5), std::invalid_argument);
  EXPECT_THROW((void)GapConstraints(decided, 2, BoundOf::ratio).with_ratio(1.5),
               std::invalid_argument);
  const Data data(1, 60, 2, 2);
  Problem problem = data.constrained({}, worst_loss(Fairness::loss_gap, 2));
  problem.validation = problem.train;
  EXPECT_THROW(Certified::validate_for(problem, {.confidence = 0.9}, {.budget = 10'000}),
               std::invalid_argument);
  EXPECT_THROW(Certified::validate_for(problem, {.shift = Shift::folds}, {.budget = 10'000}),
               std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
