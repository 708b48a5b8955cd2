#include "solvers/clustering/balance_polish.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/balanced_assignment.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/least_matching.hpp"

namespace fairfront::clustering {
namespace {

double cost_of_matching(const std::vector<double>& costs,
                        const std::vector<std::int32_t>& columns) {
  double sum = 0;
  for (std::size_t row = 0; row < columns.size(); ++row) {
    sum += costs[row * columns.size() + static_cast<std::size_t>(columns[row])];
  }
  return sum;
}

TEST(LeastMatching, IsTheCheapestOfAllOrders) {
  base::Stream stream(base::StreamKey(1, "test", "matching"), 0);
  for (std::int64_t trial = 0; trial < 200; ++trial) {
    const std::int64_t n = 1 + trial % 7;
    std::vector<double> costs;
    for (std::int64_t i = 0; i < n * n; ++i) {
      costs.push_back(trial % 2 == 0 ? stream.uniform() : static_cast<double>(stream.below(4)));
    }
    std::vector<std::int32_t> order(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), 0);
    double least = std::numeric_limits<double>::infinity();
    do {
      least = std::min(least, cost_of_matching(costs, order));
    } while (std::ranges::next_permutation(order).found);
    std::vector<std::int32_t> found = least_matching(costs, n).columns;
    EXPECT_NEAR(cost_of_matching(costs, found), least, 1e-12);
    std::ranges::sort(found);
    EXPECT_EQ(found, order);  // which is in order again
  }
}

/// Half of the rows are of each group.
data::Dataset two_even_groups(std::uint64_t seed, std::int64_t rows) {
  data::Dataset dataset = random_dataset(seed, rows, 2, 2);
  for (std::size_t p = 0; p < dataset.group.size(); ++p) {
    dataset.group[p] = static_cast<std::int32_t>(p % 2);
  }
  return dataset;
}

/// N f1 of the cheapest pairs of a row of either group: a pair costs half its squared distance.
double least_cost_of_pairs(const data::Dataset& dataset) {
  const auto columns = static_cast<std::size_t>(dataset.columns);
  std::vector<double> costs;
  for (std::size_t p = 0; p < dataset.group.size(); p += 2) {
    for (std::size_t q = 1; q < dataset.group.size(); q += 2) {
      double square = 0;
      for (std::size_t i = 0; i < columns; ++i) {
        const double apart = dataset.features[p * columns + i] - dataset.features[q * columns + i];
        square += apart * apart;
      }
      costs.push_back(square / 2);
    }
  }
  return cost_of_matching(costs, least_matching(costs, dataset.rows / 2).columns);
}

TEST(BalanceLadder, PairsOfTwoGroupsAreTheCheapestAssignment) {
  for (const std::int64_t rows : {60, 160}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      const data::Dataset dataset = two_even_groups(seed, rows);
      const ClusteringFront front =
          balance_ladder(Problem(dataset, rows / 2), {.starts = 2, .relocations = 4}, seed, "test")
              .front;
      const std::size_t last = front.points.size() - 2;
      EXPECT_EQ(front.points[last + 1], 1);
      const double least = least_cost_of_pairs(dataset) / static_cast<double>(rows);
      EXPECT_NEAR(front.points[last], least, 1e-9 * least);
    }
  }
}

/// Whether the levels of some clusters hold all members of groups: the sums of all levels, and with
/// each those of their greatest counts.
bool whole_rows_reach(std::int64_t least, std::int64_t most, std::int64_t rarest,
                      std::int64_t commonest, std::int64_t clusters) {
  std::set<std::pair<std::int64_t, std::int64_t>> sums{{0, 0}};
  for (std::int64_t k = 0; k < clusters; ++k) {
    std::set<std::pair<std::int64_t, std::int64_t>> next;
    for (const auto& [levels, counts] : sums) {
      for (std::int64_t level = 1; levels + level <= rarest; ++level) {
        next.emplace(levels + level, std::min(commonest, counts + level * most / least));
      }
    }
    sums = std::move(next);
  }
  return std::ranges::any_of(sums, [&](const auto& sum) { return sum.second >= commonest; });
}

/// Of all fractions.
double greatest_fraction(std::int64_t rarest, std::int64_t commonest, std::int64_t clusters) {
  double greatest = 0;
  for (std::int64_t least = 1; least <= rarest; ++least) {
    for (std::int64_t most = least; most <= commonest; ++most) {
      const double balance = static_cast<double>(least) / static_cast<double>(most);
      if (balance <= greatest) continue;
      if (whole_rows_reach(least, most, rarest, commonest, clusters)) greatest = balance;
    }
  }
  return greatest;
}

/// Where the rarest group has few rows for each cluster, moves of single rows end far below: .25 of
/// 8 and 23 rows in eight clusters, where three of the common group in each make it a third.
TEST(BalanceLadder, ReachesTheGreatestBalanceOfWholeRows) {
  std::int64_t below_bound = 0;
  for (std::uint64_t seed = 1; seed <= 24; ++seed) {
    base::Stream stream(base::StreamKey(seed, "test", "rare"), 0);
    const std::int64_t clusters = 3 + static_cast<std::int64_t>(seed % 6);
    const std::int64_t rarest = clusters + stream.below(8);
    const std::int64_t commonest = 2 * rarest + stream.below(25);
    data::Dataset dataset = random_dataset(seed, 2 * rarest + commonest + 3, 2, 3);
    for (std::int64_t p = 0; p < dataset.rows; ++p) {
      const std::int32_t of_others = p < 2 * rarest + 3 ? 1 : 2;
      dataset.group[static_cast<std::size_t>(p)] = p < rarest ? 0 : of_others;
    }
    const Problem problem(dataset, clusters);
    const ClusteringFront front =
        balance_ladder(problem, {.starts = 2, .relocations = 4, .refinements = 10}, seed, "test")
            .front;
    expect_consistent_front(dataset, clusters, front);
    const double greatest = greatest_fraction(rarest, commonest, clusters);
    EXPECT_EQ(front.points.back(), greatest)
        << rarest << " and " << commonest << " rows in " << clusters;
    if (greatest < problem.balance_bound()) ++below_bound;
  }
  EXPECT_GE(below_bound, 10);
}

/// The means of a clustering, and how far rows are from them.
class AtOwnMeans {
 public:
  AtOwnMeans(const data::Dataset& dataset, std::int64_t clusters,
             const std::vector<std::int64_t>& labels)
      : dataset_{dataset},
        columns_{static_cast<std::size_t>(dataset.columns)},
        clusters_{static_cast<std::size_t>(clusters)} {
    means_.resize(clusters_ * columns_);
    std::vector<double> sizes(clusters_);
    for (std::size_t p = 0; p < labels.size(); ++p) {
      const auto k = static_cast<std::size_t>(labels[p]);
      sizes[k] += 1;
      for (std::size_t i = 0; i < columns_; ++i) {
        means_[k * columns_ + i] += dataset.features[p * columns_ + i];
      }
    }
    for (std::size_t k = 0; k < clusters_; ++k) {
      for (std::size_t i = 0; i < columns_; ++i) means_[k * columns_ + i] /= sizes[k];
    }
  }

  [[nodiscard]] std::vector<double> squares() const {
    std::vector<double> all;
    for (std::size_t p = 0; p < dataset_.group.size(); ++p) {
      for (std::size_t k = 0; k < clusters_; ++k) {
        double square = 0;
        for (std::size_t i = 0; i < columns_; ++i) {
          const double apart = dataset_.features[p * columns_ + i] - means_[k * columns_ + i];
          square += apart * apart;
        }
        all.push_back(square);
      }
    }
    return all;
  }

 private:
  const data::Dataset& dataset_;
  std::size_t columns_;
  std::size_t clusters_;
  std::vector<double> means_;
};

/// The exact search looks at all counts, polishing at neighbours: few points are left that it makes
/// cheaper. Of fronts that are not polished it does so with nearly a third.
TEST(BalanceLadder, FewPointsOfASmallFrontAreCheaperAssignedToTheirMeansAgain) {
  std::size_t points = 0;
  std::size_t cheaper = 0;
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    data::Dataset dataset = two_even_groups(seed, 60);
    for (std::size_t p = 1; p < dataset.group.size(); p += 2) dataset.features[2 * p] += 3;
    const ClusteringFront front =
        balance_ladder(Problem(dataset, 3), {.starts = 2, .relocations = 4}, seed, "test").front;
    points += front.labels.size();
    for (std::size_t i = 0; i < front.labels.size(); ++i) {
      const AtOwnMeans own(dataset, 3, as_integers(front.labels[i]));
      const BalancedAssignment again = assign_within_balance(own.squares(), dataset.group, 2, 3,
                                                             {.balance = front.points[2 * i + 1]});
      if (again.cost < front.points[2 * i] * (1 - 1e-9)) ++cheaper;
    }
  }
  EXPECT_GE(points, 100u);
  EXPECT_LE(20 * cheaper, points);
}

/// Three groups, few rows a cluster and many.
TEST(BalancePolish, NeverRaisesTheCostOrLowersTheBalance) {
  std::int64_t changed = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 90, 2, 3);
    const Problem problem(dataset, seed % 2 == 0 ? 4 : 25);
    ASSERT_TRUE(BalancePolish<std::uint8_t>::is_of_use(problem));
    std::vector<std::uint8_t> labels;
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      const std::int64_t place = p - problem.group_begin(problem.group_of(p));
      labels.push_back(static_cast<std::uint8_t>(place % problem.clusters()));
    }
    BalancedSearch<std::uint8_t> search(problem);
    search.assign(labels);
    const double cost = search.partition().cost(problem);
    const double balance = search.partition().bottleneck().balance.value();
    BalancePolish<std::uint8_t> polish(problem, search);
    if (polish.run()) ++changed;
    const double polished = search.partition().cost(problem);
    EXPECT_LT(polished, cost);
    EXPECT_GE(search.partition().bottleneck().balance.value(), balance);
    EXPECT_FALSE(polish.run());
    EXPECT_EQ(search.partition().cost(problem), polished);
  }
  EXPECT_EQ(changed, 20);
}

TEST(BalancePolish, IsOfUseForSmallTasksAndForFewRowsACluster) {
  const auto is_of_use = [](std::int64_t rows, std::int64_t clusters) {
    return BalancePolish<std::uint16_t>::is_of_use(
        Problem(random_dataset(1, rows, 1, 2), clusters));
  };
  EXPECT_TRUE(is_of_use(400, 50));
  EXPECT_TRUE(is_of_use(1000, 500));
  EXPECT_FALSE(is_of_use(5000, 10));
  EXPECT_FALSE(is_of_use(1200, 600));
}

}  // namespace
}  // namespace fairfront::clustering
