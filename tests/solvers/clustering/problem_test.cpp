#include "solvers/clustering/problem.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/shared_pages.hpp"
#include "base/stop.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

using ::testing::HasSubstr;

double cost_of(const Problem& problem, std::uint64_t seed) {
  base::Stream stream(base::StreamKey(seed, "test", "labels"), 0);
  Partition<std::uint8_t> partition(problem);
  partition.assign(problem, random_labelling<std::uint8_t>(problem, stream));
  return partition.cost(problem);
}

TEST(ClusteringProblem, PutsGroupsOneAfterTheOtherAndKeepsTheOrderOfRowsInThem) {
  const data::Dataset dataset = random_dataset(1, 200, 2, 3);
  const Problem problem(dataset, 4);
  EXPECT_EQ(problem.group_begin(0), 0);
  EXPECT_EQ(problem.group_begin(3), 200);
  for (std::int64_t j = 0; j < 3; ++j) {
    for (std::int64_t p = problem.group_begin(j); p < problem.group_begin(j + 1); ++p) {
      EXPECT_EQ(problem.group_of(p), j);
      EXPECT_EQ(dataset.group[static_cast<std::size_t>(problem.row(p))], j);
      if (p > problem.group_begin(j)) {
        EXPECT_LT(problem.row(p - 1), problem.row(p));
      }
    }
  }
}

/// Of arrays that are copied, and of some that are the same pages.
TEST(ClusteringProblem, WhatIsTakenFromAnotherRankIsTheSameProblem) {
  for (const std::int64_t points : {200, 40'000}) {
    const base::OwnPages own_pages;
    const data::Dataset dataset = random_dataset(1, points, 5, 3);
    const Problem problem(dataset, 4);
    base::PageWriter pages;
    problem.lay_down(pages);
    const base::Descriptor laid_down = pages.finish();
    base::PageReader reader(laid_down);
    const Problem taken(dataset, 4, BalanceOf::groups, reader);
    for (std::int64_t p = 0; p < points; ++p) {
      ASSERT_EQ(taken.row(p), problem.row(p));
      ASSERT_EQ(taken.block_of(p), problem.block_of(p));
      ASSERT_THAT(taken.coordinates(p), ::testing::ElementsAreArray(problem.coordinates(p)));
    }
    for (std::int64_t i = 0; i < problem.columns(); ++i) {
      EXPECT_TRUE(taken.squares(i) == problem.squares(i));
    }
    EXPECT_EQ(taken.describe(), problem.describe());
    EXPECT_EQ(cost_of(taken, 3), cost_of(problem, 3));
  }
}

TEST(ClusteringProblem, AStopIsObeyedWhileItIsMade) {
  const data::Dataset dataset = random_dataset(1, 200, 5, 3);
  for (const int wanted : {1, 2, 10, 20}) {  // four looks a column, and one at all values
    int asked = 0;
    const base::StopScope scope([&] { return ++asked == wanted; });
    EXPECT_THROW(Problem(dataset, 4), base::Interrupted);
    EXPECT_EQ(asked, wanted);
  }
}

TEST(ClusteringProblem, CoordinatesAreTheCentredDataOnAGridOfPowersOfTwo) {
  const data::Dataset dataset = random_dataset(2, 300, 3, 2);
  const Problem problem(dataset, 2);
  for (std::int64_t i = 0; i < 3; ++i) {
    const double grid = problem.grid()[i];
    EXPECT_EQ(std::ldexp(1.0, std::ilogb(grid)), grid);
    EXPECT_EQ(grid * problem.grid_inverse()[i], 1);
    double sum = 0;
    for (std::int64_t p = 0; p < 300; ++p) {
      const double steps = problem.point(p)[i] / grid;
      EXPECT_EQ(steps, std::nearbyint(steps));
      EXPECT_LT(std::abs(steps) * 300, 0x1p62);
      const double shift = problem.point(p)[i] - problem.point(0)[i];
      // Two roundings of each difference, to half a unit of the last place of at most 4.
      EXPECT_NEAR(shift,
                  dataset.row(problem.row(p))[static_cast<std::size_t>(i)] -
                      dataset.row(problem.row(0))[static_cast<std::size_t>(i)],
                  4 * 0x1p-51);
      sum += problem.point(p)[i];
    }
    EXPECT_NEAR(sum, 0, 300 * 0x1p-50);
  }
}

TEST(ClusteringProblem, TheCostDoesNotChangeWhenAllPointsAreShifted) {
  data::Dataset dataset = random_dataset(3, 500, 2, 2);
  // Multiples of 2^-20: adding 10^6 is then exact, and so is every difference from the mean, which
  // itself is off by at most 2^-34. That moves all points together by 6e-11; in exact arithmetic
  // the cost stays. What is left is the rounding of mean_square - explained / N.
  for (double& value : dataset.features) value = std::nearbyint(value * 0x1p20) * 0x1p-20;
  const Problem here(dataset, 5);
  data::Dataset moved = dataset;
  for (double& value : moved.features) value += 1e6;
  const Problem there(moved, 5);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_NEAR(cost_of(there, seed), cost_of(here, seed), 1e-14);
  }
  EXPECT_NEAR(there.total_variance(), here.total_variance(), 1e-14);
}

TEST(ClusteringProblem, AConstantColumnHasNoVarianceHoweverManyRowsItHas) {
  data::Dataset dataset = random_dataset(5, 60'000, 2, 2);
  for (const double value : {0.1, 0.7, 1e-3 / 3}) {
    for (std::size_t i = 0; i < dataset.features.size(); ++i) {
      dataset.features[i] = i % 2 == 0 ? value : value * 1e7;
    }
    const Problem problem(dataset, 5);
    EXPECT_EQ(problem.mean()[0], value);
    EXPECT_EQ(problem.mean_square(), 0);
    EXPECT_EQ(problem.total_variance(), 0);
  }
}

TEST(ClusteringProblem, TotalVarianceIsTheCostOfOneClusterAndBoundsAllOthers) {
  const data::Dataset dataset = random_dataset(4, 400, 4, 2);
  const Problem problem(dataset, 6);
  const std::vector<std::uint8_t> one(400, 0);
  EXPECT_NEAR(problem.total_variance(), naive_cost<std::uint8_t>(dataset, 6, one), 1e-13);
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    EXPECT_LT(cost_of(problem, seed), problem.total_variance());
  }
}

TEST(ClusteringProblem, TheBalanceBoundIsRarestOverMostCommonGroup) {
  data::Dataset dataset = empty_dataset(1, 3);
  dataset.features = {1, 2, 3, 4, 5, 6};
  dataset.group = {0, 1, 2, 1, 2, 2};
  dataset.rows = 6;
  const Problem problem(dataset, 2);
  EXPECT_EQ(problem.balance_bound(), 1.0 / 3);
  EXPECT_EQ(problem.describe(), "N = 6, d = 1, K = 2, J = 3 (1, 2, 3)");
}

TEST(ClusteringProblem, AConstantColumnAndExtremeScalesAreFine) {
  data::Dataset dataset = empty_dataset(3, 2);
  dataset.features = {7, 1e100, 1e-90, 7, -1e100, -1e-90, 7, 0, 0, 7, 1e99, 3e-91};
  dataset.group = {0, 1, 0, 1};
  dataset.rows = 4;
  const Problem problem(dataset, 2);
  for (std::int64_t p = 0; p < 4; ++p) EXPECT_EQ(problem.point(p)[0], 0);
  const std::vector<std::uint8_t> labels{0, 0, 1, 1};
  Partition<std::uint8_t> partition(problem);
  partition.assign(problem, labels);
  const double expected =
      naive_cost<std::uint8_t>(dataset, 2, by_row<std::uint8_t>(problem, labels));
  EXPECT_NEAR(partition.cost(problem) / expected, 1, 1e-14);
}

std::string refusal(std::int64_t clusters, const std::function<void(data::Dataset&)>& spoil) {
  data::Dataset dataset = random_dataset(5, 10, 2, 2);
  spoil(dataset);
  try {
    const Problem problem(dataset, clusters);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(ClusteringProblem, RefusesWhatCannotBeClusteredAndSaysWhy) {
  auto as_it_is = [](data::Dataset&) {};
  EXPECT_EQ(refusal(2, as_it_is), "no error");
  EXPECT_EQ(refusal(10, as_it_is), "no error");
  EXPECT_EQ(refusal(1, as_it_is), "clustering of 'test': clusters = 1, must be >= 2");
  EXPECT_EQ(refusal(11, as_it_is),
            "clustering of 'test': clusters = 11, but there are only 10 points");
  EXPECT_THAT(refusal(2, [](data::Dataset& d) { d.features[5] = std::nan(""); }),
              HasSubstr("row 3, column 'x1'"));
  EXPECT_THAT(refusal(2, [](data::Dataset& d) { d.features[4] = -2e100; }),
              HasSubstr("row 3, column 'x0'"));
  EXPECT_THAT(
      refusal(2, [](data::Dataset& d) { d.features[0] = std::numeric_limits<double>::infinity(); }),
      HasSubstr("row 1, column 'x0'"));
  EXPECT_THAT(refusal(2, [](data::Dataset& d) { d.group_names.push_back("nobody"); }),
              HasSubstr("group 'nobody' has no member"));
  EXPECT_THAT(refusal(2, [](data::Dataset& d) { d.group_names.pop_back(); }),
              HasSubstr("at least two groups"));
}

TEST(ClusteringProblem, RefusesMoreClustersThanLabelsCanName) {
  data::Dataset dataset = empty_dataset(1, 2);
  dataset.rows = 65'540;
  for (std::int64_t p = 0; p < dataset.rows; ++p) {
    dataset.features.push_back(static_cast<double>(p));
    dataset.group.push_back(static_cast<std::int32_t>(p % 2));
  }
  EXPECT_NO_THROW(Problem(dataset, 65'536));
  EXPECT_THROW(Problem(dataset, 65'537), base::InputError);
}

TEST(Problem, ValuesWhoseSquaresVanishAreRefusedWithTheirColumn) {
  data::Dataset dataset = random_dataset(7, 100, 2, 2);
  for (double& value : dataset.features) value *= 1e-200;
  try {
    const Problem problem(dataset, 3);
    FAIL() << "accepted";
  } catch (const base::InputError& error) {
    EXPECT_NE(std::string_view{error.what()}.find('\'' + dataset.feature_names[0] + '\''),
              std::string_view::npos)
        << error.what();
  }
}

TEST(Problem, AColumnWithAnOutlierThatRoundsAllOthersIsNamed) {
  data::Dataset dataset = random_dataset(7, 1000, 3, 2);
  EXPECT_TRUE(Problem(dataset, 3).warnings().empty());
  dataset.features[4] = 1e8;
  EXPECT_TRUE(Problem(dataset, 3).warnings().empty());
  dataset.features[4] = 1e15;
  const auto warnings = Problem(dataset, 3).warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find('\'' + dataset.feature_names[1] + '\''), std::string::npos);
}

TEST(Problem, FewRowsFarFromTheirMeanAreSaidToBeRoundedByTheDifferenceToo) {
  data::Dataset dataset = random_dataset(1, 5, 1, 2);
  for (std::int64_t row = 0; row < 5; ++row) {
    dataset.features[static_cast<std::size_t>(row)] = static_cast<double>(row);
  }
  dataset.features[4] = 5e13;  // the mean is 1e13, next to which doubles are 2^-9 apart
  const auto warnings = Problem(dataset, 3).warnings();
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find(" 0.001 "), std::string::npos) << warnings[0];
  EXPECT_GT(Problem(dataset, 3).displacement(), 0);
}

TEST(Problem, WholeNumbersNextToTheirMeanAreNotMoved) {
  data::Dataset dataset = random_dataset(1, 8, 2, 2);
  for (std::size_t i = 0; i < dataset.features.size(); ++i) {
    dataset.features[i] = static_cast<double>(i % 7);
  }
  for (std::size_t column : {0u, 1u}) {  // a mean of whole numbers
    double sum = 0;
    for (std::size_t row = 0; row < 7; ++row) sum += dataset.features[2 * row + column];
    dataset.features[14 + column] = 8 * 3 - sum;
  }
  EXPECT_EQ(Problem(dataset, 3).displacement(), 0);
}

}  // namespace
}  // namespace fairfront::clustering
