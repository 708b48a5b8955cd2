#include "pareto/indicators.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <initializer_list>
#include <stdexcept>

namespace fairfront::pareto {
namespace {

Points points_of(std::initializer_list<std::array<double, 2>> rows) {
  Points points(2);
  for (const auto& row : rows) points.add(row, points.size());
  return points;
}

const Points front = points_of({{0, 2}, {1, 1}, {2, 0}});

TEST(Indicators, ASetIsAtDistanceZeroFromItself) {
  EXPECT_EQ(generational_distance(front, front), 0);
  EXPECT_EQ(inverted_generational_distance(front, front), 0);
  EXPECT_EQ(additive_epsilon(front, front), 0);
  EXPECT_EQ(hypervolume_ratio(front, front, {3, 3}), 1);
}

TEST(Indicators, OnePointOfTheFrontIsNearButDoesNotCover) {
  const Points one = points_of({{1, 1}});
  EXPECT_EQ(generational_distance(one, front), 0);
  EXPECT_DOUBLE_EQ(inverted_generational_distance(one, front), 2 * std::sqrt(2.0) / 3);
  EXPECT_EQ(additive_epsilon(one, front), 1);
  EXPECT_DOUBLE_EQ(hypervolume_ratio(one, front, {3, 3}), 4.0 / 6);
}

TEST(Indicators, DistancesAreEuclideanMeans) {
  const Points far = points_of({{3, 4}, {0, 2}});
  EXPECT_DOUBLE_EQ(distance_to(far[0], front), std::sqrt(13.0));
  EXPECT_DOUBLE_EQ(generational_distance(far, front), std::sqrt(13.0) / 2);
}

TEST(Indicators, TheDistanceToACurveIsThatOfAThousandTimesFinerSamples) {
  // A quarter of a circle in 41 samples; the finer one is the chord's own, point by point.
  Points curve(2);
  Points finer(2);
  const auto at = [](double share) {
    const double angle = std::acos(0.0) * share;
    return std::array{1 - std::sin(angle), 1 - std::cos(angle)};
  };
  for (int k = 0; k <= 40; ++k) {
    const std::array here = at(k / 40.0);
    curve.add(here, curve.size());
    for (int i = 0; k < 40 && i < 1000; ++i) {
      const std::array next = at((k + 1) / 40.0);
      const double share = i / 1000.0;
      const std::array point{here[0] + share * (next[0] - here[0]),
                             here[1] + share * (next[1] - here[1])};
      finer.add(point, finer.size());
    }
  }
  finer.add(at(1), finer.size());
  for (const std::array<double, 2> point :
       {std::array{0.31, 0.3}, {0.0, 1.2}, {1.3, -0.1}, {0.5, 0.9}, at(0.3), at(0.5125)}) {
    EXPECT_NEAR(distance_to_curve(point, curve, 0.05), distance_to(point, finer), 2e-5);
  }
  EXPECT_GT(distance_to(at(0.5125), curve), 0.01);  // the floor of samples
  EXPECT_LT(distance_to_curve(at(0.5125), curve, 0.05), 2e-4);
}

TEST(Indicators, AHoleOfACurveIsNoLine) {
  const Points curve = points_of({{0, 1}, {0.01, 0.99}, {0.9, 0.1}, {1, 0}});
  EXPECT_NEAR(distance_to_curve(std::array{0.455, 0.545}, curve), std::hypot(0.445, 0.445), 1e-12);
  EXPECT_NEAR(distance_to_curve(std::array{0.455, 0.545}, curve, 2), 0, 1e-12);
  EXPECT_THROW((void)distance_to_curve(std::array{1.0, 1.0}, Points(2)), std::invalid_argument);
  EXPECT_THROW((void)distance_to_curve(std::array{1.0, 1.0, 1.0}, Points(3)),
               std::invalid_argument);
}

TEST(Indicators, AShiftIsTheAdditiveEpsilon) {
  const Points shifted = points_of({{0.25, 2.25}, {1.25, 1.25}, {2.25, 0.25}});
  EXPECT_DOUBLE_EQ(additive_epsilon(shifted, front), 0.25);
  EXPECT_DOUBLE_EQ(additive_epsilon(front, shifted), -0.25);
}

TEST(Indicators, ThreeObjectivesWork) {
  Points a(3);
  a.add(std::array{0.0, 0.0, 0.0}, 0);
  Points b(3);
  b.add(std::array{2.0, 3.0, 6.0}, 0);
  EXPECT_DOUBLE_EQ(generational_distance(a, b), 7);
  EXPECT_DOUBLE_EQ(additive_epsilon(a, b), -2);
}

TEST(Indicators, EmptyOrIncomparableSetsAreErrors) {
  EXPECT_THROW((void)generational_distance(Points(2), front), std::invalid_argument);
  EXPECT_THROW((void)generational_distance(front, Points(2)), std::invalid_argument);
  EXPECT_THROW((void)additive_epsilon(Points(3), front), std::invalid_argument);
  EXPECT_THROW((void)distance_to(std::array{1.0}, front), std::invalid_argument);
  EXPECT_THROW((void)hypervolume_ratio(front, front, {0, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::pareto
