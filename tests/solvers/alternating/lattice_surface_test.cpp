#include "solvers/alternating/lattice_surface.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "pareto/indicators.hpp"
#include "solvers/alternating/efforts.hpp"
#include "solvers/alternating/problem.hpp"
#include "solvers/alternating/test_problems.hpp"

namespace fairfront::alternating {
namespace {

constexpr std::int64_t samples = 20'000;

base::Stream stream_of(std::uint64_t number) {
  return base::Stream(base::StreamKey(1, "test", "lattice_surface"), number);
}

std::array<double, 3> any_weights(base::Stream& stream) {
  const double a = -std::log(stream.uniform() + 1e-12), b = -std::log(stream.uniform() + 1e-12);
  const double c = -std::log(stream.uniform() + 1e-12), sum = a + b + c;
  return {a / sum, b / sum, c / sum};
}

/// DTLZ2's front is the unit sphere: the distance is that of the radius to 1. Triangles with edges
/// of up to sqrt(6) / 199 lie up to 2.6e-5 beneath it.
TEST(LatticeSurface, OfASphereItIsTheRadius) {
  const AnyProblem problem = make_problem(test_problem("dtlz2"), 0, 3);
  const pareto::Points front = analytic_front(problem, samples);
  base::Stream stream = stream_of(0);
  for (int i = 0; i < 200; ++i) {
    const double radius = i % 4 == 0 ? 1 : 0.9 + 0.4 * stream.uniform();
    const double first = stream.uniform(), second = stream.uniform(), third = stream.uniform();
    const double length = std::sqrt(first * first + second * second + third * third);
    const std::array point{radius * first / length, radius * second / length,
                           radius * third / length};
    EXPECT_NEAR(distance_to_surface(point, front), std::abs(radius - 1), 3e-5);
  }
}

/// Points of the front of another lattice are on the surface; a brute force over finer weights is
/// an upper bound of the distance of others, and near it.
TEST(LatticeSurface, OfSeparableProblemsItHasNoFloor) {
  for (const char* name : {"quadratic", "huber", "elastic"}) {
    const AnyProblem problem = make_problem(test_problem(name), 0, 3);
    const pareto::Points front = analytic_front(problem, samples);
    base::Stream stream = stream_of(1);
    double largest = 0, of_samples = 0;
    for (int i = 0; i < 100; ++i) {
      const auto weights = any_weights(stream);
      const auto x = minimiser(problem, weights).value();
      const auto point = values_at(view_of(problem), x);
      largest = std::max(largest, distance_to_surface(point, front));
      of_samples = std::max(of_samples, pareto::distance_to(point, front));
    }
    EXPECT_LT(largest, 2e-3) << name;
    EXPECT_GT(of_samples, 10 * largest) << name << ": the nearest sample alone";
  }
}

TEST(LatticeSurface, OfOtherPointsItIsTheLeastOverAllTriangles) {
  const AnyProblem problem = make_problem(test_problem("quadratic"), 3, 3);
  const pareto::Points front = analytic_front(problem, 300);
  const pareto::Points fine = analytic_front(problem, 200'000);
  base::Stream stream = stream_of(2);
  for (int i = 0; i < 40; ++i) {
    std::array<double, 3> point{};
    for (double& value : point) value = 6 * stream.uniform();
    const double found = distance_to_surface(point, front);
    const double exact = pareto::distance_to(point, fine);
    EXPECT_NEAR(found, exact, 0.03) << "chords of a coarse lattice lie beside the front";
    EXPECT_LE(found, pareto::distance_to(point, front));
  }
}

TEST(LatticeSurface, SamplesOfNoLatticeAreTakenOneByOne) {
  pareto::Points two(3);
  two.add(std::array{0.0, 0.0, 0.0}, 0);
  two.add(std::array{1.0, 0.0, 0.0}, 1);
  EXPECT_DOUBLE_EQ(distance_to_surface(std::array{0.5, 0.0, 0.0}, two), 0.5);
  two.add(std::array{0.0, 1.0, 0.0}, 2);
  EXPECT_DOUBLE_EQ(distance_to_surface(std::array{0.25, 0.25, 2.0}, two), 2);
  EXPECT_DOUBLE_EQ(distance_to_surface(std::array{1.0, 1.0, 0.0}, two), std::sqrt(0.5));
  EXPECT_DOUBLE_EQ(distance_to_surface(std::array{2.0, -1.0, 0.0}, two), std::sqrt(2.0));
}

}  // namespace
}  // namespace fairfront::alternating
