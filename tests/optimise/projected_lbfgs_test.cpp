#include "optimise/projected_lbfgs.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include <algorithm>
#include <vector>

namespace fairfront::optimise {
namespace {

/// Counts its gradients, of which `most` may be drawn.
class Counted : public BoxFunction {
 public:
  bool may_go_on() override { return gradients < most; }
  int gradients = 0;
  int most = 1000;
};

/// sum_j j (x_j - centre_j)^2 with centres -1, 1, 3, 5, ...
class Bowl final : public Counted {
 public:
  double value(std::span<const double> x) override {
    double sum = 0;
    for (std::size_t j = 0; j < x.size(); ++j) {
      const double u = x[j] - centre(j);
      sum += static_cast<double>(j + 1) * u * u;
    }
    return sum;
  }
  void gradient(std::span<const double> x, std::span<double> out) override {
    ++gradients;
    for (std::size_t j = 0; j < x.size(); ++j) {
      out[j] = 2 * static_cast<double>(j + 1) * (x[j] - centre(j));
    }
  }
  static double centre(std::size_t j) { return 2 * static_cast<double>(j) - 1; }
};

/// Rosenbrock's valley, minimum at (1, 1).
class Valley final : public Counted {
 public:
  double value(std::span<const double> x) override {
    const double u = x[1] - x[0] * x[0];
    return 100 * u * u + (1 - x[0]) * (1 - x[0]);
  }
  void gradient(std::span<const double> x, std::span<double> out) override {
    ++gradients;
    const double u = x[1] - x[0] * x[0];
    out[0] = -400 * u * x[0] - 2 * (1 - x[0]);
    out[1] = 200 * u;
  }
};

TEST(ProjectedLbfgs, FindsTheMinimiserInTheBoxOfASeparableBowl) {
  Bowl bowl;
  ProjectedLbfgs descent(Box(6, 0.0, 4.0), std::vector<double>(6, 4.0),
                         {.iterations = 100, .tolerance = 1e-16});
  std::vector<double> x{2, 2, 0, 4, 1, 3};
  EXPECT_TRUE(descent.minimise(bowl, x));
  for (std::size_t j = 0; j < x.size(); ++j) {
    EXPECT_NEAR(x[j], std::clamp(Bowl::centre(j), 0.0, 4.0), 1e-7);
  }
}

TEST(ProjectedLbfgs, FollowsABentValleyToItsMinimum) {
  Valley valley;
  ProjectedLbfgs descent(Box(2, -2.0, 2.0), {4, 4}, {.iterations = 200, .tolerance = 1e-16});
  std::vector<double> x{-1.2, 1};
  EXPECT_TRUE(descent.minimise(valley, x));
  EXPECT_NEAR(x[0], 1, 1e-6);
  EXPECT_NEAR(x[1], 1, 1e-6);
  EXPECT_LT(valley.gradients, 80);  // steepest descent needs thousands
}

TEST(ProjectedLbfgs, EndsAtTheBoundWhereTheMinimumIsOutside) {
  Valley valley;
  ProjectedLbfgs descent(Box({-2.0, -2.0}, {0.5, 2.0}), {2.5, 4},
                         {.iterations = 200, .tolerance = 1e-16});
  std::vector<double> x{-1.2, 1};
  EXPECT_TRUE(descent.minimise(valley, x));
  EXPECT_DOUBLE_EQ(x[0], 0.5);
  EXPECT_NEAR(x[1], 0.25, 1e-6);
}

TEST(ProjectedLbfgs, NoVariableMovesFartherThanTheLongestStepInAnIteration) {
  Bowl bowl;
  ProjectedLbfgs descent(Box(3, -10.0, 10.0), std::vector<double>(3, 20.0),
                         {.iterations = 1, .longest_step = 0.05});
  std::vector<double> x{0, 0, 0};
  EXPECT_FALSE(descent.minimise(bowl, x));
  for (const double component : x) EXPECT_LE(std::abs(component), 1.0);
  EXPECT_LT(bowl.value(x), bowl.value(std::vector<double>{0, 0, 0}));
}

TEST(ProjectedLbfgs, LeavesNoSlopeAtASmoothMinimumAndThatOfTheKinkAtAnother) {
  Bowl bowl;
  ProjectedLbfgs smooth(Box(3, -10.0, 10.0), std::vector<double>(3, 20.0), {.iterations = 200});
  std::vector<double> x{9, -8, 7};
  EXPECT_TRUE(smooth.minimise(bowl, x));
  EXPECT_LE(smooth.slope_left(), 0.01);
  struct Fold final : BoxFunction {
    double value(std::span<const double> at) override { return std::abs(at[0] - 0.3); }
    void gradient(std::span<const double> at, std::span<double> out) override {
      out[0] = at[0] < 0.3 ? -1 : 1;
    }
    bool may_go_on() override { return true; }
  } fold;
  ProjectedLbfgs kinked(Box(1, -1.0, 1.0), {2.0}, {.iterations = 200});
  std::vector<double> y{-0.7};
  (void)kinked.minimise(fold, y);
  EXPECT_DOUBLE_EQ(kinked.slope_left(), 2);  // the whole interval
  ProjectedLbfgs held(Box(1, 0.5, 1.0), {0.5}, {.iterations = 200});
  std::vector<double> z{0.9};
  EXPECT_TRUE(held.minimise(fold, z));
  EXPECT_EQ(held.slope_left(), 0);
}

TEST(ProjectedLbfgs, EndsWhenNoMoreGradientsMayBeDrawn) {
  Valley valley;
  valley.most = 3;
  ProjectedLbfgs descent(Box(2, -2.0, 2.0), {4, 4}, {.iterations = 200});
  std::vector<double> x{-1.2, 1};
  EXPECT_FALSE(descent.minimise(valley, x));
  EXPECT_EQ(valley.gradients, 3);
}

}  // namespace
}  // namespace fairfront::optimise
