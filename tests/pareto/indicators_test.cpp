#include "pareto/indicators.hpp"

#include <gtest/gtest.h>

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
