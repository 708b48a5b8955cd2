#include "solvers/training/gap_bound.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/cpu_time.hpp"
#include "base/random.hpp"
#include "optimise/box_ball.hpp"
#include "optimise/decomposition.hpp"
#include "solvers/training/curvature_bounds.hpp"
#include "solvers/training/exact.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/gap_cell.hpp"
#include "solvers/training/row_moments.hpp"
#include "solvers/training/support.hpp"
#include "support/normal_matrix.hpp"

namespace fairfront::training {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;
using fairfront::test::normal_matrix;
using test::Data;

const std::function<void()> no_beat = [] {};

base::Stream stream_of(std::uint64_t number) {
  return base::Stream(base::StreamKey(5, "test", "gap bound"), number);
}

long double softplus(long double z) {
  return z > 0 ? z + std::log1p(std::exp(-z)) : std::log1p(std::exp(z));
}
long double sigmoid(long double z) { return 1 / (1 + std::exp(-z)); }

/// Of d'(third) p / 6 + p'(fourth) p / 24.
double high_form(const Moments& moments, const Vector& d) {
  const Vector p = products_of(d);
  return d.dot(moments.third * p) / 6 + p.dot(moments.fourth * p) / 24;
}

TEST(AveragedCurvature, HoldsItsValuesOnAGridAndAttainsTheEnds) {
  for (double z = -12; z <= 12; z += 0.37) {
    for (const double reach : {0.0, 0.003, 0.0099, 0.01, 0.05, 0.4, 1.0, 2.5, 7.0, 30.0}) {
      const Range found = averaged_curvature(z, reach);
      const long double s = sigmoid(z);
      long double least = s * (1 - s), most = least;
      for (int i = -400; i <= 400; ++i) {
        const long double t = static_cast<long double>(reach) * i / 400;
        if (std::abs(t) < 1e-4L) continue;
        const long double k = 2 * (softplus(z + t) - softplus(z) - s * t) / (t * t);
        least = std::min(least, k);
        most = std::max(most, k);
      }
      SCOPED_TRACE(testing::Message() << "z " << z << ", reach " << reach);
      EXPECT_LE(found.least, static_cast<double>(least) + 1e-13);
      EXPECT_GE(found.most, static_cast<double>(most) - 1e-13);
      EXPECT_GE(found.least, static_cast<double>(least) - 0.001);
      EXPECT_LE(found.most, static_cast<double>(most) + 0.001);
    }
  }
}

TEST(FourthDerivatives, HoldTheRemainderOnAGridAndAreNotFarFromIt) {
  const FourthDerivatives bounds;
  for (double z = -16; z <= 16; z += 0.213) {
    for (const double reach : {0.11, 0.5, 1.23, 2.0, 3.33, 4.0}) {
      const Range found = bounds(z, reach);
      const long double s = sigmoid(z), u = s * (1 - s);
      long double least = 1, most = -1;
      for (int i = -200; i <= 200; ++i) {
        const long double t = static_cast<long double>(reach) * i / 200;
        if (std::abs(t) < 0.05L) continue;
        const long double r = 24 *
                              (softplus(z + t) - softplus(z) - s * t - u * t * t / 2 -
                               u * (1 - 2 * s) * t * t * t / 6) /
                              (t * t * t * t);
        least = std::min(least, r);
        most = std::max(most, r);
      }
      SCOPED_TRACE(testing::Message() << "z " << z << ", reach " << reach);
      EXPECT_LE(found.least, static_cast<double>(least));
      EXPECT_GE(found.most, static_cast<double>(most));
      if (std::abs(z) > 13) continue;  // beyond the table
      EXPECT_GE(found.least, static_cast<double>(least) - 0.02);
      EXPECT_LE(found.most, static_cast<double>(most) + 0.02);
    }
  }
}

TEST(RowMoments, TheirPolynomialsAreOnBothSidesOfTheLossAllOverTheCell) {
  base::Stream stream = stream_of(1);
  const FourthDerivatives fourth;
  for (const double radius : {0.1, 0.4, 1.2}) {
    const BoundedRows rows(1.7 * normal_matrix(stream, 4, 60));
    const Vector centre = 0.5 * normal_matrix(stream, 4, 1),
                 half = Vector::Constant(1, 0.7 * radius);
    const Matrix basis = Matrix::Identity(4, 4) + 0.2 * normal_matrix(stream, 4, 4);
    const BoundedRows::Local at = rows.at(centre, no_beat);
    for (const bool below : {true, false}) {
      const auto all = rows.moments(at, basis, half, radius, below, fourth, no_beat);
      ASSERT_EQ(all.size(), std::size(moment_reaches) + 1);
      for (int k = 0; k < 2000; ++k) {
        Vector e = normal_matrix(stream, 4, 1);
        e[0] = half[0] * (2 * stream.uniform() - 1);
        e.tail(3) *= radius * (k % 2 == 0 ? 1 : stream.uniform()) / e.tail(3).norm();
        const double exact =
            rows.at(centre + basis * e, no_beat).value - at.value - at.gradient.dot(basis * e);
        for (const Moments& moments : all) {
          const double model = e.dot(moments.second * e) / 2 + high_form(moments, e);
          if (below) {
            EXPECT_LE(model, exact + 1e-14);
          } else {
            EXPECT_GE(model, exact - 1e-14);
          }
        }
      }
    }
  }
}

TEST(RowMoments, TheOtherWritingIsTheSameFormAndThePenaltyCoversIt) {
  base::Stream stream = stream_of(2);
  for (const Index n : {1, 2, 3, 5}) {
    const Index m = n * (n + 1) / 2;
    const Matrix some = normal_matrix(stream, m, m);
    const Moments moments{Matrix::Zero(n, n), normal_matrix(stream, n, m), some + some.transpose()};
    const Moments other = balanced(moments, 0.6);
    const Penalty penalty(moments);
    for (int k = 0; k < 500; ++k) {
      const Vector d = normal_matrix(stream, n, 1);
      EXPECT_NEAR(high_form(moments, d), high_form(other, d),
                  1e-10 * (1 + d.squaredNorm() * d.squaredNorm()));
      const double radius = d.norm() * (1 + stream.uniform());
      EXPECT_GE(high_form(moments, d), -d.dot(penalty.at(radius) * d) / 2 - 1e-10);
    }
  }
}

/// E[(x'd)^4] of normal x is 3 |d|^4.
TEST(RowMoments, OfNormalRowsOneEigenvalueIsLeft) {
  const Index n = 6;
  Moments moments{Matrix::Zero(n, n), Matrix::Zero(n, 21), Matrix::Zero(21, 21)};
  for (Index i = 0, at = 0; i < n; ++i) {
    for (Index j = i; j < n; ++j, ++at) moments.fourth(at, at) = 2;
  }
  Vector squares = Vector::Zero(21);
  for (Index i = 0, at = 0; i < n; at += n - i, ++i) squares[at] = 1;
  moments.fourth += squares * squares.transpose();
  const Vector before = moments.fourth.selfadjointView<Eigen::Lower>().eigenvalues();
  EXPECT_NEAR(before.maxCoeff(), n + 2, 1e-12);
  const Vector after = balanced(moments, 1).fourth.selfadjointView<Eigen::Lower>().eigenvalues();
  EXPECT_NEAR(after.maxCoeff(), 3, 1e-12);
  EXPECT_NEAR(after.minCoeff(), 3, 1e-12);
}

/// Group 0 noisy, group 1 not: reducing the gap costs more than the convex Lagrangian sees.
struct Case {
  Data data;
  Problem problem;
  double delta;
  Case(std::uint64_t seed, int rows, int features, bool swap, double bound)
      : data{made(seed, rows, features, swap)}, problem{data.problem({})}, delta{bound} {}
  static Data made(std::uint64_t seed, int rows, int features, bool swap) {
    Data found(seed, rows, features, 2);
    for (std::int32_t& group : found.groups) group = swap ? 1 - group : group;
    return found;
  }
  /// The least loss within delta on a grid of weights, and in finer ones around the best.
  [[nodiscard]] double by_brute_force() const {
    const solvers::Control control;
    FullData full(problem, control);
    const std::size_t n = problem.parameters();
    std::vector<double> best_w(n, 0.0);
    double best = std::numeric_limits<double>::infinity();
    double size = 6;
    for (int level = 0; level < 4; ++level, size /= 8) {
      const std::vector<double> centre = best_w;
      const int steps = n == 2 ? 60 : 16;
      std::vector<double> w(n);
      const auto visit = [&](auto&& self, std::size_t j) -> void {
        if (j == n) {
          const PartLosses at = full.losses(problem.train, w);
          if (at.gap() <= delta && at.loss < best) {
            best = at.loss;
            best_w = w;
          }
          return;
        }
        for (int i = -steps; i <= steps; ++i) {
          w[j] = centre[j] + size * i / steps;
          self(self, j + 1);
        }
      };
      visit(visit, 0);
    }
    return best;
  }
};

TEST(GapBound, IsBelowTheOptimumOfAGridOnBothSidesAndNearIt) {
  int raised = 0, close = 0, tried = 0;
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    for (const int features : {1, 2}) {
      for (const bool swap : {false, true}) {
        const Case c(seed, 40, features, swap, 0.05);
        const ExactOptimum without = exact_training(c.problem, {.delta = c.delta, .cells = 0});
        const ExactOptimum with = exact_training(c.problem, {.delta = c.delta, .cells = 400});
        SCOPED_TRACE(testing::Message() << "seed " << seed << ", features " << features);
        EXPECT_EQ(with.loss, without.loss);
        EXPECT_GE(with.lower, without.lower);
        EXPECT_LE(with.lower, with.loss);
        const double grid = c.by_brute_force();
        EXPECT_LE(with.lower, grid);
        EXPECT_LE(with.loss, grid + 1e-9);
        if (without.lower > without.loss - 1e-4) continue;  // proven already
        ++tried;
        raised += with.lower > without.lower ? 1 : 0;
        close += with.loss - with.lower < 0.15 * (without.loss - without.lower) ? 1 : 0;
      }
    }
  }
  EXPECT_GE(tried, 4);
  EXPECT_EQ(raised, tried);
  EXPECT_EQ(close, tried);
}

TEST(GapBound, NeverFallsAsCellsAreAddedAndHasTheSameBitsAgain) {
  const Case c(2, 300, 4, false, 0.02);
  double last = 0;
  for (const std::int64_t cells : {0, 1, 30, 60, 120}) {
    const ExactOptimum found = exact_training(c.problem, {.delta = c.delta, .cells = cells});
    EXPECT_GE(found.lower, last);
    EXPECT_LE(found.lower, found.loss);
    EXPECT_LE(found.cells, cells);
    EXPECT_EQ(exact_training(c.problem, {.delta = c.delta, .cells = cells}).lower, found.lower);
    last = found.lower;
  }
}

/// Large multipliers: points that may be better are far from the minimum of the Lagrangian.
TEST(GapBound, IsRaisedWhereTheMultiplierIsLarge) {
  const Data data(1, 2000, 9, 2);
  const Problem problem = data.problem({});
  for (const double delta : {0.005, 0.02, 0.05}) {
    const ExactOptimum without = exact_training(problem, {.delta = delta, .starts = 0, .cells = 0});
    const ExactOptimum with = exact_training(problem, {.delta = delta, .starts = 0, .cells = 100});
    SCOPED_TRACE(testing::Message() << "delta " << delta);
    EXPECT_GT(std::abs(with.multipliers[0]), 1) << "twice the share of the group";
    EXPECT_GT(with.lower, without.lower + 0.2 * (without.loss - without.lower));
    EXPECT_LT(with.lower, with.loss);
  }
}

/// Two groups, of which the first has the greater loss: F = L_a - q_b delta.
struct TwoGroups {
  GapTask task;
  BoundedRows greater, smaller;
  explicit TwoGroups(base::Stream& stream) {
    const Matrix a = 1.5 * normal_matrix(stream, 3, 80), b = 1.5 * normal_matrix(stream, 3, 50);
    task = {Matrix(3, 0), a, b, 0, 80.0 / 130, 50.0 / 130, 0.05};
    task.greater.row(0).array() -= 0.7;
    task.smaller.row(0).array() -= 2.5;
    greater = BoundedRows(task.greater);
    smaller = BoundedRows(task.smaller);
  }
  [[nodiscard]] double convex(const Vector& w) const {
    return greater.at(w, no_beat).value - task.smaller_share * task.delta;
  }
};

/// What a cell leaves to its parts is a ball that holds all points of R(T): of this T, and by far
/// not all of those of a greater one.
TEST(GapBound, TheBallOfACellHoldsItsPartOfTheSetOfThisTargetAlone) {
  base::Stream stream = stream_of(6);
  const TwoGroups of(stream);
  GapCells cells(of.task, 0.9, no_beat);
  ASSERT_TRUE(cells.prepare(Vector::Zero(3), 0.62));
  const GapBox everything = cells.everything();
  int inside = 0, outside = 0;
  for (int i = 0; i < 24; ++i) {
    GapBox box = everything;
    box.half = Vector::Constant(1, cells.extent() / 24);
    box.mid = Vector::Constant(1, everything.near[0] - cells.extent() + (2 * i + 1) * box.half[0]);
    const GapCells::Seen seen = cells.examine(box, 0.55);
    if (!seen.within) continue;
    for (int k = 0; k < 1000; ++k) {
      Vector v = everything.near + 0.5 * cells.extent() * normal_matrix(stream, 3, 1);
      v[0] = box.mid[0] + box.half[0] * (2 * stream.uniform() - 1);
      const double value = of.convex(cells.weights_of(v));
      const bool held =
          (seen.within->root * (v - seen.within->centre)).norm() <= seen.within->radius;
      if (value <= 0.55) {
        ++inside;
        EXPECT_TRUE(held);
      } else if (value <= 0.62 && !held) {
        ++outside;
      }
    }
  }
  EXPECT_GT(inside, 100);
  EXPECT_GT(outside, 100);
}

/// A box may come with a ball of an earlier, lower target, which lacks points better than this one.
TEST(GapBound, ABallOfALowerTargetProvesNothingOfAHigherOne) {
  base::Stream stream = stream_of(6);
  const TwoGroups of(stream);
  GapCells cells(of.task, 0.9, no_beat);
  ASSERT_TRUE(cells.prepare(Vector::Zero(3), 0.75));
  GapBox box = cells.everything();
  const double low = of.convex(cells.weights_of(box.near)) + 1e-3, high = 0.7;
  box.half = Vector::Constant(1, cells.extent());
  box.mid = Vector::Constant(1, box.near[0]);
  const GapCells::Seen alone = cells.examine(box, high);
  ASSERT_EQ(alone.answer, GapCells::Answer::unknown) << "it holds the optimum, 0.608 on a grid";
  const Index n = 3;
  box.within = GapBall{box.near, Matrix::Identity(n, n), 1e-3, low};
  const GapCells::Seen stale = cells.examine(box, high);
  EXPECT_EQ(stale.answer, GapCells::Answer::unknown);
  EXPECT_EQ(stale.extent, alone.extent);
  box.within->target = high;
  EXPECT_EQ(cells.examine(box, high).answer, GapCells::Answer::proven) << "nothing is in the ball";
}

/// A box of all coordinates but one and its parts: what the first's ball tells the others.
TEST(GapBound, PartsOfACellKnowItsBall) {
  base::Stream stream = stream_of(8);
  const TwoGroups of(stream);
  GapCells cells(of.task, 0.9, no_beat);
  ASSERT_TRUE(cells.prepare(Vector::Zero(3), 0.62));
  GapBox box = cells.everything();
  box.half = Vector::Constant(1, cells.extent() / 6);
  box.mid = Vector::Constant(1, box.near[0]);
  const GapCells::Seen seen = cells.examine(box, 0.6);
  ASSERT_TRUE(seen.within);
  box.within = seen.within;
  box.near = seen.centre;
  for (const double at : {-0.7, 0.7}) {
    GapBox part = box;
    part.half = Vector(2);
    part.mid = Vector(2);
    part.half << box.half[0], 0.25 * seen.extent;
    part.mid << box.mid[0], seen.centre[1] + at * seen.extent;
    const GapCells::Seen with = cells.examine(part, 0.6);
    part.within.reset();
    const GapCells::Seen without = cells.examine(part, 0.6);
    if (!with.within || !without.within) continue;
    EXPECT_LE(with.within->radius, without.within->radius * 1.01);
  }
}

TEST(GapBound, AsksForAStopOftenEnough) {
  base::Stream stream = stream_of(9);
  constexpr Index n = most_bounded_weights, rows = 40'000;
  GapTask task{
      Matrix(n, 0), normal_matrix(stream, n, rows), normal_matrix(stream, n, rows), 0, 0.5, 0.5,
      0.01};
  task.greater.row(0).array() -= 0.5;
  task.smaller.row(0).array() -= 2.5;
  double last = base::cpu_seconds(), longest = 0;
  int beats = 0;
  const std::function<void()> beat = [&] {
    longest = std::max(longest, base::cpu_seconds() - last);
    last = base::cpu_seconds();
    if (++beats == 3000) throw base::Interrupted();
  };
  EXPECT_THROW((void)raise_lower_bound(task, {Vector::Zero(n), 0.9, 0.3, 0.6}, 100, beat),
               base::Interrupted);
  EXPECT_LT(longest, 1.0);
}

/// No point of a cell that is called proven may be feasible and better than the target.
TEST(GapBound, FeasiblePointsOfProvenCellsAreNoBetterThanTheTarget) {
  base::Stream stream = stream_of(6);
  const TwoGroups of(stream);
  for (const double target : {0.40, 0.50, 0.58}) {
    GapCells cells(of.task, 0.9, no_beat);
    ASSERT_TRUE(cells.prepare(Vector::Zero(3), 0.62));
    const GapBox everything = cells.everything();
    int proven = 0;
    for (int i = 0; i < 40; ++i) {
      GapBox box = everything;
      box.half = Vector::Constant(1, cells.extent() / 40);
      box.mid =
          Vector::Constant(1, everything.near[0] - cells.extent() + (2 * i + 1) * box.half[0]);
      if (cells.examine(box, target).answer != GapCells::Answer::proven) continue;
      ++proven;
      for (int k = 0; k < 300; ++k) {
        Vector v = everything.near + 0.7 * cells.extent() * normal_matrix(stream, 3, 1);
        v[0] = box.mid[0] + box.half[0] * (2 * stream.uniform() - 1);
        const Vector w = cells.weights_of(v);
        const double of_a = of.greater.at(w, no_beat).value, of_b = of.smaller.at(w, no_beat).value;
        if (of_a - of_b > of.task.delta) continue;
        EXPECT_GE(of.task.greater_share * of_a + of.task.smaller_share * of_b, target);
      }
    }
    EXPECT_GT(proven, 0);
  }
}

TEST(GapBound, KnowsNothingWhereItIsNotMeant) {
  GapTask task{Matrix(1, 0), Matrix::Ones(1, 5), Matrix::Ones(1, 5), 0, 0.5, 0.5, 0.1};
  const GapBoundStart start{Vector::Zero(1), 0.4, 0.1, 0.2};
  EXPECT_EQ(raise_lower_bound(task, start, 50, no_beat).cells, 0) << "convex already";
  const GapBoundStart above{Vector::Zero(1), 0.8, 0.1, 0.2};
  const GapBound found = raise_lower_bound(task, above, 50, no_beat);  // F has no minimum
  EXPECT_EQ(found.lower, 0.1);
}

}  // namespace
}  // namespace fairfront::training
