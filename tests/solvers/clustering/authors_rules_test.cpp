#include "solvers/clustering/authors_rules.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

#include "base/random.hpp"

namespace fairfront::clustering {
namespace {

/// (f1, -f2) with many equal costs and balances, as ratios of counts give them.
pareto::Points random_list(std::uint64_t seed, std::size_t count) {
  base::Stream stream(base::StreamKey(seed, "test", "list"), 0);
  pareto::Points points(2);
  const std::uint32_t values = seed % 2 == 0 ? 12 : 100'000;
  for (std::size_t i = 0; i < count; ++i) {
    const double cost = stream.below(values) / 7.0;
    points.add(std::array{cost, -(stream.below(9) / 9.0)}, i);
  }
  return points;
}

/// Section 2.4 of the method card, by its words. O(n^2).
std::vector<std::size_t> card_clear(const pareto::Points& points) {
  std::vector<std::size_t> kept;
  for (std::size_t i = 0; i < points.size(); ++i) {
    bool first = false;
    bool second = false;
    for (std::size_t j = 0; j < points.size(); ++j) {
      const double f1_i = points[i][0];
      const double f1_j = points[j][0];
      const double f2_i = -points[i][1];
      const double f2_j = -points[j][1];
      first = first || (f1_j <= f1_i && f2_j > f2_i);
      second = second || (f1_j < f1_i && f2_j >= f2_i);
    }
    if (points.size() <= 50 || !(first && second)) kept.push_back(i);
  }
  return kept;
}

/// Section 2.5 of the method card, line by line, along one objective.
void card_thin_along(const std::vector<double>& values, double delta, std::vector<bool>& kept) {
  const auto n = static_cast<int>(values.size());
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  auto v = [&](int i) { return values[order[static_cast<std::size_t>(i)]]; };
  auto keep = [&](int i) { kept[order[static_cast<std::size_t>(i)]] = true; };
  const double gap = delta * (v(n - 1) - v(0)) + 1e-16;
  keep(0);
  keep(n - 1);
  int i = 1;
  while (i < n - 2) {
    int j = i;
    double c = v(i + 1) - v(i);
    while (c <= gap && j < n - 2) {
      j = j + 1;
      c += v(j + 1) - v(j);
    }
    keep(i + (j - i) / 2);
    i = j > i ? j : i + 1;
  }
}

std::vector<std::size_t> card_thin(const pareto::Points& points, double delta) {
  std::vector<double> f1;
  std::vector<double> f2;
  for (std::size_t i = 0; i < points.size(); ++i) {
    f1.push_back(points[i][0]);
    f2.push_back(-points[i][1]);
  }
  std::vector<bool> kept(points.size(), points.size() <= 50);
  if (points.size() > 50) {
    card_thin_along(f1, delta, kept);
    card_thin_along(f2, delta, kept);
  }
  std::vector<std::size_t> positions;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (kept[i]) positions.push_back(i);
  }
  return positions;
}

TEST(AuthorsClear, IsTheCardsRuleOnEveryPairOfEntries) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const pareto::Points list = random_list(seed, 40 + 5 * seed);
    const std::vector<std::size_t> kept = authors_clear(list);
    EXPECT_EQ(kept, card_clear(list)) << "seed " << seed;
    removed += list.size() - kept.size();
  }
  EXPECT_GT(removed, 1000u);
}

TEST(AuthorsClear, KeepsFiftyEntriesWhateverTheyAre) {
  EXPECT_EQ(authors_clear(random_list(1, 50)).size(), 50u);
  EXPECT_LT(authors_clear(random_list(1, 51)).size(), 51u);
  EXPECT_TRUE(authors_clear(pareto::Points(2)).empty());
}

TEST(AuthorsClear, WhatLosesOnlyByATieStays) {
  pareto::Points points(2);
  for (std::uint64_t i = 0; i < 60; ++i)
    points.add(std::array{1.0 + static_cast<double>(i), -0.5}, i);
  EXPECT_EQ(authors_clear(points).size(), 60u);  // one of them dominates all others
}

TEST(AuthorsThin, IsTheCardsRuleLineByLine) {
  std::size_t removed = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const pareto::Points list = random_list(seed, 40 + 9 * seed);
    for (const double delta : {1.0 / 500, 1.0 / 50, 0.3, 2.0}) {
      const std::vector<std::size_t> kept = authors_thin(list, delta);
      EXPECT_EQ(kept, card_thin(list, delta)) << "seed " << seed << ", delta " << delta;
      removed += list.size() - kept.size();
    }
  }
  EXPECT_GT(removed, 1000u);
}

TEST(AuthorsThin, KeepsFiftyEntriesAndAlwaysBothEndsOfEachObjective) {
  EXPECT_EQ(authors_thin(random_list(2, 50), 10).size(), 50u);
  const pareto::Points list = random_list(3, 200);
  const std::vector<std::size_t> kept = authors_thin(list, 10);
  double least_cost = 1e9;
  double least_kept = 1e9;
  for (std::size_t i = 0; i < list.size(); ++i) least_cost = std::min(least_cost, list[i][0]);
  for (const std::size_t i : kept) least_kept = std::min(least_kept, list[i][0]);
  EXPECT_EQ(least_kept, least_cost);
}

}  // namespace
}  // namespace fairfront::clustering
