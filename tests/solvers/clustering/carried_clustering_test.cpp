#include "solvers/clustering/carried_clustering.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "solvers/clustering/balance_ladder.hpp"
#include "solvers/clustering/clustering_support.hpp"
#include "solvers/clustering/point_sample.hpp"
#include "solvers/clustering/transport.hpp"

namespace fairfront::clustering {
namespace {

using testing::HasSubstr;

using solvers::Request;

std::vector<double> values_of(const Problem& problem, std::int64_t p) {
  std::vector<double> values;
  for (std::int64_t i = 0; i < problem.columns(); ++i) {
    values.push_back(problem.point(p)[i] + problem.mean()[static_cast<std::size_t>(i)]);
  }
  return values;
}

TEST(PointSample, HasTheSameShareOfEveryGroupAndNoPointTwice) {
  const Problem problem(random_dataset(3, 3000, 2, 4), 5);
  base::Stream stream(base::StreamKey(1, "test", "sample"), 0);
  const auto sample = sample_of(problem, 700, stream);
  ASSERT_TRUE(sample);
  for (std::int64_t j = 0; j < 4; ++j) {
    const auto all = problem.group_begin(j + 1) - problem.group_begin(j);
    const auto drawn = sample->group_begin(j + 1) - sample->group_begin(j);
    EXPECT_NEAR(static_cast<double>(drawn), 700.0 / 3000.0 * static_cast<double>(all), 0.5);
  }
  // Rounded to the two grids, values agree to 1e-9.
  const auto rounded = [](std::vector<double> values, std::int64_t group) {
    values.push_back(static_cast<double>(group));
    for (double& value : values) value = std::round(value * 1e6);
    return values;
  };
  std::set<std::vector<double>> points;
  for (std::int64_t p = 0; p < 3000; ++p) {
    std::vector<double> centred(problem.coordinates(p).begin(), problem.coordinates(p).end());
    points.insert(rounded(std::move(centred), problem.group_of(p)));
  }
  for (std::int64_t p = 0; p < sample->points(); ++p) {
    EXPECT_EQ(points.erase(rounded(values_of(*sample, p), sample->group_of(p))), 1u);
  }
}

TEST(PointSample, EveryPointIsAsLikely) {
  const Problem problem(random_dataset(4, 60, 1, 2), 2);
  std::vector<int> drawn(60);
  constexpr int draws = 4000;
  for (std::uint64_t draw = 0; draw < draws; ++draw) {
    base::Stream stream(base::StreamKey(1, "test", "sample"), draw);
    const auto sample = sample_of(problem, 15, stream);
    ASSERT_TRUE(sample);
    for (std::int64_t p = 0; p < sample->points(); ++p) {
      const double x = values_of(*sample, p).front();
      std::int64_t nearest = 0;
      for (std::int64_t q = 0; q < 60; ++q) {
        const auto off = [&](std::int64_t of) { return std::abs(problem.point(of)[0] - x); };
        if (off(q) < off(nearest)) nearest = q;
      }
      ++drawn[static_cast<std::size_t>(nearest)];
    }
  }
  for (std::int64_t p = 0; p < 60; ++p) {
    const auto j = problem.group_of(p);
    const auto members = static_cast<double>(problem.group_begin(j + 1) - problem.group_begin(j));
    const double share = std::round(0.25 * members) / members;
    const double deviation = std::sqrt(draws * share * (1 - share));
    EXPECT_NEAR(drawn[static_cast<std::size_t>(p)], draws * share, 5 * deviation);
  }
}

TEST(PointSample, IsLargeEnoughForClustersAndRareGroupsOrNone) {
  data::Dataset dataset = random_dataset(5, 40'000, 1, 2);
  for (std::size_t p = 0; p < 40'000; ++p) dataset.group[p] = p % 100 == 0 ? 1 : 0;
  EXPECT_EQ(sample_size(Problem(dataset, 2), 1000), 1600);  // 8 of 400 for each of two clusters
  EXPECT_EQ(sample_size(Problem(dataset, 2), 2000), 2000);
  EXPECT_EQ(sample_size(Problem(dataset, 25), 1000), 20'000);
  EXPECT_EQ(sample_size(Problem(dataset, 26), 1000), 0);
  EXPECT_EQ(sample_size(Problem(dataset, 2), 20'001), 0);
  EXPECT_EQ(reason_without_sample(Problem(dataset, 25), 1000), "");
  EXPECT_THAT(reason_without_sample(Problem(dataset, 26), 1000), HasSubstr("has 400 rows"));
  EXPECT_EQ(reason_without_sample(Problem(dataset, 26), 0), "");       // none is wanted
  EXPECT_EQ(reason_without_sample(Problem(dataset, 26), 20'001), "");  // and here none is due
}

TEST(PointSample, IsNoneWhereNothingInItDiffers) {
  data::Dataset dataset = random_dataset(6, 2000, 1, 2);
  for (std::size_t p = 0; p < 2000; ++p) dataset.features[p] = p == 1234 ? 1 : 0;
  const Problem problem(dataset, 2);
  base::Stream stream(base::StreamKey(1, "test", "sample"), 0);
  EXPECT_FALSE(sample_of(problem, 20, stream));
  const auto found = balance_ladder(problem, {.starts = 1, .relocations = 0, .sample = 20}, 1, "t");
  expect_consistent_front(dataset, 2, found.front);
}

/// Against an exact solver of transportation problems.
TEST(CarriedClustering, LabelsByTheRuleAreTheCheapestWithTheirCounts) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Problem problem(random_dataset(seed, 90, 2, 2), 4);
    base::Stream stream(base::StreamKey(seed, "test", "rule"), 0);
    CarriedClustering rule;
    // Centres on points, with small potentials: no cluster is empty and gets a point besides.
    rule.centres.assign(problem.point(40), problem.point(44));
    for (int i = 0; i < 8; ++i) rule.potentials.push_back(0.1 * stream.uniform());
    const auto labels = labels_by_rule<std::uint8_t>(problem, rule, nullptr).labels;
    constexpr double grid = 1e9;
    std::vector<std::int64_t> costs;
    for (std::int64_t p = 0; p < 90; ++p) {
      for (std::size_t k = 0; k < 4; ++k) {
        const double x = problem.point(p)[0] - rule.centres[2 * k];
        const double y = problem.point(p)[1] - rule.centres[2 * k + 1];
        costs.push_back(std::llround(grid * (x * x + y * y)));
      }
    }
    for (std::int64_t j = 0; j < 2; ++j) {
      std::vector<std::int64_t> rows(
          static_cast<std::size_t>(problem.group_begin(j + 1) - problem.group_begin(j)));
      std::iota(rows.begin(), rows.end(), problem.group_begin(j));
      std::vector<std::int64_t> counts(4);
      std::int64_t cost = 0;
      for (const std::int64_t p : rows) {
        const auto k = labels[static_cast<std::size_t>(p)];
        ++counts[k];
        cost += costs[static_cast<std::size_t>(4 * p) + k];
      }
      EXPECT_EQ(Transport(costs, rows, 4).settle(counts, counts), cost);
    }
  }
}

TEST(CarriedClustering, ARuleNearlyHasTheCountsOfItsClustering) {
  const Problem sample(random_dataset(8, 1500, 3, 3), 5);
  const ClusteringFront front =
      balance_ladder(sample, {.starts = 2, .relocations = 5}, 1, "test").front;
  auto rules = carry_front(sample, spaced_front(front, 12), sample, {}, nullptr);
  for (auto& rule : rules) {  // back to the coordinates of the sample
    for (std::size_t i = 0; i < rule.centres.size(); ++i) rule.centres[i] -= sample.mean()[i % 3];
  }
  ASSERT_GE(rules.size(), 8u);
  EXPECT_EQ(rules.front().floor, 0);
  EXPECT_EQ(rules.back().floor, front.points.back());
  Partition<std::uint8_t> found(sample);
  Partition<std::uint8_t> wanted(sample);
  for (std::size_t i = 1; i < rules.size(); ++i) {
    EXPECT_GT(rules[i].floor, rules[i - 1].floor);
    found.assign(sample, labels_by_rule<std::uint8_t>(sample, rules[i], nullptr).labels);
    std::size_t point = 0;
    while (front.points[2 * point + 1] != rules[i].floor) ++point;
    const auto& labels = std::get<std::vector<std::uint8_t>>(front.labels[point]);
    std::vector<std::uint8_t> sorted;
    for (std::int64_t p = 0; p < sample.points(); ++p) {
      sorted.push_back(labels[static_cast<std::size_t>(sample.row(p))]);
    }
    wanted.assign(sample, sorted);
    std::int64_t off = 0;
    for (std::int64_t k = 0; k < 5; ++k) {
      for (std::int64_t j = 0; j < 3; ++j) off += std::abs(found.count(k, j) - wanted.count(k, j));
    }
    EXPECT_LE(off, sample.points() / 200);
  }
}

const BalanceLadderOptions small_sample{
    .starts = 2, .relocations = 5, .refinements = 100, .sample = 250, .carried = 15};

TEST(SampledLadder, HasNearlyTheHypervolumeOfALadderOnAllPoints) {
  for (const std::int64_t groups : {2, 4}) {
    const data::Dataset dataset = random_dataset(9, 4000, 2, groups);
    const Problem problem(dataset, 6);
    BalanceLadderOptions options{.sample = 1000};
    const auto sampled = balance_ladder(problem, options, 1, "test");
    options.sample = 0;
    const auto whole = balance_ladder(problem, options, 1, "test");
    // A smaller sample than ever by default; the default of 20,000 points loses less.
    EXPECT_GE(sampled.front.hypervolume, 0.998 * whole.front.hypervolume);
    EXPECT_LT(sampled.floors_tried, whole.floors_tried);
    EXPECT_NEAR(sampled.trace.back().hypervolume, sampled.front.hypervolume, 1e-12);
    expect_consistent_front(dataset, 6, sampled.front);
  }
}

TEST(SampledLadder, MoreRefinementNeverEndsBelow) {
  const Problem problem(random_dataset(10, 1200, 2, 2), 5);
  double before = 0;
  double first = 0;
  for (const std::int64_t refinements : {50, 100, 200, 400}) {
    BalanceLadderOptions options = small_sample;
    options.refinements = refinements;
    const double now = balance_ladder(problem, options, 1, "test").front.hypervolume;
    EXPECT_GE(now, before);
    if (refinements == 50) first = now;
    before = now;
  }
  EXPECT_GT(before, first);
}

TEST(SampledLadder, GoingOnFromAStateGivesTheBitsOfAnUninterruptedRun) {
  const Problem problem(random_dataset(7, 700, 2, 3), 4);
  const auto whole = balance_ladder(problem, small_sample, 1, "parts");
  std::set<std::string> stages;
  for (std::int64_t stop_at = 0;; stop_at += 11) {
    std::string kept;
    std::int64_t asked = 0;
    const solvers::Control control{
        .request = [&] { return asked++ == stop_at ? Request::stop : Request::checkpoint; },
        .save = [&](const std::string& state) { kept = state; }};
    try {
      (void)balance_ladder(problem, small_sample, 1, "parts", control);
      break;
    } catch (const solvers::Interrupted&) {
    }
    if (!kept.empty()) stages.insert(kept.substr(0, 38));  // with the number of the stage
    const auto parts = balance_ladder(problem, small_sample, 1, "parts", {.resume = kept});
    EXPECT_EQ(parts.front.points, whole.front.points) << "stopped at " << stop_at;
    EXPECT_EQ(parts.front.labels, whole.front.labels);
    EXPECT_EQ(parts.floors_tried, whole.floors_tried);
    EXPECT_EQ(parts.comparisons, whole.comparisons);
    EXPECT_EQ(parts.trace.size(), whole.trace.size());
  }
  EXPECT_EQ(stages.size(), 3u);
}

TEST(SampledLadder, AStateThatWasCutOrIsAnotherProblemsIsRefused) {
  const Problem problem(random_dataset(7, 700, 2, 3), 4);
  std::string kept;
  (void)balance_ladder(problem, small_sample, 1, "cut",
                       {.request = [] { return Request::checkpoint; },
                        .save = [&](const std::string& state) { kept = state; }});
  const auto go_on = [&](const Problem& with, const BalanceLadderOptions& options,
                         const std::string& state) {
    (void)balance_ladder(with, options, 1, "cut", {.resume = state});
  };
  EXPECT_NO_THROW(go_on(problem, small_sample, kept));
  BalanceLadderOptions fewer = small_sample;
  fewer.carried = 5;
  BalanceLadderOptions none = small_sample;
  none.sample = 0;
  EXPECT_THROW(go_on(problem, fewer, kept), base::CheckpointError);
  EXPECT_THROW(go_on(problem, none, kept), base::CheckpointError);
  EXPECT_THROW(go_on(problem, small_sample, "x" + kept), base::CheckpointError);
  EXPECT_THROW(go_on(Problem(random_dataset(7, 701, 2, 3), 4), small_sample, kept),
               base::CheckpointError);
  for (std::size_t length = 0; length < kept.size(); length += 1 + kept.size() / 50) {
    // Up to the clusterings carried over, and from there on, nothing may be missing.
    std::string cut = kept.substr(0, length);
    try {
      go_on(problem, small_sample, cut);
      ADD_FAILURE() << "taken with " << length << " bytes of " << kept.size();
    } catch (const base::CheckpointError&) {
    }
  }
}

}  // namespace
}  // namespace fairfront::clustering
