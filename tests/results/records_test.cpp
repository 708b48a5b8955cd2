#include "results/records.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace fairfront::results::records_test {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

TaskRecord sample() {
  TaskRecord record;
  record.key = std::string(64, 'a');
  record.status = TaskStatus::done;
  record.result.metrics = {{"loss", 0.1}, {"gap", 2}};
  record.result.series = {{"path", {{0, 10}, {0.5, 0.25}}}};
  record.result.solutions = {{"labels", {std::vector<std::uint8_t>{1, 0}}}};
  record.result.front = {{1, 0.5}, {3, 0}, 1};
  record.result.measured = {{"error", {{{"test"}, {0.25, 0.125, 0.5}}}}};
  return record;
}

TEST(FirstDifference, IsNothingForTheSameResultsWhateverTheTimes) {
  TaskRecord other = sample();
  other.started = 5;
  other.seconds = 9;
  other.rank = 3;
  other.attempt = 2;
  other.result.metrics["absent"] = nan;
  other.result.solutions = {{"labels", {std::vector<std::uint16_t>{1, 0}}}};  // a wider column
  EXPECT_EQ(first_difference(sample(), other), std::nullopt);
}

TEST(FirstDifference, NamesEveryKindOfChange) {
  const auto after = [](auto change) {
    TaskRecord other = sample();
    change(other);
    return first_difference(sample(), other);
  };
  EXPECT_THAT(after([](TaskRecord& r) { r.status = TaskStatus::failed; }),
              Optional(HasSubstr("status: 'done' there, 'failed' here")));
  EXPECT_EQ(after([](TaskRecord& r) { r.message = "other words"; }), std::nullopt);
  EXPECT_THAT(after([](TaskRecord& r) { r.model = "score weights=w"; }),
              Optional(std::string("model: '' there, 'score weights=w' here")));
  EXPECT_EQ(after([](TaskRecord& r) { r.result.series["path"].seconds = {1, 2}; }), std::nullopt);
  EXPECT_THAT(after([](TaskRecord& r) {
                r.result.front.report = {1, 2};
              }),
              Optional(HasSubstr("front report: 0 values there, 2 here")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.metrics["loss"] = std::nextafter(0.1, 1); }),
              Optional(std::string("metric loss: 0.1 there, 0.10000000000000002 here")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.metrics.erase("gap"); }),
              Optional(HasSubstr("metric gap: not here")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.metrics["new"] = 1; }),
              Optional(HasSubstr("metric new: not there")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.series["path"].steps[1] = 11; }),
              Optional(HasSubstr("series path steps[1]: 10 there, 11 here")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.series["path"].values[0] = -0.5; }),
              Optional(HasSubstr("series path[0]: 0.5 there, -0.5 here")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.front.points.push_back(1); }),
              Optional(HasSubstr("front points: 2 values there, 3 here")));
  EXPECT_THAT(after([](TaskRecord& r) { r.result.front.hypervolume = 2; }),
              Optional(HasSubstr("hypervolume")));
  EXPECT_THAT(after([](TaskRecord& r) {
                r.result.solutions["labels"][0] = std::vector<std::uint8_t>{1, 1};
              }),
              Optional(HasSubstr("solution labels 0[1]: 0 there, 1 here")));
}

/// A program that knows more measures, or fewer, has still found the same.
TEST(FirstDifference, ComparesOnlyMeasuresThatBothHave) {
  const auto after = [](auto change) {
    TaskRecord other = sample();
    change(other.result.measured);
    return first_difference(sample(), other);
  };
  EXPECT_EQ(after([](Measures& m) { m.erase("error"); }), std::nullopt);
  EXPECT_EQ(after([](Measures& m) { m["new"][{"test"}].value = 1; }), std::nullopt);
  EXPECT_THAT(after([](Measures& m) { m["error"][{"train"}].value = 1; }),
              Optional(std::string("measure error (train, all): not there")));
  EXPECT_THAT(after([](Measures& m) {
                m["error"] = {{{"test", "women"}, {0.25, 0.125, 0.5}}};
              }),
              Optional(std::string("measure error (test, all): not here")));
  EXPECT_EQ(after([](Measures& m) { m["error"][{"test", "women"}].value = 1; }), std::nullopt);
  EXPECT_THAT(after([](Measures& m) { m["error"][{"test"}].low = 0; }),
              Optional(std::string("measure error (test, all) low: 0.125 there, 0 here")));
  EXPECT_THAT(after([](Measures& m) { m["error"][{"test"}].high = nan; }),
              Optional(HasSubstr("measure error (test, all) high")));
}

TEST(FirstDifference, ToleratesRelativeErrorsOnlyWhenAskedTo) {
  TaskRecord other = sample();
  other.result.metrics["gap"] = 2 * (1 + 1e-9);
  EXPECT_NE(first_difference(sample(), other), std::nullopt);
  EXPECT_EQ(first_difference(sample(), other, 1e-8), std::nullopt);
  EXPECT_NE(first_difference(sample(), other, 1e-10), std::nullopt);
  other = sample();
  other.result.series["path"].steps[0] = 1;  // steps are counts: no tolerance
  EXPECT_NE(first_difference(sample(), other, 10), std::nullopt);
}

TEST(FirstDifference, TellsZeroFromMinusZeroByTheirBits) {
  TaskRecord a = sample();
  TaskRecord b = sample();
  a.result.front.points[0] = 0.0;
  b.result.front.points[0] = -0.0;
  EXPECT_NE(first_difference(a, b), std::nullopt);
  EXPECT_EQ(first_difference(a, b, 1e-300), std::nullopt);
}

}  // namespace
}  // namespace fairfront::results::records_test
