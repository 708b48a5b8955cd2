#include "solvers/clustering/balanced_assignment.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/index.hpp"
#include "base/random.hpp"
#include "solvers/clustering/assignment_bound.hpp"
#include "solvers/clustering/balance_limits.hpp"
#include "solvers/clustering/factors.hpp"
#include "solvers/clustering/open_rows.hpp"
#include "solvers/clustering/row_bound.hpp"
#include "solvers/clustering/transport.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr std::array<double, 13> balances{.1, .2, .25, .3, 1. / 3, .37, .4, .5, .6, .75, .8, .9, 1};

/// Rows in groups, and their squared distances to the centres.
struct Rows {
  std::int64_t groups = 2;
  std::int64_t clusters = 2;
  std::vector<std::int32_t> group{};
  std::vector<double> squares{};
  [[nodiscard]] std::int64_t count() const { return std::ssize(group); }
};

enum class Squares { whole, real };

/// Every third row has the squares of the one before it. Whole squares are small: there are ties.
Rows random_rows(std::uint64_t seed, std::int64_t rows, std::int64_t groups, std::int64_t clusters,
                 Squares kind) {
  base::Stream stream(base::StreamKey(seed, "test", "rows"), 0);
  Rows made{groups, clusters};
  for (std::int64_t i = 0; i < rows; ++i) {
    const bool in_turn = stream.below(3) != 0;
    const auto any = static_cast<std::int32_t>(stream.below(static_cast<std::uint32_t>(groups)));
    made.group.push_back(in_turn ? static_cast<std::int32_t>(i % groups) : any);
    const bool again = i > 0 && stream.below(3) == 0;
    for (std::int64_t k = 0; k < clusters; ++k) {
      const double fresh = kind == Squares::whole ? stream.below(6) : stream.uniform();
      made.squares.push_back(again ? made.squares[at((i - 1) * clusters + k)] : fresh);
    }
  }
  return made;
}

/// By its definition; 0 where a cluster is empty.
double balance_of(const Rows& rows, const std::vector<std::int32_t>& labels) {
  double least = 1;
  for (std::int32_t k = 0; k < rows.clusters; ++k) {
    std::vector<int> counts(at(rows.groups));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == k) ++counts[at(rows.group[i])];
    }
    const int most = std::ranges::max(counts);
    least = most == 0 ? 0 : std::min(least, double{1} * std::ranges::min(counts) / most);
  }
  return least;
}

double mean_square(const Rows& rows, const std::vector<std::int32_t>& labels) {
  double sum = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) {
    sum += rows.squares[i * at(rows.clusters) + at(labels[i])];
  }
  return sum / static_cast<double>(labels.size());
}

/// Calls `see` with all labels.
void for_all_labels(const Rows& rows,
                    const std::function<void(const std::vector<std::int32_t>&)>& see) {
  std::vector<std::int32_t> labels(rows.group.size());
  while (true) {
    see(labels);
    std::size_t i = 0;
    while (i < labels.size() && ++labels[i] == rows.clusters) labels[i++] = 0;
    if (i == labels.size()) return;
  }
}

std::optional<double> least_of_all(const Rows& rows, double balance) {
  std::optional<double> least;
  for_all_labels(rows, [&](const std::vector<std::int32_t>& labels) {
    const double mean = mean_square(rows, labels);
    if ((!least || mean < *least) && balance_of(rows, labels) >= balance) least = mean;
  });
  return least;
}

BalancedAssignment assigned(const Rows& rows, double balance) {
  return assign_within_balance(rows.squares, rows.group, rows.groups, rows.clusters,
                               {.balance = balance});
}

/// @param rounding  of sums of squares.
void expect_cheapest(const Rows& rows, double balance, double least, double rounding) {
  const BalancedAssignment found = assigned(rows, balance);
  EXPECT_NEAR(found.cost, least, rounding);
  EXPECT_EQ(found.cost, mean_square(rows, found.labels));
  EXPECT_EQ(found.balance, balance_of(rows, found.labels));
  EXPECT_GE(found.balance, balance);
  EXPECT_LE(found.lower_bound, least + rounding);
  EXPECT_GE(found.lower_bound, (1 - 1e-9) * found.cost);
}

TEST(BalancedAssignment, IsTheCheapestOfAllOnSmallInstancesAndItsBoundIsNeverAboveThem) {
  int possible = 0;
  int impossible = 0;
  for (std::uint64_t seed = 0; seed < 1200; ++seed) {
    const std::int64_t clusters = 2 + static_cast<std::int64_t>(seed % 2);
    const std::int64_t groups = 2 + static_cast<std::int64_t>(seed / 2 % 2);
    const auto more = static_cast<std::int64_t>(seed / 4 % (clusters == 2 ? 7 : 4));
    const Squares kind = seed / 8 % 2 == 0 ? Squares::whole : Squares::real;
    const Rows rows = random_rows(seed, 5 + more, groups, clusters, kind);
    const double balance = balances[seed % balances.size()];
    SCOPED_TRACE("seed " + std::to_string(seed));
    const std::optional<double> least = least_of_all(rows, balance);
    if (!least) {
      ++impossible;
      EXPECT_THROW((void)assigned(rows, balance), base::InputError);
      continue;
    }
    ++possible;
    expect_cheapest(rows, balance, *least, kind == Squares::whole ? 0 : 1e-14);
  }
  EXPECT_GT(possible, 300);
  EXPECT_GT(impossible, 50);
}

/// Of two clusters and two groups all pairs of counts can be tried: with given counts the rows
/// whose squares differ most go to either cluster.
std::optional<double> least_of_two(const Rows& rows, double balance) {
  std::array<std::vector<double>, 2> costs;  // by how many are in cluster 0
  for (std::int32_t j = 0; j < 2; ++j) {
    std::vector<double> differences;
    double sum = 0;
    for (std::size_t i = 0; i < rows.group.size(); ++i) {
      if (rows.group[i] != j) continue;
      sum += rows.squares[2 * i + 1];
      differences.push_back(rows.squares[2 * i] - rows.squares[2 * i + 1]);
    }
    std::ranges::sort(differences);
    costs[at(j)].push_back(sum);
    for (const double difference : differences) costs[at(j)].push_back(sum += difference);
  }
  const auto holds = [balance](std::size_t a, std::size_t b) {
    return std::min(a, b) > 0 &&
           static_cast<double>(std::min(a, b)) / static_cast<double>(std::max(a, b)) >= balance;
  };
  std::optional<double> least;
  for (std::size_t a = 0; a < costs[0].size(); ++a) {
    for (std::size_t b = 0; b < costs[1].size(); ++b) {
      if (!holds(a, b) || !holds(costs[0].size() - 1 - a, costs[1].size() - 1 - b)) continue;
      const double mean = (costs[0][a] + costs[1][b]) / static_cast<double>(rows.count());
      if (!least || mean < *least) least = mean;
    }
  }
  return least;
}

TEST(BalancedAssignment, IsTheCheapestOfHundredsOfRowsInTwoClusters) {
  int possible = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Rows rows = random_rows(seed, 400, 2, 2, seed % 2 == 0 ? Squares::whole : Squares::real);
    SCOPED_TRACE("seed " + std::to_string(seed));
    for (const double balance : {0.37, 0.8, 0.93}) {
      const auto least = least_of_two(rows, balance);
      if (!least) continue;
      ++possible;
      expect_cheapest(rows, balance, *least, 1e-12);
    }
  }
  EXPECT_GT(possible, 60);
}

TEST(BalancedAssignment, GroupsOfOneSizeCanBePerfectlyBalanced) {
  Rows rows = random_rows(3, 300, 2, 2, Squares::real);
  for (std::size_t i = 0; i < rows.group.size(); ++i) rows.group[i] = i % 2 == 0 ? 0 : 1;
  expect_cheapest(rows, 1, least_of_two(rows, 1).value(), 1e-12);
}

TEST(BalancedAssignment, NearestCentresAreTheAnswerWhereTheyAreBalanced) {
  const Rows rows = random_rows(5, 50, 2, 3, Squares::whole);
  const BalancedAssignment nearest = assigned(rows, 0);
  for (std::size_t i = 0; i < rows.group.size(); ++i) {
    const auto begin = rows.squares.begin() + static_cast<std::ptrdiff_t>(3 * i);
    EXPECT_EQ(nearest.labels[i], std::min_element(begin, begin + 3) - begin);
  }
  EXPECT_EQ(nearest.lower_bound, nearest.cost);
  ASSERT_GT(nearest.balance, 0);
  EXPECT_EQ(assigned(rows, nearest.balance).labels, nearest.labels);
}

TEST(BalancedAssignment, AFarCentreMakesNeitherCostNorBoundFalse) {
  for (const double far : {1e3, 1e7, 1e8, 1e9, 1e10}) {
    const std::vector<double> x{0, 0.1, 0.2, 0.9, 1, 1.1, far, far, 0.3, 0.45};
    Rows rows = random_rows(1, 10, 2, 3, Squares::real);
    rows.group = {0, 0, 0, 1, 1, 1, 0, 1, 0, 1};
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::array<double, 3> centres{0, 1, far};
      for (std::size_t k = 0; k < 3; ++k) {
        rows.squares[3 * i + k] = (x[i] - centres[k]) * (x[i] - centres[k]);
      }
    }
    for (const double balance : {0.3, 0.5, 0.6, 1.0}) {
      SCOPED_TRACE(fmt::format("far {}, balance {}", far, balance));
      expect_cheapest(rows, balance, least_of_all(rows, balance).value(), 1e-12);
    }
  }
}

TEST(BalancedAssignment, LimitsOfTheSearchLeaveAnAssignmentAndABound) {
  const Rows rows = random_rows(8, 600, 3, 5, Squares::real);
  const BalancedAssignment whole = assigned(rows, 0.83);
  const BalancedAssignment cut = assign_within_balance(
      rows.squares, rows.group, 3, 5, {.balance = 0.83, .tolerance = 0, .max_nodes = 1});
  EXPECT_EQ(cut.nodes, 1);
  EXPECT_GE(balance_of(rows, cut.labels), 0.83);
  EXPECT_LE(cut.lower_bound, whole.cost);
  EXPECT_GE(cut.cost, whole.lower_bound);
  EXPECT_LT(cut.lower_bound, cut.cost);
  EXPECT_GT(cut.lower_bound, 0.99 * cut.cost);
}

/// Groups of any size, around means of their own, and centres anywhere: most balances bind.
Rows rows_in_space(std::uint64_t seed, std::int64_t rows, std::int64_t groups,
                   std::int64_t clusters) {
  constexpr int dimension = 3;
  base::Stream stream(base::StreamKey(seed, "test", "space"), 0);
  Rows made{groups, clusters};
  std::vector<double> centres, means;
  for (std::int64_t i = 0; i < dimension * clusters; ++i) centres.push_back(stream.normal());
  for (std::int64_t i = 0; i < dimension * groups; ++i) means.push_back(0.5 * stream.normal());
  for (std::int64_t i = 0; i < rows; ++i) {
    const std::uint32_t j = stream.below(static_cast<std::uint32_t>(groups));
    made.group.push_back(static_cast<std::int32_t>(j));
    std::array<double, dimension> x{};
    for (std::size_t c = 0; c < dimension; ++c) x[c] = means[dimension * j + c] + stream.normal();
    for (std::int64_t k = 0; k < clusters; ++k) {
      double square = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double difference = x[c] - centres[dimension * at(k) + c];
        square += difference * difference;
      }
      made.squares.push_back(square);
    }
  }
  return made;
}

TEST(BalancedAssignment, IsProvenOfManyGroupsInManyClusters) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    for (const double balance : {0.2, 0.35, 0.5}) {
      for (const std::int64_t count : {250, 800}) {
        SCOPED_TRACE(fmt::format("seed {}, balance {}, {} rows", seed, balance, count));
        const Rows rows = rows_in_space(seed, count, 5, 10);
        const BalancedAssignment found = assigned(rows, balance);
        EXPECT_EQ(found.cost, mean_square(rows, found.labels));
        EXPECT_GE(balance_of(rows, found.labels), balance);
        EXPECT_GE(found.lower_bound, (1 - 1e-9) * found.cost);
        EXPECT_LE(found.lower_bound, found.cost);
      }
    }
  }
}

TEST(BalancedAssignment, IsProvenOfTwentyClustersWhereLinearProgramsLeaveAGap) {
  const std::array<double, 3> binding{0.8, 0.7, 0.6};  // of every seed
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const Rows rows = rows_in_space(seed, 600, 3, 20);
    const BalancedAssignment found = assigned(rows, binding[seed]);
    EXPECT_EQ(found.cost, mean_square(rows, found.labels));
    EXPECT_GE(balance_of(rows, found.labels), binding[seed]);
    EXPECT_GE(found.lower_bound, (1 - 1e-9) * found.cost);
    EXPECT_LE(found.lower_bound, found.cost);
  }
}

TEST(BalancedAssignment, UntilItIsProvenTheSearchGoesOnBeyondItsLimits) {
  const Rows rows = rows_in_space(0, 250, 3, 10);
  const auto within = [&](BalancedAssignmentOptions options, auto watch) {
    options.balance = 0.7;
    return assign_within_balance(rows.squares, rows.group, 3, 10, options, watch);
  };
  const BalancedAssignment cut = within({.max_nodes = 1, .max_work = 0}, [](AssignmentProgress) {});
  EXPECT_LT(cut.lower_bound, (1 - 1e-6) * cut.cost);
  std::vector<AssignmentProgress> seen;
  const BalancedAssignment whole =
      within({.max_nodes = 1, .max_work = 0, .until_proven = true},
             [&](AssignmentProgress progress) { seen.push_back(progress); });
  EXPECT_GT(whole.nodes, 1);
  EXPECT_GE(whole.lower_bound, (1 - 1e-9) * whole.cost);
  EXPECT_EQ(whole.labels, assigned(rows, 0.7).labels);
  ASSERT_GT(seen.size(), 2);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_LE(seen[i].lower_bound, whole.cost * (1 + 1e-12));
    EXPECT_GE(seen[i].cost, whole.cost * (1 - 1e-12));
    if (i == 0) continue;
    EXPECT_GE(seen[i].lower_bound, seen[i - 1].lower_bound);
    EXPECT_LE(seen[i].cost, seen[i - 1].cost);
  }
}

std::string error_of(const Rows& rows, double balance) {
  try {
    (void)assigned(rows, balance);
  } catch (const base::InputError& error) {
    return error.what();
  }
  return "";
}

TEST(BalancedAssignment, BalancesThatCannotBeAreErrors) {
  Rows rows{2, 2, {0, 0, 0, 0, 1, 1}, {0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0, 1}};
  EXPECT_NE(error_of(rows, 0.6).find("which allow 0.5 at most"), std::string::npos);
  EXPECT_EQ(error_of(rows, 0.5), "");
  rows.clusters = 3;
  rows.squares.resize(18, 0);
  EXPECT_NE(error_of(rows, 0.5).find("the rarest one has 2"), std::string::npos);
  Rows odd{2, 2, {0, 0, 0, 1, 1, 1, 1, 1}, std::vector<double>(16, 1.0)};
  odd.squares[0] = 0;
  EXPECT_NE(error_of(odd, 0.6).find("do not divide like that"), std::string::npos);
  odd.squares[3] = std::numeric_limits<double>::infinity();
  EXPECT_NE(error_of(odd, 0.1).find("overflows"), std::string::npos);
  EXPECT_THROW((void)assigned(rows, 1.5), std::invalid_argument);
}

TEST(BalanceLimits, CountsAreTheLargestOfTheBalance) {
  for (const double balance : balances) {
    const BalanceLimits limits(balance, {60, 90});
    for (std::int64_t level = 1; level <= 60; ++level) {
      std::int64_t most = 0;
      for (std::int64_t count = 1; count <= 90; ++count) {
        if (static_cast<double>(level) / static_cast<double>(count) >= balance) most = count;
      }
      EXPECT_EQ(limits.most(level), most) << balance << " " << level;
    }
  }
}

/// The greatest balance of all ways to deal out the members of two groups to three clusters.
double greatest_of_all_counts(std::int64_t here, std::int64_t there) {
  const auto ratio = [](std::int64_t a, std::int64_t b) {
    return static_cast<double>(std::min(a, b)) / static_cast<double>(std::max({a, b, 1L}));
  };
  double greatest = 0;
  for (std::int64_t a = 0; a <= here; ++a) {
    for (std::int64_t b = 0; a + b <= here; ++b) {
      for (std::int64_t c = 0; c <= there; ++c) {
        for (std::int64_t d = 0; c + d <= there; ++d) {
          const double balance =
              std::min({ratio(a, c), ratio(b, d), ratio(here - a - b, there - c - d)});
          greatest = std::max(greatest, balance);
        }
      }
    }
  }
  return greatest;
}

TEST(BalanceLimits, TheGreatestBalanceIsThatOfAllCounts) {
  for (std::int64_t here = 1; here <= 11; ++here) {
    for (std::int64_t there = here; there <= 25; ++there) {
      const double expected = greatest_of_all_counts(here, there);
      const double found = greatest_balance({here, there}, 3);
      EXPECT_LE(found, expected) << here << " and " << there;
      EXPECT_GE(found, expected * (1 - 1e-4)) << here << " and " << there;
    }
  }
}

TEST(BalanceLimits, LevelsNearThoseWantedHoldAllMembers) {
  base::Stream stream(base::StreamKey(1, "test", "levels"), 0);
  std::int64_t as_wanted = 0;
  std::int64_t none = 0;
  for (std::int64_t trial = 0; trial < 2000; ++trial) {
    const std::int64_t rare = 4 + stream.below(20);
    const BalanceLimits limits(balances[at(trial % std::ssize(balances))],
                               {rare, rare + stream.below(40), rare + stream.below(10)});
    std::vector<double> wanted;
    std::vector<std::int64_t> levels;
    for (std::int64_t k = 0; k < 2 + trial % 3; ++k) {
      levels.push_back(1 + stream.below(8));
      wanted.push_back(static_cast<double>(levels.back()));
    }
    const auto near = limits.levels_near(wanted);
    EXPECT_EQ(near.has_value(), limits.some_levels(std::ssize(wanted)).has_value());
    if (!near) ++none;
    EXPECT_TRUE(!near || limits.hold(*near));
    if (!limits.hold(levels)) continue;
    EXPECT_EQ(near, levels);
    ++as_wanted;
  }
  EXPECT_GT(as_wanted, 30);
  EXPECT_GT(none, 30);
}

/// The dual bound of other limits, also where no cluster may give a row.
TEST(Transport, OtherLimitsCostNoLessThanPricesSay) {
  base::Stream stream(base::StreamKey(1, "test", "prices"), 0);
  for (std::int64_t trial = 0; trial < 400; ++trial) {
    constexpr std::int64_t clusters = 4;
    constexpr std::int64_t rows = 24;
    std::vector<std::int64_t> costs(at(rows * clusters));
    for (std::int64_t& cost : costs) cost = stream.below(1000);
    std::vector<std::int64_t> all(at(rows));
    std::iota(all.begin(), all.end(), 0);
    const std::int64_t spare = trial % 2 == 0 ? 0 : 2;
    std::vector<std::int64_t> least{6 - spare, 5, 9 - spare, 4};
    std::vector<std::int64_t> most{8, 7, 10, 6};
    Transport transport(costs, all, clusters);
    const std::int64_t before = transport.settle(least, most);
    const std::vector<std::int64_t> prices(transport.prices().begin(), transport.prices().end());
    std::int64_t bound = before;
    for (std::int64_t k = 0; k < clusters; ++k) {
      const std::int64_t lower = std::int64_t{stream.below(5)} - 3;
      const std::int64_t higher = std::int64_t{stream.below(4)} - 1;
      least[at(k)] += lower;
      most[at(k)] += higher;
      bound += prices[at(k)] > 0 ? prices[at(k)] * lower : prices[at(k)] * higher;
    }
    if (std::accumulate(least.begin(), least.end(), std::int64_t{0}) > rows) continue;
    if (std::accumulate(most.begin(), most.end(), std::int64_t{0}) < rows) continue;
    if (!std::ranges::equal(least, most, std::ranges::less_equal{})) continue;
    EXPECT_GE(Transport(costs, all, clusters).settle(least, most), bound);
  }
}

TEST(BalanceLimits, LevelsAreFoundWheneverThereAreSome) {
  int found = 0;
  for (const double balance : balances) {
    for (std::int64_t rare = 3; rare <= 24; ++rare) {
      const BalanceLimits limits(balance, {rare, 40 - rare});
      bool some = false;
      for (std::int64_t a = 1; a <= limits.rarest(); ++a) {
        for (std::int64_t b = 1; b <= limits.rarest(); ++b) {
          for (std::int64_t c = 1; c <= limits.rarest(); ++c) {
            some = some || limits.hold(std::vector<std::int64_t>{a, b, c});
          }
        }
      }
      const auto levels = limits.some_levels(3);
      EXPECT_EQ(levels.has_value(), some) << balance << " " << rare;
      EXPECT_TRUE(!levels || limits.hold(*levels));
      found += some ? 1 : 0;
    }
  }
  EXPECT_GT(found, 50);
}

std::vector<std::int64_t> whole_costs(const Rows& rows) {
  std::vector<std::int64_t> costs;
  for (const double square : rows.squares) costs.push_back(static_cast<std::int64_t>(square));
  return costs;
}

/// All rows of one group.
std::int64_t least_within(const Rows& rows, const std::vector<std::int64_t>& least,
                          const std::vector<std::int64_t>& most) {
  double best = std::numeric_limits<double>::infinity();
  for_all_labels(rows, [&](const std::vector<std::int32_t>& labels) {
    for (std::int32_t k = 0; k < rows.clusters; ++k) {
      const auto count = std::ranges::count(labels, k);
      if (count < least[at(k)] || count > most[at(k)]) return;
    }
    best = std::min(best, mean_square(rows, labels) * static_cast<double>(labels.size()));
  });
  return std::llround(best);
}

TEST(Transport, IsTheCheapestWithinLimitsThatChangeAgainAndAgain) {
  for (std::uint64_t seed = 0; seed < 30; ++seed) {
    const Rows rows = random_rows(seed, 7, 1, 3, Squares::whole);
    const std::vector<std::int64_t> costs = whole_costs(rows);
    std::vector<std::int64_t> all(7);
    std::iota(all.begin(), all.end(), 0);
    Transport transport(costs, all, 3);
    base::Stream stream(base::StreamKey(seed, "test", "limits"), 0);
    for (int change = 0; change < 12; ++change) {
      std::vector<std::int64_t> least, most;
      for (int k = 0; k < 3; ++k) {
        least.push_back(stream.below(3));
        most.push_back(3 + stream.below(4));
      }
      EXPECT_EQ(transport.settle(least, most), least_within(rows, least, most))
          << "seed " << seed << ", change " << change;
      for (std::int32_t k = 0; k < 3; ++k) {
        EXPECT_EQ(transport.counts()[at(k)], std::ranges::count(transport.labels(), k));
      }
    }
  }
}

/// Whether the labels use none but open clusters and settled ones.
bool is_left(const OpenRows& open, const Rows& rows, const std::vector<std::int32_t>& labels) {
  std::vector<std::int64_t> settled(open.settled.size());
  std::vector<bool> is_open(labels.size());
  for (std::size_t i = 0; i < open.rows.size(); ++i) {
    const auto begin = open.clusters.begin() + open.first[i];
    const auto end = open.clusters.begin() + open.first[i + 1];
    is_open[at(open.rows[i])] = true;
    if (std::find(begin, end, labels[at(open.rows[i])]) == end) return false;
  }
  for (std::size_t row = 0; row < labels.size(); ++row) {
    if (!is_open[row]) ++settled[at(rows.group[row] * rows.clusters + labels[row])];
  }
  return settled == open.settled;
}

/// Of the levels that the counts of each cluster allow, whether one is in the box.
bool is_left(const LevelBox& box, const BalanceLimits& limits, const Rows& rows,
             const std::vector<std::int32_t>& labels) {
  for (std::int32_t k = 0; k < rows.clusters; ++k) {
    std::vector<std::int64_t> counts(at(rows.groups));
    for (std::size_t i = 0; i < labels.size(); ++i) {
      if (labels[i] == k) ++counts[at(rows.group[i])];
    }
    const auto [least, most] = std::ranges::minmax(counts);
    std::int64_t level = least;
    while (level >= box.low[at(k)] && (level > box.high[at(k)] || limits.most(level) < most)) {
      --level;
    }
    if (level < box.low[at(k)] || limits.most(level) < most) return false;
  }
  return true;
}

TEST(AssignmentBound, WhatIsLeftOutIsInNoCheaperAssignment) {
  std::int64_t rows_left_out = 0;
  std::int64_t levels_left_out = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Rows rows = random_rows(seed, 8, 2, 3, Squares::whole);
    const double balance = balances[seed % 8];
    const auto least = least_of_all(rows, balance);
    if (!least) continue;
    const std::vector<std::int64_t> costs = whole_costs(rows);
    std::vector<std::int64_t> counts(2);
    for (const std::int32_t j : rows.group) ++counts[at(j)];
    const BalanceLimits limits(balance, counts);
    const AssignmentCosts problem{3, costs, rows.group};
    const std::int64_t known = std::llround(*least * 8) + static_cast<std::int64_t>(seed % 3) + 1;
    OpenRows open = all_open(problem, 2);
    LevelBox box{{1, 1, 1}, std::vector<std::int64_t>(3, limits.rarest())};
    for (int round = 0; round < 3; ++round) {
      const AssignmentBound bound = assignment_bound(problem, open, limits, box, known);
      if (bound.value >= known) break;
      open = narrowed_rows(problem, open, bound.prices, known - bound.value);
      leave_out_levels(limits, bound, known - bound.value, box);
      const LevelBox of_rows = levels_of_rows(problem, open, limits);
      for (std::size_t k = 0; k < 3; ++k) {
        box.low[k] = std::max(box.low[k], of_rows.low[k]);
        box.high[k] = std::min(box.high[k], of_rows.high[k]);
        ASSERT_LE(box.low[k], box.high[k]) << seed;
      }
    }
    rows_left_out += 24 - std::ssize(open.clusters);
    for (std::size_t k = 0; k < 3; ++k) {
      levels_left_out += limits.rarest() - 1 - (box.high[k] - box.low[k]);
    }
    for_all_labels(rows, [&](const std::vector<std::int32_t>& labels) {
      if (std::llround(mean_square(rows, labels) * 8) >= known) return;
      if (balance_of(rows, labels) < balance) return;
      EXPECT_TRUE(is_left(open, rows, labels)) << seed;
      EXPECT_TRUE(is_left(box, limits, rows, labels)) << seed;
    });
  }
  EXPECT_GT(rows_left_out, 100);
  EXPECT_GT(levels_left_out, 50);
}

TEST(Factors, SolveSystemsWhoseRowsAreFarFromOneScale) {
  base::Stream stream(base::StreamKey(5, "test", "systems"), 0);
  Factors factors;
  for (std::size_t n = 1; n <= 12; ++n) {
    factors.start(n);
    std::vector<double> solution, right(n);
    for (std::size_t k = 0; k < n; ++k) solution.push_back(stream.normal());
    for (std::size_t row = 0; row < n; ++row) {
      const double scale = std::ldexp(1.0, static_cast<int>(stream.below(80)) - 40);
      for (std::size_t k = 0; k < n; ++k) {
        factors.entry(row, k) = scale * stream.normal();
        right[row] += factors.entry(row, k) * solution[k];
      }
    }
    factors.factorise();
    factors.solve(right.data());
    for (std::size_t k = 0; k < n; ++k) EXPECT_NEAR(right[k], solution[k], 1e-10) << n;
  }
}

TEST(AssignmentBound, NoPricesProveMoreThanTheOptimumAndTheSearchedOnesProveNoLessThanNone) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    const Rows rows = random_rows(seed, 8, 2, 3, Squares::whole);
    const double balance = balances[seed % 8];
    const auto least = least_of_all(rows, balance);
    if (!least) continue;
    ++seen;
    const std::int64_t optimum = std::llround(*least * 8);
    const std::vector<std::int64_t> costs = whole_costs(rows);
    std::vector<std::int64_t> counts(2);
    for (const std::int32_t j : rows.group) ++counts[at(j)];
    const BalanceLimits limits(balance, counts);
    const AssignmentCosts problem{3, costs, rows.group};
    const OpenRows open = all_open(problem, 2);
    const LevelBox box{{1, 1, 1}, std::vector<std::int64_t>(3, limits.rarest())};
    base::Stream stream(base::StreamKey(seed, "test", "prices"), 0);
    for (int i = 0; i < 200; ++i) {
      std::vector<std::int64_t> prices;
      for (int m = 0; m < 6; ++m) prices.push_back(std::int64_t{stream.below(13)} - 6);
      EXPECT_LE(static_cast<std::int64_t>(bound_of_prices(problem, open, limits, box, prices)),
                optimum);
    }
    const AssignmentBound best = assignment_bound(problem, open, limits, box, 2 * optimum + 1);
    EXPECT_LE(static_cast<std::int64_t>(best.value), optimum);
    EXPECT_GE(static_cast<std::int64_t>(best.value),
              static_cast<std::int64_t>(
                  bound_of_prices(problem, open, limits, box, std::vector<std::int64_t>(6))));
  }
  EXPECT_GT(seen, 20);
}

/// A tiny problem, with what its bounds are made of.
struct Tiny {
  Tiny(std::uint64_t seed, std::int64_t groups)
      : rows{random_rows(seed, 8, groups, 3, Squares::whole)},
        balance{balances[seed % 8]},
        costs{whole_costs(rows)},
        limits{balance, counts_of(rows)},
        problem{3, costs, rows.group},
        open{all_open(problem, groups)},
        box{{1, 1, 1}, std::vector<std::int64_t>(3, limits.rarest())} {
    if (const auto least = least_of_all(rows, balance)) optimum = std::llround(*least * 8);
  }
  Tiny(Tiny&&) = delete;  // the problem looks at its costs

  static std::vector<std::int64_t> counts_of(const Rows& rows) {
    std::vector<std::int64_t> counts(at(rows.groups));
    for (const std::int32_t j : rows.group) ++counts[at(j)];
    return counts;
  }

  Rows rows;
  double balance;
  std::vector<std::int64_t> costs;
  BalanceLimits limits;
  AssignmentCosts problem;
  OpenRows open;
  LevelBox box;
  std::optional<std::int64_t> optimum;
};

std::vector<std::int64_t> random_prices(base::Stream& stream, std::size_t count) {
  std::vector<std::int64_t> prices;
  for (std::size_t m = 0; m < count; ++m) prices.push_back(std::int64_t{stream.below(13)} - 4);
  return prices;
}

/// Of all sets of rows at a level; nothing where none has it.
std::optional<std::int64_t> least_of_sets(const Tiny& tiny, std::int64_t k, std::int64_t level,
                                          const std::vector<std::int64_t>& prices) {
  std::optional<std::int64_t> least;
  for (std::uint32_t set = 0; set < (1U << 8); ++set) {
    std::int64_t sum = 0;
    std::vector<std::int64_t> counts(at(tiny.rows.groups));
    for (std::int64_t i = 0; i < 8; ++i) {
      if ((set >> i & 1U) == 0) continue;
      sum += tiny.problem.cost(i, k) - prices[at(i)];
      ++counts[at(tiny.rows.group[at(i)])];
    }
    const auto [fewest, most] = std::ranges::minmax(counts);
    if (fewest < level || most > tiny.limits.most(level)) continue;
    least = std::min(least.value_or(sum), sum);
  }
  return least;
}

TEST(RowBounds, EveryClusterTakesTheBestOfAllSetsOfRows) {
  int seen = 0;
  for (std::uint64_t seed = 0; seed < 24; ++seed) {
    const Tiny tiny(seed, 2 + static_cast<std::int64_t>(seed % 2));
    RowBounds bounds(tiny.problem, tiny.open, tiny.limits);
    base::Stream stream(base::StreamKey(seed, "test", "prices"), 0);
    const std::vector<std::int64_t> prices = random_prices(stream, 8);
    const RowBound bound = bounds.of_prices(tiny.box, prices);
    if (bound.value >= impossible) continue;
    std::int64_t value = std::accumulate(prices.begin(), prices.end(), std::int64_t{0});
    for (std::int64_t k = 0; k < 3; ++k) {
      std::optional<std::int64_t> best;
      for (std::int64_t level = 1; level <= tiny.limits.rarest(); ++level) {
        const auto least = least_of_sets(tiny, k, level, prices);
        const WideInteger found = bound.levels[at(k)][at(level - 1)];
        EXPECT_EQ(found >= impossible, !least);
        if (!least) continue;
        ++seen;
        EXPECT_EQ(static_cast<std::int64_t>(found), *least) << seed;
        best = std::min(best.value_or(*least), *least);
      }
      value += best.value();
    }
    EXPECT_EQ(static_cast<std::int64_t>(bound.value), value);
  }
  EXPECT_GT(seen, 50);
}

TEST(RowBounds, NoPricesProveMoreThanTheOptimumAndStepsProveNoLess) {
  int seen = 0;
  int better = 0;
  for (std::uint64_t seed = 0; seed < 80; ++seed) {
    const Tiny tiny(seed, 2);
    if (!tiny.optimum) continue;
    ++seen;
    RowBounds bounds(tiny.problem, tiny.open, tiny.limits);
    base::Stream stream(base::StreamKey(seed, "test", "prices"), 0);
    for (int i = 0; i < 100; ++i) {
      const RowBound bound = bounds.of_prices(tiny.box, random_prices(stream, 8));
      EXPECT_LE(static_cast<std::int64_t>(bound.value), *tiny.optimum) << seed;
    }
    const AssignmentBound of_counts =
        assignment_bound(tiny.problem, tiny.open, tiny.limits, tiny.box, 2 * *tiny.optimum + 1);
    RowBound start = bounds.of_prices(tiny.box, bounds.prices_between(of_counts.prices));
    EXPECT_TRUE(start.value >= of_counts.value) << seed;
    const WideInteger before = start.value;
    const RowBound best = bounds.improved(tiny.box, std::move(start), *tiny.optimum + 1, 100);
    EXPECT_LE(static_cast<std::int64_t>(best.value), *tiny.optimum) << seed;
    EXPECT_TRUE(best.value >= before);
    if (best.value > of_counts.value) ++better;
  }
  EXPECT_GT(seen, 20);
  EXPECT_GT(better, 0);
}

TEST(RowBounds, WhatIsLeftOutIsInNoCheaperAssignment) {
  std::int64_t rows_left_out = 0;
  std::int64_t levels_left_out = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    Tiny tiny(seed, 2);
    if (!tiny.optimum) continue;
    const std::int64_t known = *tiny.optimum + 1 + static_cast<std::int64_t>(seed % 3);
    base::Stream stream(base::StreamKey(seed, "test", "prices"), 0);
    for (int round = 0; round < 3; ++round) {
      RowBounds bounds(tiny.problem, tiny.open, tiny.limits);
      // Of prices that are any, and in the end of good ones.
      RowBound bound = bounds.of_prices(
          tiny.box, round == 0 ? random_prices(stream, 8)
                               : bounds.prices_between(std::vector<std::int64_t>(6, 0)));
      if (round > 0) bound = bounds.improved(tiny.box, std::move(bound), known, 100);
      ASSERT_TRUE(bound.value < known);
      OpenRows left = bounds.narrowed(tiny.box, bound, known - bound.value);
      leave_out_levels(bound, known - bound.value, tiny.box);
      tiny.open = std::move(left);
    }
    rows_left_out += 24 - std::ssize(tiny.open.clusters);
    for (std::size_t k = 0; k < 3; ++k) {
      levels_left_out += tiny.limits.rarest() - 1 - (tiny.box.high[k] - tiny.box.low[k]);
    }
    for_all_labels(tiny.rows, [&](const std::vector<std::int32_t>& labels) {
      if (std::llround(mean_square(tiny.rows, labels) * 8) >= known) return;
      if (balance_of(tiny.rows, labels) < tiny.balance) return;
      EXPECT_TRUE(is_left(tiny.open, tiny.rows, labels)) << seed;
      EXPECT_TRUE(is_left(tiny.box, tiny.limits, tiny.rows, labels)) << seed;
    });
  }
  EXPECT_GT(rows_left_out, 200);
  EXPECT_GT(levels_left_out, 50);
}

}  // namespace
}  // namespace fairfront::clustering
