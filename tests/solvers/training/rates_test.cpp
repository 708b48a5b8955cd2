/// Bounds on rates of decisions in all that the methods of training are made of.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "solvers/training/cell_losses.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/constant_score.hpp"
#include "solvers/training/dual_ascent.hpp"
#include "solvers/training/fairret.hpp"
#include "solvers/training/last_layer.hpp"
#include "solvers/training/levels.hpp"
#include "solvers/training/reductions.hpp"
#include "solvers/training/sgd.hpp"
#include "solvers/training/ssl_alm.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/switching_subgradient.hpp"
#include "support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

const Address address{.seed = 1, .task_key = "test"};
constexpr RateKind all_rates[] = {RateKind::demographic_parity, RateKind::equal_opportunity,
                                  RateKind::predictive_equality, RateKind::equalised_odds,
                                  RateKind::error_rate_parity};

std::vector<double> rate_start(const Problem& problem) {
  return initial_weights(problem.model, models::Initialisation::fan_in, 1);
}

/// Scores by the loops of a textbook.
double score_of(const Data& data, const std::vector<double>& w, std::size_t row) {
  double score = w.back();
  for (std::size_t j = 0; j + 1 < w.size(); ++j) {
    score += w[j] * data.features[row * static_cast<std::size_t>(data.columns) + j];
  }
  return score;
}

/// The largest difference of two groups' rates, counted row by row.
/// @param decision  of a score: 0 or 1, or what stands for it.
template <class Decision>
double gap_by_counting(const Data& data, RateKind kind, const std::vector<double>& w, int groups,
                       Decision decision) {
  double largest = 0;
  for (const bool label : {false, true}) {
    std::vector<double> sum(static_cast<std::size_t>(groups), 0.0), rows(sum);
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      const bool positive = data.labels[i] > 0;
      const bool one_label = kind == RateKind::equal_opportunity ||
                             kind == RateKind::predictive_equality ||
                             kind == RateKind::equalised_odds;
      if (one_label && positive != label) continue;
      const double value = decision(score_of(data, w, i));
      const auto g = static_cast<std::size_t>(data.groups[i]);
      sum[g] += kind == RateKind::error_rate_parity && positive ? 1 - value : value;
      rows[g] += 1;
    }
    if ((kind == RateKind::equal_opportunity && !label) ||
        (kind == RateKind::predictive_equality && label)) {
      continue;
    }
    for (std::size_t g = 0; g < sum.size(); ++g) sum[g] /= rows[g];
    const auto [least, most] = std::ranges::minmax(sum);
    largest = std::max(largest, most - least);
  }
  return largest;
}

double decision_of(double score) { return score >= 0 ? 1 : 0; }
double probability_of(double score) { return 1 / (1 + std::exp(-score)); }

TEST(Rates, GapsAreDifferencesOfCountedRates) {
  for (const int groups : {2, 3, 4}) {
    const Data data(1, 211, 3, groups);
    for (const RateKind kind : all_rates) {
      const Problem problem = data.problem({}, RateBound{kind, RateOf::decisions, 0.5});
      const Problem soft = data.problem({}, RateBound{kind, RateOf::probabilities, 0.5});
      base::Stream stream(base::StreamKey(1, "test", "rates"), 0);
      for (int round = 0; round < 20; ++round) {
        std::vector<double> w(problem.parameters());
        for (double& weight : w) weight = stream.normal();
        const PartLosses at = FullData(problem, test::no_control).losses(problem.train, w);
        EXPECT_NEAR(at.gap(), gap_by_counting(data, kind, w, groups, decision_of), 1e-14);
        const PartLosses of_soft = FullData(soft, test::no_control).losses(soft.train, w);
        EXPECT_NEAR(of_soft.gap(), gap_by_counting(data, kind, w, groups, probability_of), 1e-14);
        EXPECT_EQ(at.loss, of_soft.loss);
      }
    }
  }
}

TEST(Rates, GapsAreThoseThatTheReductionsHave) {
  const Data data(2, 190, 2, 3);
  const RateProblem reduced{.rows = {data.features, data.columns},
                            .labels = data.labels,
                            .groups = data.groups,
                            .num_groups = 3};
  for (const RateKind kind : all_rates) {
    const RateCells cells(kind, 3);
    const Problem problem = data.problem({}, RateBound{kind, RateOf::decisions, 0.5});
    ASSERT_EQ(std::ssize(problem.constraints.cells()), cells.size());
    const std::vector<double> w{0.7, -0.4, 0.1};
    std::vector<double> decisions;
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      decisions.push_back(decision_of(score_of(data, w, i)));
    }
    const Rates rates = rates_of(reduced, cells, decisions);
    const PartLosses at = FullData(problem, test::no_control).losses(problem.train, w);
    EXPECT_NEAR(at.gap(), largest_gap(cells, rates.of_cell), 1e-14);
  }
}

TEST(Rates, LevelsAreWithinTheirWidthExactlyWhereAllGapsAreWithinDelta) {
  base::Stream stream(base::StreamKey(1, "test", "levels of rates"), 0);
  for (const RateKind kind : all_rates) {
    const GapConstraints constraints({kind, RateOf::decisions, 0.5}, 4);
    const Levels levels = levels_of(constraints);
    std::vector<double> rates(constraints.cells().size());
    std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps()));
    for (int round = 0; round < 100; ++round) {
      for (double& rate : rates) rate = stream.uniform();
      constraints.gaps_of(rates, gaps);
      double widest = 0;  // of a family
      for (std::size_t first = 0; first < levels.size(); first += levels.per_family) {
        double least = 1, most = 0;
        for (std::size_t j = first; j < first + levels.per_family; ++j) {
          double level = 0;
          for (std::size_t k = 0; k < rates.size(); ++k) level += levels.row(j)[k] * rates[k];
          least = std::min(least, level);
          most = std::max(most, level);
        }
        widest = std::max(widest, most - least);
      }
      EXPECT_EQ(widest, largest_size(gaps));
    }
  }
}

TEST(Rates, OfProbabilitiesHaveTheDerivativesOfDifferences) {
  const Data data(3, 120, 3, 3);
  for (const RateKind kind : all_rates) {
    const Problem problem = data.problem({5}, RateBound{kind, RateOf::probabilities, 0.5});
    FullData full(problem, test::no_control);
    const std::vector<double> w = rate_start(problem);
    const Derivatives at = full.derivatives(w);
    test::expect_derivatives_of_differences(problem, full, w, at);
  }
}

TEST(Rates, OfDecisionsHaveTheDerivativesOfASigmoidThatIsAsWideAsAsked) {
  const Data data(4, 150, 2, 2);
  for (const double width : {0.2, 1.0}) {
    for (const RateKind kind : {RateKind::demographic_parity, RateKind::error_rate_parity}) {
      const Problem problem = data.problem({}, RateBound{kind, RateOf::decisions, width});
      std::vector<double> w{0.6, -0.3, 0.1};
      const Derivatives at = FullData(problem, test::no_control).derivatives(w);
      const auto smooth = [width](double score) { return probability_of(score / width); };
      const double sign = [&] {  // the gap by counting has none
        const double step = 1e-7;
        double change = 0;
        for (std::size_t j = 0; j < w.size(); ++j) change += at.jacobian[j] * at.jacobian[j] * step;
        std::vector<double> moved(w);
        for (std::size_t j = 0; j < w.size(); ++j) moved[j] += step * at.jacobian[j];
        const double found = gap_by_counting(data, kind, moved, 2, smooth) -
                             gap_by_counting(data, kind, w, 2, smooth);
        return found * change > 0 ? 1.0 : -1.0;
      }();
      constexpr double h = 1e-6;
      for (std::size_t j = 0; j < w.size(); ++j) {
        std::vector<double> above(w), below(w);
        above[j] += h;
        below[j] -= h;
        const double difference = gap_by_counting(data, kind, above, 2, smooth) -
                                  gap_by_counting(data, kind, below, 2, smooth);
        EXPECT_NEAR(at.jacobian[j], sign * difference / (2 * h), 1e-8);
      }
    }
  }
}

TEST(Rates, TheLastLayerHasTheGapsAndSlopesOfTheWholeNetworkButForTheSizeOfScores) {
  const Data data(5, 260, 3, 3);
  for (const RateOf of : {RateOf::decisions, RateOf::probabilities}) {
    for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{6, 4}}) {
      const Problem problem = data.problem(hidden, RateBound{RateKind::equalised_odds, of, 0.5});
      const std::vector<double> w = rate_start(problem);
      LastLayer layer(problem, w);
      const std::vector<double> v(w.end() - static_cast<std::ptrdiff_t>(layer.size()), w.end());
      const LastLayerPoint found = layer.at(v);
      LastLayer::Vector of_loss;
      LastLayer::Matrix of_cells;
      layer.gradients(of_loss, of_cells);
      FullData full(problem, test::no_control);
      const Derivatives all = full.derivatives(w);
      EXPECT_NEAR(found.loss, all.values.loss, 1e-13);
      EXPECT_THAT(found.gaps, testing::Pointwise(testing::DoubleNear(1e-13), all.values.gaps));
      // log(root mean square of the scores) by differences: decisions do not depend on it.
      const std::size_t first = w.size() - v.size();
      const auto log_size = [&](const std::vector<double>& weights) {
        double squares = 0;
        for (const double score : full.scores(problem.train, weights)) squares += score * score;
        return 0.5 * std::log(squares);
      };
      std::vector<double> of_size(v.size(), 0.0);
      for (std::size_t j = 0; j < v.size() && of == RateOf::decisions; ++j) {
        std::vector<double> above(w), below(w);
        above[first + j] += 1e-6;
        below[first + j] -= 1e-6;
        of_size[j] = (log_size(above) - log_size(below)) / 2e-6;
      }
      for (std::size_t i = 0; i < found.gaps.size(); ++i) {
        double along = 0;
        const double* const jacobian = &all.jacobian[i * w.size() + first];
        for (std::size_t j = 0; j < v.size(); ++j) along += jacobian[j] * v[j];
        for (std::size_t j = 0; j < v.size(); ++j) {
          double slope = 0;
          for (Eigen::Index k = 0; k < of_cells.rows(); ++k) {
            slope += problem.constraints.factor(static_cast<std::int64_t>(i), k) *
                     of_cells(k, static_cast<Eigen::Index>(j));
          }
          EXPECT_NEAR(slope, jacobian[j] - along * of_size[j], 1e-8);
        }
      }
    }
  }
}

TEST(Rates, SmoothedDecisionsHaveTheSlopesOfDifferencesAndBeginAtTheRatesOfDecisions) {
  const Data data(5, 260, 3, 3);
  for (const RateKind kind : all_rates) {
    const Problem problem = data.problem({}, RateBound{kind, RateOf::decisions, 0.5});
    const std::vector<double> start = rate_start(problem);
    LastLayer layer(problem, start);
    const LastLayerPoint decided = layer.at(start);
    layer.smooth_decisions(start, 0.2);
    EXPECT_THAT(layer.at(start).cells,
                testing::Pointwise(testing::DoubleNear(1e-13), decided.cells));
    std::vector<double> v(start);
    for (double& weight : v) weight += 0.1;
    const LastLayerPoint found = layer.at(v);
    EXPECT_THAT(found.decided, testing::Not(testing::ElementsAreArray(found.gaps)));
    LastLayer::Vector of_loss;
    LastLayer::Matrix of_cells;
    layer.gradients(of_loss, of_cells);
    constexpr double h = 1e-6;
    for (std::size_t j = 0; j < v.size(); ++j) {
      std::vector<double> above(v), below(v);
      above[j] += h;
      below[j] -= h;
      const auto up = layer.at(above).cells, down = layer.at(below).cells;
      for (std::size_t k = 0; k < up.size(); ++k) {
        const double slope = of_cells(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j));
        EXPECT_NEAR(slope, (up[k] - down[k]) / (2 * h), 1e-8);
      }
    }
    layer.count_decisions();
    const LastLayerPoint counted = layer.at(v);
    EXPECT_EQ(counted.gaps, found.decided);
    EXPECT_TRUE(counted.decided.empty());
  }
}

TEST(Rates, CertifiedTrainingEndsWithinTheirBounds) {
  for (const RateKind kind : all_rates) {
    for (const RateOf of : {RateOf::decisions, RateOf::probabilities}) {
      for (const auto& hidden : {std::vector<std::int64_t>{}, std::vector<std::int64_t>{6}}) {
        for (const double delta : {0.1, 0.02}) {
          const Data data(1, 400, 3, 3);
          const Problem problem = data.problem(hidden, RateBound{kind, of, 0.5});
          Certified certified(problem, {.delta = delta}, address);
          const TrainingResult found =
              train(problem, certified, rate_start(problem), {.budget = 40'000, .trace_points = 0});
          const PartLosses at = FullData(problem, test::no_control).losses(problem.train, found.w);
          const bool may_fail = kind == RateKind::error_rate_parity && of == RateOf::decisions;
          if (!may_fail) {
            EXPECT_LE(at.gap(), delta) << static_cast<int>(kind);
          }
          EXPECT_EQ(at.gap() <= delta, certified.aim() > 0);
          if (certified.aim() < 0) {
            EXPECT_NEAR(at.gap() - delta, -certified.aim(), 1e-8);
          }
        }
      }
    }
  }
}

/// Groups whose features lie far apart.
Data apart(std::uint64_t seed = 7, int rows = 600) {
  Data data(seed, rows, 2, 2);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    if (data.groups[i] == 1) data.features[2 * i] += 1.5;
  }
  return data;
}

/// Of scores with two weights and an intercept, by a grid.
double least_loss_of_grid(const Problem& problem, double delta) {
  FullData full(problem, test::no_control);
  double least = std::numeric_limits<double>::infinity();
  constexpr int steps = 16;
  constexpr double step = 0.15;
  for (int a = -steps; a <= steps; ++a) {
    for (int b = -steps; b <= steps; ++b) {
      for (int c = -steps; c <= steps; ++c) {
        const std::vector<double> w{a * step, b * step, c * step};
        const PartLosses at = full.losses(problem.train, w);
        if (at.gap() <= delta) least = std::min(least, at.loss);
      }
    }
  }
  return least;
}

TEST(Rates, CertifiedTrainingComesNearTheBestOfAGridOfLinearScores) {
  const Data data = apart();
  for (const double delta : {0.1, 0.03}) {
    const RateBound rate{RateKind::demographic_parity, RateOf::decisions, 0.5};
    const Problem problem = data.problem({}, rate);
    Certified certified(problem, {.delta = delta}, address);
    const TrainingResult found =
        train(problem, certified, rate_start(problem), {.budget = 200'000, .trace_points = 0});
    const PartLosses at = FullData(problem, test::no_control).losses(problem.train, found.w);
    EXPECT_LE(at.gap(), delta);
    EXPECT_LE(at.loss, least_loss_of_grid(problem, delta) + 0.02);
  }
}

/// With these columns as well.
template <class Value>
Data wider(const Data& data, std::int64_t columns, Value value) {
  Data wide = data;
  wide.columns += columns;
  wide.features.clear();
  for (std::int64_t i = 0; i < data.rows(); ++i) {
    const auto* const row = &data.features[static_cast<std::size_t>(i * data.columns)];
    wide.features.insert(wide.features.end(), row, row + data.columns);
    for (std::int64_t j = 0; j < columns; ++j) wide.features.push_back(value(i, j));
  }
  return wide;
}

PartLosses certified_at(const Problem& problem, double delta, std::int64_t passes) {
  Certified certified(problem, {.delta = delta}, address);
  const std::int64_t budget = passes * problem.train.size();
  const TrainingResult found =
      train(problem, certified, rate_start(problem), {.budget = budget, .trace_points = 0});
  return FullData(problem, test::no_control).losses(problem.train, found.w);
}

TEST(Rates, LevelsThatFewRowsHaveDoNotKeepCertifiedTrainingFromTheBounds) {
  const Data few = apart();
  const Data many =
      wider(few, 60, [](std::int64_t i, std::int64_t j) { return i % 300 == j ? 1 : 0; });
  for (const RateKind kind : {RateKind::demographic_parity, RateKind::equalised_odds}) {
    const RateBound rate{kind, RateOf::decisions, 0.5};
    const PartLosses at = certified_at(many.problem({}, rate), 0.03, 60);
    EXPECT_LE(at.gap(), 0.03);
    EXPECT_LE(at.loss, least_loss_of_grid(few.problem({}, rate), 0.03)) << static_cast<int>(kind);
  }
}

TEST(Rates, CertifiedTrainingFindsMoreThanAConstantWhereScoresHaveFewValues) {
  struct Case {
    std::uint64_t seed;
    double per_unit;  // values
    double delta;
  };
  for (const auto& [seed, per_unit, delta] : {Case{5, 2.5, 0.05}, Case{6, 1, 0.1}}) {
    Data data = apart(seed, 1200);
    for (double& value : data.features) value = std::round(per_unit * value) / per_unit;
    const RateBound rate{RateKind::equalised_odds, RateOf::decisions, 0.5};
    const Problem problem = data.problem({}, rate);
    const PartLosses at = certified_at(problem, delta, 100);
    EXPECT_LE(at.gap(), delta);
    EXPECT_LE(at.loss, least_loss_of_grid(problem, delta) + 0.03);
  }
}

/// More than a constant is there for all of them: ten times the budget finds it.
TEST(Rates, CertifiedTrainingFindsMoreThanAConstantForMostTablesWithTightEqualisedOdds) {
  int constants = 0;
  constexpr int tables = 12;
  for (std::uint64_t seed = 1; seed <= tables; ++seed) {
    Data data(seed, 1000, 4, 2);
    for (std::size_t i = 0; i < data.labels.size(); ++i) {
      if (data.groups[i] == 1) data.features[4 * i] += 0.8;
    }
    const RateBound rate{RateKind::equalised_odds, RateOf::decisions, 0.5};
    const Problem problem = data.problem({}, rate);
    const PartLosses at = certified_at(problem, 0.01, 100);
    EXPECT_LE(at.gap(), 0.01);
    if (at.loss > 0.95 * best_constant_score(problem, 0.01).loss) ++constants;
  }
  EXPECT_LE(constants, tables / 2);
}

template <class Method, class Options>
double gap_after(const Problem& problem, const Options& options) {
  Method method(problem, options, address);
  const TrainingResult found =
      train(problem, method, rate_start(problem), {.budget = 60'000, .trace_points = 0});
  return FullData(problem, test::no_control).losses(problem.train, found.w).gap();
}

TEST(Rates, EveryMethodWithBoundsMakesTheirGapSmaller) {
  const Data data = apart();
  for (const RateOf of : {RateOf::decisions, RateOf::probabilities}) {
    const Problem problem = data.problem({}, RateBound{RateKind::demographic_parity, of, 0.5});
    const double free = gap_after<Sgd>(problem, SgdOptions{});
    EXPECT_GT(free, 0.2);
    EXPECT_LT(gap_after<SslAlm>(problem, SslAlmOptions{}), 0.7 * free);
    EXPECT_LT(gap_after<SwitchingSubgradient>(problem, SwitchingOptions{}), 0.7 * free);
    EXPECT_LT(gap_after<StochasticGhost>(problem, GhostOptions{}), 0.7 * free);
    EXPECT_LT(gap_after<ClampedAlm>(problem, ClampedAlmOptions{}), 0.7 * free);
    EXPECT_LT(gap_after<PiDuals>(problem, PiDualsOptions{}), 0.7 * free);
    EXPECT_LE(gap_after<Certified>(problem, CertifiedOptions{.delta = 0.02}), 0.02);
  }
}

TEST(Rates, WhatHasNoMeaningForThemIsRefused) {
  EXPECT_THROW(GapConstraints(RateBound{}, 1), std::invalid_argument);
  EXPECT_THROW(GapConstraints((RateBound{.width = 0}), 2), std::invalid_argument);
  const Data data(1, 60, 2, 2);
  const Problem odds = data.problem({}, RateBound{.kind = RateKind::equalised_odds});
  EXPECT_FALSE(Fairret::suits(odds));
  EXPECT_TRUE(Fairret::suits(data.problem({}, RateBound{})));
  EXPECT_FALSE(has_exact_optimum(odds));
  Problem problem = data.problem({}, RateBound{});
  problem.validation = problem.train;
  EXPECT_THROW(Certified::validate_for(problem, {.confidence = 0.9}, {.budget = 10'000}),
               std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::training
