#include "solvers/clustering/near_clusters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/centre_groups.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/many_seeds.hpp"
#include "solvers/clustering/near_calibration.hpp"
#include "solvers/clustering/starts.hpp"

namespace fairfront::clustering {
namespace {

constexpr std::int64_t many = 200;  // clusters

Centres centres_on_points(const Problem& problem) {
  Centres centres(problem);
  for (std::int64_t k = 0; k < problem.clusters(); ++k) centres.set(k, problem.coordinates(3 * k));
  return centres;
}

/// Clusters from the nearest to the farthest one.
std::vector<std::int64_t> sorted_by_distance(const Centres& centres, std::int64_t from) {
  std::vector<std::pair<double, std::int64_t>> all;
  for (std::int64_t l = 0; l < many; ++l) {
    if (l != from) all.emplace_back(centres.squared_distance_between(from, l), l);
  }
  std::ranges::sort(all);
  std::vector<std::int64_t> order;
  for (const auto& [square, l] : all) order.push_back(l);
  return order;
}

TEST(NearClusters, AreTheNearestOnesAndFollowACentreThatComesFromAfar) {
  const Problem problem(random_dataset(3, 900, 2, 2), many);
  Centres centres = centres_on_points(problem);
  NearClusters near(problem);
  EXPECT_EQ(std::ssize(near.update(centres)), many);
  EXPECT_TRUE(near.update(centres).empty());
  const std::int64_t moved = sorted_by_distance(centres, 0).back();
  for (std::int64_t i = 0; i < 2; ++i) {
    centres.set(moved, i, centres.coordinate(0, i) + 1e-9);
  }
  EXPECT_LT(std::ssize(near.update(centres)), many);
  for (const std::int64_t k : {std::int64_t{0}, moved}) {
    const std::vector<std::int64_t> order = sorted_by_distance(centres, k);
    for (std::size_t i = 0; i < NearClusters::length; ++i) EXPECT_EQ(near.of(k)[i], order[i]);
  }
  EXPECT_TRUE(near.lists(0, moved));
  EXPECT_EQ(near.nearest_from(sorted_by_distance(centres, 0).back(), centres, problem.point(3)),
            centres.nearest(problem.point(3)));
}

TEST(NearClusters, MadeAnewAfterAnythingAreTheNearestOnesAsIfMadeForTheFirstTime) {
  const Problem problem(random_dataset(4, 900, 2, 2), many);
  Centres centres = centres_on_points(problem);
  NearClusters near(problem);
  base::Stream stream(base::StreamKey(4, "test", "centres"), 0);
  for (int round = 0; round < 6; ++round) {
    near.clear();
    EXPECT_EQ(std::ssize(near.update(centres)), many);
    for (std::int64_t k = 0; k < many; ++k) {
      const std::vector<std::int64_t> order = sorted_by_distance(centres, k);
      for (std::size_t i = 0; i < NearClusters::length; ++i) ASSERT_EQ(near.of(k)[i], order[i]);
    }
    // Some go anywhere, and some where another one is.
    for (std::int64_t k = 0; k < many; ++k) {
      if (stream.below(3) == 0) centres.set(k, problem.coordinates(stream.below(900)));
      if (stream.below(5) == 0) centres.set(k, problem.coordinates(3 * (k / 8)));
    }
  }
}

TEST(CentreGroups, FindWhatALookAtAllFinds) {
  const data::Dataset dataset = random_dataset(5, 900, 3, 2);
  const Problem problem(dataset, many);
  Centres centres = centres_on_points(problem);
  centres.set(150, problem.coordinates(3 * 7));  // a tie goes to the first
  base::Stream stream(base::StreamKey(1, "test", "potentials"), 0);
  for (const double most : {0.0, 0.1, 3.0}) {
    std::vector<double> potentials;
    for (std::int64_t i = 0; i < 2 * many; ++i) potentials.push_back(most * stream.uniform());
    potentials[7] = potentials[150];
    CentreGroups groups(problem, centres, potentials);
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      const std::int64_t j = problem.group_of(p);
      std::int64_t best = 0;
      double least = std::numeric_limits<double>::infinity();
      for (std::int64_t k = 0; k < many; ++k) {
        const double value = centres.squared_distance(k, problem.point(p)) -
                             potentials[static_cast<std::size_t>(j * many + k)];
        if (value < least) best = k;
        least = std::min(least, value);
      }
      EXPECT_EQ(groups.least(problem.point(p), j), best);
    }
  }
}

double cost_of_seeds(const Problem& problem, const std::vector<std::uint8_t>& labels) {
  Partition<std::uint8_t> partition(problem);
  partition.assign(problem, labels);
  EXPECT_FALSE(partition.has_empty_cluster());
  return partition.cost(problem);
}

TEST(ManySeeds, CostWhatSeedsOfAllPointsCost) {
  const Problem problem(random_dataset(6, 3000, 2, 2), many);
  double pruned = 0;
  double plain = 0;
  for (std::uint64_t i = 0; i < 5; ++i) {
    base::Stream stream(base::StreamKey(1, "test", "seeds"), i);
    pruned += cost_of_seeds(problem, many_seeds_labels<std::uint8_t>(problem, stream).labels);
    plain += cost_of_seeds(problem, kmeans_plus_plus_labels<std::uint8_t>(problem, stream));
  }
  EXPECT_NEAR(pruned / plain, 1, 0.02);
}

TEST(ManySeeds, LeaveNoClusterEmptyWherePointsCoincide) {
  data::Dataset dataset = random_dataset(6, 600, 2, 2);
  for (std::size_t i = 100; i < dataset.features.size(); ++i) {
    dataset.features[i] = dataset.features[i % 100];
  }
  const Problem problem(dataset, many);
  base::Stream stream(base::StreamKey(1, "test", "seeds"), 0);
  cost_of_seeds(problem, many_seeds_labels<std::uint8_t>(problem, stream).labels);
}

TEST(NearCalibration, GivesClustersNearlyTheCountsWanted) {
  const Problem problem(random_dataset(7, 6000, 2, 2), many);
  const Centres centres = centres_on_points(problem);
  NearClusters near(problem);
  near.update(centres);
  std::vector<std::uint16_t> homes;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    homes.push_back(static_cast<std::uint16_t>(centres.nearest(problem.point(p))));
  }
  const std::int64_t members = problem.group_begin(1);
  std::vector<std::int32_t> wanted(many, static_cast<std::int32_t>(members / many));
  wanted[0] += static_cast<std::int32_t>(members % many);
  const std::vector<double> potentials =
      NearCalibration(problem, centres, near, homes, 0).run(wanted, nullptr);
  std::vector<std::int32_t> now(many);
  std::int64_t before = 0;
  for (std::int64_t p = 0; p < members; ++p) {
    std::size_t best = 0;
    const auto value = [&](std::size_t k) {
      return centres.squared_distance(static_cast<std::int64_t>(k), problem.point(p)) -
             potentials[k];
    };
    for (std::size_t k = 1; k < many; ++k) best = value(k) < value(best) ? k : best;
    ++now[best];
  }
  std::int64_t off = 0;
  for (std::size_t k = 0; k < many; ++k) {
    off += std::abs(now[k] - wanted[k]);
    before += std::abs(wanted[k] - std::count(homes.begin(), homes.begin() + members, k));
  }
  EXPECT_LT(off, before / 2);
}

TEST(BalancedSearch, NearbyRepairReachesTheFloorsThatRepairEverywhereReaches) {
  const Problem problem(random_dataset(8, 2400, 2, 2), many);
  base::Stream stream(base::StreamKey(1, "test", "labels"), 0);
  const auto start = many_seeds_labels<std::uint8_t>(problem, stream).labels;
  for (const double floor : {0.3, 0.6}) {
    std::vector<double> costs;
    for (const Outlook outlook : {Outlook::everywhere, Outlook::nearby}) {
      BalancedSearch<std::uint8_t> search(problem, nullptr, outlook);
      search.assign(start);
      ASSERT_TRUE(search.repair(floor));
      double before = search.partition().cost(problem);
      for (bool changed = true; changed;) {
        changed = search.move_points(floor);
        changed = search.exchange_points() || changed;
        const double cost = search.partition().cost(problem);
        EXPECT_LE(cost, before);
        before = cost;
        EXPECT_GE(search.partition().bottleneck().balance.value(), floor - 1e-9);
      }
      costs.push_back(before);
    }
    EXPECT_LT(costs[1], 1.03 * costs[0]);
  }
}

TEST(BalanceLadder, OfManyClustersHasABudgetThatFallsWithThem) {
  const Problem few(random_dataset(1, 1300, 2, 2), 256);
  const Problem twice(random_dataset(1, 1300, 2, 2), 512);
  EXPECT_EQ(budget_of(few, {}).starts, BalanceLadderOptions().starts);
  EXPECT_EQ(budget_of(twice, {}).starts, BalanceLadderOptions().starts / 2);
  EXPECT_EQ(budget_of(twice, {.starts = 1}).starts, 1);
  EXPECT_EQ(budget_of(twice, {.refinements = 0}).refinements, 0);
  EXPECT_EQ(budget_of(twice, {.carried = 6}).carried, 6);
  EXPECT_EQ(budget_of(twice, {.carried = 20}).carried, 10);
  const BalanceLadderResult found = balance_ladder(
      twice, {.starts = 2, .levels = 2, .relocations = 3, .refinements = 0}, 1, "test");
  EXPECT_EQ(std::ssize(found.trace), 1 + 2);
}

}  // namespace
}  // namespace fairfront::clustering
