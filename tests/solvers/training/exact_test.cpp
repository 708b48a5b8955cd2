#include "solvers/training/exact.hpp"

#include <gtest/gtest.h>
#include <nlopt.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "solvers/killed.hpp"
#include "solvers/training/cell_losses.hpp"
#include "solvers/training/exact_starts.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/gap_sqp.hpp"
#include "solvers/training/kkt_residual.hpp"
#include "solvers/training/last_layer_step.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training {
namespace {

using test::Data;

/// What NLopt's SQP of Kraft (1988) finds from several starts, with losses of FullData.
struct Reference {
  const Problem& problem;
  solvers::Control control{};
  FullData full{problem, control};

  double value(std::span<const double> w, std::vector<double>& gradient, double sign,
               std::size_t gap) {
    const Derivatives at = full.derivatives(w);
    const bool objective = gap == at.values.gaps.size();
    for (std::size_t j = 0; j < gradient.size(); ++j) {
      gradient[j] = objective ? at.gradient[j] : sign * at.jacobian[gap * w.size() + j];
    }
    return objective ? at.values.loss : sign * at.values.gaps[gap];
  }

  double optimum(double delta, int starts) {
    struct Term {
      Reference* of;
      double sign;
      std::size_t gap;
      double delta;
    };
    const auto call = [](const std::vector<double>& w, std::vector<double>& gradient, void* data) {
      const Term& term = *static_cast<Term*>(data);
      return term.of->value(w, gradient, term.sign, term.gap) - term.delta;
    };
    const auto q = static_cast<std::size_t>(problem.constraints.gaps());
    Term objective{this, 1, q, 0};
    std::vector<Term> terms;
    for (std::size_t i = 0; i < q; ++i) {
      for (const double sign : {1.0, -1.0}) terms.push_back({this, sign, i, delta});
    }
    double best = std::numeric_limits<double>::infinity();
    for (int k = 0; k < starts; ++k) {
      nlopt::opt solver(nlopt::LD_SLSQP, static_cast<unsigned>(problem.parameters()));
      solver.set_min_objective(call, &objective);
      for (Term& term : terms) solver.add_inequality_constraint(call, &term, 1e-10);
      solver.set_xtol_rel(1e-14);
      solver.set_ftol_rel(1e-15);
      solver.set_maxeval(1000);
      base::Stream stream(base::StreamKey(3, "test", "starts"), static_cast<std::uint64_t>(k));
      std::vector<double> w(problem.parameters());
      for (double& value : w) value = k == 0 ? 0 : stream.normal();
      double value = 0;
      try {
        solver.optimize(w, value);
      } catch (const std::exception&) {  // it found no better point
      }
      const PartLosses at = full.losses(problem.train, w);
      if (at.gap() <= delta + 1e-8) best = std::min(best, at.loss);
    }
    return best;
  }
};

TEST(ExactTraining, FindsWhatASolverOfOthersFinds) {
  for (const auto fairness : {Fairness::loss_gap, Fairness::equal_opportunity,
                              Fairness::equalised_odds, Fairness::group_to_overall}) {
    for (const int groups : {2, 3}) {
      const Data data(static_cast<std::uint64_t>(groups), 300, 4, groups);
      const Problem problem = data.problem({}, fairness);
      Reference reference{problem};
      for (const double delta : {0.2, 0.05, 0.005}) {
        const ExactOptimum found = exact_training(problem, {.delta = delta, .cells = 20});
        SCOPED_TRACE(testing::Message() << static_cast<int>(fairness) << " of " << groups
                                        << " groups, delta " << delta);
        EXPECT_TRUE(found.converged);
        // SLSQP ends where a step gains nothing more: it may be above by the square root of that.
        const double other = reference.optimum(delta, 8);
        EXPECT_NEAR(found.loss, other, 1e-7);
        EXPECT_LE(found.lower, found.loss + 1e-9);
        const PartLosses at = reference.full.losses(problem.train, found.w);
        EXPECT_NEAR(at.loss, found.loss, 1e-13);
        EXPECT_LE(at.gap(), delta + 1e-8);
      }
    }
  }
}

TEST(ExactTraining, NoWeightsWithinTheBoundsThatAnotherSearchFindsAreBetter) {
  for (const std::uint64_t seed : {1U, 15U, 16U, 30U, 35U}) {
    const Data data = test::with_heavy_tails(seed, 1000, 4, 3, 1.2);
    const Problem problem = data.problem({});
    const std::vector<double> start(problem.parameters(), 0.0);
    for (const double delta : {0.02, 0.005, 0.001}) {
      const ExactOptimum best = exact_training(problem, {.delta = delta});
      LastLayer layer(problem, start);
      EXPECT_TRUE(best.converged) << seed << ' ' << delta;
      EXPECT_LE(best.loss, last_layer_step(layer, start, {.delta = delta}).loss + 1e-9)
          << seed << ' ' << delta;
    }
  }
}

/// Small groups that lie apart, with steep labels: the bounds of all pairs leave a thin set, from
/// which searches fall to where all scores are nearly alike.
Data groups_apart(std::uint64_t seed) {
  return Data(seed, 160, 6, 8).with_groups_apart(seed, "groups apart", 1.5);
}

TEST(ExactTraining, ThinSetsOfManyGroupsHideNoBetterWeights) {
  for (const std::uint64_t seed : {2U, 6U, 11U, 17U}) {
    const Data data = groups_apart(seed);
    const Problem problem = data.problem({});
    constexpr double delta = 0.01;
    const ExactOptimum best = exact_training(problem, {.delta = delta});
    EXPECT_TRUE(best.converged) << seed;
    base::Stream stream(base::StreamKey(seed, "test", "starts"), 0);
    for (int k = 0; k < 3; ++k) {
      std::vector<double> start;
      for (std::size_t j = 0; j < problem.parameters(); ++j) start.push_back(stream.normal());
      LastLayer layer(problem, start);
      EXPECT_LE(best.loss, last_layer_step(layer, start, {.delta = delta}).loss + 1e-9) << seed;
    }
  }
}

/// Where all rows have nearly the same score every gap is small: all starts may agree on it.
TEST(ExactTraining, ScoresThatAreNearlyAlikeHideNoBetterWeights) {
  struct Table {
    std::uint64_t seed;
    int rows, columns, groups;
  };
  for (const Table& table : {Table{8, 160, 6, 8}, Table{11, 160, 6, 8}, Table{3, 100, 3, 4},
                             Table{13, 240, 8, 10}, Table{18, 240, 8, 10}}) {
    const Data data = Data(table.seed, table.rows, table.columns, table.groups)
                          .with_groups_apart(table.seed, "groups apart", 1.5);
    const Problem problem = data.problem({});
    constexpr double delta = 0.002;
    const ExactOptimum best = exact_training(problem, {.delta = delta});
    EXPECT_TRUE(best.converged) << table.seed;
    EXPECT_LE(best.violation, 0) << table.seed;
    for (std::uint64_t k = 0; k < 40; ++k) {
      base::Stream stream(base::StreamKey(table.seed, "test", "starts"), k);
      std::vector<double> start;
      for (std::size_t j = 0; j < problem.parameters(); ++j) {
        start.push_back((k % 3 == 0 ? 1 : k % 3 == 1 ? 3 : 8) * stream.normal());
      }
      LastLayer layer(problem, start);
      EXPECT_LE(best.loss, last_layer_step(layer, start, {.delta = delta}).loss + 1e-9)
          << table.seed << ' ' << k;
    }
  }
}

TEST(ExactTraining, BoundsOnTheLossesOfGroupsLeaveAConvexProgramWhoseOptimumIsProven) {
  for (const auto fairness :
       {Fairness::loss_gap, Fairness::equal_opportunity, Fairness::equalised_odds}) {
    for (const int groups : {2, 3}) {
      const Data data(static_cast<std::uint64_t>(groups), 300, 4, groups);
      const std::vector<double> shares(static_cast<std::size_t>(groups), 1.0 / groups);
      const Problem problem =
          data.constrained({}, GapConstraints(fairness, shares, BoundOf::worst_group));
      Reference reference{problem};
      const double least = exact_training(problem, {.delta = 1e-3}).least_bound;
      const double free =
          reference.full.losses(problem.train, exact_training(problem, {.delta = 9}).w).gap();
      ASSERT_LT(least, free);
      for (const double share : {0.1, 0.5, 0.9}) {
        const double delta = least + share * (free - least);
        const ExactOptimum found = exact_training(problem, {.delta = delta});
        SCOPED_TRACE(testing::Message() << static_cast<int>(fairness) << " of " << groups
                                        << " groups, delta " << delta);
        EXPECT_TRUE(found.converged);
        EXPECT_NEAR(found.loss, reference.optimum(delta, 1), 1e-7);
        EXPECT_LE(found.lower, found.loss);
        EXPECT_NEAR(found.lower, found.loss, 1e-7);
        EXPECT_EQ(found.least_bound, least);
        EXPECT_LE(reference.full.losses(problem.train, found.w).gap(), delta);
        const KktResidual kkt = kkt_residual(reference.full.derivatives(found.w), delta, true);
        EXPECT_LE(std::max(kkt.stationarity, kkt.complementarity), 1e-6);
        for (const double multiplier : kkt.multipliers) EXPECT_GE(multiplier, 0);
      }
    }
  }
}

TEST(ExactTraining, ABoundOutOfReachGivesTheLeastLargestLossAndSaysWhatItIs) {
  const Data data(3, 240, 3, 2);
  const Problem problem = data.constrained(
      {}, GapConstraints(Fairness::loss_gap, std::vector<double>{0.5, 0.5}, BoundOf::worst_group));
  const ExactOptimum found = exact_training(problem, {.delta = 0.01});
  // By duality the least largest of two is the largest, over shares, of what weights by these
  // reach.
  double best = 0;
  for (int k = 0; k <= 200; ++k) {
    CellLosses losses(problem);
    const std::vector<double> weights{0, k / 200.0, 1 - k / 200.0};
    best = std::max(best, minimise_weighted(losses, weights, std::vector<double>(4, 0.0), 1e-9, 100,
                                            test::no_control)
                              .value);
  }
  EXPECT_NEAR(found.least_bound, best, 1e-4);
  EXPECT_GE(found.least_bound, best - 1e-9);
  EXPECT_LE(found.least_bound_lower, found.least_bound);
  EXPECT_NEAR(found.least_bound_lower, found.least_bound, 1e-8);
  EXPECT_TRUE(found.converged);
  const PartLosses at = Reference{problem}.full.losses(problem.train, found.w);
  EXPECT_NEAR(at.gap(), found.least_bound, 1e-6);
}

/// Of a group that a line separates the loss has no least, and the Hessian none at infinity.
TEST(ExactTraining, AGroupThatALineSeparatesDoesNotStandInTheWayOfTheLeastLargestLoss) {
  Data data(5, 200, 2, 2);
  for (std::size_t i = 0; i < data.labels.size(); ++i) {
    if (data.groups[i] == 1) data.labels[i] = data.features[2 * i] > 0 ? 1 : -1;
  }
  const Problem problem = data.constrained(
      {}, GapConstraints(Fairness::loss_gap, std::vector<double>{0.5, 0.5}, BoundOf::worst_group));
  const ExactOptimum found = exact_training(problem, {.delta = 0.01});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.least_bound_lower, found.least_bound, 1e-7);
}

TEST(ExactTraining, CountsTheEndsAtTheVeryPointReturned) {
  Data data(11, 400, 2, 2);
  for (std::size_t i = 0; i < 400; ++i) {
    const double sign = data.features[2 * i] > 0 ? 1 : -1;
    if (data.groups[i] == 1) data.labels[i] = i % 3 == 0 ? sign : -sign * (i % 2 == 0 ? 1 : -1);
  }
  const Problem problem = data.problem({});
  const ExactOptimum found = exact_training(problem, {.delta = 0.01, .starts = 20, .cells = 0});
  EXPECT_LE(found.best, found.ended);
  EXPECT_LE(found.distinct, found.ended);
  EXPECT_EQ(found.best == found.ended, found.distinct == 1);
  EXPECT_NEAR(found.loss, Reference{problem}.optimum(0.01, 20), 1e-7);
}

/// Ten groups, of which pairs make 45 gaps of rank 9.
TEST(ExactTraining, FindsTheOptimumOfManyGroupsWhoseGapsDependOnEachOther) {
  const Data data(12, 600, 5, 10);
  for (const auto fairness : {Fairness::loss_gap, Fairness::equalised_odds}) {
    const Problem problem = data.problem({}, fairness);
    const ExactOptimum found = exact_training(problem, {.delta = 0.05, .starts = 8});
    EXPECT_TRUE(found.converged);
    Reference reference{problem};
    EXPECT_LE(found.loss, reference.optimum(0.05, 3) + 1e-7);
    const PartLosses at = reference.full.losses(problem.train, found.w);
    EXPECT_LE(at.gap(), 0.05 + 1e-12);
  }
}

TEST(ExactTraining, IsAKktPointByTheDerivativesOfAllRowsToo) {
  for (const int groups : {2, 3}) {
    const Data data(7, 500, 6, groups);
    const Problem problem = data.problem({});
    const ExactOptimum found = exact_training(problem, {.delta = 0.01, .cells = 0});
    const solvers::Control control;
    FullData full(problem, control);
    const KktResidual kkt = kkt_residual(full.derivatives(found.w), 0.01);
    EXPECT_LE(kkt.stationarity, 1e-7);  // Euclidean, of 7 weights, with multipliers of its own
    EXPECT_LE(kkt.violation, 1e-8);
    EXPECT_LE(kkt.complementarity, 1e-7);
  }
}

TEST(ExactTraining, WhereNoBoundIsActiveItIsTheOptimumWithoutConstraintsAndProvenToBe) {
  const Data data(4, 400, 5, 2);
  const Problem problem = data.problem({});
  const ExactOptimum loose = exact_training(problem, {.delta = 10});
  EXPECT_EQ(loose.multipliers, std::vector<double>{0});
  EXPECT_NEAR(loose.lower, loose.loss, 1e-12);
  EXPECT_EQ(loose.best, loose.ended);
  EXPECT_EQ(loose.distinct, 1);
  double last = loose.loss;
  for (const double delta : {0.3, 0.1, 0.03, 0.01}) {
    const double loss = exact_training(problem, {.delta = delta, .cells = 0}).loss;
    EXPECT_GE(loss, last - 1e-9) << "a tighter bound costs";
    last = loss;
  }
}

/// Of a point that is feasible no loss may be below the bound.
TEST(ExactTraining, NoFeasibleWeightsAreBelowTheLowerBound) {
  const Data data(5, 200, 2, 2);
  const Problem problem = data.problem({});
  const solvers::Control control;
  FullData full(problem, control);
  for (const double delta : {0.1, 0.02}) {
    const ExactOptimum found = exact_training(problem, {.delta = delta, .cells = 100});
    double best = std::numeric_limits<double>::infinity();
    for (double a = -3; a <= 3; a += 0.1) {
      for (double b = -3; b <= 3; b += 0.1) {
        for (double c = -2; c <= 2; c += 0.1) {
          const PartLosses at = full.losses(problem.train, std::vector{a, b, c});
          if (at.gap() <= delta) best = std::min(best, at.loss);
        }
      }
    }
    EXPECT_GE(best, found.loss - 1e-9);
    EXPECT_LE(best, found.loss + 0.02) << "the grid has points near the optimum";
    EXPECT_LE(found.lower, found.loss + 1e-9);
  }
}

TEST(ExactTraining, TheSquareLossHasAnOptimumToo) {
  const Data data(6, 300, 3, 2);
  const Problem problem = data.problem({}, Fairness::loss_gap, models::LossKind::square);
  Reference reference{problem};
  const ExactOptimum found = exact_training(problem, {.delta = 0.01});
  EXPECT_TRUE(found.converged);
  EXPECT_NEAR(found.loss, reference.optimum(0.01, 8), 1e-7);
}

TEST(ExactTraining, ColumnsThatSayNothingOrTheSameDoNotStopIt) {
  Data data(8, 200, 4, 2);
  for (std::size_t i = 0; i < 200; ++i) {
    data.features[4 * i + 2] = 0;
    data.features[4 * i + 3] = data.features[4 * i];
  }
  const Problem problem = data.problem({});
  const ExactOptimum found = exact_training(problem, {.delta = 0.01});
  EXPECT_TRUE(found.converged);
}

TEST(ExactTraining, RefusesNetworksAndLossesWithoutCurvature) {
  const Data data(9, 50, 3, 2);
  EXPECT_THROW((void)exact_training(data.problem({4}), {}), std::invalid_argument);
  EXPECT_THROW(
      (void)exact_training(data.problem({}, Fairness::loss_gap, models::LossKind::hinge), {}),
      std::invalid_argument);
  EXPECT_THROW((void)exact_training(data.problem({}), {.delta = 0}), std::invalid_argument);
}

TEST(ExactTraining, ALossThatOverflowsIsNotAnOptimum) {
  Data data(1, 60, 2, 2);
  for (double& value : data.features) value *= 1e200;
  const Problem problem = data.problem({}, Fairness::loss_gap, models::LossKind::square);
  const ExactOptimum found = exact_training(problem, {.delta = 0.1});
  EXPECT_FALSE(found.converged);
  EXPECT_EQ(found.ended, 0);
  EXPECT_TRUE(std::isfinite(found.loss));  // of weights 0
}

/// A quadratic has its optimum after one step of Newton's method: the pass at the start, that at
/// its end. A start that is an optimum within the bounds needs one pass.
TEST(ExactTraining, CountsItsPassesOverTheRows) {
  const Data data(3, 80, 3, 2);
  const Problem problem = data.problem({}, Fairness::loss_gap, models::LossKind::square);
  CellLosses losses(problem);
  const std::vector<double> zero(losses.parameters(), 0.0), none(losses.num_gaps(), 0.0);
  const ConvexMinimum free = minimise_weighted(losses, losses.weights(none), zero, 1e-10, 50, {});
  EXPECT_EQ(free.passes, 2);
  const GapSqpOptions wide{.delta = 100};
  EXPECT_EQ(minimise_within_gaps(losses, free.w, wide).passes, 1);
  const LocalOptimum from_zero = minimise_within_gaps(losses, zero, wide);
  EXPECT_EQ(from_zero.passes, from_zero.steps + 1);
  // The optimum without constraints, its search, and that from weights 0; then by way of two other
  // deltas and back, each from an optimum.
  const ExactOptimum found = exact_training(problem, {.delta = 100, .starts = 0});
  EXPECT_EQ(found.passes, free.passes + 1 + from_zero.passes + 4);
  // No proof of a lower bound is counted, however long its search.
  const Problem logistic = data.problem({});
  const auto passes = [&](std::int64_t cells) {
    return exact_training(logistic, {.delta = 0.01, .starts = 1, .cells = cells}).passes;
  };
  EXPECT_EQ(passes(0), passes(40));
}

/// With the bytes of all that a run has found.
bool are_same(const ExactOptimum& a, const ExactOptimum& b) {
  const auto bytes = [](const LocalOptimum& at) { return solvers::packed_state({}, at); };
  return bytes(a) == bytes(b) && a.lower == b.lower && a.cells == b.cells && a.ended == b.ended &&
         a.distinct == b.distinct && a.best == b.best;
}

TEST(ExactTraining, GoesOnFromEveryCheckpointToTheSameBits) {
  const Data data(2, 60, 2, 2), other(2, 60, 3, 2);
  const Problem problem = data.problem({}), another = other.problem({});
  const ExactOptions options{.delta = 0.005, .starts = 1, .cells = 20};
  const auto run = [&](const solvers::Control& control) {
    return exact_training(problem, options, control);
  };
  const ExactOptimum whole = run({});
  EXPECT_EQ(whole.cells, 20);
  solvers::test::KilledRun killed(run);
  EXPECT_TRUE(are_same(killed.to_the_end(), whole));
  EXPECT_GT(killed.kills(), whole.cells + whole.steps);  // after every cell and every Hessian
  solvers::test::expect_every_wish_is_heard(run, 15);
  for (const int kills : {1, 20, 40}) {
    solvers::test::KilledRun part(run);
    for (int k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
    solvers::test::expect_damage_is_refused(run, part.state());
    EXPECT_THROW((void)exact_training(another, options, {.resume = part.state()}),
                 base::CheckpointError);
    part.stop_at(0);
    EXPECT_TRUE(are_same(run({.resume = part.state()}), whole));
  }
}

/// Fourteen rows of three groups, where a unit of gap is worth tens of units of loss.
Data data_with_dear_gaps() {
  Data data(1, 14, 1, 3);
  data.features = {0.074, -0.395, -0.991, -0.001, -1.43, 1.2,    0.564,
                   0.431, 1.406,  -0.157, -0.137, -0.2,  -0.147, -0.304};
  data.groups = {0, 2, 2, 2, 1, 0, 1, 1, 1, 0, 0, 1, 2, 0};
  data.labels = {1, -1, -1, -1, -1, 1, 1, 1, 1, -1, -1, -1, -1, -1};
  return data;
}

/// Weights 0 are feasible.
TEST(ExactTraining, KeepsTheBoundsAlsoWhereNoStartConverges) {
  const Data data = data_with_dear_gaps();
  constexpr double of_no_rounding = 1e-18;  // which hardly a gap of other weights is within
  int unconverged = 0;
  for (const models::LossKind loss : {models::LossKind::logistic, models::LossKind::square}) {
    const Problem problem = data.problem({}, Fairness::loss_gap, loss);
    const double of_zero = loss == models::LossKind::square ? 0.5 : std::log(2.0);
    for (const double delta : {of_no_rounding, 0.0003, 0.001, 0.003, 0.01}) {
      const ExactOptimum found = exact_training(problem, {.delta = delta});
      EXPECT_TRUE(found.converged || delta == of_no_rounding) << delta;
      unconverged += found.converged ? 0 : 1;
      EXPECT_LE(found.violation, 0) << delta;
      EXPECT_LE(found.loss, of_zero + 1e-12) << delta;
      EXPECT_LE(found.lower, found.loss) << delta;
    }
  }
  EXPECT_GT(unconverged, 0);
}

}  // namespace
}  // namespace fairfront::training
