#include "solvers/regression/parity_dual.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/stop.hpp"
#include "optimise/l1_quadratic.hpp"
#include "solvers/regression/free_tilts.hpp"
#include "solvers/regression/sampled_rows.hpp"

namespace fairfront::regression {
namespace {

TEST(ParityDual, ValueAndSlackAreThoseOfTheWholeProblem) {
  for (const std::int64_t groups : {2, 3}) {
    const Sampled sampled(3, 25, groups);
    const PredictedRows rows = sampled.rows();
    std::vector<double> epsilon(static_cast<std::size_t>(groups), 0.01);
    epsilon[1] = 0.02;
    const ParityDual dual(rows, {4, 1}, ParityBound::atom, epsilon);
    const DualProblem whole(rows, {4, 1}, 20, epsilon);
    EXPECT_EQ(dual.blocks(), groups == 2 ? 1 : 3);
    EXPECT_EQ(dual.free_blocks(), groups - 1);
    const VectorXd v = random_vector(5, dual.size(), 0.1);
    ParityDual::Evaluation at;
    dual.evaluate(v, 20, at);
    const std::vector<double> d = dual.scores(v);
    std::vector<double> w(2 * d.size(), 0.0);
    for (std::size_t i = 0; i < d.size(); ++i) {
      w[i] = std::max(d[i], 0.0);
      w[d.size() + i] = std::max(-d[i], 0.0);
    }
    EXPECT_NEAR(at.value + dual.weight().dot(v.cwiseAbs()), whole.value(w), 1e-14);
  }
}

/// Rows are looked at sixteen at a time; the sums over them have the order of one after the other.
TEST(ParityDual, AnEvaluationHasTheBitsOfOneRowAfterTheOther) {
  constexpr double beta = 30;
  for (const std::int64_t count : {1, 15, 16, 17, 35}) {
    const Sampled sampled(3, count, 3);
    const PredictedRows rows = sampled.rows();
    const ParityDual dual(rows, {4, 1}, ParityBound::atom, {0.1, 0.1, 0.1});
    const VectorXd v = random_vector(5, dual.size(), 0.1);
    ParityDual::Evaluation at;
    dual.evaluate(v, beta, at);
    const std::vector<double> atoms = dual.grid().values();
    std::vector<double> z(static_cast<std::size_t>(count) * atoms.size());
    dual.score_rows(v, z);
    double value = 0, risk = 0;
    for (std::size_t i = 0; i < rows.eta.size(); ++i) {
      const std::span pi = std::span{z}.subspan(i * atoms.size(), atoms.size());
      value += soft_maximum(beta, pi);
      double of_row = 0;
      for (std::size_t l = 0; l < atoms.size(); ++l) {
        of_row += pi[l] * (rows.eta[i] - atoms[l]) * (rows.eta[i] - atoms[l]);
      }
      risk += of_row;
    }
    EXPECT_EQ(at.pi, z) << count;
    EXPECT_EQ(at.value, value / static_cast<double>(count)) << count;
    EXPECT_EQ(dual.risk(v, beta), risk / static_cast<double>(count)) << count;
    EXPECT_EQ(at.gradient, dual.gaps(z)) << count;
  }
}

TEST(ParityDual, DerivativesAreThoseByDifferences) {
  const Sampled sampled(7, 40, 3);
  const PredictedRows rows = sampled.rows();
  for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
    const ParityDual dual(rows, {3, 1}, bound, {0.1, 0.1, 0.1});
    const VectorXd v = random_vector(9, dual.size(), 0.2);
    ParityDual::Evaluation at, plus, minus;
    dual.evaluate(v, 10, at);
    const MatrixXd hessian = dual.expand(dual.free_hessian(v, 10, at));
    const double h = 1e-5;
    for (Index j = 0; j < v.size(); ++j) {
      VectorXd shifted = v;
      shifted[j] = v[j] + h;
      dual.evaluate(shifted, 10, plus);
      shifted[j] = v[j] - h;
      dual.evaluate(shifted, 10, minus);
      EXPECT_NEAR((plus.value - minus.value) / (2 * h), at.gradient[j], 1e-8);
      // Probabilities below 1e-10 are left out of the Hessian.
      const VectorXd column = (plus.gradient - minus.gradient) / (2 * h);
      EXPECT_LE((column - hessian.col(j)).cwiseAbs().maxCoeff(), 1e-7);
    }
  }
}

TEST(ParityDual, AllBlocksAreFreeWhereSharesDoNotAddUp) {
  Sampled sampled(7, 40, 3);
  sampled.p[1] *= 0.9;
  const PredictedRows rows = sampled.rows();
  const std::vector<double> epsilon(3, 0.1);
  const ParityDual dual(rows, {3, 1}, ParityBound::atom, epsilon);
  EXPECT_EQ(dual.free_blocks(), 3);
  const Optimum found = minimise_dual(dual, 20);
  EXPECT_NEAR(found.value, full_minimum(DualProblem(rows, {3, 1}, 20, epsilon)), 1e-9);
}

TEST(ParityDual, ProbabilitiesThatAreNotKeptAreComputedAgain) {
  const Sampled sampled(7, 60'000, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {36, 1}, ParityBound::atom, {0.1, 0.1});
  const VectorXd v = random_vector(9, dual.size(), 0.05);
  ParityDual::Evaluation at, plus, minus;
  dual.evaluate(v, 10, at);
  ASSERT_TRUE(at.pi.empty());
  const MatrixXd hessian = dual.expand(dual.free_hessian(v, 10, at));
  for (const Index j : {0, 30, 72}) {
    VectorXd shifted = v;
    shifted[j] = v[j] + 1e-5;
    dual.evaluate(shifted, 10, plus);
    shifted[j] = v[j] - 1e-5;
    dual.evaluate(shifted, 10, minus);
    const VectorXd column = (plus.gradient - minus.gradient) / 2e-5;
    EXPECT_LE((column - hessian.col(j)).cwiseAbs().maxCoeff(), 1e-8);
  }
}

TEST(ParityDual, AStopIsObeyedWithinAPassOverTheRows) {
  const Sampled sampled(7, 200, 2);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {36, 1}, ParityBound::atom, {0.1, 0.1});
  const VectorXd v = random_vector(9, dual.size(), 0.05);
  ParityDual::Evaluation at, again;
  dual.evaluate(v, 10, at);
  const MatrixXd hessian = dual.expand(dual.free_hessian(v, 10, at));
  int asked = 0;
  const base::StopScope scope([&] { return ++asked == 3; });
  EXPECT_THROW(dual.evaluate(v, 10, again), base::Interrupted);
  asked = 0;
  EXPECT_THROW((void)dual.free_hessian(v, 10, at), base::Interrupted);
  asked = 0;
  EXPECT_THROW((void)dual.limit(v), base::Interrupted);
  asked = 0;
  EXPECT_THROW((void)optimise::minimise_l1_quadratic(hessian, at.gradient, dual.weight(), v, 0),
               base::Interrupted);
}

TEST(ParityDual, GradientsAreTheGapsOfTheBounds) {
  const Sampled sampled(11, 30, 2);
  const PredictedRows rows = sampled.rows();
  const Grid grid{5, 1};
  const ParityDual dual(rows, grid, ParityBound::cumulative, {0.1, 0.1});
  const VectorXd v = random_vector(2, dual.size(), 0.1);
  ParityDual::Evaluation at;
  dual.evaluate(v, 30, at);
  const std::vector<double> gaps = atom_gaps(rows, SoftPrediction(grid, 2, 30), dual.scores(v));
  const auto first = static_cast<std::size_t>(dual.group_of_block(0) * grid.atoms());
  double sum = 0;
  for (Index l = 0; l < dual.size(); ++l) {
    sum += gaps[first + static_cast<std::size_t>(l)];
    EXPECT_NEAR(at.gradient[l], sum, 1e-14);
  }
}

TEST(ParityDual, ShortenLeavesTheScoresAndLowersThePenalty) {
  const Sampled sampled(4, 20, 3);
  const PredictedRows rows = sampled.rows();
  const ParityDual dual(rows, {3, 1}, ParityBound::atom, {0.1, 0.2, 0.3});
  const VectorXd v = random_vector(6, dual.size(), 0.3);
  VectorXd shorter = v;
  dual.shorten(shorter);
  ParityDual::Evaluation before, after;
  dual.evaluate(v, 15, before);
  dual.evaluate(shorter, 15, after);
  EXPECT_NEAR(before.value, after.value, 1e-14);
  EXPECT_LT(dual.weight().dot(shorter.cwiseAbs()), dual.weight().dot(v.cwiseAbs()));
}

TEST(ParityDual, ABoundThatFollowsFromTheOthersIsLeftOut) {
  const PredictedRows rows = many_groups(2, 60, 3);
  const auto blocks = [&](std::vector<double> epsilon) {
    return ParityDual(rows, {3, 1}, ParityBound::atom, std::move(epsilon)).blocks();
  };
  EXPECT_EQ(blocks({0, 0, 0}), 2);
  const std::vector<double>& p = rows.shares;
  EXPECT_EQ(blocks({0.01, 1.01 * (0.01 * p[0] + 0.02 * p[2]) / p[1], 0.02}), 2);
  EXPECT_EQ(blocks({0.01, 0.99 * (0.01 * p[0] + 0.02 * p[2]) / p[1], 0.02}), 3);
}

TEST(FreeTilts, GiveTheSameProductsAndAreOrthogonal) {
  const PredictedRows rows = many_groups(4, 50, 4);
  const std::vector<std::int64_t> groups{0, 1, 2, 3};
  const FreeTilts free = free_tilts(rows, groups);
  EXPECT_EQ(free.rank(), 3);  // sum_s p_s t_s = 0
  const VectorXd u = random_vector(3, 4, 1), c = free.to_free * u;
  const VectorXd again = free.to_free * (free.to_groups * c);
  EXPECT_LE((again - c).norm(), 1e-13);
  MatrixXd squares = MatrixXd::Zero(3, 3);
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const Eigen::Map<const VectorXd> t(rows.tilts(i).data(), 4),
        t_free(free.rows.tilts(i).data(), 3);
    EXPECT_NEAR(t.dot(u), t_free.dot(c), 1e-12);
    squares += t_free * t_free.transpose() / 50;
  }
  EXPECT_LE((squares - MatrixXd::Identity(3, 3)).norm(), 1e-13);
}

TEST(FreeTilts, NothingIsLeftOfTiltsThatAreNegligible) {
  PredictedRows rows = many_groups(4, 50, 4);
  for (double& tilt : rows.tilt) tilt *= 1e-14;
  const std::vector<std::int64_t> groups{0, 1, 2, 3};
  const FreeTilts free = free_tilts(rows, groups);
  EXPECT_EQ(free.rank(), 0);
  EXPECT_EQ(free.to_groups.rows(), 4);
  EXPECT_EQ(free.rows.rows(), 50);
  EXPECT_EQ((free.to_groups * VectorXd(0)).norm(), 0);
}

}  // namespace
}  // namespace fairfront::regression
