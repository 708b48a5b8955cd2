#include "solvers/training/counted_step.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solvers/training/band_search.hpp"
#include "solvers/training/certified.hpp"
#include "solvers/training/constant_score.hpp"
#include "solvers/training/decision_band.hpp"
#include "solvers/training/penalty_step.hpp"
#include "solvers/training/support.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {
namespace {

using test::Data;

constexpr RateKind counted_kinds[] = {RateKind::demographic_parity, RateKind::equalised_odds,
                                      RateKind::error_rate_parity};

std::vector<double> counted_weights(const Problem& problem, std::uint64_t seed) {
  base::Stream stream(base::StreamKey(seed, "test", "counted weights"), 0);
  std::vector<double> w(static_cast<std::size_t>(problem.parameters()));
  for (double& weight : w) weight = stream.normal();
  return w;
}

std::vector<double> between(const std::vector<double>& from, const std::vector<double>& to,
                            double t) {
  std::vector<double> v(from.size());
  for (std::size_t j = 0; j < v.size(); ++j) v[j] = (1 - t) * from[j] + t * to[j];
  return v;
}

TEST(CountedStep, GapsOnALineAreThoseCountedAtEachOfItsPoints) {
  const Data data(3, 400, 3, 4);
  for (const RateKind kind : counted_kinds) {
    const Problem problem = data.problem({}, RateBound{kind, RateOf::decisions, 0.5});
    const auto from = counted_weights(problem, 1), to = counted_weights(problem, 2);
    LastLayer layer(problem, from), other(problem, from);
    (void)layer.at(from);
    layer.begin_line();
    (void)layer.at(to);
    layer.end_line();
    constexpr int count = 40;
    const auto gaps = layer.gaps_on_line(2, count);
    for (int k = 0; k < count; ++k) {
      const double t = 2.0 * (k + 1) / count;
      const LastLayerPoint expected = other.at(between(from, to, t));
      const LastLayerPoint found = layer.on_line(t);
      EXPECT_THAT(gaps[static_cast<std::size_t>(k)],
                  testing::Pointwise(testing::DoubleNear(1e-12), expected.gaps));
      EXPECT_EQ(found.gaps, expected.gaps);
      EXPECT_NEAR(found.loss, expected.loss, 1e-12);
      EXPECT_EQ(found.v, expected.v);
    }
  }
}

TEST(CountedStep, ALineOfThresholdsChangesTheInterceptAlone) {
  const Data data(4, 300, 3, 3);
  const Problem problem =
      data.problem({}, RateBound{RateKind::demographic_parity, RateOf::decisions, 0.5});
  const auto v = counted_weights(problem, 5);
  LastLayer layer(problem, v), other(problem, v);
  (void)layer.at(v);
  layer.line_of_thresholds(2);
  const auto gaps = layer.gaps_on_line(1, 8);
  for (int k = 0; k < 8; ++k) {
    auto shifted = v;
    shifted.back() += -2 + 4.0 * (k + 1) / 8;
    EXPECT_THAT(gaps[static_cast<std::size_t>(k)],
                testing::Pointwise(testing::DoubleNear(1e-12), other.at(shifted).gaps));
  }
}

/// The least loss of these weights with another intercept whose decisions are within delta, by
/// trying many; infinite where none is.
double least_loss_of_shifts(const Problem& problem, const std::vector<double>& v, double delta) {
  LastLayer layer(problem, v);
  double least = std::numeric_limits<double>::infinity();
  for (int k = -400; k <= 400; ++k) {
    auto shifted = v;
    shifted.back() += 0.01 * k;
    const LastLayerPoint at = layer.at(shifted);
    if (at.kept_gap <= delta) least = std::min(least, at.loss);
  }
  return least;
}

/// Bounds on decisions of three groups, each with its delta.
std::vector<std::pair<GapConstraints, double>> kinds_of_bounds() {
  const RateBound parity{RateKind::demographic_parity, RateOf::decisions, 0.5};
  const RateBound hits{RateKind::equal_opportunity, RateOf::decisions, 0.5};
  return {{GapConstraints(parity, 3), 0.1},
          {GapConstraints(hits, 3, BoundOf::worst_group), 0.1},
          {GapConstraints(parity, 3, BoundOf::ratio).with_ratio(0.8), 1}};
}

TEST(CountedStep, NoResultIsWorseThanTheStartWithAnotherThreshold) {
  int there = 0;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    const Data data(seed, 300, 3, 3);
    for (const auto& [constraints, delta] : kinds_of_bounds()) {
      const Problem problem = data.constrained({}, constraints);
      const std::vector<double> start{0.8, -0.4, 0.8, 0.2};
      const double least = least_loss_of_shifts(problem, start, delta);
      there += std::isfinite(least) ? 1 : 0;
      for (const std::int64_t evaluations : {1, 2, 3, 5, 12, 40}) {
        LastLayer layer(problem, start);
        const LastLayerResult found =
            counted_step(layer, start, RowsOfStep::all,
                         {.delta = delta, .reserve = 0.005, .evaluations = evaluations});
        EXPECT_LE(found.loss, least + 1e-3) << seed << ' ' << evaluations;
        EXPECT_LE(found.evaluations, evaluations);
        EXPECT_LE(layer.at(found.v).kept_gap, delta);
        EXPECT_NEAR(layer.at(found.v).loss, found.loss, 1e-12);
      }
    }
  }
  EXPECT_GE(there, 12);
}

TEST(CountedStep, OfAllThresholdsTheNearestOnEitherSideAreFound) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Data data(seed, 60, 3, 3);
    for (const auto& [constraints, delta] : kinds_of_bounds()) {
      const Problem problem = data.constrained({}, constraints);
      const auto v = counted_weights(problem, seed);
      LastLayer layer(problem, v);
      (void)layer.at(v);
      std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps()));
      const double most = delta;
      const auto shifts = layer.shifts_within([&](const std::vector<double>& cells) {
        problem.constraints.gaps_of(cells, gaps);
        return problem.constraints.largest_gap(cells, gaps) <= most;
      });
      double least = std::numeric_limits<double>::infinity();
      for (const double shift : shifts) {
        const LastLayerPoint at = layer.at(v);
        const LastLayerPoint moved = layer.with_other_scores(shift, 2);
        EXPECT_LE(moved.kept_gap, delta);
        EXPECT_TRUE(moved.is_certain);
        auto by_hand = at.v;
        by_hand.back() += shift;
        least = std::min(least, layer.at(by_hand).loss);
      }
      // A threshold keeps off the rows by up to a twentieth of the scores' size, and the loss
      // changes by no more than the threshold does.
      (void)layer.at(v);
      const double off = 0.05 * layer.root_mean_square();
      EXPECT_LE(least, least_loss_of_shifts(problem, v, delta) + off);
    }
  }
}

TEST(CountedStep, ABandCountsTheRatesOfAllRowsWhileItsReachLasts) {
  const Data data(6, 1500, 3, 3);
  for (const RateKind kind : counted_kinds) {
    const Problem problem = data.problem({}, RateBound{kind, RateOf::decisions, 0.5});
    const auto v = counted_weights(problem, 3);
    LastLayer layer(problem, v);
    const LastLayerPoint at = layer.at(v);
    for (const double share : {0.4, 1.0}) {
      (void)layer.at(v);
      DecisionBand band = layer.decision_band(share);
      EXPECT_LE(band.rows(), share < 1 ? 900 : 1500);  // at least a hundred of each of six cells
      EXPECT_THAT(band.cells(), testing::Pointwise(testing::DoubleNear(1e-12), at.cells));
      Eigen::VectorXd change = Eigen::VectorXd::Constant(std::ssize(v), share < 1 ? 0.05 : 1.0);
      change[1] = -change[1];
      EXPECT_EQ(band.aim(change), 1);
      const auto way = band.cells_on_way(10);
      for (int k = 0; k < 10; ++k) {
        auto moved = v;
        for (std::size_t j = 0; j < v.size(); ++j) {
          moved[j] += (k + 1) * change[static_cast<Eigen::Index>(j)] / 10;
        }
        EXPECT_THAT(way[static_cast<std::size_t>(k)],
                    testing::Pointwise(testing::DoubleNear(1e-12), layer.at(moved).cells));
      }
      band.go(0.5);
      EXPECT_THAT(band.cells(), testing::Pointwise(testing::DoubleNear(1e-12), way[4]));
    }
  }
}

TEST(CountedStep, ABandSaysHowFarItReaches) {
  const Data data(6, 1500, 3, 3);
  const Problem problem =
      data.problem({}, RateBound{RateKind::demographic_parity, RateOf::decisions, 0.5});
  const auto v = counted_weights(problem, 3);
  LastLayer layer(problem, v);
  (void)layer.at(v);
  DecisionBand band = layer.decision_band(0.2);
  Eigen::VectorXd intercept = Eigen::VectorXd::Zero(std::ssize(v));
  intercept[intercept.size() - 1] = 10;  // farther than any score
  const double most = band.aim(intercept);
  EXPECT_GT(most, 0);
  EXPECT_LT(most, 1);
  // A change of all scores alike is within reach as long as no other row's decision changes.
  band.go(0.999 * most);
  auto shifted = v;
  shifted.back() += 0.999 * most * 10;
  EXPECT_THAT(band.cells(),
              testing::Pointwise(testing::DoubleNear(1e-12), layer.at(shifted).cells));
}

/// Groups of falling size, the smallest of 12 rows; their features lie apart.
Data falling(std::uint64_t seed, int rows, int columns, int groups) {
  Data data(seed, rows, columns, groups);
  base::Stream stream(base::StreamKey(seed, "test", "falling groups"), 0);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    int group = 0;
    while (group + 1 < groups && stream.uniform() < 0.5) ++group;
    if (i < static_cast<std::size_t>(12 * groups)) group = static_cast<int>(i) % groups;
    data.groups[i] = group;
    double* const x = &data.features[i * static_cast<std::size_t>(columns)];
    x[0] += 0.4 * group;
    const double score = x[0] - 0.7 * x[1] + 0.5 * x[2] + 0.3 * stream.normal();
    data.labels[i] = score > 0.5 ? 1 : -1;
  }
  return data;
}

TEST(CountedStep, RowsNextToTheThresholdLeadSmallGroupsWithinTheBounds) {
  int within = 0, by_slopes = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Data data = falling(seed, 3000, 10, 7);
    const Problem problem =
        data.problem({}, RateBound{RateKind::demographic_parity, RateOf::decisions, 0.1});
    LastLayer layer(problem, std::vector<double>(11, 0.0));
    constexpr double delta = 0.03;
    // Where slopes alone end.
    const LastLayerOptions options{.delta = delta, .evaluations = 100};
    LastLayerResult first = constant_result(layer, options);
    (void)Descent(layer, options, first).run(std::vector<double>(11, 0.0), 60);
    by_slopes += first.is_constant() ? 0 : 1;
    const LastLayerPoint at = layer.at(first.nearest.v);
    LossModel loss;
    Eigen::MatrixXd of_cells, lower;
    layer.gradients(loss.gradient, of_cells);
    layer.curvature(std::vector<double>(7, 0.0), lower);
    loss.hessian = lower.selfadjointView<Eigen::Lower>();
    DecisionBand band = layer.decision_band(1);
    const BandMove move = lead_within(band, problem.constraints, loss, delta, 300);
    EXPECT_LE(move.passes, 301);
    std::vector<double> v = at.v;
    for (std::size_t j = 0; j < v.size(); ++j) v[j] += move.change[static_cast<Eigen::Index>(j)];
    const LastLayerPoint end = layer.at(v);
    EXPECT_NEAR(total_excess(end.gaps, delta), move.excess, 1e-9);
    EXPECT_NEAR(end.loss, at.loss + move.loss, 0.01);  // the model is of second order
    within += move.excess == 0 ? 1 : 0;
  }
  EXPECT_GE(within, 9);
  EXPECT_LT(by_slopes, within);
}

PartLosses certified_from(const std::vector<double>& start, const Problem& problem, double delta,
                          std::int64_t passes) {
  const Address address{.seed = 1, .task_key = "counted"};
  Certified certified(problem, {.delta = delta}, address);
  const TrainingResult found = train(problem, certified, start,
                                     {.budget = passes * problem.train.size(), .trace_points = 0});
  return FullData(problem, test::no_control).losses(problem.train, found.w);
}

PartLosses certified_with(const Problem& problem, double delta, std::int64_t passes) {
  return certified_from(std::vector<double>(static_cast<std::size_t>(problem.parameters())),
                        problem, delta, passes);
}

/// More than a constant is there for all but one of them: ten times the budget finds it.
TEST(CountedStep, FewEvaluationsAreEnoughForManyGroups) {
  int constants = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Data data = falling(seed, 4000, 12, 7);
    const Problem problem =
        data.problem({}, RateBound{RateKind::demographic_parity, RateOf::decisions, 0.1});
    for (const double delta : {0.02, 0.05}) {
      const PartLosses at = certified_with(problem, delta, 64);
      EXPECT_LE(at.gap(), delta);
      constants += at.loss > 0.95 * best_constant_score(problem, delta).loss ? 1 : 0;
    }
  }
  EXPECT_LE(constants, 3);
}

/// Scores shrunk towards a constant decide all rows alike and lose less than it, so that a constant
/// is never the best there is; and of small groups, too, some better ratio is mostly found.
TEST(CountedStep, RatiosOfSmallGroupsDoNotEndAtAConstant) {
  int like_constants = 0;
  for (std::uint64_t seed = 1; seed <= 12; ++seed) {
    const Data data = falling(seed, 4000, 12, 7);
    for (const RateKind kind : {RateKind::predictive_equality, RateKind::equalised_odds}) {
      const Problem problem = data.constrained(
          {}, GapConstraints(RateBound{kind, RateOf::decisions, 0.1}, 7, BoundOf::ratio)
                  .with_ratio(0.8));
      const PartLosses at = certified_with(problem, 1, 200);
      EXPECT_LE(problem.constraints.largest_gap(at.cells, at.gaps), 1);
      const double constant = best_constant_score(problem, 1).loss;
      EXPECT_LT(at.loss, constant - 1e-3);
      like_constants += at.loss > 0.95 * constant ? 1 : 0;
    }
  }
  EXPECT_LE(like_constants, 4);
}

/// Rows of four groups in a plane, each with errors of its own.
Data in_a_plane(std::uint64_t seed, int rows) {
  base::Stream stream(base::StreamKey(seed, "test", "plane"), 0);
  Data data(seed, rows, 2, 4);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const double* const x = &data.features[2 * i];
    const double slant = 1.2 * data.groups[i] - 1.8;
    data.labels[i] = x[0] + slant * x[1] + 0.6 * stream.normal() > 0.4 * slant ? 1 : -1;
  }
  return data;
}

double largest_of_groups(const Data& data, const std::vector<bool>& is_positive) {
  std::vector<double> rows(4, 0.0), wrong(4, 0.0);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    const auto group = static_cast<std::size_t>(data.groups[i]);
    rows[group] += 1;
    if (is_positive[i] != (data.labels[i] > 0)) wrong[group] += 1;
  }
  double largest = 0;
  for (std::size_t g = 0; g < 4; ++g) largest = std::max(largest, wrong[g] / rows[g]);
  return largest;
}

/// Of all lines, the least largest error of a group: they part the rows as lines through two of
/// them do, either of which may be on either side.
double least_largest_error(const Data& data) {
  const std::size_t rows = data.labels.size();
  double least = 1;
  std::vector<bool> is_positive(rows);
  for (std::size_t a = 0; a < rows; ++a) {
    for (std::size_t b = a + 1; b < rows; ++b) {
      const double* const from = &data.features[2 * a];
      const double* const to = &data.features[2 * b];
      for (std::size_t i = 0; i < rows; ++i) {
        const double* const x = &data.features[2 * i];
        is_positive[i] =
            (to[0] - from[0]) * (x[1] - from[1]) > (to[1] - from[1]) * (x[0] - from[0]);
      }
      for (const bool of_a : {false, true}) {
        for (const bool of_b : {false, true}) {
          is_positive[a] = of_a;
          is_positive[b] = of_b;
          least = std::min(least, largest_of_groups(data, is_positive));
          is_positive.flip();
          least = std::min(least, largest_of_groups(data, is_positive));
          is_positive.flip();
        }
      }
    }
  }
  return least;
}

TEST(CountedStep, ComesNearTheLeastLargestErrorOfAllLines) {
  double beyond = 0;
  int kept = 0;
  constexpr std::uint64_t tables = 12;
  for (std::uint64_t seed = 1; seed <= tables; ++seed) {
    const Data data = in_a_plane(seed, 100);
    const double least = least_largest_error(data);
    const Problem problem = data.constrained(
        {}, GapConstraints(RateBound{RateKind::error_rate_parity, RateOf::decisions, 0.1}, 4,
                           BoundOf::worst_group));
    const double out_of_reach = certified_with(problem, 0.01, 200).gap();
    EXPECT_GE(out_of_reach, least - 1e-12) << seed;
    beyond += (out_of_reach - least) / static_cast<double>(tables);
    kept += certified_with(problem, least + 0.05, 200).gap() <= least + 0.05 ? 1 : 0;
  }
  EXPECT_LE(beyond, 0.03);  // a row of a group is .04
  EXPECT_EQ(kept, static_cast<int>(tables));
}

/// Rates of six and of four rows of eight differ by a quarter.
TEST(CountedStep, ABoundThatRatesReachIsKept) {
  Data data(1, 16, 1, 2);
  for (std::size_t i = 0; i < 16; ++i) {
    const bool is_positive = i / 2 < (data.groups[i] == 0 ? 6U : 4U);
    data.labels[i] = is_positive ? 1 : -1;
    data.features[i] = data.labels[i];
  }
  const RateBound rate{RateKind::demographic_parity, RateOf::decisions, 0.1};
  const PartLosses at = certified_with(data.problem({}, rate), 0.25, 1000);
  EXPECT_EQ(at.gap(), 0.25);
  EXPECT_LT(at.loss, 0.01);
  EXPECT_LT(certified_with(data.problem({}, rate), 0.2499, 1000).gap(), 0.2499);
  // The ratio of these rates is two thirds.
  const GapConstraints ratios(rate, 2, BoundOf::ratio);
  EXPECT_LT(certified_with(data.constrained({}, ratios.with_ratio(0.6666666)), 1, 1000).loss, 0.01);
}

TEST(CountedStep, AFewEvaluationsARowAreEnoughForBoundsThatDoNotBind) {
  for (const std::int64_t passes : {6, 7, 8}) {
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Data data = falling(seed, 240, 10, 2);
      const Problem problem =
          data.problem({}, RateBound{RateKind::error_rate_parity, RateOf::decisions, 0.1});
      const PartLosses at = certified_from(counted_weights(problem, seed), problem, 0.3, passes);
      EXPECT_LT(at.loss, 0.95 * best_constant_score(problem, 0.3).loss) << passes << ' ' << seed;
    }
  }
}

}  // namespace
}  // namespace fairfront::training
