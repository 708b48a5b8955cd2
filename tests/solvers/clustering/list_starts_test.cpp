#include "solvers/clustering/list_starts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/clustering/small_problems.hpp"

namespace fairfront::clustering {
namespace {

/// `rare` of the rows in group 1.
data::Dataset dataset_with(std::int64_t rows, std::int64_t rare) {
  data::Dataset dataset = random_dataset(3, rows, 3, 2);
  for (std::int64_t p = 0; p < rows; ++p) {
    dataset.group[static_cast<std::size_t>(p)] = p * rare / rows != (p + 1) * rare / rows ? 1 : 0;
  }
  return dataset;
}

base::Stream stream_of(std::uint64_t index) {
  return {base::StreamKey(1, "test", "list starts"), index};
}

template <class Label>
double balance_of(const data::Dataset& dataset, const Problem& problem,
                  const std::vector<Label>& labels) {
  const auto rows = by_row<Label>(problem, labels);
  return naive_balance(dataset, problem.clusters(), std::span<const Label>{rows});
}

TEST(DealtLabels, DifferInSizeAndInEveryGroupByAtMostOne) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const Problem problem(random_dataset(seed, 103, 2, 3), 7);
    base::Stream stream = stream_of(seed);
    const auto labels = dealt_labels<std::uint8_t>(problem, stream);
    std::vector<std::int64_t> sizes(7, 0);
    for (std::int64_t j = 0; j < 3; ++j) {
      std::vector<std::int64_t> counts(7, 0);
      for (std::int64_t p = problem.group_begin(j); p < problem.group_begin(j + 1); ++p) {
        ++counts.at(labels[static_cast<std::size_t>(p)]);
        ++sizes.at(labels[static_cast<std::size_t>(p)]);
      }
      const auto [least, most] = std::ranges::minmax(counts);
      EXPECT_LE(most - least, 1);
    }
    const auto [least, most] = std::ranges::minmax(sizes);
    EXPECT_LE(most - least, 1);
  }
}

TEST(CanBeBalanced, AsksForAMemberOfEveryLevelForEachCluster) {
  const data::Dataset dataset = dataset_with(60, 20);
  EXPECT_TRUE(can_be_balanced(Problem(dataset, 20)));
  EXPECT_FALSE(can_be_balanced(Problem(dataset, 21)));
  data::Dataset attributes = dataset_with(60, 20);
  set_two_attributes(attributes, 5, 2, 3);
  std::vector<std::int64_t> members(5, 0);
  for (std::size_t p = 0; p < 60; ++p) {
    ++members[static_cast<std::size_t>(attributes.attributes[0].code[p])];
    ++members[2 + static_cast<std::size_t>(attributes.attributes[1].code[p])];
  }
  const std::int64_t fewest = *std::ranges::min_element(members);
  EXPECT_TRUE(can_be_balanced(Problem(attributes, fewest, BalanceOf::attributes)));
  EXPECT_FALSE(can_be_balanced(Problem(attributes, fewest + 1, BalanceOf::attributes)));
}

template <class Label>
void expect_shares(const data::Dataset& dataset, std::int64_t clusters) {
  const Problem problem(dataset, clusters);
  for (const double share : {0.1, 0.5, 1.0}) {
    base::Stream stream = stream_of(1);
    const auto labels = balanced_labels<Label>(problem, share, stream).labels;
    const double balance = balance_of(dataset, problem, labels);
    EXPECT_GT(balance, 0);
    // Whole members: where the repair ends badly the labels are dealt.
    const auto rarest = static_cast<double>(problem.group_begin(2) - problem.group_begin(1));
    const auto members = static_cast<std::int64_t>(rarest) / clusters;
    const auto others = (problem.group_begin(1) + clusters - 1) / clusters;
    EXPECT_GE(balance, std::min(share * problem.balance_bound(),
                                static_cast<double>(members) / static_cast<double>(others)) -
                           1e-9);
  }
}

TEST(BalancedLabels, HaveTheirShareOfTheGreatestBalance) {
  expect_shares<std::uint8_t>(dataset_with(400, 100), 4);
  expect_shares<std::uint8_t>(dataset_with(400, 100), 60);
  expect_shares<std::uint8_t>(dataset_with(400, 100), 100);
  expect_shares<std::uint16_t>(dataset_with(1200, 300), 257);
}

TEST(ListStart, IsThatOfThePaperBeforeItIsBalanced) {
  const data::Dataset dataset = dataset_with(200, 60);
  const Problem problem(dataset, 5);
  const ListStarts starts{.count = 7};
  for (std::int64_t i = 0; i < starts.count + starts.balanced(); ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    base::Stream stream = stream_of(index);
    base::Stream same = stream_of(index);
    const auto labels = list_start<std::uint8_t>(problem, starts, i, stream).labels;
    if (i < 3) {
      EXPECT_EQ(labels, random_labels<std::uint8_t>(problem, RandomStart::softmax, same));
    } else if (i < 7) {
      EXPECT_EQ(labels, kmeans_plus_plus_labels<std::uint8_t>(problem, same));
    } else {
      EXPECT_GE(balance_of(dataset, problem, labels),
                static_cast<double>(i - 6) / 4 * problem.balance_bound() - 1e-9);
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
