#include "solvers/alternating/front_surface.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "pareto/front.hpp"
#include "support.hpp"

namespace fairfront::alternating::front_surface_test {
namespace {

using Values = std::array<double, 3>;

/// The exact front in units of its ranges, as the test works it out: weighted sums' minimisers in
/// closed form for a convex problem, the sphere for DTLZ2.
std::vector<Values> exact_front(const std::string& name, const AnyProblem& problem) {
  std::vector<Values> front;
  constexpr std::int64_t total = 80;
  for (std::int64_t k = 0; k < lattice_size(total, 3); ++k) {
    const auto w = weights_of(lattice_point(k, total, 3));
    if (name == "dtlz2") {
      const double length = std::hypot(w[0], w[1], w[2]);
      front.push_back({w[0] / length, w[1] / length, w[2] / length});
    } else {
      const auto values = values_at(view_of(problem), *minimiser(problem, w));
      front.push_back({values[0], values[1], values[2]});
    }
  }
  return front;
}

struct Quality {
  double coverage = 0;  ///< share of the exact front within 0.02 of a point found
  double farthest = 0;  ///< of a point found from the exact front
};

Quality quality_of(const std::vector<Values>& exact, const std::vector<SurfacePoint>& found) {
  Values least = exact.front();
  Values greatest = exact.front();
  for (const Values& point : exact) {
    for (std::size_t i = 0; i < 3; ++i) {
      least[i] = std::min(least[i], point[i]);
      greatest[i] = std::max(greatest[i], point[i]);
    }
  }
  std::vector<double> nearest(exact.size(), 1e300);
  Quality quality;
  for (const SurfacePoint& point : found) {
    double own = 1e300;
    for (std::size_t k = 0; k < exact.size(); ++k) {
      double square = 0;
      for (std::size_t i = 0; i < 3; ++i) {
        const double d = (exact[k][i] - point.values[i]) / (greatest[i] - least[i]);
        square += d * d;
      }
      nearest[k] = std::min(nearest[k], square);
      own = std::min(own, square);
    }
    quality.farthest = std::max(quality.farthest, std::sqrt(own));
  }
  const auto covered = std::count_if(nearest.begin(), nearest.end(),
                                     [](double square) { return square <= 0.02 * 0.02; });
  quality.coverage = static_cast<double>(covered) / static_cast<double>(exact.size());
  return quality;
}

FrontSurface surface_of(const AnyProblem& problem, std::uint64_t seed,
                        const FrontSurfaceOptions& options = {}) {
  return front_surface(view_of(problem), options, seed, "key");
}

TEST(FrontSurface, CoversTheFrontOfEverySmoothProblemWithEverySeed) {
  for (const char* name : {"quadratic", "huber", "dtlz2"}) {
    const AnyProblem problem = make_problem(test_problem(name), 9, 3);
    const auto exact = exact_front(name, problem);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string(name) + ", seed " + std::to_string(seed));
      const FrontSurface found = surface_of(problem, seed);
      const Quality quality = quality_of(exact, found.front);
      EXPECT_GE(quality.coverage, 0.93);
      if (std::string(name) != "dtlz2") {
        EXPECT_LE(quality.farthest, 0.03);
        EXPECT_LE(found.gradients, 8000);
      }
      EXPECT_FALSE(found.exhausted);
    }
  }
}

// Samples of many variables lie far behind the front, above cells beyond its edge: the search ended
// there with 5 points.
TEST(FrontSurface, CoversTheFrontFromSamplesFarBehindIt) {
  for (const std::int64_t variables : {20, 60}) {
    const AnyProblem problem = make_problem(test_problem("dtlz2"), variables, 3);
    const auto exact = exact_front("dtlz2", problem);
    for (const std::uint64_t seed : {28u, 34u}) {
      SCOPED_TRACE(std::to_string(variables) + " variables, seed " + std::to_string(seed));
      EXPECT_GE(quality_of(exact, surface_of(problem, seed).front).coverage, 0.9);
    }
  }
}

/// How far the sum of the objectives could fall with none of them rising: of sums of |x_j - p_ij|
/// on the efficient set only variables of one objective are above their lower anchors, as else two
/// of them lowered together leave two objectives as they are and lower the third.
double inefficiency_of_absolutes(std::span<const double> x) {
  Values above{};
  double outside = 0;
  for (std::size_t j = 0; j < x.size(); ++j) {
    outside += std::max(0.0, -0.5 - x[j]) + std::max(0.0, x[j] - 0.5);
    above[j % 3] += x[j] + 0.5;
  }
  std::sort(above.begin(), above.end());
  return std::abs(above[0]) + std::abs(above[1]) + outside;
}

TEST(FrontSurface, PointsAtKinksAreEfficientAndNotWeaklyOnly) {
  for (const std::int64_t variables : {3, 6}) {
    const AnyProblem problem = make_problem(test_problem("absolute"), variables, 3);
    for (const std::uint64_t seed : {1u, 4u}) {
      SCOPED_TRACE(std::to_string(variables) + " variables, seed " + std::to_string(seed));
      const FrontSurface found = surface_of(problem, seed, {.spacing = 0.06});
      ASSERT_GT(found.front.size(), 100u);
      const auto weak = std::count_if(
          found.front.begin(), found.front.end(),
          [](const SurfacePoint& point) { return inefficiency_of_absolutes(point.x) > 1e-3; });
      EXPECT_EQ(weak, 0);
    }
  }
}

// Levels that descents did not meet at kinks cut the surface off: holes of .2 to .4 of the ranges,
// with most gradients left, and larger ones with a finer grid.
TEST(FrontSurface, KinksLeaveNoPartOut) {
  for (const std::int64_t variables : {3, 5}) {
    const AnyProblem problem = make_problem(test_problem("elastic"), variables, 3);
    const auto exact = exact_front("elastic", problem);
    for (const std::uint64_t seed : {1u, 4u}) {
      SCOPED_TRACE(std::to_string(variables) + " variables, seed " + std::to_string(seed));
      const FrontSurface found = surface_of(problem, seed);
      EXPECT_GE(quality_of(exact, found.front).coverage, 0.95);
      EXPECT_LE(100 * found.unplaced, found.levels);
    }
  }
}

/// The efficient set of absolutes, as inefficiency_of_absolutes() has it: one group of variables
/// goes from its lower anchors to its upper ones, the others stay at their lower ones.
std::vector<Values> front_of_absolutes(std::int64_t variables) {
  std::vector<Values> front;
  Values sizes{};
  for (std::int64_t j = 0; j < variables; ++j) sizes[static_cast<std::size_t>(j % 3)] += 1;
  for (std::size_t up = 0; up < 3; ++up) {
    for (int k = 0; k <= 100; ++k) {
      const double way = sizes[up] * k / 100.0;
      Values point = sizes;
      for (std::size_t i = 0; i < 3; ++i) point[i] += i == up ? -way : way;
      front.push_back(point);
    }
  }
  return front;
}

TEST(FrontSurface, FrontsOfKinksAloneAreWhole) {
  for (const std::int64_t variables : {3, 5}) {
    const AnyProblem problem = make_problem(test_problem("absolute"), variables, 3);
    for (const std::uint64_t seed : {4u, 5u}) {
      SCOPED_TRACE(std::to_string(variables) + " variables, seed " + std::to_string(seed));
      const Quality quality =
          quality_of(front_of_absolutes(variables), surface_of(problem, seed).front);
      EXPECT_GE(quality.coverage, 0.95);
    }
  }
}

// With two variables none belongs to the third objective: no kink holds its level, and its weight
// is 0.
TEST(FrontSurface, PointsWhoseThirdObjectiveHasNoWeightAreMadeEfficient) {
  const AnyProblem problem = make_problem(test_problem("absolute"), 2, 3);
  const FrontSurface found = surface_of(problem, 1, {.spacing = 0.06});
  const auto weak = std::count_if(
      found.front.begin(), found.front.end(),
      [](const SurfacePoint& point) { return inefficiency_of_absolutes(point.x) > 0.02; });
  EXPECT_LE(10 * weak, std::ssize(found.front));  // some along the edges
}

TEST(FrontSurface, PointsOfAConvexProblemNearlyMinimiseTheWeightedSumsOfTheirWeights) {
  const AnyProblem problem = make_problem(test_problem("quadratic"), 6, 3);
  for (const SurfacePoint& point : surface_of(problem, 3).front) {
    double sum = 0;
    for (const double weight : point.weights) {
      EXPECT_GE(weight, 0);
      sum += weight;
    }
    EXPECT_NEAR(sum, 1, 1e-12);
    const ProblemView p = view_of(problem);
    const double least = scalarised(p, point.weights, *minimiser(problem, point.weights));
    EXPECT_LE(scalarised(p, point.weights, point.x), least + 2e-3 * (1 + std::abs(least)));
  }
}

TEST(FrontSurface, TheFrontIsNondominatedInTheBoxAndHasTheValuesOfItsPoints) {
  const AnyProblem any = make_problem(test_problem("dtlz2"), 5, 3);
  const auto& problem = std::get<Dtlz2>(any);
  const FrontSurface found = surface_of(any, 2, {.spacing = 0.15});
  ASSERT_GT(found.front.size(), 30u);
  pareto::Points points(3);
  for (const SurfacePoint& point : found.front) {
    EXPECT_TRUE(problem.box().contains(point.x));
    for (std::size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(point.values[i], problem.value(static_cast<std::int64_t>(i), point.x));
    }
    points.add(point.values, points.size());
  }
  EXPECT_EQ(pareto::Front(points).size(), points.size());
}

TEST(FrontSurface, GivesTheSameBitsAgainAndOthersWithAnotherSeed) {
  const AnyProblem problem = make_problem(test_problem("huber"), 4, 3);
  const FrontSurface first = surface_of(problem, 1, {.spacing = 0.1});
  const FrontSurface again = surface_of(problem, 1, {.spacing = 0.1});
  const FrontSurface other = surface_of(problem, 2, {.spacing = 0.1});
  ASSERT_EQ(first.front.size(), again.front.size());
  for (std::size_t k = 0; k < first.front.size(); ++k) {
    EXPECT_EQ(first.front[k].x, again.front[k].x);
  }
  EXPECT_NE(first.front[1].x, other.front[1].x);
}

TEST(FrontSurface, EndsWithItsGradients) {
  const AnyProblem problem = make_problem(test_problem("quadratic"), 0, 3);
  for (const std::int64_t most : {3, 100, 1500}) {
    const FrontSurface found = surface_of(problem, 1, {.most_gradients = most});
    EXPECT_LE(found.gradients, most);
    EXPECT_TRUE(found.exhausted);
    EXPECT_FALSE(found.front.empty());
  }
}

TEST(FrontSurface, AStopIsObeyed) {
  const AnyProblem problem = make_problem(test_problem("quadratic"), 0, 3);
  solvers::Control control;
  control.request = [] { return solvers::Request::stop; };
  EXPECT_THROW((void)front_surface(view_of(problem), {}, 1, "key", control), solvers::Interrupted);
}

TEST(FrontSurface, BadOptionsAreNamed) {
  const AnyProblem problem = make_problem(test_problem("quadratic"), 0, 3);
  EXPECT_THROW((void)surface_of(problem, 1, {.samples = 0}), std::invalid_argument);
  EXPECT_THROW((void)surface_of(problem, 1, {.starts = 0}), std::invalid_argument);
  EXPECT_THROW((void)surface_of(problem, 1, {.spacing = 0}), std::invalid_argument);
  EXPECT_THROW((void)surface_of(problem, 1, {.most_gradients = 2}), std::invalid_argument);
  EXPECT_THROW((void)surface_of(problem, 1, {.descent_iterations = 0}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::alternating::front_surface_test
