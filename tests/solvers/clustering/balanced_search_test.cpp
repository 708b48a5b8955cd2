#include "solvers/clustering/balanced_search.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/clustering_trail.hpp"

namespace fairfront::clustering {
namespace {

using Labels = std::vector<std::uint8_t>;

struct Case {
  explicit Case(std::uint64_t seed, std::int64_t points, std::int64_t clusters, std::int64_t groups)
      : problem(random_dataset(seed, points, 2, groups), clusters),

        search(problem) {
    base::Stream stream(base::StreamKey(seed, "test", "labels"), 0);
    search.assign(random_labelling<std::uint8_t>(problem, stream));
  }
  [[nodiscard]] Labels labels() const {
    const auto now = search.partition().labels();
    return {now.begin(), now.end()};
  }
  [[nodiscard]] double cost() const { return search.partition().cost(problem); }
  /// Cost with other labels, from scratch.
  [[nodiscard]] double cost_of(const Labels& labels) const {
    Partition<std::uint8_t> partition(problem);
    partition.assign(problem, labels);
    return partition.cost(problem);
  }
  [[nodiscard]] double balance() const { return search.partition().bottleneck().balance.value(); }
  [[nodiscard]] double missing(double floor) const {
    double sum = 0;
    for (std::int64_t k = 0; k < problem.clusters(); ++k) {
      std::vector<std::int32_t> counts;
      for (std::int64_t j = 0; j < problem.groups(); ++j) {
        counts.push_back(search.partition().count(k, j));
      }
      sum += shortfall(counts, floor);
    }
    return sum;
  }

  Problem problem;
  BalancedSearch<std::uint8_t> search;
};

TEST(Shortfall, SumsWhatEveryGroupMisses) {
  EXPECT_EQ(shortfall(std::vector<std::int32_t>{4, 8}, 0.5), 0);
  EXPECT_EQ(shortfall(std::vector<std::int32_t>{4, 8}, 0.75), 2);
  EXPECT_EQ(shortfall(std::vector<std::int32_t>{1, 8, 3}, 0.5), 3 + 1);
  EXPECT_EQ(shortfall(std::vector<std::int32_t>{0, 0}, 1), 0);
}

TEST(BalancedSearch, RepairMendsWithEveryMoveAndLeavesNoClusterEmpty) {
  int held = 0;
  for (const std::int64_t groups : {2, 3, 4}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      Case now(seed, 120, 5, groups);
      for (const double share : {0.3, 0.7, 0.9, 1.0}) {
        const double floor = share * now.problem.balance_bound();
        double before = now.missing(floor);
        const bool holds = now.search.repair(floor, [&](const auto& partition) {
          EXPECT_FALSE(partition.has_empty_cluster());
          EXPECT_LT(now.missing(floor), before);
          before = now.missing(floor);
        });
        EXPECT_EQ(holds, now.missing(floor) <= 1e-8);
        if (holds) {
          EXPECT_GE(now.balance(), floor - 1e-9);
        }
        held += holds ? 1 : 0;
      }
    }
  }
  EXPECT_GE(held, 60);  // of 96; where groups are small many floors cannot hold
}

TEST(BalancedSearch, MovesKeepTheFloorAndEndWhereNoneIsBetter) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Case now(seed, 40, 3, 2);
    const double floor = 0.6 * now.problem.balance_bound();
    ASSERT_TRUE(now.search.repair(floor));
    for (double before = now.cost(); now.search.move_points(floor); before = now.cost()) {
      EXPECT_LT(now.cost(), before);
      EXPECT_GE(now.balance(), floor - 1e-9);
    }
    Labels labels = now.labels();
    Partition<std::uint8_t> other(now.problem);
    for (std::size_t p = 0; p < labels.size(); ++p) {
      const std::uint8_t own = labels[p];
      for (std::uint8_t k = 0; k < 3; ++k) {
        labels[p] = k;
        other.assign(now.problem, labels);
        if (other.has_empty_cluster() || other.bottleneck().balance.value() < floor) continue;
        EXPECT_GE(other.cost(now.problem), now.cost() - 1e-13);
      }
      labels[p] = own;
    }
  }
}

TEST(BalancedSearch, ExchangesKeepCountsAndEndWhereNoneIsBetterForFixedCentres) {
  for (std::uint64_t seed = 1; seed <= 6; ++seed) {
    Case now(seed, 60, 3, 2);
    std::vector<std::int32_t> counts;
    const auto count_all = [&] {
      std::vector<std::int32_t> all;
      for (std::int64_t k = 0; k < 3; ++k) {
        for (std::int64_t j = 0; j < 2; ++j) all.push_back(now.search.partition().count(k, j));
      }
      return all;
    };
    counts = count_all();
    int passes = 0;
    for (double before = now.cost(); now.search.exchange_points(); before = now.cost()) {
      EXPECT_LT(now.cost(), before);
      EXPECT_EQ(count_all(), counts);
      ++passes;
    }
    EXPECT_GE(passes, 1);
    EXPECT_NEAR(now.cost(), now.cost_of(now.labels()), 0);
    Centres means(now.problem);
    for (std::int64_t k = 0; k < 3; ++k) now.search.partition().mean(now.problem, k, means);
    const auto distance = [&](std::int64_t p, std::int64_t k) {
      return means.squared_distance(k, now.problem.point(p));
    };
    const Labels labels = now.labels();
    for (std::int64_t p = 0; p < 60; ++p) {
      for (std::int64_t q = 0; q < 60; ++q) {
        if (now.problem.group_of(p) != now.problem.group_of(q)) continue;
        const std::int64_t k = labels[static_cast<std::size_t>(p)];
        const std::int64_t l = labels[static_cast<std::size_t>(q)];
        EXPECT_GE(distance(p, l) + distance(q, k), distance(p, k) + distance(q, l) - 1e-10);
      }
    }
  }
}

TEST(BalancedSearch, ExchangesEndWhereNoPairOfAGroupIsBetter) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Case now(seed, 30, 4, 2);  // small clusters: means move by much
    while (now.search.exchange_points()) {
    }
    Labels labels = now.labels();
    for (std::size_t p = 0; p < labels.size(); ++p) {
      for (std::size_t q = p + 1; q < labels.size(); ++q) {
        const auto group = [&](std::size_t i) {
          return now.problem.group_of(static_cast<std::int64_t>(i));
        };
        if (group(p) != group(q) || labels[p] == labels[q]) continue;
        std::swap(labels[p], labels[q]);
        EXPECT_GE(now.cost_of(labels), now.cost() - 1e-12);
        std::swap(labels[p], labels[q]);
      }
    }
  }
}

TEST(BalancedSearch, RepairInTurnsMendsWithEveryMoveUpToTheFloorThatRepairReaches) {
  int held = 0;
  for (const std::int64_t groups : {2, 3}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      for (const double share : {0.3, 0.7, 0.9}) {
        Case now(seed, 400, 5, groups);
        Case other(seed, 400, 5, groups);
        const double floor = share * now.problem.balance_bound();
        double before = now.missing(floor);
        const auto seen = [&](const auto& partition) {
          EXPECT_FALSE(partition.has_empty_cluster());
          EXPECT_LT(now.missing(floor), before);
          before = now.missing(floor);
        };
        const bool holds = now.search.repair_in_turns(floor, seen, 0.05);
        EXPECT_EQ(holds, now.missing(floor) <= 1e-8);
        EXPECT_EQ(holds, other.search.repair(floor));
        EXPECT_NEAR(now.cost(), other.cost(), 0.02 * other.cost());
        held += holds ? 1 : 0;
      }
    }
  }
  EXPECT_GE(held, 40);  // of 48
}

/// Clusters of many members have bounds of what their pairs can gain.
TEST(BalancedSearch, ExchangesOfManyMembersEndWhereNoPairOfAGroupIsBetter) {
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    Case now(seed, 1600, 5, 2);
    ASSERT_TRUE(now.search.move_points(0));
    while (now.search.exchange_points()) {
    }
    const Labels labels = now.labels();
    Centres means(now.problem);
    for (std::int64_t k = 0; k < 5; ++k) now.search.partition().mean(now.problem, k, means);
    const auto distance = [&](std::size_t p, std::int64_t k) {
      return means.squared_distance(k, now.problem.point(static_cast<std::int64_t>(p)));
    };
    double least = 0;
    for (std::size_t p = 0; p < labels.size(); ++p) {
      for (std::size_t q = p + 1; q < labels.size(); ++q) {
        const bool one_group = now.problem.group_of(static_cast<std::int64_t>(p)) ==
                               now.problem.group_of(static_cast<std::int64_t>(q));
        if (!one_group || labels[p] == labels[q]) continue;
        double squares = 0;
        for (std::int64_t i = 0; i < 2; ++i) {
          const double v = now.problem.point(static_cast<std::int64_t>(p))[i] -
                           now.problem.point(static_cast<std::int64_t>(q))[i];
          squares += v * v;
        }
        const double weight = 1.0 / now.search.partition().size(labels[p]) +
                              1.0 / now.search.partition().size(labels[q]);
        const double change = distance(p, labels[q]) + distance(q, labels[p]) -
                              distance(p, labels[p]) - distance(q, labels[q]) - weight * squares;
        least = std::min(least, change);
      }
    }
    EXPECT_GE(least, -1e-9);
  }
}

TEST(BalancedSearch, TheLogOfChangesLeadsFromTheFirstLabelsToTheLast) {
  Case now(5, 600, 3, 2);
  ClusteringTrail<std::uint8_t> trail;
  trail.labels = now.labels();
  now.search.log_changes(&trail.changes);
  const double floor = 0.8 * now.problem.balance_bound();
  std::vector<Labels> seen;
  const auto mark = [&] {
    seen.push_back(now.labels());
    trail.marks.push_back({now.cost(), now.balance(), trail.changes.size()});
  };
  mark();
  ASSERT_TRUE(now.search.repair(floor));
  mark();
  ASSERT_TRUE(now.search.move_points(floor));
  ASSERT_TRUE(now.search.exchange_points());
  mark();
  std::vector<std::size_t> places;
  trail.replay(std::vector<std::size_t>{0, 1, 2}, [&](std::size_t place, auto labels) {
    EXPECT_TRUE(std::ranges::equal(labels, seen[place]));
    places.push_back(place);
  });
  EXPECT_EQ(places, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_TRUE(trail.fits(now.problem));
  trail.marks[1].cost *= 1.001;
  EXPECT_FALSE(trail.fits(now.problem));
}

}  // namespace
}  // namespace fairfront::clustering
