#include "solvers/clustering/balance_ladder.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/error.hpp"
#include "data/whole_set.hpp"
#include "solvers/clustering/all_assignments.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/exact_plane_front.hpp"

namespace fairfront::clustering {
namespace {

using solvers::Request;

bool is_whole(const std::vector<double>& points,
              const std::vector<std::pair<double, double>>& expected) {
  if (points.size() != 2 * expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (std::abs(points[2 * i] - expected[i].first) > 1e-12) return false;
    if (points[2 * i + 1] != expected[i].second) return false;
  }
  return true;
}

TEST(BalanceLadder, FindsEveryWholeFrontOfAllAssignmentsWithFewFloors) {
  const std::vector<Instance> shapes{{0, 12, 2, 2}, {0, 12, 2, 3}, {0, 10, 3, 2},
                                     {0, 10, 3, 3}, {0, 11, 3, 2}, {0, 11, 3, 3}};
  for (const Instance& shape : shapes) {
    for (std::uint64_t set = 1; set <= 40; ++set) {
      const data::Dataset dataset = random_dataset(set, shape.points, 2, shape.groups);
      const Problem problem(dataset, shape.clusters);
      const auto expected = true_front(dataset, shape.clusters);
      for (std::uint64_t seed = 1; seed <= 3; ++seed) {
        SCOPED_TRACE(fmt::format("{}, set {}, seed {}", problem.describe(), set, seed));
        const BalanceLadderResult found = balance_ladder(
            problem, {.relocations = 0, .refinements = 1500, .boxes = 100}, seed, "test");
        expect_never_better(found.front.points, expected);
        expect_consistent_front(dataset, shape.clusters, found.front);
        EXPECT_TRUE(is_whole(found.front.points, expected));
        EXPECT_LE(found.floors_tried, 5000);
      }
    }
  }
}

TEST(BalanceLadder, NearlyReachesTheExactFrontsOfThePapersSyntheticSets) {
  for (const char* name :
       {"syn_equal_ds1", "syn_unequal_ds1", "syn_equal_ds2", "syn_unequal_ds2"}) {
    SCOPED_TRACE(name);
    data::WholeSetOptions source;
    source.data = name;
    const data::Dataset dataset = data::load_whole_set(source, {}, {}, false).set;
    const Problem problem(dataset, 2);
    const double exact = ExactPlaneFront(dataset).hypervolume();
    const auto share = [&](std::int64_t refinements) {
      const BalanceLadderOptions options{
          .relocations = 0, .refinements = refinements, .boxes = 10'000};
      return balance_ladder(problem, options, 1, "test").front.hypervolume / exact;
    };
    EXPECT_GE(share(3'000), 0.9995);
    const double most = share(10'000);
    EXPECT_GE(most, 0.99999);
    EXPECT_LE(most, 1 + 1e-12);
  }
}

/// The oracle of the test above against one that tries all assignments.
TEST(ExactPlaneFront, HasTheHypervolumeOfAllAssignments) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    const data::Dataset dataset = random_dataset(seed, 11, 2, 2);
    double area = 0;
    double below = 0;
    const double most = Problem(dataset, 2).total_variance();
    for (const auto& [cost, balance] : true_front(dataset, 2)) {
      area += (most - cost) * (balance - below);
      below = balance;
    }
    EXPECT_NEAR(ExactPlaneFront(dataset).hypervolume(), area, 1e-12);
  }
}

TEST(BalanceLadder, MoreRefinementGoesOnWhereLessEndedAndNeverEndsBelow) {
  const Problem problem(random_dataset(5, 250, 2, 2), 8);
  BalanceLadderResult less;
  for (const std::int64_t refinements : {100, 200, 400, 800}) {
    BalanceLadderResult more = balance_ladder(
        problem, {.starts = 2, .relocations = 5, .refinements = refinements}, 1, "test");
    EXPECT_GT(more.front.hypervolume, less.front.hypervolume);
    ASSERT_GT(more.trace.size(), less.trace.size());
    for (std::size_t i = 0; i < less.trace.size(); ++i) {
      EXPECT_EQ(more.trace[i].hypervolume, less.trace[i].hypervolume);
      EXPECT_EQ(more.trace[i].floors, less.trace[i].floors);
    }
    less = std::move(more);
  }
}

TEST(BalanceLadder, TheHypervolumeNeverFallsAndEndsAsThatOfTheFront) {
  for (const std::int64_t groups : {2, 3, 5}) {
    const data::Dataset dataset = random_dataset(4, 300, 3, groups);
    const Problem problem(dataset, 6);
    std::vector<double> fractions;
    const BalanceLadderResult found = balance_ladder(
        problem, {.starts = 3, .relocations = 20, .refinements = 40}, 1, "test",
        {.report = [&](const solvers::Progress& now) { fractions.push_back(now.fraction); }});
    EXPECT_EQ(fractions.size(), found.trace.size());
    EXPECT_TRUE(std::ranges::is_sorted(fractions));
    EXPECT_EQ(fractions.back(), 1);
    std::vector<double> seen;
    for (const BalanceLadderStep& step : found.trace) seen.push_back(step.hypervolume);
    EXPECT_GT(seen.size(), 23u);
    EXPECT_TRUE(std::ranges::is_sorted(seen));
    EXPECT_GT(seen.front(), 0);
    EXPECT_NEAR(seen.back(), found.front.hypervolume, 1e-12);
    EXPECT_EQ(found.front.reference_cost, problem.total_variance());
    expect_consistent_front(dataset, 6, found.front);
  }
}

TEST(BalanceLadder, MoreRelocationsGoOnWhereFewerEnded) {
  const Problem problem(random_dataset(5, 250, 2, 2), 8);
  const auto trace = [&](std::int64_t relocations) {
    std::vector<double> volumes;
    for (const BalanceLadderStep& step :
         balance_ladder(problem, {.starts = 2, .relocations = relocations, .refinements = 0}, 1,
                        "test")
             .trace) {
      volumes.push_back(step.hypervolume);
    }
    return volumes;
  };
  const std::vector<double> few = trace(10);
  std::vector<double> many = trace(40);
  EXPECT_GT(many.back(), few.back());
  many.resize(few.size());
  EXPECT_EQ(many, few);
}

/// Stops when asked for the `stop_at`-th time, with a checkpoint at every wish before; then goes on
/// from what was saved last.
BalanceLadderResult run_in_two_parts(const Problem& problem, const BalanceLadderOptions& options,
                                     std::int64_t stop_at) {
  std::string kept;
  std::int64_t asked = 0;
  const solvers::Control control{
      .request = [&] { return asked++ == stop_at ? Request::stop : Request::checkpoint; },
      .save = [&](const std::string& state) { kept = state; }};
  EXPECT_THROW((void)balance_ladder(problem, options, 1, "parts", control), solvers::Interrupted);
  return balance_ladder(problem, options, 1, "parts", {.resume = kept});
}

TEST(BalanceLadder, GoingOnFromAStateGivesTheBitsOfAnUninterruptedRun) {
  const Problem problem(random_dataset(7, 120, 2, 3), 4);
  const BalanceLadderOptions options{.starts = 2, .relocations = 10, .refinements = 60};
  const BalanceLadderResult whole = balance_ladder(problem, options, 1, "parts");
  EXPECT_GT(whole.gains, 0);
  for (std::int64_t stop_at = 0; stop_at < whole.floors_tried; stop_at += 7) {
    const BalanceLadderResult parts = run_in_two_parts(problem, options, stop_at);
    EXPECT_EQ(parts.front.points, whole.front.points) << "stopped at " << stop_at;
    EXPECT_EQ(parts.front.labels, whole.front.labels);
    EXPECT_EQ(parts.floors_tried, whole.floors_tried);
    EXPECT_EQ(parts.gains, whole.gains);
    EXPECT_EQ(parts.comparisons, whole.comparisons);
    ASSERT_EQ(parts.trace.size(), whole.trace.size());
    EXPECT_EQ(parts.trace.back().hypervolume, whole.trace.back().hypervolume);
  }
}

TEST(BalanceLadder, AStateThatWasCutOrIsAnotherProblemsIsRefused) {
  const Problem problem(random_dataset(7, 40, 2, 2), 3);
  std::string kept;
  std::int64_t asked = 0;
  const solvers::Control control{
      .request = [&] { return asked++ < 60 ? Request::checkpoint : Request::stop; },
      .save = [&](const std::string& state) { kept = state; }};
  EXPECT_THROW((void)balance_ladder(problem, {}, 1, "cut", control), solvers::Interrupted);
  ASSERT_GT(kept.size(), 100u);
  const auto go_on = [](const Problem& with, const BalanceLadderOptions& options,
                        const std::string& state) {
    (void)balance_ladder(with, options, 1, "cut", {.resume = state});
  };
  EXPECT_NO_THROW(go_on(problem, {}, kept));
  EXPECT_THROW(go_on(problem, {}, kept + "x"), base::InputError);
  EXPECT_THROW(go_on(problem, {}, kept.substr(0, kept.size() - 1)), base::InputError);
  EXPECT_THROW(go_on(problem, {}, "another" + kept), base::InputError);
  EXPECT_THROW(go_on(problem, {.boxes = 10}, kept), base::InputError);
  EXPECT_THROW(go_on(Problem(random_dataset(7, 41, 2, 2), 3), {}, kept), base::InputError);
}

/// Files have a checksum beside: here flips come as far as the solver.
TEST(BalanceLadder, FlippedBytesInAStateNeverDoHarm) {
  const Problem problem(random_dataset(7, 40, 2, 2), 3);
  const BalanceLadderOptions options{.starts = 1, .relocations = 2, .refinements = 20, .boxes = 20};
  std::string kept;
  (void)balance_ladder(problem, options, 1, "flip",
                       {.request = [] { return Request::checkpoint; },
                        .save = [&](const std::string& state) { kept = state; }});
  std::int64_t refused = 0;
  for (std::size_t place = 0; place < kept.size(); ++place) {
    std::string bytes = kept;
    bytes[place] = static_cast<char>(bytes[place] ^ (1 << (place % 8)));
    try {
      const auto result = balance_ladder(problem, options, 1, "flip", {.resume = bytes});
      EXPECT_GE(result.trace.size(), 3u);
    } catch (const base::CheckpointError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, std::ssize(kept) / 2);
}

TEST(BalanceLadder, AStateThatContradictsItselfIsRefused) {
  const Problem problem(random_dataset(7, 40, 2, 2), 3);
  const BalanceLadderOptions options{.starts = 1, .relocations = 2, .refinements = 20, .boxes = 20};
  std::string kept;
  (void)balance_ladder(problem, options, 1, "twice",
                       {.request = [] { return Request::checkpoint; },
                        .save = [&](const std::string& state) { kept = state; }});
  const std::size_t entry = sizeof(std::uint64_t) + 40;  // the number of labels, and the labels
  const auto refused = [&](const std::string& state) {
    EXPECT_THROW((void)balance_ladder(problem, options, 1, "twice", {.resume = state}),
                 base::CheckpointError);
  };
  refused(kept + kept.substr(kept.size() - entry));   // a box twice
  refused(kept.substr(0, kept.size() - entry));       // a clustering fewer
  refused(kept.substr(0, kept.size() - 1) + '\x03');  // a label that is K
}

TEST(BalanceLadder, OfSeveralRunsOfKmeansTheCheapestGoesOn) {
  const Problem problem(random_dataset(9, 400, 2, 2), 12);
  const auto least_cost = [&](std::int64_t seedings, std::uint64_t seed) {
    return balance_ladder(problem,
                          {.starts = 1,
                           .seedings = seedings,
                           .lloyd_iterations = 5,
                           .levels = 1,
                           .bisections = 0,
                           .relocations = 0,
                           .refinements = 0},
                          seed, "test")
        .front.points.front();
  };
  double one = 0;
  double many = 0;
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    one += least_cost(1, seed);
    many += least_cost(40, seed);
  }
  EXPECT_LT(many, 0.99 * one);
}

TEST(BalanceLadder, FollowsTheFloorFromTheCheapestToTheMostBalanced) {
  // Two blobs, each of one group: the cheapest clustering has balance 0, the most balanced is even.
  data::Dataset dataset = empty_dataset(1, 2);
  dataset.rows = 40;
  for (int p = 0; p < 40; ++p) {
    dataset.features.push_back(0.01 * p + (p < 20 ? 0 : 10));
    dataset.group.push_back(p < 20 ? 0 : 1);
  }
  const BalanceLadderResult found = balance_ladder(Problem(dataset, 2), {}, 1, "test");
  EXPECT_EQ(found.front.points.back(), 1);
  EXPECT_GE(found.front.labels.size(), 8u);
  expect_consistent_front(dataset, 2, found.front);
}

TEST(BalanceLadder, ManyClustersHaveWideLabels) {
  const data::Dataset dataset = random_dataset(1, 900, 2, 2);
  const BalanceLadderResult found =
      balance_ladder(Problem(dataset, 300),
                     {.starts = 1, .levels = 4, .relocations = 2, .refinements = 20}, 1, "test");
  ASSERT_FALSE(found.front.labels.empty());
  EXPECT_TRUE(std::holds_alternative<std::vector<std::uint16_t>>(found.front.labels.front()));
  expect_consistent_front(dataset, 300, found.front);
}

TEST(BalanceLadder, WorksWithGroupsOfOneMember) {
  data::Dataset dataset = random_dataset(6, 60, 2, 3);
  for (std::size_t p = 3; p < 60; ++p) dataset.group[p] = static_cast<std::int32_t>(p % 2);
  const Problem problem(dataset, 2);  // group 2 has one member: some cluster has balance 0
  const BalanceLadderResult found = balance_ladder(problem, {}, 1, "test");
  ASSERT_EQ(found.front.labels.size(), 1u);
  EXPECT_EQ(found.front.points[1], 0);
  EXPECT_EQ(found.front.hypervolume, 0);
  expect_consistent_front(dataset, 2, found.front);
}

TEST(BalanceLadder, EndsWherePointsCoincide) {
  for (const std::size_t apart : {12u, 0u}) {  // coordinates that are not 0
    data::Dataset dataset = random_dataset(1, 30, 2, 2);
    for (std::size_t i = 0; i < dataset.features.size(); ++i) dataset.features[i] = i < apart;
    const BalanceLadderResult found = balance_ladder(Problem(dataset, 4), {}, 1, "test");
    ASSERT_FALSE(found.front.labels.empty());
    expect_consistent_front(dataset, 4, found.front);
  }
}

TEST(BalanceLadder, WherePointsCoincideAndGroupsAreSmallNoClusterIsEmpty) {
  for (const std::int64_t clusters : {4, 5, 6}) {
    data::Dataset dataset = random_dataset(1, 6, 1, 3);
    dataset.features.assign(6, 7.25);
    dataset.group = {0, 0, 0, 1, 1, 2};
    const BalanceLadderResult found = balance_ladder(Problem(dataset, clusters), {}, 1, "test");
    EXPECT_EQ(found.front.points, (std::vector<double>{0, 0}));
    expect_consistent_front(dataset, clusters, found.front);
    std::set<int> used;
    for (const auto label : std::get<std::vector<std::uint8_t>>(found.front.labels[0])) {
      used.insert(label);
    }
    EXPECT_EQ(std::ssize(used), clusters);
  }
}

TEST(BalanceLadder, WhereAllPointsCoincideTheFrontIsTheBestBalance) {
  data::Dataset dataset = random_dataset(1, 60, 3, 2);
  for (std::size_t i = 0; i < dataset.features.size(); ++i) {
    dataset.features[i] = 0.1 + static_cast<double>(i % 3);
  }
  for (const std::size_t rare : {30u, 27u}) {  // 9 and 11 of each: moves alone end at 13/16
    for (std::size_t p = 0; p < 60; ++p) dataset.group[p] = p < rare ? 1 : 0;
    const BalanceLadderResult found = balance_ladder(Problem(dataset, 3), {}, 1, "test");
    EXPECT_EQ(found.front.points,
              (std::vector<double>{0, static_cast<double>(rare) / static_cast<double>(60 - rare)}));
    expect_consistent_front(dataset, 3, found.front);
  }
}

TEST(BalanceLadder, ClusteringsWithoutCostAreOnePointOfTheFront) {
  data::Dataset dataset = random_dataset(2, 200, 2, 2);
  for (std::size_t i = 0; i < dataset.features.size(); ++i) {
    dataset.features[i] = dataset.features[i] > 0 ? 1 : 0;
  }
  const BalanceLadderResult found = balance_ladder(Problem(dataset, 5), {}, 1, "test");
  EXPECT_EQ(found.front.points[0], 0);
  EXPECT_GT(found.front.points[1], 0);
  ASSERT_GT(found.front.labels.size(), 1u);
  EXPECT_GT(found.front.points[2], 1e-4);  // one point elsewhere costs some 1/400
}

TEST(BalanceLadder, IsAFunctionOfSeedAndTaskKey) {
  const Problem problem(random_dataset(2, 300, 3, 2), 9);
  const auto run = [&](std::uint64_t seed, const char* key) {
    return balance_ladder(problem, {.starts = 2, .relocations = 5}, seed, key).front;
  };
  const ClusteringFront first = run(1, "a");
  EXPECT_EQ(first.points, run(1, "a").points);
  EXPECT_EQ(first.labels, run(1, "a").labels);
  EXPECT_NE(first.points, run(2, "a").points);
  EXPECT_NE(first.points, run(1, "b").points);
}

TEST(BalanceLadder, RefusesBadOptions) {
  const Problem problem(random_dataset(2, 10, 2, 2), 2);
  const auto run = [&](const BalanceLadderOptions& options) {
    return balance_ladder(problem, options, 1, "");
  };
  EXPECT_THROW((void)run({.starts = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.levels = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.bisections = -1}), std::invalid_argument);
  EXPECT_THROW((void)run({.passes = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.relocations = -1}), std::invalid_argument);
  EXPECT_THROW((void)run({.reach = -0.1}), std::invalid_argument);
  EXPECT_THROW((void)run({.refinements = -1}), std::invalid_argument);
  EXPECT_THROW((void)run({.boxes = 0}), std::invalid_argument);
  EXPECT_THROW((void)run({.sample = -1}), std::invalid_argument);
  EXPECT_THROW((void)run({.carried = 0}), std::invalid_argument);
  const Problem wide(random_dataset(2, 5000, 1, 2), 4097);
  EXPECT_THROW((void)balance_ladder(wide, {}, 1, ""), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::clustering
