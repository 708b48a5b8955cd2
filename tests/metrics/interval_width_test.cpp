// An interval without width says that a number of few rows is the population's: no measure of
// random rows may say that.
#include <gtest/gtest.h>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "metrics/paired_coverage.hpp"
#include "metrics/random_scored.hpp"

namespace fairfront::metrics {
namespace {

std::vector<Measure> all_measures() {
  std::vector<Measure> all;
  for (const auto list : {classification(), ranking(), regression()}) {
    all.insert(all.end(), list.begin(), list.end());
  }
  return all;
}

/// In each of the groups so many rows of one label and one score.
Sample alike(std::int64_t groups, std::int64_t rows, double score, double label) {
  Sample sample;
  sample.groups = groups;
  for (std::int64_t i = 0; i < groups * rows; ++i) {
    sample.score.push_back(score);
    sample.label.push_back(label);
    sample.group.push_back(static_cast<std::int32_t>(i % groups));
  }
  return sample;
}

std::vector<Sample> few_rows() {
  std::vector<Sample> samples;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) samples.push_back(random_small_sample(seed));
  for (const std::int64_t groups : {1, 2, 3}) {
    for (const std::int64_t rows : {1, 2, 3, 30}) {
      for (const double score : {0.0, 0.3, 0.5, 0.7, 1.0}) {
        for (const double label : {0.0, 1.0}) samples.push_back(alike(groups, rows, score, label));
      }
    }
  }
  return samples;
}

TEST(IntervalWidth, OfAMeasureOfFewRowsIsNeverZero) {
  std::int64_t found = 0;
  for (const Sample& sample : few_rows()) {
    for (const Measure& measure : all_measures()) {
      const Interval interval = measure.interval(sample.view(), 0.95);
      if (!interval.defined()) continue;
      ++found;
      EXPECT_LT(interval.low, interval.high) << measure.what.name << " of " << sample.score.size()
                                             << " rows, " << sample.groups << " groups";
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(IntervalWidth, OfADifferenceOfTwoModelsIsNeverZero) {
  std::int64_t found = 0;
  for (const Sample& first : few_rows()) {
    Sample second = first;
    for (double& score : second.score) score = 0.5 * score + 0.2;
    for (const PairedMeasure& measure : paired_measures()) {
      const Interval interval = measure.interval(first.view(), second.view(), 0.95);
      if (!interval.defined()) continue;
      ++found;
      EXPECT_LT(interval.low, interval.high) << measure.measure << " of " << first.score.size()
                                             << " rows, " << first.groups << " groups";
    }
  }
  EXPECT_GT(found, 1000);
}

TEST(IntervalWidth, OfResamplesIsNeverZero) {
  for (const Sample& sample : few_rows()) {
    const auto all = bootstrap_intervals(all_measures(), sample.view(), {.resamples = 20},
                                         base::StreamKey(1, "test", "width"));
    for (const BootstrapInterval& found : all) {
      if (!found.interval.defined()) continue;
      EXPECT_LT(found.interval.low, found.interval.high);
    }
  }
}

/// Every row has a probability of 1/2, in truth as well, so that the calibration error is 0: that
/// the labels of up to four rows agree happens in an eighth of the tables or more.
TEST(IntervalWidth, OfACalibrationErrorOfRowsThatAgreeHoldsThatTheyDoByChance) {
  for (const std::int64_t rows : {1, 2, 3, 4}) {
    for (const double label : {0.0, 1.0}) {
      for (const std::string name : {"calibration_error", "calibration_error_gap"}) {
        Sample sample = alike(name == "calibration_error" ? 1 : 2, rows, 0.5, label);
        if (sample.groups == 2) {  // the other group's labels are even
          for (std::size_t i = 0; i < sample.label.size(); ++i) {
            if (sample.group[i] == 1) sample.label[i] = i % 4 == 1 ? 1 : 0;
          }
        }
        const Measure measure = select(classification(), {&name, 1}).front();
        const Interval interval = measure.interval(sample.view(), 0.95);
        EXPECT_EQ(interval.low, 0) << name << " of " << rows;
        EXPECT_GT(interval.high, 0) << name << " of " << rows;
        EXPECT_LE(interval.high, 1) << name << " of " << rows << ", which is as large as it can be";
      }
    }
  }
}

}  // namespace
}  // namespace fairfront::metrics
