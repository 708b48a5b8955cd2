// Draws among thresholds, one set per group, against what brute force and chords can reach.
#include "experiments/randomised_thresholds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.hpp"
#include "metrics/threshold_front.hpp"

namespace fairfront::experiments {
namespace {

struct Sample {
  std::vector<double> score, label;
  std::vector<std::int32_t> group;
  std::int64_t groups;

  [[nodiscard]] metrics::Scored view() const { return {score, label, group, groups, 0.5}; }
};

Sample sample_of(std::int64_t groups, int rows, int scores) {
  base::Stream stream(base::StreamKey(7, "test", "draws"), 0);
  Sample sample{{}, {}, {}, groups};
  for (int i = 0; i < rows; ++i) {
    const auto group = static_cast<std::int32_t>(i % groups);
    const double label = i < 2 * groups                              ? (i < groups ? 0 : 1)
                         : stream.below(10) < (group == 0 ? 6u : 4u) ? 1
                                                                     : 0;
    const double score = stream.below(static_cast<std::uint32_t>(scores)) + 3 * label + 2 * group;
    sample.score.push_back(score);
    sample.label.push_back(label);
    sample.group.push_back(group);
  }
  return sample;
}

/// Rates of every threshold of a group, with its errors.
struct Corner {
  double false_rate, true_rate, errors;
};
std::vector<Corner> corners(const Sample& sample, std::int32_t group) {
  std::vector<double> thresholds = sample.score;
  thresholds.push_back(std::numeric_limits<double>::infinity());
  std::vector<Corner> all;
  for (const double threshold : thresholds) {
    double rows[2] = {0, 0}, ones[2] = {0, 0};
    for (std::size_t i = 0; i < sample.score.size(); ++i) {
      if (sample.group[i] != group) continue;
      const int label = sample.label[i] > 0 ? 1 : 0;
      ++rows[label];
      ones[label] += sample.score[i] >= threshold ? 1 : 0;
    }
    all.push_back({ones[0] / rows[0], ones[1] / rows[1], ones[0] + rows[1] - ones[1]});
  }
  return all;
}

/// Least errors of a group at a true positive rate, over all draws of two thresholds.
double least_errors(const std::vector<Corner>& of, double rate) {
  double best = std::numeric_limits<double>::infinity();
  for (const Corner& a : of) {
    for (const Corner& b : of) {
      if (a.true_rate > rate || b.true_rate < rate) continue;
      const double part =
          a.true_rate == b.true_rate ? 0 : (rate - a.true_rate) / (b.true_rate - a.true_rate);
      best = std::min(best, (1 - part) * a.errors + part * b.errors);
    }
  }
  return best;
}

TEST(DrawnThresholds, EqualOpportunityIsThatOfBruteForceOverPairsOfThresholds) {
  const Sample sample = sample_of(2, 40, 9);
  const std::vector<Corner> first = corners(sample, 0), second = corners(sample, 1);
  const DrawnFront front =
      drawn_threshold_front(sample.view(), training::RateKind::equal_opportunity, 5);
  ASSERT_EQ(front.points.size(), 5u);
  for (const DrawnPoint& point : front.points) {
    // At an optimum one rate is a vertex's, or the other is the slack away from one.
    double best = std::numeric_limits<double>::infinity();
    for (const std::vector<Corner>* own : {&first, &second}) {
      for (const Corner& corner : *own) {
        for (const double step : {-1.0, 0.0, 1.0}) {
          const double rate = corner.true_rate, other = rate + step * point.gap;
          if (other < 0 || other > 1) continue;
          best = std::min(best, least_errors(first, rate) + least_errors(second, other));
          best = std::min(best, least_errors(first, other) + least_errors(second, rate));
        }
      }
    }
    for (const Corner& a : first) {
      for (const Corner& b : second) {
        if (std::abs(a.true_rate - b.true_rate) <= point.gap) {
          best = std::min(best, a.errors + b.errors);
        }
      }
    }
    EXPECT_NEAR(point.error, best / 40, 1e-9) << point.gap;
  }
}

/// At an optimum one rate is a vertex's, and the other is one, too, or a ratio away from it.
TEST(DrawnThresholds, ARatioOfOpportunitiesIsThatOfBruteForceOverPairsOfThresholds) {
  const Sample sample = sample_of(2, 40, 9);
  const std::vector<Corner> first = corners(sample, 0), second = corners(sample, 1);
  double before = 0;
  for (const double bound : {0.0, 0.5, 0.8, 0.95, 1.0}) {
    double best = std::numeric_limits<double>::infinity();
    const auto take = [&](double one, double other) {
      if (one > 1 || other > 1 || std::min(one, other) < bound * std::max(one, other) - 1e-12)
        return;
      best = std::min(best, least_errors(first, one) + least_errors(second, other));
    };
    for (const std::vector<Corner>* own : {&first, &second}) {
      for (const Corner& corner : *own) {
        const double rate = corner.true_rate;
        take(rate, bound * rate);
        take(bound * rate, rate);
        if (bound > 0) take(rate, rate / bound);
        if (bound > 0) take(rate / bound, rate);
      }
    }
    for (const Corner& a : first) {
      for (const Corner& b : second) take(a.true_rate, b.true_rate);
    }
    const DrawnPoint point =
        drawn_thresholds_within(
            sample.view(), {training::RateKind::equal_opportunity, training::BoundOf::ratio, bound})
            .point;
    EXPECT_NEAR(point.error, best / 40, 1e-9) << bound;
    EXPECT_NEAR(point.lower, point.error, 1e-9);
    EXPECT_GE(point.error, before - 1e-12);
    before = point.error;
  }
}

/// Of a draw of two thresholds the larger error is least at one of them, or where both are equal.
double least_larger_error(const std::vector<Corner>& of) {
  double best = 1;
  for (const Corner& a : of) {
    for (const Corner& b : of) {
      const double at_a = a.false_rate - (1 - a.true_rate);
      const double at_b = b.false_rate - (1 - b.true_rate);
      const double share = at_a == at_b ? 0 : at_a / (at_a - at_b);
      for (const double t : {0.0, 1.0, std::clamp(share, 0.0, 1.0)}) {
        best = std::min(best, std::max((1 - t) * a.false_rate + t * b.false_rate,
                                       1 - ((1 - t) * a.true_rate + t * b.true_rate)));
      }
    }
  }
  return best;
}

/// They were some 1e-16, and a bound of 0 left them out.
TEST(DrawnThresholds, RatesThatADrawMakesEqualHaveAGapOfZero) {
  for (int k = 0; k < 40; ++k) {
    const Sample sample = sample_of(2 + k % 4, 40 + 3 * k, 5 + k % 20);
    for (const auto& [name, rate] : training::rate_names()) {
      const DrawnFront front = drawn_threshold_front(sample.view(), rate, 3);
      ASSERT_EQ(front.undefined_reason, "");
      EXPECT_EQ(front.points.back().gap, 0) << name << ' ' << k;
    }
  }
}

TEST(DrawnThresholds, TheLeastBoundOnErrorsIsThatOfTheGroupThatCanDoLeast) {
  const Sample sample = sample_of(3, 60, 9);
  double odds = 0, errors = 0;
  for (std::int32_t g = 0; g < 3; ++g) {
    const std::vector<Corner> own = corners(sample, g);
    odds = std::max(odds, least_larger_error(own));
    errors = std::max(errors, std::ranges::min(own, {}, &Corner::errors).errors / 20);
  }
  const auto within = [&](training::RateKind rate, double bound) {
    return drawn_thresholds_within(sample.view(), {rate, training::BoundOf::worst_group, bound});
  };
  const DrawnWithin free = drawn_thresholds_within(
      sample.view(), {training::RateKind::error_rate_parity, training::BoundOf::gap, 1});
  for (const double bound : {0.0, 0.1, 0.6, 1.0}) {
    const DrawnWithin of_odds = within(training::RateKind::equalised_odds, bound);
    EXPECT_NEAR(of_odds.least_bound, odds, 1e-9);
    EXPECT_NEAR(of_odds.point.lower, of_odds.point.error, 1e-9);
    EXPECT_GE(of_odds.point.error, free.point.error - 1e-9);
    // Each group's own least error is that of its thresholds without bounds.
    const DrawnWithin of_errors = within(training::RateKind::error_rate_parity, bound);
    EXPECT_NEAR(of_errors.least_bound, errors, 1e-9);
    EXPECT_NEAR(of_errors.point.error, free.point.error, 1e-9);
    EXPECT_NEAR(within(training::RateKind::predictive_equality, bound).least_bound, 0, 1e-9);
    EXPECT_NEAR(within(training::RateKind::equal_opportunity, bound).least_bound, 0, 1e-9);
  }
}

TEST(DrawnThresholds, AreProvenAndNeverWorseThanOneThresholdPerGroup) {
  for (const std::int64_t groups : {2, 3, 10}) {
    for (const int scores : {1, 4, 1000}) {
      const Sample sample = sample_of(groups, static_cast<int>(12 * groups), scores);
      for (const auto& [name, gap] : training::rate_names()) {
        const DrawnFront front = drawn_threshold_front(sample.view(), gap, 9);
        for (const DrawnPoint& point : front.points) {
          EXPECT_LE(point.lower, point.error + 1e-10);
          EXPECT_NEAR(point.lower, point.error, 1e-8);
          double sum = 0;
          for (const DrawnThreshold& one : point.draw) sum += one.probability;
          EXPECT_NEAR(sum, static_cast<double>(groups), 1e-9);
        }
        EXPECT_NEAR(front.points.back().gap, 0, 1e-9) << name;
        const DrawnPoint& third = front.points[std::min<std::size_t>(2, front.points.size() - 1)];
        const DrawnWithin alike =
            drawn_thresholds_within(sample.view(), {gap, training::BoundOf::gap, third.gap});
        EXPECT_NEAR(alike.point.error, third.error, 1e-9) << name;
        if (gap != training::RateKind::equalised_odds &&
            gap != training::RateKind::demographic_parity)
          continue;
        if (groups > 3) continue;
        const auto single = metrics::threshold_front(
            sample.view(), gap == training::RateKind::equalised_odds
                               ? metrics::ThresholdGap::equalised_odds
                               : metrics::ThresholdGap::demographic_parity);
        for (const metrics::ThresholdPoint& alone : single.points) {
          for (std::size_t i = 0; i < front.points.size(); ++i) {
            if (front.points[i].gap < alone.gap - 1e-9) continue;
            EXPECT_LE(front.points[i].error, alone.error + 1e-9);
          }
        }
        EXPECT_NEAR(front.points.front().error, single.points.front().error, 1e-9);
        EXPECT_LE(front.points.front().gap, single.points.front().gap + 1e-12);
      }
    }
  }
}

/// Of group 0 every threshold has 4 errors, whatever the share that is decided 1. Group 1 has its
/// least errors, 2, from 2 on, where half of it is decided 1: a draw of group 0 has that share.
TEST(DrawnThresholds, TheLeastErrorHasTheLeastGapThatADrawWithItCanHave) {
  const Sample sample{{3, 3, 2, 2, 2, 2, 1, 1, 2, 2, 2, 2, 1, 1, 1, 1},
                      {1, 0, 1, 1, 0, 0, 1, 0, 1, 1, 1, 0, 1, 0, 0, 0},
                      {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1},
                      2};
  for (const std::int64_t slacks : {2, 3, 21}) {
    const DrawnFront front =
        drawn_threshold_front(sample.view(), training::RateKind::demographic_parity, slacks);
    ASSERT_EQ(front.points.size(), 1u) << slacks;
    EXPECT_NEAR(front.points.front().error, 6.0 / 16, 1e-15);
    EXPECT_EQ(front.points.front().lower, 6.0 / 16);
    EXPECT_EQ(front.points.front().gap, 0);
  }
}

/// Scores of few values leave many thresholds of a group with its least errors: whichever the first
/// program came upon decided the gap, which changed with the number of slacks.
TEST(DrawnThresholds, NoPointIsDominatedByMoreThanRounding) {
  for (int k = 0; k < 40; ++k) {
    const Sample sample = sample_of(2 + k % 3, 40 + 5 * k, 4 + k % 9);
    for (const auto& [name, gap] : training::rate_names()) {
      const DrawnFront front = drawn_threshold_front(sample.view(), gap, 6);
      const std::vector<DrawnPoint>& points = front.points;
      for (std::size_t i = 1; i < points.size(); ++i) {
        EXPECT_GT(points[i].error, points[i - 1].error + 1e-12) << name << ' ' << k;
        EXPECT_LT(points[i].gap, points[i - 1].gap - 1e-12) << name << ' ' << k;
      }
      EXPECT_EQ(points.back().gap, 0);
      EXPECT_NEAR(drawn_threshold_front(sample.view(), gap, 2).points.front().gap,
                  points.front().gap, 1e-12);
      // A little less of a gap costs some error.
      if (points.front().gap < 1e-6) continue;
      const DrawnWithin below = drawn_thresholds_within(
          sample.view(), {gap, training::BoundOf::gap, points.front().gap - 1e-7});
      EXPECT_GT(below.point.lower, points.front().error + 1e-10) << name << ' ' << k;
    }
  }
}

TEST(DrawnThresholds, EqualisedOddsByHand) {
  // Both groups have the scores 1 and 2. Of group 0 score and label agree, of group 1 they do not
  // for half of the rows: its curve is the diagonal, and equal rates with a gap of 0 lie there.
  const Sample sample{
      {1, 1, 2, 2, 1, 1, 2, 2}, {0, 0, 1, 1, 0, 1, 0, 1}, {0, 0, 0, 0, 1, 1, 1, 1}, 2};
  const DrawnFront front =
      drawn_threshold_front(sample.view(), training::RateKind::equalised_odds, 3);
  EXPECT_NEAR(front.points.front().error, 0.25, 1e-12);
  EXPECT_NEAR(front.points.back().error, 0.5, 1e-12);
  EXPECT_NEAR(front.points.back().gap, 0, 1e-12);
}

/// Group 1 has rows of label 1 alone.
Sample without_a_label() {
  Sample sample = sample_of(2, 20, 5);
  for (std::size_t i = 0; i < 20; ++i) sample.label[i] = sample.group[i] == 1 ? 1 : sample.label[i];
  return sample;
}

TEST(DrawnThresholds, AGroupWithoutALabelHasNoFrontOfItsRates) {
  const Sample sample = without_a_label();
  for (const training::RateKind gap :
       {training::RateKind::equalised_odds, training::RateKind::predictive_equality}) {
    EXPECT_EQ(drawn_threshold_front(sample.view(), gap, 3).undefined_reason,
              "no row with label 0 in group 1");
  }
}

TEST(DrawnThresholds, AGroupWithoutALabelHasAFrontOfOtherRates) {
  const Sample sample = without_a_label();
  const DrawnFront parity =
      drawn_threshold_front(sample.view(), training::RateKind::demographic_parity, 9);
  ASSERT_EQ(parity.undefined_reason, "");
  const auto single =
      metrics::threshold_front(sample.view(), metrics::ThresholdGap::demographic_parity);
  EXPECT_NEAR(parity.points.front().error, single.points.front().error, 1e-9);
  EXPECT_NEAR(parity.points.back().gap, 0, 1e-9);
  for (const metrics::ThresholdPoint& alone : single.points) {
    for (const DrawnPoint& point : parity.points) {
      if (point.gap < alone.gap - 1e-9) continue;
      EXPECT_LE(point.error, alone.error + 1e-9);
    }
  }
  const DrawnFront opportunity =
      drawn_threshold_front(sample.view(), training::RateKind::equal_opportunity, 3);
  ASSERT_EQ(opportunity.undefined_reason, "");
  // Whoever has no label 0 is decided 1 without an error; the other group can be, too.
  EXPECT_NEAR(opportunity.points.back().gap, 0, 1e-9);
  EXPECT_NEAR(opportunity.points.back().lower, opportunity.points.back().error, 1e-8);
}

}  // namespace
}  // namespace fairfront::experiments
