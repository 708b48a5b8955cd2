#include "solvers/alternating/epsilon_constraint.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>
#include <string>
#include <tuple>
#include <vector>

#include "solvers/killed.hpp"
#include "support.hpp"

namespace fairfront::alternating {
namespace {

using Values = std::array<double, 2>;

/// A front in closed form, written down again here, with a bound for what must be covered.
struct KnownFront {
  const char* problem;
  std::function<Values(double)> curve;  ///< of [0, 1], about evenly along the front
  double least_coverage = 0.95;
};

double square(double value) { return value * value; }

/// The least value of DEB41's g on a grid of its well.
double least_deb41_g() {
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0; k <= 100'000; ++k) {
    const double x = 0.19 + 2e-7 * k;
    least = std::min(
        least, 2 - std::exp(-square((x - 0.2) / 0.004)) - 0.8 * std::exp(-square((x - 0.6) / 0.4)));
  }
  return least;
}

/// Minimiser of w f_1 + (1 - w) f_2 of SP1 by Cramer's rule on its two linear equations.
Values sp1_point(double w) {
  const double v = 1 - w;
  // (w + 1) x_1 - x_2 = w and -x_1 + (v + 1) x_2 = 3 v
  const double determinant = (w + 1) * (v + 1) - 1;
  const double x1 = (w * (v + 1) + 3 * v) / determinant;
  const double x2 = ((w + 1) * 3 * v + w) / determinant;
  return {square(x1 - 1) + square(x1 - x2), square(x2 - 3) + square(x1 - x2)};
}

std::vector<KnownFront> known_fronts() {
  const double g = least_deb41_g();
  return {
      {"sp1", [](double u) { return sp1_point(1 - u); }},
      {"ff1",
       [](double u) {
         return Values{1 - std::exp(-8 * square(u)), 1 - std::exp(-8 * square(1 - u))};
       }},
      {"jos1",
       [](double u) {
         return Values{square(u), square(u - 2)};
       }},
      {"mop1",
       [](double u) {
         return Values{square(2 * u), square(2 * u - 2)};
       }},
      {"jos2",
       [](double u) {
         return Values{std::pow(u, 4), 1 - u - std::pow(u, 16)};
       }},
      {"zdt1",
       [](double u) {
         return Values{square(u), 1 - u};
       }},
      {"zdt2",
       [](double u) {
         return Values{u, 1 - square(u)};
       }},
      {"zdt3",
       [](double u) {
         const double x = square(u);
         return Values{x, 1 - u - x * std::sin(10 * std::numbers::pi * x)};
       },
       0.8},
      {"deb41",
       [g](double u) {
         const double x = 0.1 * std::pow(10, u);
         return Values{x, g / x};
       }},
      {"im1",
       [](double u) {
         return Values{2 + 2 * u, 5 - square(2 + 2 * u) / 4};
       }},
  };
}

/// Nondominated points of a curve whose f_1 ascends, in units of their ranges, and those of others.
class Scaled {
 public:
  explicit Scaled(const std::function<Values(double)>& curve) {
    constexpr int count = 8000;
    double least = std::numeric_limits<double>::infinity();
    for (int k = 0; k <= count; ++k) {
      const Values point = curve(static_cast<double>(k) / count);
      if (point[1] >= least) continue;
      least = point[1];
      points_.push_back(point);
    }
    lowest_ = {points_.front()[0], points_.back()[1]};
    range_ = {points_.back()[0] - lowest_[0], points_.front()[1] - lowest_[1]};
    for (Values& point : points_) point = of(point);
  }

  [[nodiscard]] Values of(const Values& values) const {
    return {(values[0] - lowest_[0]) / range_[0], (values[1] - lowest_[1]) / range_[1]};
  }

  /// The share of the front's length, holes aside, within 0.02 of a point found.
  [[nodiscard]] double coverage(const std::vector<TracedPoint>& found) const {
    double length = 0;
    double covered = 0;
    for (std::size_t k = 1; k < points_.size(); ++k) {
      const double piece = distance(points_[k - 1], points_[k]);
      if (piece > 0.01) continue;
      length += piece;
      if (near(points_[k], found)) covered += piece;
    }
    return covered / length;
  }

  /// The largest distance of a point found to the front.
  [[nodiscard]] double farthest(const std::vector<TracedPoint>& found) const {
    double farthest = 0;
    for (const TracedPoint& point : found) {
      double least = std::numeric_limits<double>::infinity();
      for (const Values& p : points_) least = std::min(least, distance(p, of(point.values)));
      farthest = std::max(farthest, least);
    }
    return farthest;
  }

 private:
  static double distance(const Values& a, const Values& b) {
    return std::hypot(a[0] - b[0], a[1] - b[1]);
  }
  [[nodiscard]] bool near(const Values& point, const std::vector<TracedPoint>& found) const {
    return std::any_of(found.begin(), found.end(), [&](const TracedPoint& other) {
      return distance(point, of(other.values)) <= 0.02;
    });
  }

  std::vector<Values> points_;
  Values lowest_{};
  Values range_{};
};

EpsilonConstraintResult traced(const std::string& name, std::uint64_t seed,
                               const EpsilonConstraintOptions& options = {}) {
  const AnyProblem problem = make_problem(test_problem(name), 0, 2);
  return epsilon_constraint(view_of(problem), options, seed, "key");
}

TEST(EpsilonConstraint, CoversTheFrontOfEveryProblemOfTheLiteratureWithEverySeed) {
  for (const KnownFront& known : known_fronts()) {
    const Scaled front(known.curve);
    for (std::uint64_t seed = 1; seed <= 5; ++seed) {
      SCOPED_TRACE(std::string(known.problem) + ", seed " + std::to_string(seed));
      const EpsilonConstraintResult result = traced(known.problem, seed);
      EXPECT_GE(front.coverage(result.front), known.least_coverage);
      EXPECT_LE(front.farthest(result.front), 0.02);
      EXPECT_LE(result.gradients, 8000);
      EXPECT_FALSE(result.exhausted);
    }
  }
}

TEST(EpsilonConstraint, PointsOfMop1AndJos1LieOnTheirFronts) {
  for (const char* name : {"mop1", "jos1"}) {
    for (const TracedPoint& point : traced(name, 7).front) {
      EXPECT_NEAR(point.values[1], square(std::sqrt(point.values[0]) - 2), 1e-6) << name;
      for (const double x : point.x) EXPECT_NEAR(square(x), point.values[0], 1e-3) << name;
    }
  }
}

TEST(EpsilonConstraint, TheFrontIsNondominatedInTheBoxAndHasTheValuesOfItsPoints) {
  const AnyProblem any = make_problem(test_problem("zdt3"), 0, 2);
  const auto& problem = std::get<Zdt3>(any);
  const auto result = epsilon_constraint(problem, EpsilonConstraintOptions{}, 3, "key");
  ASSERT_GT(result.front.size(), 20u);
  for (std::size_t k = 0; k < result.front.size(); ++k) {
    const TracedPoint& point = result.front[k];
    EXPECT_TRUE(problem.box().contains(point.x));
    EXPECT_EQ(point.values[0], problem.value(0, point.x));
    EXPECT_EQ(point.values[1], problem.value(1, point.x));
    if (k == 0) continue;
    EXPECT_LT(result.front[k - 1].values[0], point.values[0]);
    EXPECT_GT(result.front[k - 1].values[1], point.values[1]);
  }
  EXPECT_GT(result.dominated, 0);  // the holes
}

TEST(EpsilonConstraint, GivesTheSameBitsAgainAndOthersWithAnotherSeed) {
  const auto first = traced("ff1", 1);
  const auto again = traced("ff1", 1);
  const auto other = traced("ff1", 2);
  ASSERT_EQ(first.front.size(), again.front.size());
  for (std::size_t k = 0; k < first.front.size(); ++k) {
    EXPECT_EQ(first.front[k].x, again.front[k].x);
    EXPECT_EQ(first.front[k].values, again.front[k].values);
  }
  EXPECT_EQ(first.gradients, again.gradients);
  EXPECT_NE(first.front[1].x, other.front[1].x);
}

TEST(EpsilonConstraint, EndsWithItsGradients) {
  for (const std::int64_t most : {2, 57, 400}) {
    const auto result = traced("sp1", 1, {.most_gradients = most});
    EXPECT_LE(result.gradients, most);
    EXPECT_TRUE(result.exhausted);
    EXPECT_FALSE(result.front.empty());
    EXPECT_GT(result.open_gap, 0.03);
  }
}

TEST(EpsilonConstraint, ClosesGapsToTheWidthAskedFor) {
  const auto result = traced("im1", 1, {.spacing = 0.1});
  EXPECT_LE(result.open_gap, 0.1);
  EXPECT_GT(result.open_gap, 0.03);
  EXPECT_EQ(result.unplaced, 0);
}

TEST(EpsilonConstraint, NoWeightedSumOfAConvexProblemOnDataIsBelowTheFront) {
  const DataProblem problem(test::small_dataset(), {.fairness_scale = 10, .regularisation = 0.01});
  const auto result = epsilon_constraint(problem, EpsilonConstraintOptions{}, 1, "key");
  ASSERT_GT(result.front.size(), 20u);
  const double range_1 = result.front.back().values[0] - result.front.front().values[0];
  const double range_2 = result.front.front().values[1] - result.front.back().values[1];
  for (const double w : {0.2, 0.5, 0.8}) {
    const std::array<double, 2> weights{w / range_1, (1 - w) / range_2};
    // A long plain descent as the yardstick.
    std::vector<double> x(problem.box().lower().size(), 0.0);
    std::vector<double> gradient(x.size());
    for (int k = 0; k < 40'000; ++k) {
      std::vector<double> sum(x.size(), 0.0);
      for (const std::int64_t i : {0, 1}) {
        problem.gradient(i, x, gradient);
        for (std::size_t j = 0; j < x.size(); ++j) {
          sum[j] += weights[static_cast<std::size_t>(i)] * gradient[j];
        }
      }
      for (std::size_t j = 0; j < x.size(); ++j) x[j] -= 0.02 * sum[j];
      problem.box().project(x);
    }
    const double least = scalarised(problem, weights, x);
    double found = std::numeric_limits<double>::infinity();
    for (const TracedPoint& point : result.front) {
      found = std::min(found, weights[0] * point.values[0] + weights[1] * point.values[1]);
    }
    EXPECT_GE(found, least - 1e-6) << w;  // the yardstick is the optimum
    EXPECT_LE(found, least + 5e-3) << w;  // half a gap beside it on a smooth front
  }
}

/// f_1 = x, but 1 more from x = 1/2 on: no point has a level in between.
class Jump {
 public:
  [[nodiscard]] std::int64_t objectives() const { return 2; }
  [[nodiscard]] const optimise::Box& box() const { return box_; }
  [[nodiscard]] double value(std::int64_t i, std::span<const double> x) const {
    return i == 0 ? x[0] + (x[0] < 0.5 ? 0.0 : 1.0) : 1 - x[0];
  }
  void gradient(std::int64_t i, std::span<const double>, std::span<double> out) const {
    out[0] = i == 0 ? 1 : -1;
  }

 private:
  optimise::Box box_{1, 0.0, 1.0};
};

TEST(EpsilonConstraint, CountsTheLevelsThatNoPointMeets) {
  const auto result = epsilon_constraint(Jump(), EpsilonConstraintOptions{}, 1, "key");
  EXPECT_GT(result.unplaced, 0);
  EXPECT_NEAR(result.open_gap, 0.5, 0.05);
  EXPECT_EQ(traced("mop1", 1).unplaced, 0);
}

TEST(EpsilonConstraint, StopsWhenAsked) {
  int questions = 0;
  solvers::Control control;
  control.request = [&] {
    return ++questions > 3 ? solvers::Request::stop : solvers::Request::go_on;
  };
  EXPECT_THROW((void)epsilon_constraint(Zdt3(30), {.samples = 100'000'000}, 1, "key", control),
               solvers::Interrupted);
}

bool same_trace(const EpsilonConstraintResult& a, const EpsilonConstraintResult& b) {
  const auto numbers = [](const TracedPoint& point) {
    return std::tuple(point.x, point.values, point.weights);
  };
  return std::ranges::equal(a.front, b.front, {}, numbers, numbers) && a.gradients == b.gradients &&
         a.values == b.values && a.levels == b.levels && a.dominated == b.dominated &&
         a.unplaced == b.unplaced && a.open_gap == b.open_gap && a.exhausted == b.exhausted;
}

TEST(EpsilonConstraint, GoesOnFromEveryCheckpointToTheSameBits) {
  const Zdt3 problem(4), other(5);
  const EpsilonConstraintOptions options{
      .samples = 200, .starts = 3, .walk_levels = 10, .spacing = 0.1, .most_gradients = 4000};
  const auto run = [&](const solvers::Control& control) {
    return epsilon_constraint(problem, options, 1, "key", control);
  };
  const EpsilonConstraintResult whole = run({});
  solvers::test::KilledRun killed(run);
  EXPECT_TRUE(same_trace(killed.to_the_end(), whole));
  EXPECT_GT(killed.kills(), whole.levels);
  solvers::test::expect_every_wish_is_heard(run, 10);
  const std::int64_t all = killed.kills();
  for (const std::int64_t kills : {std::int64_t{2}, all / 3, all / 2, all - 2}) {
    solvers::test::KilledRun part(run);
    for (std::int64_t k = 0; k < kills; ++k) ASSERT_FALSE(part.to_next_checkpoint());
    solvers::test::expect_damage_is_refused(run, part.state());
    part.stop_at(0);
    EXPECT_TRUE(same_trace(run({.resume = part.state()}), whole));
    if (kills == 2) continue;  // values of samples fit everywhere
    EXPECT_THROW((void)epsilon_constraint(other, options, 1, "key", {.resume = part.state()}),
                 base::CheckpointError);
  }
}

TEST(EpsilonConstraint, RejectsBadOptions) {
  const auto refuse = [](const EpsilonConstraintOptions& options) {
    EXPECT_THROW((void)traced("sp1", 1, options), std::invalid_argument);
  };
  refuse({.samples = 0});
  refuse({.starts = 0});
  refuse({.walk_levels = -1});
  refuse({.spacing = 0});
  refuse({.most_gradients = 1});
  refuse({.descent_iterations = 0});
  refuse({.constraint_error = 0});
}

}  // namespace
}  // namespace fairfront::alternating
