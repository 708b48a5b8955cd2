#include "solvers/clustering/attributes.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "solvers/clustering/partition.hpp"
#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

/// Six rows: a x x, a x y, b x x, b x z, a x x, b x x.
data::Dataset six_rows() {
  data::Dataset dataset = empty_dataset(1, 0);
  dataset.rows = 6;
  dataset.features = {0, 1, 2, 3, 4, 5};
  dataset.group = {0, 1, 2, 3, 0, 2};
  dataset.group_names = {"a x x", "a x y", "b x x", "b x z"};
  dataset.attributes = {{"first", {0, 0, 1, 1, 0, 1}, {"a", "b"}},
                        {"second", {0, 1, 0, 2, 0, 0}, {"x", "y", "z"}}};
  return dataset;
}

std::vector<std::int64_t> list(std::span<const std::int64_t> groups) {
  return {groups.begin(), groups.end()};
}

using Groups = std::vector<std::int64_t>;

TEST(Attributes, KnowTheLevelsOfGroupsAndTheGroupsWithALevel) {
  const Attributes attributes(six_rows());
  EXPECT_EQ(attributes.count(), 2);
  EXPECT_FALSE(attributes.are_groups());
  EXPECT_EQ(attributes.levels(0), 2);
  EXPECT_EQ(attributes.levels(1), 3);
  EXPECT_EQ(list(attributes.groups_with(0, 0)), (Groups{0, 1}));
  EXPECT_EQ(list(attributes.groups_with(0, 1)), (Groups{2, 3}));
  EXPECT_EQ(list(attributes.groups_with(1, 0)), (Groups{0, 2}));
  EXPECT_EQ(list(attributes.groups_with(1, 1)), (Groups{1}));
  EXPECT_EQ(list(attributes.groups_with(1, 2)), (Groups{3}));
  EXPECT_EQ(attributes.level_of(0, 3), 1);
  EXPECT_EQ(attributes.level_of(1, 3), 2);
}

TEST(Attributes, OfGroupsAreOneWhoseLevelsAreTheGroups) {
  const Attributes groups(4);
  EXPECT_EQ(groups.count(), 1);
  EXPECT_TRUE(groups.are_groups());
  EXPECT_EQ(groups.levels(0), 4);
  for (std::int64_t j = 0; j < 4; ++j) {
    EXPECT_EQ(groups.level_of(0, j), j);
    EXPECT_EQ(list(groups.groups_with(0, j)), (Groups{j}));
  }
}

std::string refusal(const std::function<void(data::Dataset&)>& spoil) {
  data::Dataset dataset = six_rows();
  spoil(dataset);
  try {
    const Problem problem(dataset, 2, BalanceOf::attributes);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(Attributes, WithOneLevelOrALevelWithoutRowsAreRefused) {
  EXPECT_EQ(refusal([](data::Dataset&) {}), "no error");
  EXPECT_EQ(refusal([](data::Dataset& set) { set.attributes[1].levels.push_back("w"); }),
            "clustering of 'test': attribute 'second' has no row with level 'w'");
  EXPECT_EQ(refusal([](data::Dataset& set) {
              set.attributes[0].levels = {"a"};
              set.attributes[0].code = {0, 0, 0, 0, 0, 0};
            }),
            "clustering of 'test': attribute 'first' has one level: balance needs at least two");
}

TEST(Problem, HasOneObjectiveForTheCostAndOneForEachAttribute) {
  const Problem groups(six_rows(), 2);
  const Problem attributes(six_rows(), 2, BalanceOf::attributes);
  EXPECT_EQ(groups.objectives(), 2);
  EXPECT_EQ(attributes.objectives(), 3);
  EXPECT_EQ(groups.balance_bound(), 0.5);
  EXPECT_EQ(attributes.balance_bound(0), 1.0);
  EXPECT_EQ(attributes.balance_bound(1), 0.25);
  EXPECT_EQ(groups.reference(), (std::vector<double>{groups.total_variance(), 0}));
  EXPECT_EQ(attributes.reference(), (std::vector<double>{groups.total_variance(), 0, 0}));
  EXPECT_EQ(groups.describe(), "N = 6, d = 1, K = 2, J = 4 (2, 1, 2, 1)");
  EXPECT_EQ(attributes.describe(), "N = 6, d = 1, K = 2, J = 4 (2, 1, 2, 1), levels 2 x 3");
}

TEST(Partition, FindsTheBottleneckOfEveryAttribute) {
  const Problem problem(six_rows(), 2, BalanceOf::attributes);
  Partition<std::uint8_t> partition(problem);
  // By group: a x x, a x x, a x y, b x x, b x x, b x z.
  partition.assign(problem, std::vector<std::uint8_t>{0, 0, 0, 0, 1, 1});
  const Bottleneck first = partition.bottleneck(problem, 0);  // 3 a 1 b | 0 a 2 b
  EXPECT_EQ(first.cluster, 1);
  EXPECT_EQ(first.rare, 0);
  EXPECT_EQ(first.common, 1);
  EXPECT_EQ(first.balance.least, 0);
  EXPECT_EQ(first.balance.most, 2);
  EXPECT_EQ(first.attribute, 0);
  const Bottleneck second = partition.bottleneck(problem, 1);  // 3 x 1 y 0 z | 1 x 0 y 1 z
  EXPECT_EQ(second.cluster, 0);
  EXPECT_EQ(second.rare, 2);
  EXPECT_EQ(second.common, 0);
  EXPECT_EQ(second.balance.least, 0);
  EXPECT_EQ(second.balance.most, 3);
  EXPECT_EQ(second.attribute, 1);
  partition.assign(problem, std::vector<std::uint8_t>{0, 1, 0, 0, 1, 1});
  EXPECT_EQ(partition.objectives(problem),
            (std::vector<double>{partition.cost(problem), -0.5, 0.0}));
}

}  // namespace
}  // namespace fairfront::clustering
