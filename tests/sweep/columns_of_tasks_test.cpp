#include "sweep/columns_of_tasks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "fake_experiment.hpp"
#include "results/content.hpp"
#include "results/records.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsNan;
using Bytes = std::vector<std::uint8_t>;
using Words = std::vector<std::uint16_t>;

const ResultSchema schema = FakeExperiment{}.schema();

TaskOutcome done(TaskResult result) {
  TaskOutcome outcome;
  outcome.status = results::TaskStatus::done;
  outcome.result = std::move(result);
  return outcome;
}

TaskOutcome failed(const std::string& message) {
  TaskOutcome outcome;
  outcome.status = results::TaskStatus::failed;
  outcome.message = message;
  return outcome;
}

/// Tasks 0, 1 of alpha and 2, 3 of beta; task 1 failed, task 3 has no front.
results::Content sample_content() {
  TaskResult first;
  first.metrics = {{"loss", 1.5}};
  first.series = {{"path", {{0, 10}, {0.5, 0.25}}}};
  first.solutions = {{"labels", {Bytes{1, 0}, Bytes{0, 1}}}};
  first.front = {{1, 0.5, 2, 0.75}, {3, 0}, 0.625};
  first.measured = {{"error", {{{"test"}, {0.5, 0.25, 0.75}}, {{"test", "women"}, {0.125}}}}};
  TaskResult third;
  third.metrics = {{"loss", 2}, {"gain", 3}};
  third.series = {{"path", {{5}, {9}}}};
  third.solutions = {{"labels", {Words{300, 2, 1}}}};
  third.front = {{4, 1}, {5, 0}, 1};
  third.measured = {{"error", {{{"train"}, {0.375}}, {{"test"}, {}}}}};
  TaskResult fourth;
  fourth.metrics = {{"gain", 7}};
  std::vector<TaskOutcome> outcomes;
  outcomes.push_back(done(first));
  outcomes.push_back(failed("no luck"));
  outcomes.push_back(done(third));
  outcomes.push_back(done(fourth));
  const FakeExperiment experiment;
  const Plan plan(config_of("seed = 1, 2\n[alpha]\n[beta]\n"), experiment);
  return content_of(plan, schema, std::move(outcomes));
}

TEST(Content, TheTaskTableFollowsThePlan) {
  const auto content = sample_content();
  EXPECT_EQ(content.experiment, "fake");
  EXPECT_THAT(content.tasks.method, ElementsAre("alpha", "alpha", "beta", "beta"));
  EXPECT_THAT(content.tasks.axis_index, ElementsAre(ElementsAre(0, 1, 0, 1)));
  EXPECT_EQ(content.tasks.status[1], results::TaskStatus::failed);
  EXPECT_THAT(content.tasks.message, ElementsAre("", "no luck", "", ""));
  EXPECT_THAT(content.timing.attempt, ElementsAre(1, 1, 1, 1));
}

/// Of the error, the cost and the path, in a sweep over these values of data.name.
std::vector<std::string> units_in(const std::string& names) {
  ResultSchema by_option = schema;
  by_option.measures[0].what.unit = "loss";
  by_option.objectives[0].unit = "loss";
  by_option.series[0].what.unit = "m";
  by_option.units = {{"data.name", "plain", "share", {"error", "cost"}}};
  TaskResult result;
  result.series = {{"path", {{0}, {0.5}}}};
  result.solutions = {{"labels", {Bytes{1, 0}}}};
  result.front = {{1, 0.5}, {3, 0}, 1};
  result.measured = {{"error", {{{"test"}, {0.5}}}}};
  const Plan plan(config_of("[data]\nname = " + names + "\n[beta]\n"), FakeExperiment{});
  std::vector<TaskOutcome> outcomes(static_cast<std::size_t>(plan.num_tasks()), done(result));
  const results::Content content = content_of(plan, by_option, std::move(outcomes));
  return {content.measures[0].what.unit, content.fronts[0].objectives[0].unit,
          content.series[0].what.unit};
}

TEST(Content, AnOptionMayDecideWhichUnitAQuantityHas) {
  EXPECT_THAT(units_in("plain"), ElementsAre("loss", "loss", "m"));
  EXPECT_THAT(units_in("rates"), ElementsAre("share", "share", "m"));
  EXPECT_THAT(units_in("plain, rates"), ElementsAre("loss or share", "loss or share", "m"));
}

TEST(Content, AMetricIsNanWhereATaskHasNone) {
  const auto content = sample_content();
  ASSERT_EQ(content.metrics.size(), 2u) << "a metric that no task has is left out";
  EXPECT_EQ(content.metrics[0].what.name, "loss");
  EXPECT_THAT(content.metrics[0].values, ElementsAre(1.5, IsNan(), 2, IsNan()));
  EXPECT_THAT(content.metrics[1].values, ElementsAre(IsNan(), IsNan(), 3, 7));
}

TEST(Content, AMeasureHasThePartsAndGroupsOfWhichSomethingIsKnown) {
  const auto content = sample_content();
  ASSERT_EQ(content.measures.size(), 1u);
  const results::Measure& error = content.measures[0];
  EXPECT_EQ(error.what.name, "error");
  EXPECT_THAT(error.parts, ElementsAre("train", "test"));
  EXPECT_THAT(error.groups, ElementsAre("all", "women"));
  ASSERT_EQ(error.values.size(), 4u * 2 * 2 * 3);
  const auto at = [&](std::size_t task, std::size_t part, std::size_t group, std::size_t end) {
    return error.values[((task * 2 + part) * 2 + group) * 3 + end];
  };
  EXPECT_EQ(at(0, 1, 0, 0), 0.5);
  EXPECT_EQ(at(0, 1, 0, 1), 0.25);
  EXPECT_EQ(at(0, 1, 0, 2), 0.75);
  EXPECT_EQ(at(0, 1, 1, 0), 0.125);
  EXPECT_EQ(at(2, 0, 0, 0), 0.375);
  const auto known = std::ranges::count_if(error.values, [](double v) { return !std::isnan(v); });
  EXPECT_EQ(known, 5);
}

TEST(Content, MeasuresComeBackFromTheColumns) {
  const auto records = results::records_of(sample_content());
  EXPECT_EQ(records[0].result.measured.at("error").at({"test"}),
            (results::Measured{0.5, 0.25, 0.75}));
  EXPECT_EQ(records[0].result.measured.at("error").at({"test", "women"}).value, 0.125);
  EXPECT_EQ(records[2].result.measured.at("error").size(), 1u) << "nothing is known of the test";
  EXPECT_TRUE(records[3].result.measured.empty());
}

TEST(Content, SeriesAreRagged) {
  const auto content = sample_content();
  ASSERT_EQ(content.series.size(), 1u);
  EXPECT_EQ(content.series[0].step_name, "iteration");
  EXPECT_THAT(content.series[0].offsets, ElementsAre(0, 2, 2, 3, 3));
  EXPECT_THAT(content.series[0].steps, ElementsAre(0, 10, 5));
  EXPECT_THAT(content.series[0].values, ElementsAre(0.5, 0.25, 9));
}

TEST(Content, SolutionsTakeTheWidestTypeOfTheirTasks) {
  const auto content = sample_content();
  ASSERT_EQ(content.solutions.size(), 1u);
  EXPECT_THAT(content.solutions[0].task, ElementsAre(0, 0, 2));
  EXPECT_THAT(content.solutions[0].offsets, ElementsAre(0, 2, 4, 7));
  EXPECT_THAT(std::get<Words>(content.solutions[0].values), ElementsAre(1, 0, 0, 1, 300, 2, 1));
}

TEST(Content, EachMethodWithFrontsHasAGroupOverAllTasks) {
  const auto content = sample_content();
  ASSERT_EQ(content.fronts.size(), 2u);
  const results::FrontGroup& alpha = content.fronts[0];
  EXPECT_EQ(alpha.name, "alpha");
  EXPECT_THAT(alpha.offsets, ElementsAre(0, 2, 2, 2, 2));
  EXPECT_THAT(alpha.task, ElementsAre(0, 0));
  EXPECT_THAT(alpha.solution, ElementsAre(0, 1));
  EXPECT_EQ(alpha.solutions_name, "labels");
  EXPECT_THAT(alpha.hypervolume, ElementsAre(0.625, IsNan(), IsNan(), IsNan()));
  ASSERT_EQ(alpha.reference.size(), 8u);
  EXPECT_THAT(alpha.reference[2], IsNan());
  const results::FrontGroup& beta = content.fronts[1];
  EXPECT_THAT(beta.offsets, ElementsAre(0, 0, 0, 1, 1));
  EXPECT_THAT(beta.points, ElementsAre(4, 1));
  EXPECT_THAT(beta.solution, ElementsAre(2));
}

std::string result_error(const TaskResult& result) {
  try {
    check_result(schema, result);
  } catch (const std::logic_error& error) {  // std::domain_error is one
    return error.what();
  }
  return "no error";
}

TEST(CheckResult, RefusesWhatTheSchemaDoesNotAllow) {
  EXPECT_EQ(result_error({}), "no error");
  TaskResult result;
  result.metrics = {{"los", 1}};
  EXPECT_THAT(result_error(result), HasSubstr("no metric 'los'"));
  result = {};
  result.measured["errors"][{"test"}].value = 1;
  EXPECT_THAT(result_error(result), HasSubstr("no measure 'errors'"));
  result = {};
  result.measured["error"][{"validation"}].value = 1;
  EXPECT_THAT(result_error(result), HasSubstr("no part 'validation' of 'error'"));
  result = {};
  result.series = {{"path", {{1, 2}, {1}}}};
  EXPECT_THAT(result_error(result), HasSubstr("2 steps and 1 values of 'path'"));
  result = {};
  result.front = {{1, 2, 3}, {1, 1}, 0};
  EXPECT_THAT(result_error(result), HasSubstr("3 front coordinates for 2 objectives"));
  result.front = {{1, 2}, {1}, 0};
  EXPECT_THAT(result_error(result), HasSubstr("reference point"));
  result.front = {{1, std::nan("")}, {1, 1}, 0};
  EXPECT_THAT(result_error(result), HasSubstr("not finite"));
  result.front = {{1, 2, 0, 3}, {1, 1}, 0};
  result.solutions = {{"labels", {Bytes{1}}}};
  EXPECT_THAT(result_error(result), HasSubstr("without a solution"));
}

}  // namespace
}  // namespace fairfront::sweep::test
