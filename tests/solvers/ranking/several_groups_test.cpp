// More than two groups: a pair of constraints for each comparison of groups.
#include <gtest/gtest.h>
#include <nlopt.hpp>

#include <cmath>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "optimise/quadratic_bounds.hpp"
#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/iqrc.hpp"
#include "solvers/ranking/level_set.hpp"
#include "support.hpp"

namespace fairfront::ranking {
namespace {

std::vector<double> scores_of(const test::RankingRows& made, const std::vector<double>& w) {
  std::vector<double> score;
  for (std::size_t i = 0; i < made.cells.size(); ++i) {
    double sum = 0;  // the mean of the rows changes no difference
    for (std::size_t j = 0; j < w.size(); ++j) sum += w[j] * made.features[i * w.size() + j];
    score.push_back(sum);
  }
  return score;
}

TEST(SeveralGroups, EveryGroupIsComparedWithEachOtherOneOrWithAllRows) {
  for (const FairnessMetric metric : test::all_metrics) {
    std::set<std::pair<int, int>> pairs;
    const auto compared = comparisons_of(metric, 4);
    for (const Comparison& comparison : compared)
      pairs.insert({comparison.group, comparison.other});
    EXPECT_EQ(pairs.size(), compared.size());
    const bool with_all = compared.front().other < 0;
    EXPECT_EQ(compared.size(), with_all ? 4u : 6u);
    for (const auto& [group, other] : pairs) {
      EXPECT_FALSE(!with_all && pairs.contains({other, group}));
    }
  }
}

TEST(SeveralGroups, LossesAreTheMeansOverAllPairsOfRows) {
  const auto made = test::random_rows(1, 60, 3, 3);
  const LinearScores rows = made.scores();
  const auto w = test::random_weights(3, 3);
  for (const Surrogate surrogate : {Surrogate{}, Surrogate{1.4, 0.6}}) {
    for (const FairnessMetric metric : test::all_metrics) {
      const PairSets pairs = pair_sets(metric, 3);
      const Losses expected =
          test::losses_by_pairs(scores_of(made, w), made.cells, pairs, surrogate);
      ASSERT_EQ(expected.constraints.size(), 6u);
      for (const Losses& found : {losses_of(rows.sums(w), pairs, surrogate),
                                  QuadraticLosses(rows, pairs, surrogate)(w)}) {
        EXPECT_NEAR(found.objective, expected.objective, 1e-12);
        ASSERT_EQ(found.constraints.size(), 6u);
        for (std::size_t k = 0; k < 6; ++k) {
          EXPECT_NEAR(found.constraints[k], expected.constraints[k], 1e-12);
        }
      }
    }
  }
}

TEST(SeveralGroups, EveryOptimumIsFeasibleAndProvesItself) {
  for (const std::size_t groups : {3u, 5u}) {
    const auto made = test::random_rows(groups, 500, 6, groups);
    for (const FairnessMetric metric : test::all_metrics) {
      for (const Surrogate surrogate : {Surrogate{}, Surrogate{0.3, 1.5}}) {
        const ExactAuc exact(QuadraticLosses(made.scores(), pair_sets(metric, groups), surrogate));
        for (const double above : {1e-4, 0.02, 0.1, 0.3, 1.0, 5.0}) {
          const double kappa = surrogate.infeasible_kappa() + above;
          const ExactOptimum found = exact.solve(kappa);
          EXPECT_LE(found.losses.excess(kappa), 1e-13);
          EXPECT_NEAR(found.losses.objective, found.dual_value, 1e-11);
          EXPECT_LE(found.kkt_residual, 1e-8);
          double multiplier = 0;
          for (const auto& [sum, difference] : found.multipliers) {
            EXPECT_LE(std::abs(difference), sum);
            multiplier += sum;
          }
          EXPECT_EQ(multiplier == 0, kappa >= exact.void_kappa());
        }
      }
    }
  }
}

/// The problem as NLopt's SQP of Kraft (1988) sees it.
struct Reference {
  const QuadraticLosses& losses;
  double kappa;

  struct Term {
    const Reference* of;
    std::size_t number;  ///< of the constraint; all others: the objective
  };
  static double value(const std::vector<double>& w, std::vector<double>& gradient, void* data) {
    const Term& term = *static_cast<Term*>(data);
    const QuadraticLosses& losses = term.of->losses;
    const auto [c1, c2] = losses.surrogate();
    const Eigen::Map<const Eigen::VectorXd> x(w.data(), std::ssize(w));
    const bool objective = term.number == 2 * losses.constraints().size();
    Eigen::VectorXd slope;
    if (objective) {
      slope = 2 * c1 * (losses.objective_matrix() * x - c2 * losses.objective_slope());
    } else {
      const auto& [matrix, of_constraint] = losses.constraints()[term.number / 2];
      const double sign = term.number % 2 == 0 ? 1 : -1;
      slope = 2 * c1 * (matrix * x + sign * c2 * of_constraint);
    }
    for (std::size_t j = 0; j < gradient.size(); ++j)
      gradient[j] = slope[static_cast<Eigen::Index>(j)];
    const Losses at = losses(w);
    return objective ? at.objective : at.constraints[term.number] - 1 - term.of->kappa;
  }

  std::vector<double> optimum() const {
    const auto columns = static_cast<unsigned>(losses.objective_slope().size());
    nlopt::opt solver(nlopt::LD_SLSQP, columns);
    std::vector<Term> terms;
    for (std::size_t k = 0; k <= 2 * losses.constraints().size(); ++k) terms.push_back({this, k});
    solver.set_min_objective(value, &terms.back());
    for (std::size_t k = 0; k + 1 < terms.size(); ++k) {
      solver.add_inequality_constraint(value, &terms[k], 1e-12);
    }
    solver.set_ftol_rel(1e-13);
    solver.set_maxeval(2000);
    std::vector<double> w(columns, 0.0);
    double least = 0;
    try {
      solver.optimize(w, least);
    } catch (const std::exception&) {  // rounding lets it find no better point
    }
    return w;
  }
};

TEST(SeveralGroups, TheOptimumIsThatOfASolverOfOthers) {
  int bound = 0;
  for (const std::size_t groups : {2u, 3u, 4u}) {
    const auto made = test::random_rows(10 + groups, 300, 4, groups);
    for (const FairnessMetric metric : test::all_metrics) {
      const ExactAuc exact(QuadraticLosses(made.scores(), pair_sets(metric, groups), {}));
      for (const double kappa : {0.05, 0.2, 0.6}) {
        const ExactOptimum found = exact.solve(kappa);
        const std::vector<double> w = Reference{exact.losses(), kappa}.optimum();
        const Losses other = exact.losses()(w);
        ASSERT_LE(other.excess(kappa), 1e-9);
        EXPECT_NEAR(found.losses.objective, other.objective, 1e-8);
        for (std::size_t j = 0; j < w.size(); ++j) EXPECT_NEAR(found.w[j], w[j], 1e-4);
        bound += kappa < exact.void_kappa() ? 1 : 0;
      }
    }
  }
  EXPECT_GT(bound, 30);  // where the constraints are not void
}

TEST(SeveralGroups, TheInteriorPointOfTwoGroupsIsThePathOfThePencil) {
  for (const auto& made : {test::random_rows(3, 300, 5), test::random_indicators(3, 300, 3, 5)}) {
    const LinearScores rows = made.scores();
    for (const FairnessMetric metric : test::all_metrics) {
      // The same comparison twice is no other problem, and takes the general way.
      auto compared = comparisons_of(metric);
      const ExactAuc pencil(QuadraticLosses(rows, pair_sets(compared), {}));
      compared.push_back(compared.front());
      const ExactAuc interior(QuadraticLosses(rows, pair_sets(compared), {}));
      EXPECT_NEAR(interior.void_kappa(), pencil.void_kappa(), 1e-12);
      for (const double kappa : {0.001, 0.05, 0.2, 0.5, 2.0}) {
        const ExactOptimum one = pencil.solve(kappa);
        const ExactOptimum two = interior.solve(kappa);
        EXPECT_NEAR(two.losses.objective, one.losses.objective, 1e-12);
        EXPECT_NEAR(two.dual_value, one.dual_value, 1e-11);
        for (std::size_t j = 0; j < one.w.size(); ++j) EXPECT_NEAR(two.w[j], one.w[j], 1e-6);
        double sum = 0;
        for (const optimise::BoundMultipliers& of : two.multipliers) sum += of.sum;
        EXPECT_NEAR(sum, one.multipliers[0].sum, 1e-6 * (1 + sum));
      }
    }
  }
}

TEST(SeveralGroups, TheLevelSetMethodComesNearTheOptimum) {
  for (const FairnessMetric metric : {FairnessMetric::group, FairnessMetric::intra_group}) {
    const auto made = test::random_rows(4, 1500, 4, 3);
    const LinearScores rows = made.scores();
    const PairSets pairs = pair_sets(metric, 3);
    const ExactAuc exact(QuadraticLosses(rows, pairs, {}));
    double squares = 0;
    for (const double value : exact.unconstrained().w) squares += value * value;
    const double radius = 1.5 * std::sqrt(squares);
    const double kappa = 0.2;
    ASSERT_LT(kappa, exact.void_kappa());
    const SurrogateProblem<LinearScores> problem{
        rows, pairs, {}, kappa, radius, radius * exact.losses().mean_bound()};
    const LevelSetResult found =
        level_set(problem, {.descent = {.step = 0.1, .steps = 6000}}, 1, "task");
    const Losses losses = exact.losses()(found.w);
    const double best = exact.solve(kappa).losses.objective;
    EXPECT_LE(losses.excess(kappa), 1e-3);
    EXPECT_LE(losses.objective, best + 0.03);
    EXPECT_GE(losses.objective, best - 1e-3);
    // A network learns under the same constraints.
    const NetworkScores network(rows, 3);
    base::Stream stream(base::StreamKey(1, "test", "network"), 0);
    const SurrogateProblem<NetworkScores> of_network{network, pairs, {},
                                                     kappa,   10,    network.score_bound(10)};
    const IqrcResult learnt =
        iqrc(of_network,
             {.iterations = 3, .level = {.descent = {.step = 0.3, .steps = 2000}, .most_calls = 4}},
             network.initial_weights(stream), 1, "task");
    const Losses of_learnt = losses_of(network.sums(learnt.w), pairs, {});
    EXPECT_LE(of_learnt.excess(kappa), 0.01);
    EXPECT_LT(of_learnt.objective, 0.499);
  }
}

TEST(SeveralGroups, AGroupWithoutRowsAndTooManyGroupsAreRefused) {
  const std::vector<double> features{1, 2, 3, 4, 5, 6};
  const models::Rows rows(features, 1);
  EXPECT_NO_THROW(LinearScores(rows, {0, 1, 2, 3, 4, 5}, 3));
  EXPECT_THROW(LinearScores(rows, {0, 1, 2, 3, 4, 4}, 3), std::invalid_argument);
  EXPECT_THROW(LinearScores(rows, {0, 1, 2, 3, 4, 6}, 3), std::invalid_argument);
  EXPECT_THROW(LinearScores(rows, {0, 1, 2, 3, 4, 5}, 33), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::ranking
