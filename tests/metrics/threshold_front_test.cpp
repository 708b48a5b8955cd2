#include "metrics/threshold_front.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
using Point = std::pair<double, double>;  ///< error, gap

/// What one threshold decides in one group.
struct Decided {
  std::int64_t rows = 0, positives = 0, hits = 0, false_alarms = 0;

  [[nodiscard]] std::int64_t errors() const { return positives - hits + false_alarms; }
};

Decided decide(const Sample& sample, int group, double threshold) {
  Decided decided;
  for (std::size_t i = 0; i < sample.score.size(); ++i) {
    if (sample.group[i] != group) continue;
    const bool positive = sample.label[i] > 0;
    const bool one = sample.score[i] >= threshold;
    ++decided.rows;
    decided.positives += positive ? 1 : 0;
    decided.hits += one && positive ? 1 : 0;
    decided.false_alarms += one && !positive ? 1 : 0;
  }
  return decided;
}

/// |a / of_a - b / of_b|, rounded once.
double apart(std::int64_t a, std::int64_t of_a, std::int64_t b, std::int64_t of_b) {
  return static_cast<double>(std::abs(a * of_b - b * of_a)) / static_cast<double>(of_a * of_b);
}

double gap_of(const std::vector<Decided>& groups, ThresholdGap gap) {
  double largest = 0;
  for (const Decided& a : groups) {
    for (const Decided& b : groups) {
      if (gap == ThresholdGap::demographic_parity) {
        largest = std::max(largest,
                           apart(a.hits + a.false_alarms, a.rows, b.hits + b.false_alarms, b.rows));
      } else {
        largest = std::max(
            {largest, apart(a.hits, a.positives, b.hits, b.positives),
             apart(a.false_alarms, a.rows - a.positives, b.false_alarms, b.rows - b.positives)});
      }
    }
  }
  return largest;
}

Point objectives(const Sample& sample, const std::vector<Decided>& groups, ThresholdGap gap) {
  std::int64_t errors = 0;
  for (const Decided& group : groups) errors += group.errors();
  return {static_cast<double>(errors) / static_cast<double>(sample.score.size()),
          gap_of(groups, gap)};
}

/// Every combination of one threshold per group.
std::vector<Point> exhaustive_front(const Sample& sample, ThresholdGap gap) {
  std::vector<std::vector<Decided>> choices;
  for (int g = 0; g < sample.groups; ++g) {
    std::vector<double> thresholds{infinity};
    for (std::size_t i = 0; i < sample.score.size(); ++i) {
      if (sample.group[i] == g) thresholds.push_back(sample.score[i]);
    }
    std::ranges::sort(thresholds);
    thresholds.erase(std::unique(thresholds.begin(), thresholds.end()), thresholds.end());
    auto& choice = choices.emplace_back();
    for (const double threshold : thresholds) choice.push_back(decide(sample, g, threshold));
  }
  std::vector<Point> points;
  std::vector<Decided> chosen;
  const std::function<void()> extend = [&] {
    if (chosen.size() == choices.size()) {
      points.push_back(objectives(sample, chosen, gap));
      return;
    }
    for (const Decided& decided : choices[chosen.size()]) {
      chosen.push_back(decided);
      extend();
      chosen.pop_back();
    }
  };
  extend();
  std::ranges::sort(points);
  std::vector<Point> front;
  for (const Point& point : points) {
    if (front.empty() || point.second < front.back().second) front.push_back(point);
  }
  return front;
}

std::vector<Point> points_of(const ThresholdFront& front) {
  std::vector<Point> points;
  for (const ThresholdPoint& point : front.points) points.emplace_back(point.error, point.gap);
  return points;
}

/// What the thresholds of every point really do.
std::vector<Point> reached(const Sample& sample, const ThresholdFront& front, ThresholdGap gap) {
  std::vector<Point> points;
  for (const ThresholdPoint& point : front.points) {
    std::vector<Decided> groups;
    for (std::size_t g = 0; g < point.thresholds.size(); ++g) {
      groups.push_back(decide(sample, static_cast<int>(g), point.thresholds[g]));
    }
    points.push_back(objectives(sample, groups, gap));
  }
  return points;
}

std::string what_is_missing(const Sample& sample, ThresholdGap gap) {
  for (int g = 0; g < sample.groups; ++g) {
    const Decided all = decide(sample, g, infinity);
    const std::string group = std::to_string(g);
    if (all.rows == 0) return "no row in group " + group;
    if (gap == ThresholdGap::demographic_parity) continue;
    if (all.positives == 0) return "no row with label 1 in group " + group;
    if (all.positives == all.rows) return "no row with label 0 in group " + group;
  }
  return {};
}

constexpr ThresholdGap both_gaps[]{ThresholdGap::demographic_parity, ThresholdGap::equalised_odds};

/// @returns whether there is a front
bool expect_exact(const Sample& sample, ThresholdGap gap) {
  const ThresholdFront front = threshold_front(sample.view(), gap);
  EXPECT_EQ(front.undefined_reason, what_is_missing(sample, gap));
  if (!front.undefined_reason.empty()) {
    EXPECT_TRUE(front.points.empty());
    return false;
  }
  EXPECT_EQ(points_of(front), exhaustive_front(sample, gap));
  EXPECT_EQ(points_of(front), reached(sample, front, gap));
  return true;
}

TEST(ThresholdFront, IsTheNondominatedSetOfAllCombinations) {
  int fronts = 0;
  int undefined_ones = 0;
  for (std::uint64_t seed = 0; seed < 1'500; ++seed) {
    const Sample sample = random_small_sample(seed);
    for (const ThresholdGap gap : both_gaps) {
      SCOPED_TRACE(seed);
      (expect_exact(sample, gap) ? fronts : undefined_ones) += 1;
    }
  }
  EXPECT_GT(fronts, 1'000);
  EXPECT_GT(undefined_ones, 500);
}

TEST(ThresholdFront, IsSoForEveryNumberOfGroupsAndTies) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    base::Stream stream = stream_of(seed);
    const std::uint32_t groups = 1 + stream.below(5);
    // So many rows that few groups lack a label, and combinations stay few: at most 7^5.
    const Sample sample = random_sample(stream, 8 * groups, groups, 1 + stream.below(5));
    for (const ThresholdGap gap : both_gaps) {
      SCOPED_TRACE(seed);
      expect_exact(sample, gap);
    }
  }
}

TEST(ThresholdFront, IsSoWhereTheSearchGoesFromCoarseToFine) {
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    const Sample two = large_sample(seed, 700, 2);
    const Sample three = large_sample(seed, 240, 3);
    for (const ThresholdGap gap : both_gaps) {
      SCOPED_TRACE(seed);
      EXPECT_TRUE(expect_exact(two, gap));
      EXPECT_TRUE(expect_exact(three, gap));
    }
  }
}

TEST(ThresholdFront, InfiniteScoresAreThresholdsAsOthersAre) {
  Sample sample = large_sample(1, 24, 2);
  sample.score[0] = sample.score[1] = infinity;
  sample.score[2] = -infinity;
  for (const ThresholdGap gap : both_gaps) EXPECT_TRUE(expect_exact(sample, gap));
}

TEST(ThresholdFront, OfAPerfectScoreIsOnePointForEqualisedOdds) {
  Sample sample = large_sample(2, 60, 3);
  sample.score = sample.label;
  const ThresholdFront front = threshold_front(sample.view(), ThresholdGap::equalised_odds);
  ASSERT_EQ(front.points.size(), 1);
  EXPECT_EQ(front.points[0].error, 0);
  EXPECT_EQ(front.points[0].gap, 0);
  EXPECT_EQ(front.points[0].thresholds, (std::vector<double>{1, 1, 1}));
}

TEST(ThresholdFront, DoesNotChangeWithAMonotoneTransformationOrTheNamesOfTheGroups) {
  const Sample sample = large_sample(3, 300, 3);
  Sample other = sample;
  for (double& score : other.score) score = score * score * score;
  for (std::int32_t& group : other.group) group = 2 - group;
  for (const ThresholdGap gap : both_gaps) {
    EXPECT_EQ(points_of(threshold_front(sample.view(), gap)),
              points_of(threshold_front(other.view(), gap)));
  }
}

TEST(ThresholdFront, IsWhatTheMeasuresSayOfItsDecisions) {
  const Sample sample = large_sample(7, 400, 3);
  for (const ThresholdGap gap : both_gaps) {
    const std::vector<std::string> names{
        "error", gap == ThresholdGap::demographic_parity ? "independence_gap" : "separation_gap"};
    const std::vector<Measure> measures = select(classification(), names);
    for (const ThresholdPoint& point : threshold_front(sample.view(), gap).points) {
      Sample decided = sample;
      for (std::size_t i = 0; i < decided.score.size(); ++i) {
        const auto group = static_cast<std::size_t>(sample.group[i]);
        decided.score[i] = sample.score[i] >= point.thresholds[group] ? 1 : 0;
      }
      EXPECT_EQ(measures[0].of(decided.view()).value, point.error);
      EXPECT_EQ(measures[1].of(decided.view()).value, point.gap);
    }
  }
}

TEST(ThresholdFront, WithFewThresholdsCanBeReachedAndEndsAtTheLeastError) {
  const Sample two = large_sample(4, 500, 2);
  const Sample four = large_sample(4, 500, 4);
  for (const Sample& sample : {two, four}) {
    for (const ThresholdGap gap : both_gaps) {
      const ThresholdFront exact = threshold_front(sample.view(), gap);
      for (const std::int64_t count : {2, 3, 10, 1'000}) {
        const ThresholdFront front =
            threshold_front(sample.view(), gap, {.thresholds_per_group = count});
        EXPECT_EQ(points_of(front), reached(sample, front, gap));
        EXPECT_EQ(front.points.front().error, exact.points.front().error);
        EXPECT_EQ(front.points.back().gap, 0);
        EXPECT_LE(exact.points.size(), count == 1'000 ? front.points.size() : SIZE_MAX);
        if (count == 1'000) {
          EXPECT_EQ(points_of(front), points_of(exact));
        }
      }
    }
  }
}

/// Of four thresholds evenly spaced by rank none in between was one of three.
TEST(ThresholdFront, IsNeverWorseWithMoreThresholds) {
  for (const std::uint32_t groups : {2u, 3u}) {
    const Sample sample = large_sample(8, 300, groups);
    for (const ThresholdGap gap : both_gaps) {
      ThresholdFront fewer = threshold_front(sample.view(), gap, {.thresholds_per_group = 2});
      for (std::int64_t count = 3; count < 17; ++count) {
        ThresholdFront front = threshold_front(sample.view(), gap, {.thresholds_per_group = count});
        for (const ThresholdPoint& point : fewer.points) {
          EXPECT_TRUE(std::ranges::any_of(front.points, [&](const ThresholdPoint& other) {
            return other.error <= point.error && other.gap <= point.gap;
          })) << count;
        }
        fewer = std::move(front);
      }
    }
  }
}

TEST(ThresholdFront, GivesUpWhenItsStepsAreSpent) {
  const Sample sample = large_sample(5, 2'000, 4);
  EXPECT_THAT(
      [&] {
        static_cast<void>(
            threshold_front(sample.view(), ThresholdGap::equalised_odds, {.max_steps = 1'000}));
      },
      testing::ThrowsMessage<base::InputError>(
          testing::AllOf(testing::HasSubstr("more than thresholds.max_steps = 1000 steps"),
                         testing::HasSubstr("thresholds.thresholds_per_group"))));
}

TEST(ThresholdFront, TellsHowFarItsSearchIs) {
  for (const std::uint32_t groups : {2u, 3u}) {
    const Sample sample = large_sample(7, 5'000, groups);
    double told = 0;
    int rises = 0;
    ThresholdFrontOptions options;
    options.between = [&](double share) {
      EXPECT_GE(share, told);
      rises += share > told ? 1 : 0;
      told = share;
    };
    (void)threshold_front(sample.view(), ThresholdGap::equalised_odds, options);
    EXPECT_GT(rises, 100) << groups;
    EXPECT_LE(told, 1) << groups;
    // Of more groups whole rectangles are left out, whose share nobody tells.
    if (groups == 2) {
      EXPECT_GT(told, 0.9);
    }
  }
}

TEST(ThresholdFront, RefusesBadOptionsAndNan) {
  Sample sample = large_sample(6, 20, 2);
  const auto front = [&](const ThresholdFrontOptions& options) {
    static_cast<void>(threshold_front(sample.view(), ThresholdGap::demographic_parity, options));
  };
  EXPECT_THROW(front({.thresholds_per_group = 1}), std::invalid_argument);
  EXPECT_THROW(front({.thresholds_per_group = -1}), std::invalid_argument);
  EXPECT_THROW(front({.max_steps = 0}), std::invalid_argument);
  sample.score[3] = std::nan("");
  EXPECT_THROW(front({}), base::InputError);
}

}  // namespace
}  // namespace fairfront::metrics
