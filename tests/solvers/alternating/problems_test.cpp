#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.hpp"
#include "pareto/indicators.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

/// A random point whose distance to the boundary is at least `inset` of each interval.
std::vector<double> inner_point(const optimise::Box& box, double inset, base::Stream& stream) {
  std::vector<double> x = box.random_point(stream);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const double middle = 0.5 * (box.lower()[j] + box.upper()[j]);
    x[j] = middle + (1 - 2 * inset) * (x[j] - middle);
  }
  return x;
}

/// Central differences with steps h and h/2: their difference estimates the error of the first,
/// c h^2, of which the second has a quarter.
void expect_gradient_matches(const AnyProblem& problem, std::int64_t objective,
                             const std::vector<double>& x, double h) {
  const ProblemView p = view_of(problem);
  std::vector<double> gradient(x.size());
  p.gradient(objective, x, gradient);
  for (std::size_t j = 0; j < x.size(); ++j) {
    const auto difference = [&](double step) {
      std::vector<double> y = x;
      y[j] = x[j] + step;
      const double above = p.value(objective, y);
      y[j] = x[j] - step;
      return (above - p.value(objective, y)) / (2 * step);
    };
    const double coarse = difference(h);
    const double fine = difference(h / 2);
    const double rounding = 1e-15 * (1 + std::abs(p.value(objective, x))) / h;
    EXPECT_NEAR(gradient[j], fine, std::abs(coarse - fine) + 10 * rounding)
        << "objective " << objective << ", variable " << j;
  }
}

std::int64_t objectives_of(const AnyProblem& problem) { return view_of(problem).objectives(); }

TEST(Problems, GradientsMatchCentralDifferences) {
  for (const auto& [name, problem] : test::all_problems()) {
    SCOPED_TRACE(name);
    base::Stream stream = test::stream_of("gradients of " + name);
    const optimise::Box& box = view_of(problem).box();
    for (int sample = 0; sample < 50; ++sample) {
      std::vector<double> x = inner_point(box, 0.01, stream);
      if (name == "mop1") x[0] *= 1e-4;  // where the differences are not all rounding
      if (name == "deb41" && sample % 2 == 0) x[1] = 0.19 + 0.02 * stream.uniform();
      for (std::int64_t i = 0; i < objectives_of(problem); ++i) {
        expect_gradient_matches(problem, i, x, name == "deb41" ? 1e-6 : 1e-5);
      }
    }
  }
}

TEST(Problems, GradientsAreFiniteOnTheBoundaryAndBeyondIt) {
  for (const auto& [name, problem] : test::all_problems()) {
    SCOPED_TRACE(name);
    const ProblemView p = view_of(problem);
    std::vector<double> gradient(p.box().lower().size());
    for (const double outside : {0.0, 0.5}) {
      for (int side = 0; side < 2; ++side) {
        const auto ends = side == 0 ? p.box().lower() : p.box().upper();
        std::vector<double> x(ends.begin(), ends.end());
        for (double& value : x) value += side == 0 ? -outside : outside;
        for (std::int64_t i = 0; i < p.objectives(); ++i) {
          p.gradient(i, x, gradient);
          for (const double component : gradient) EXPECT_TRUE(std::isfinite(component));
        }
      }
    }
  }
}

TEST(Problems, NoSampledPointDominatesTheAnalyticFront) {
  for (const auto& named : test::all_problems()) {
    const std::string& name = named.name;
    const AnyProblem& problem = named.problem;
    SCOPED_TRACE(name);
    const pareto::Front front(analytic_front(problem, 2000));
    ASSERT_FALSE(front.empty());
    base::Stream stream = test::stream_of("front of " + name);
    const ProblemView p = view_of(problem);
    for (int sample = 0; sample < 20000; ++sample) {
      std::vector<double> x = p.box().random_point(stream);
      // Most of the box is far from the front: shrink a share of it.
      if (sample % 2 == 0) {
        const double scale = stream.uniform();
        for (std::size_t j = 1; j < x.size(); ++j) x[j] *= scale;
      }
      if (name == "mop1") x[0] *= 1e-4;
      if (name == "im1" && sample % 2 == 0) x[1] = 2;
      if (name == "deb41" && sample % 2 == 0) x[1] = 0.19 + 0.02 * stream.uniform();
      p.box().project(x);
      std::vector<double> point = values_at(p, x);
      for (double& value : point) value += 1e-12 * (1 + std::abs(value));
      for (std::size_t k = 0; k < front.size(); ++k) {
        ASSERT_FALSE(pareto::dominates(point, front[k]))
            << point[0] << ", " << point[1] << " and " << front[k][0] << ", " << front[k][1];
      }
    }
  }
}

TEST(Problems, TheAnalyticFrontIsMutuallyNondominated) {
  for (const auto& [name, problem] : test::all_problems()) {
    const pareto::Points points = analytic_front(problem, 1000);
    // Neighbours may coincide up to rounding where a whole range of weights has one minimiser.
    const pareto::Front front(points);
    EXPECT_LT(pareto::additive_epsilon(front.points(), points), 1e-15 * 1e2) << name;
    EXPECT_GT(front.size(), 100u) << name;
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t k = 0; k < front.size(); ++k) {
        bool much_better = true;
        for (std::size_t j = 0; j < points.objectives(); ++j) {
          much_better &= front[k][j] < points[i][j] - 1e-12 * (1 + std::abs(points[i][j]));
        }
        ASSERT_FALSE(much_better) << name;
      }
    }
  }
}

TEST(Problems, TheSlopesOfRootsAreTrueFromTheMarginOn) {
  const auto slope = [](const auto& problem, double first) {
    std::vector<double> gradient(2);
    problem.gradient(1, std::vector<double>{first, 0.0}, gradient);
    return gradient[0];
  };
  for (const double first : {1e-4, 2e-4, 1e-3}) {
    EXPECT_NEAR(slope(Jos2(2), first), -0.25 * std::pow(first, -0.75),
                1e-9 * std::pow(first, -0.75));
    EXPECT_NEAR(slope(Zdt1(2), first), -0.5 / std::sqrt(first), 1e-9 / std::sqrt(first));
  }
  EXPECT_EQ(slope(Jos2(2), 0), slope(Jos2(2), 1e-4));
}

TEST(Problems, TheAnalyticFrontIsAttained) {
  // x that maps to the front, for the families whose efficient points are a segment.
  const auto expect_on_front = [](const AnyProblem& problem, const std::vector<double>& x) {
    const pareto::Points front = analytic_front(problem, 20001);
    const ProblemView p = view_of(problem);
    ASSERT_TRUE(p.box().contains(x));
    EXPECT_LT(pareto::distance_to(values_at(p, x), front), 1e-3);
  };
  for (const double share : {0.0, 0.1, 0.35, 0.5, 0.8, 1.0}) {
    expect_on_front(Ff1(), {1 - 2 * share, -1 + 2 * share});
    expect_on_front(Im1(), {1 + 3 * share, 2.0});
    expect_on_front(Deb41(), {0.1 + 0.9 * share, Deb41::best_second()});
    expect_on_front(Jos2(2), {share, 0.0});
    std::vector<double> x(30, 0.0);
    x[0] = share;
    expect_on_front(Zdt1(30), x);
    expect_on_front(Zdt2(30), x);
  }
  for (const double first : {0.0, 0.05, 0.2, 0.25, 0.43, 0.63, 0.85}) {  // inside the five pieces
    std::vector<double> x(30, 0.0);
    x[0] = first;
    expect_on_front(Zdt3(30), x);
  }
}

TEST(Problems, NoSampledPointHasASmallerWeightedSumThanTheMinimiser) {
  for (const auto& [name, problem] : test::all_problems()) {
    SCOPED_TRACE(name);
    base::Stream stream = test::stream_of("minimisers of " + name);
    for (std::int64_t n = 0; n <= 20; ++n) {
      if (objectives_of(problem) != 2) continue;
      const std::vector<double> weights = weights_of(lattice_point(n, 20, 2));
      const auto best = minimiser(problem, weights);
      if (!best) continue;
      const ProblemView p = view_of(problem);
      ASSERT_TRUE(p.box().contains(*best));
      const double least = scalarised(p, weights, *best);
      for (int sample = 0; sample < 300; ++sample) {
        std::vector<double> x = p.box().random_point(stream);
        const double near = std::pow(10.0, -8 * stream.uniform());
        for (std::size_t j = 0; j < x.size(); ++j) {
          x[j] = (*best)[j] + near * (x[j] - (*best)[j]);
        }
        EXPECT_GE(scalarised(p, weights, x), least - 1e-14 * (1 + std::abs(least)));
      }
    }
  }
}

TEST(Problems, MinimisersOfThreeObjectivesAreMinimisers) {
  base::Stream stream = test::stream_of("three objectives");
  for (const char* name : {"quadratic", "elastic", "absolute", "huber"}) {
    const AnyProblem problem = make_problem(test_problem(name), 7, 3);
    for (std::int64_t k = 0; k < lattice_size(6, 3); ++k) {
      const std::vector<double> weights = weights_of(lattice_point(k, 6, 3));
      const auto best = minimiser(problem, weights);
      ASSERT_TRUE(best.has_value());
      const ProblemView p = view_of(problem);
      const double least = scalarised(p, weights, *best);
      for (int sample = 0; sample < 200; ++sample) {
        const std::vector<double> x = p.box().random_point(stream);
        EXPECT_GE(scalarised(p, weights, x), least - 1e-14) << name;
      }
    }
  }
}

TEST(Problems, UnknownNamesAndSizesAreInputErrors) {
  EXPECT_THROW((void)test_problem("zdt9"), base::InputError);
  EXPECT_THROW((void)make_problem(test_problem("sp1"), 3, 2), base::InputError);
  EXPECT_THROW((void)make_problem(test_problem("zdt1"), 1, 2), base::InputError);
  EXPECT_THROW((void)make_problem(test_problem("zdt1"), 0, 3), base::InputError);
  EXPECT_THROW((void)make_problem(test_problem("dtlz2"), 0, 2), base::InputError);
  EXPECT_THROW((void)make_problem(test_problem("dtlz2"), 2, 3), base::InputError);
  EXPECT_NO_THROW((void)make_problem(test_problem("quadratic"), 5, 4));
}

TEST(Problems, TheReferencePointIsBeyondTheWholeFront) {
  for (const TestProblem& entry : test_problems()) {
    const AnyProblem problem = make_problem(entry, 0, entry.objectives);
    const std::vector<double> reference = reference_point(entry, problem);
    const pareto::Points front = analytic_front(problem, 500);
    for (std::size_t i = 0; i < front.size(); ++i) {
      for (std::size_t j = 0; j < reference.size(); ++j) {
        EXPECT_LT(front[i][j], reference[j]) << entry.name;
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::alternating
