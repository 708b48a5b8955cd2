#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/stop.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/ghost_direction.hpp"
#include "solvers/training/stochastic_ghost.hpp"
#include "solvers/training/support.hpp"

namespace fairfront::training::ghost_test {
namespace {

struct Case {
  std::vector<double> gradient, gaps, jacobian;
  [[nodiscard]] Linearised view() const { return {gradient, gaps, jacobian}; }
};

Case random_case(base::Stream& stream, std::size_t n, std::size_t q) {
  Case made;
  for (std::size_t j = 0; j < n; ++j) made.gradient.push_back(2 * stream.normal());
  for (std::size_t i = 0; i < q; ++i) made.gaps.push_back(stream.normal());
  for (std::size_t i = 0; i < n * q; ++i) made.jacobian.push_back(stream.normal());
  return made;
}

double product(const Case& at, std::size_t i, const Eigen::VectorXd& d) {
  double sum = 0;
  for (Eigen::Index j = 0; j < d.size(); ++j) {
    sum += at.jacobian[i * at.gradient.size() + static_cast<std::size_t>(j)] * d[j];
  }
  return sum;
}

/// The least value of the subproblem by all active sets: every component free or at an end of the
/// box, every gap free or at an end of its band.
double by_enumeration(const Case& at, double bound, double tau, double box) {
  const auto n = static_cast<Eigen::Index>(at.gradient.size());
  const auto q = static_cast<Eigen::Index>(at.gaps.size());
  double least = std::numeric_limits<double>::infinity();
  const auto sets = static_cast<int>(std::pow(3, n + q) + 0.5);
  for (int set = 0; set < sets; ++set) {
    Eigen::MatrixXd system = Eigen::MatrixXd::Zero(n + q, n + q);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(n + q);
    int code = set;
    for (Eigen::Index j = 0; j < n; ++j, code /= 3) {
      system(j, j) = code % 3 == 0 ? tau : 1;
      right[j] =
          code % 3 == 0 ? -at.gradient[static_cast<std::size_t>(j)] : (code % 3 == 1 ? box : -box);
      if (code % 3 != 0) continue;
      for (Eigen::Index i = 0; i < q; ++i) {
        system(j, n + i) = at.jacobian[static_cast<std::size_t>(i * n + j)];
      }
    }
    for (Eigen::Index i = 0; i < q; ++i, code /= 3) {
      if (code % 3 == 0) {
        system(n + i, n + i) = 1;  // no multiplier
        continue;
      }
      for (Eigen::Index j = 0; j < n; ++j) {
        system(n + i, j) = at.jacobian[static_cast<std::size_t>(i * n + j)];
      }
      right[n + i] = (code % 3 == 1 ? bound : -bound) - at.gaps[static_cast<std::size_t>(i)];
    }
    const Eigen::FullPivLU<Eigen::MatrixXd> lu(system);
    if (!lu.isInvertible()) continue;
    const Eigen::VectorXd d = lu.solve(right).head(n);
    bool feasible = d.cwiseAbs().maxCoeff() <= box + 1e-9;
    for (std::size_t i = 0; i < at.gaps.size(); ++i) {
      feasible = feasible && std::abs(at.gaps[i] + product(at, i, d)) <= bound + 1e-9;
    }
    if (!feasible) continue;
    double value = 0.5 * tau * d.squaredNorm();
    for (Eigen::Index j = 0; j < n; ++j) value += at.gradient[static_cast<std::size_t>(j)] * d[j];
    least = std::min(least, value);
  }
  return least;
}

TEST(GhostDirection, OfOneGapIsWhatPencilAndPaperSay) {
  // Violation 4, all of it within reach: kappa = 2, so that the gap may be 2.5. -g would make it
  // 18:
  // -(g + J'm) makes it 18 - 45 m.
  const Case at{{3, 1.5}, {-4.5}, {-6, -3}};
  const GhostSubproblem options{.delta = 0.5};
  EXPECT_EQ(relaxation(at.view(), options), 2);
  std::vector<double> d(2);
  ghost_direction(at.view(), options, d);
  EXPECT_NEAR(d[0], -3 + 6 * 15.5 / 45, 1e-14);
  EXPECT_NEAR(d[1], -1.5 + 3 * 15.5 / 45, 1e-14);
}

TEST(GhostDirection, IsTheBestOfAllActiveSets) {
  base::Stream stream(base::StreamKey(1, "test", "ghost"), 0);
  int bounded = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const std::size_t q = 1 + static_cast<std::size_t>(trial % 3);
    const Case at = random_case(stream, 3, q);
    const GhostSubproblem options{.delta = 0.1, .tau = 0.7, .box = trial % 2 == 0 ? 1.5 : 10};
    std::vector<double> found(3);
    ghost_direction(at.view(), options, found);
    const double bound = options.delta + relaxation(at.view(), options);
    const Eigen::Map<const Eigen::VectorXd> d(found.data(), 3);
    double value = 0.5 * options.tau * d.squaredNorm();
    for (std::size_t j = 0; j < 3; ++j) value += at.gradient[j] * found[j];
    const double best = by_enumeration(at, bound, options.tau, options.box);
    // 1e-9 in the bound of three gaps, times multipliers of the size 10.
    EXPECT_NEAR(value, best, q == 1 ? 1e-11 : 1e-7) << trial;
    bounded += d.cwiseAbs().maxCoeff() > 0.999 * options.box ? 1 : 0;
    for (std::size_t i = 0; i < q; ++i) {
      EXPECT_LE(std::abs(at.gaps[i] + product(at, i, d)), bound + 1e-8);
    }
  }
  EXPECT_GT(bounded, 10);  // the box was active, too
}

TEST(LeastViolation, IsThatOfAGrid) {
  base::Stream stream(base::StreamKey(1, "test", "violation"), 0);
  for (int trial = 0; trial < 20; ++trial) {
    const std::size_t q = 1 + static_cast<std::size_t>(trial % 3);
    const Case at = random_case(stream, 2, q);
    constexpr double radius = 0.3;
    constexpr double delta = 0.05;
    double least = std::numeric_limits<double>::infinity();
    constexpr int points = 200;
    for (int a = -points; a <= points; ++a) {
      for (int b = -points; b <= points; ++b) {
        const Eigen::Vector2d d(radius * a / points, radius * b / points);
        double worst = 0;
        for (std::size_t i = 0; i < q; ++i) {
          worst = std::max(worst, std::abs(at.gaps[i] + product(at, i, d)) - delta);
        }
        least = std::min(least, worst);
      }
    }
    // The grid is never better, and worse by |J|_1 times half its width at most.
    double slope = 0;
    for (const double value : at.jacobian) slope += std::abs(value);
    const double found = least_violation(at.view(), delta, radius);
    EXPECT_LE(found, least + 1e-8);
    EXPECT_GE(found, least - slope * radius / points);
  }
}

TEST(StochasticGhost, LevelsFollowTheirLaw) {
  const test::Data data(1, 20, 2, 2);
  const Problem problem = data.problem({});
  const StochasticGhost method(problem, {.p = 0.4, .most_level = 3}, {1, "task"});
  std::vector<int> times(4, 0);
  constexpr int draws = 40'000;
  for (int k = 0; k < draws; ++k) ++times[static_cast<std::size_t>(method.draw_level(k, 3))];
  const std::vector<double> expected{0.4, 0.24, 0.144, 0.216};
  double cost = 0;
  for (std::int64_t level = 0; level < 4; ++level) {
    const double p = expected[static_cast<std::size_t>(level)];
    EXPECT_NEAR(method.probability(level, 3), p, 1e-15);
    const double deviation = std::sqrt(p * (1 - p) / draws);
    EXPECT_NEAR(times[static_cast<std::size_t>(level)] / static_cast<double>(draws), p,
                5 * deviation);
    cost += 3 * p * static_cast<double>(1 + (2 << level));
  }
  EXPECT_NEAR(method.mean_cost(), cost, 1e-12);
}

TEST(StochasticGhost, ALevelThatCannotBePaidIsTheGreatestThatCan) {
  const test::Data data(1, 20, 2, 2);
  const Problem problem = data.problem({});
  const StochasticGhost method(problem, {.p = 0.4, .most_level = 6}, {1, "task"});
  // Three lists of rows, of the objective and of two cells: a level takes 3 (1 + 2^(N+1)).
  for (const auto& [evaluations, most] : std::vector<std::pair<std::int64_t, std::int64_t>>{
           {8, -1}, {9, 0}, {14, 0}, {15, 1}, {194, 4}, {195, 5}, {386, 5}, {387, 6}, {9999, 6}}) {
    EXPECT_EQ(method.most_level_within(evaluations), most) << evaluations;
  }
  for (std::int64_t k = 0; k < 1000; ++k) {
    EXPECT_EQ(method.draw_level(k, 2), std::min<std::int64_t>(method.draw_level(k, 6), 2));
  }
  EXPECT_NEAR(method.probability(2, 2), 1 - method.probability(0, 2) - method.probability(1, 2),
              1e-15);
}

TEST(StochasticGhost, SpendsItsBudgetWhateverLevelsAreDrawn) {
  const test::Data data(1, 60, 2, 2);
  const Problem problem = data.problem({});
  constexpr std::int64_t budget = 20'000, cheapest = 9;  // evaluations of a step of level 0
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    StochasticGhost method(problem, {}, {seed, "task"});
    const TrainingResult found =
        train(problem, method, {0.5, -0.3, 0.2}, {.budget = budget, .trace_points = 4});
    EXPECT_LE(found.evaluations, budget) << seed;
    EXPECT_GT(found.evaluations, budget - cheapest) << seed;
    EXPECT_EQ(found.trace.steps.back(), found.evaluations) << seed;
  }
}

TEST(StochasticGhost, TheMeanDirectionIsThatOfTheLargestBatch) {
  const test::Data data(1, 30, 2, 2);
  const Problem problem = data.problem({});
  const std::vector<double> w{0.5, -0.3, 0.2};
  constexpr std::int64_t most = 1;  // of levels that can be paid: not of the options
  const GhostOptions options{.most_level = 3, .subproblem = {.delta = 0.02}};
  StochasticGhost method(problem, options, {1, "task"});
  constexpr int draws = 60'000;
  std::vector<double> mean(3, 0.0), square(3, 0.0), wanted(3, 0.0), wanted_square(3, 0.0);
  for (int k = 0; k < draws; ++k) {
    const auto d = method.direction(w, method.draw_level(k, most), most);
    for (std::size_t j = 0; j < 3; ++j) {
      mean[j] += d[j] / draws;
      square[j] += d[j] * d[j] / draws;
    }
  }
  FullData full(problem, test::no_control);
  RowSource objective(problem.train.rows, base::StreamKey(1, "test", "f"), Sampling::replacement);
  CellSource cells(problem, {2, "test"}, "c", Sampling::replacement);
  for (int k = 0; k < draws; ++k) {
    std::vector<std::int64_t> rows;
    objective.append(4, rows);
    Case at{std::vector<double>(3, 0.0), {0}, std::vector<double>(3, 0.0)};
    full.add_gradient(w, rows, 1, at.gradient);
    rows.clear();
    cells.append(4, rows);
    at.gaps[0] = full.add_gradient(w, std::span(rows).first(4), 1, at.jacobian);
    at.gaps[0] -= full.add_gradient(w, std::span(rows).last(4), -1, at.jacobian);
    std::vector<double> d(3);
    ghost_direction(at.view(), options.subproblem, d);
    for (std::size_t j = 0; j < 3; ++j) {
      wanted[j] += d[j] / draws;
      wanted_square[j] += d[j] * d[j] / draws;
    }
  }
  for (std::size_t j = 0; j < 3; ++j) {
    const double variance =
        square[j] - mean[j] * mean[j] + wanted_square[j] - wanted[j] * wanted[j];
    EXPECT_NEAR(mean[j], wanted[j], 4 * std::sqrt(variance / draws));
  }
}

TEST(StochasticGhost, TheAuthorsTakeLambdaAndRhoForEachOther) {
  const test::Data data(1, 30, 2, 2);
  const Problem problem = data.problem({});
  const std::vector<double> w{0.5, -0.3, 0.2};
  StochasticGhost authors(problem, {.rules = Rules::authors}, {1, "task"});
  StochasticGhost swapped(problem, {.subproblem = {.lambda = 0.8, .radius = 0.5}}, {1, "task"});
  StochasticGhost paper(problem, {}, {1, "task"});
  const auto copy = [](std::span<const double> d) {
    return std::vector<double>(d.begin(), d.end());
  };
  const auto d = copy(authors.direction(w, 2, 12));
  EXPECT_EQ(d, copy(swapped.direction(w, 2, 12)));
  EXPECT_NE(d, copy(paper.direction(w, 2, 12)));
}

TEST(GhostDirection, AStopIsObeyedAmongManyGapsOfFewWeights) {
  base::Stream stream(base::StreamKey(8, "ghost", "test"), 0);
  const Case at = random_case(stream, 3, 45);
  std::vector<double> d(3);
  for (const int wanted : {1, 5, 12}) {
    int asked = 0;
    const base::StopScope scope([&] { return ++asked == wanted; });
    EXPECT_THROW(ghost_direction(at.view(), {}, d), base::Interrupted);
    EXPECT_EQ(asked, wanted);
  }
}

TEST(GhostDirection, AStopIsObeyedBetweenPassesOverLongRows) {
  base::Stream stream(base::StreamKey(7, "ghost", "test"), 0);
  const Case at = random_case(stream, 5000, 3);
  std::vector<double> d(5000);
  for (const int wanted : {1, 5, 12}) {
    int asked = 0;
    const base::StopScope scope([&] { return ++asked == wanted; });
    EXPECT_THROW(ghost_direction(at.view(), {}, d), base::Interrupted);
    EXPECT_EQ(asked, wanted);
  }
}

}  // namespace
}  // namespace fairfront::training::ghost_test
