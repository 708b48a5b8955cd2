#include "solvers/ranking/penalised.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "solvers/ranking/exact_auc.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

const PairSets group_pairs = pair_sets(FairnessMetric::group);

struct Scores {
  std::vector<double> score;
  std::vector<std::uint8_t> cells;
};
/// Few different values, so that there are ties.
Scores random_scores(std::uint64_t seed, int rows) {
  base::Stream stream(base::StreamKey(seed, "test", "scores"), 0);
  Scores made;
  for (int i = 0; i < rows; ++i) {
    made.cells.push_back(static_cast<std::uint8_t>(i < 4 ? i : static_cast<int>(stream.below(4))));
    made.score.push_back(0.25 * static_cast<double>(stream.below(9)) + 0.2 * made.cells.back());
  }
  return made;
}

double auc_by_pairs(const Scores& of, const PairSet& pair) {
  double wins = 0;
  double pairs = 0;
  for (std::size_t i = 0; i < of.score.size(); ++i) {
    for (std::size_t k = 0; k < of.score.size(); ++k) {
      if (!contains(pair.above, of.cells[i]) || !contains(pair.below, of.cells[k])) continue;
      ++pairs;
      wins += of.score[i] > of.score[k] ? 1 : of.score[i] == of.score[k] ? 0.5 : 0;
    }
  }
  return wins / pairs;
}

template <class Value>
void expect_gradient(std::vector<double>& x, const std::vector<double>& gradient, Value value) {
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double before = x[i];
    constexpr double h = 1e-5;
    x[i] = before + h;
    const double above = value();
    x[i] = before - h;
    const double below = value();
    x[i] = before;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), 1e-9) << i;
  }
}

TEST(Penalised, SlopesOfPairLossesAreThoseOfCentralDifferences) {
  Scores of = random_scores(1, 25);
  for (const FairnessMetric metric : test::all_metrics) {
    for (const PairSet& pair : pair_sets(metric)) {
      const Surrogate surrogate{0.7, 1.3};
      const auto sums = [&] {
        CellSums made;
        for (std::size_t i = 0; i < of.score.size(); ++i) made.add(of.cells[i], of.score[i]);
        return made;
      };
      const PairLossSlopes slopes = pair_loss_slopes(sums(), pair, surrogate);
      std::vector<double> gradient;
      for (std::size_t i = 0; i < of.score.size(); ++i) {
        gradient.push_back(slopes.of_score[of.cells[i]] * of.score[i] +
                           slopes.constant[of.cells[i]]);
      }
      expect_gradient(of.score, gradient, [&] { return pair_loss(sums(), pair, surrogate); });
    }
  }
}

TEST(Penalised, SlopesOfTheCorrelationAreThoseOfCentralDifferences) {
  Scores of = random_scores(2, 30);
  for (const double sign : {1.0, -1.0}) {
    for (double& score : of.score) score *= sign;
    std::vector<double> gradient(of.score.size(), 0.0);
    add_correlation_slopes(of.score, of.cells, 2.5, gradient);
    EXPECT_GT(absolute_correlation(of.score, of.cells), 0.01);
    expect_gradient(of.score, gradient,
                    [&] { return 2.5 * absolute_correlation(of.score, of.cells); });
  }
  const std::vector<double> constant(of.score.size(), 3.0);
  EXPECT_EQ(absolute_correlation(constant, of.cells), 0);
  std::vector<double> gradient(of.score.size(), 0.0);
  add_correlation_slopes(constant, of.cells, 1, gradient);
  EXPECT_EQ(gradient, std::vector<double>(of.score.size(), 0.0));
}

TEST(Penalised, TheCorrelationIsTheSameWhateverTheUnitOfTheScores) {
  const Scores of = random_scores(2, 30);
  std::vector<double> gradient(of.score.size(), 0.0);
  add_correlation_slopes(of.score, of.cells, 2.5, gradient);
  for (const double unit : {0x1p-505, 0x1p-400, 0x1p-340, 0x1p400, 0x1p900}) {
    std::vector<double> scaled = of.score;
    for (double& score : scaled) score *= unit;
    EXPECT_EQ(absolute_correlation(scaled, of.cells), absolute_correlation(of.score, of.cells));
    std::vector<double> slopes(of.score.size(), 0.0);
    add_correlation_slopes(scaled, of.cells, 2.5, slopes);
    for (std::size_t i = 0; i < slopes.size(); ++i) EXPECT_EQ(slopes[i], gradient[i] / unit);
  }
  // Slopes would be too large to be of use: there is no variance.
  std::vector<double> tiny = of.score;
  for (double& score : tiny) score *= 1e-160;
  EXPECT_EQ(absolute_correlation(tiny, of.cells), 0);
  std::vector<double> slopes(of.score.size(), 0.0);
  add_correlation_slopes(tiny, of.cells, 2.5, slopes);
  EXPECT_EQ(slopes, std::vector<double>(of.score.size(), 0.0));
}

TEST(Penalised, TheAucOfABatchIsTheQuadraticCount) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Scores of = random_scores(seed, seed <= 18 ? 40 : 1000);  // few pairs, and many
    for (const FairnessMetric metric : test::all_metrics) {
      for (const PairSet& pair : pair_sets(metric)) {
        EXPECT_NEAR(auc_of(of.score, of.cells, pair), auc_by_pairs(of, pair), 1e-14);
      }
    }
  }
  const std::vector<double> one{1};
  const std::vector<std::uint8_t> cell{0};
  EXPECT_TRUE(std::isnan(auc_of(one, cell, group_pairs[0])));
}

struct Instance {
  LinearScores rows = test::random_rows(3, 2000, 3).scores();
  ExactAuc exact{QuadraticLosses(rows, group_pairs, {})};
  SurrogateProblem<LinearScores> problem{rows, group_pairs, {}, 0.3, 5, 20};
  std::vector<double> zero = std::vector<double>(3, 0.0);

  /// Signed difference of the AUCs of the metric, of all rows.
  [[nodiscard]] double difference(const std::vector<double>& w) const {
    std::vector<std::int64_t> all;
    for (std::int64_t i = 0; i < rows.rows(); ++i) all.push_back(i);
    std::vector<double> score(all.size());
    rows.scores(w, all, score);
    return auc_of(score, rows.cells(), group_pairs[4]) - 0.5;
  }
};

TEST(Penalised, WithoutAPenaltyItIsTheUnconstrainedOptimumAndWithOneFairer) {
  const Instance at;
  const auto trained = [&](double weight) {
    return correlation_penalty(at.problem, {{.step = 0.5, .steps = 20'000}, weight}, at.zero, 1,
                               "task");
  };
  const ExactOptimum best = at.exact.unconstrained();
  const std::vector<double> free = trained(0);
  EXPECT_NEAR(at.exact.losses()(free).objective, best.losses.objective, 2e-3);
  const double before = std::abs(at.difference(free));
  EXPECT_GT(before, 0.1);
  EXPECT_LT(std::abs(at.difference(trained(1))), before / 3);
}

TEST(Penalised, StepsOfAnyLengthLeaveFiniteWeights) {
  const Instance at;
  for (const double step : {1e-160, 1e-153, 1e-120, 1e-100}) {
    const std::vector<double> w = correlation_penalty(
        at.problem, {{.step = step, .steps = 200, .batch = 10}, 1}, at.zero, 1, "task");
    for (const double weight : w) EXPECT_TRUE(std::isfinite(weight)) << step;
  }
}

TEST(Penalised, TheProxyLagrangianBringsTheDifferenceOfAucsToTheLevel) {
  const Instance at;
  const double before = std::abs(at.difference(at.exact.unconstrained().w));
  for (const double level : {0.0, 0.05}) {
    const ProxyLagrangianResult found =
        proxy_lagrangian(at.problem, {{.step = 0.3, .steps = 10'000}, level}, at.zero, 1, "task");
    const double after = std::abs(at.difference(found.w));
    EXPECT_GT(found.multipliers[0] + found.multipliers[1], 0);
    EXPECT_LT(after, level + 0.05);
    EXPECT_LT(after, before / 2);
  }
  // A level that is met from the beginning leaves the multipliers at 0.
  const ProxyLagrangianResult loose =
      proxy_lagrangian(at.problem, {{.steps = 2000}, 1}, at.zero, 1, "task");
  EXPECT_EQ(loose.multipliers, (std::array<double, 2>{}));
}

TEST(Penalised, BatchesThatLackASetAreNoError) {
  const Instance at;
  const ProxyLagrangianResult found =
      proxy_lagrangian(at.problem, {{.steps = 500, .batch = 2}, 0.01}, at.zero, 1, "task");
  for (const double value : found.w) EXPECT_TRUE(std::isfinite(value));
  const std::vector<double> w =
      correlation_penalty(at.problem, {{.steps = 500, .batch = 1}, 1}, at.zero, 1, "task");
  EXPECT_EQ(w, at.zero);  // a row alone says nothing
}

TEST(Penalised, GoingOnFromACheckpointGivesTheSameBits) {
  const Instance at;
  const NetworkScores network(at.rows, 3);
  const SurrogateProblem<NetworkScores> problem{network, group_pairs, {}, 0.3, 5, 20};
  base::Stream stream(base::StreamKey(1, "test", "start"), 0);
  const std::vector<double> start = network.initial_weights(stream);
  const ProxyLagrangianOptions options{{.steps = 400}, 0.02};
  const ProxyLagrangianResult whole = proxy_lagrangian(problem, options, start, 1, "task");
  std::optional<std::string> state;
  int stops = 0;
  for (;;) {
    solvers::Control control;
    control.resume = state;
    int questions = 0;
    control.request = [&] {
      return ++questions > 5 ? solvers::Request::stop : solvers::Request::go_on;
    };
    control.save = [&](const std::string& bytes) { state = bytes; };
    try {
      const ProxyLagrangianResult found =
          proxy_lagrangian(problem, options, start, 1, "task", control);
      EXPECT_EQ(found.w, whole.w);
      EXPECT_EQ(found.multipliers, whole.multipliers);
      break;
    } catch (const solvers::Interrupted&) {
      ++stops;
    }
  }
  EXPECT_GT(stops, 1);
}

TEST(Penalised, BadInputIsRefused) {
  const Instance at;
  EXPECT_THROW((void)proxy_lagrangian(at.problem, {{}, 1.5}, at.zero, 1, "task"),
               std::invalid_argument);
  EXPECT_THROW((void)correlation_penalty(at.problem, {{}, -1}, at.zero, 1, "task"),
               std::invalid_argument);
  EXPECT_THROW((void)correlation_penalty(at.problem, {{.step = 0}, 1}, at.zero, 1, "task"),
               std::invalid_argument);
  const std::vector<double> other(2, 0.0);
  EXPECT_THROW((void)correlation_penalty(at.problem, {}, other, 1, "task"), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking
