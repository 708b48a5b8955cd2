// The forecast of all ranks together is that of one rank alone.
#include "sweep/shared_forecast.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "fake_experiment.hpp"

namespace fairfront::sweep {
namespace {

using test::FakeExperiment;
using testing::HasSubstr;

Plan plan_of(const std::string& text, const FakeExperiment& experiment) {
  return {test::config_of(text, {}, experiment), experiment};
}

const char* const sixteen_problems =
    "seed = 1..2\n[data]\nname = a, b\n[problem]\nscale = 3\nsize = 1..8\n[alpha]\nsteps = 1, 2\n";

void expect_same(const PlannedProblem& got, const PlannedProblem& expected) {
  EXPECT_EQ(got.first_task.index, expected.first_task.index);
  EXPECT_EQ(got.first_task.values, expected.first_task.values);
  EXPECT_EQ(got.amounts, expected.amounts);
  EXPECT_EQ(got.forecast.problem, expected.forecast.problem);
  EXPECT_EQ(got.forecast.warnings, expected.forecast.warnings);
  EXPECT_EQ(got.forecast.work.bytes_per_rank, expected.forecast.work.bytes_per_rank);
  EXPECT_EQ(got.forecast.work.amount, expected.forecast.work.amount);
  EXPECT_EQ(got.forecast.work.unit, expected.forecast.work.unit);
  const data::Provenance& data = got.forecast.data;
  const data::Provenance& other = expected.forecast.data;
  EXPECT_EQ(data.name, other.name);
  EXPECT_EQ(data.source, other.source);
  EXPECT_EQ(data.files, other.files);
  EXPECT_EQ(data.sha256, other.sha256);
  EXPECT_EQ(data.file_rows, other.file_rows);
  EXPECT_EQ(data.recipe, other.recipe);
  EXPECT_EQ(data.digest, other.digest);
  EXPECT_EQ(data.fitted, other.fitted);
}

/// Fills every value that a forecast has.
void fill(const Task& task, TaskForecast& forecast) {
  const std::string& size = task.values.at("problem.size");
  forecast.problem = "N = " + size;
  forecast.work = {100, std::stod(size), "steps"};
  if (size == "3") forecast.warnings = {"", "a small group: " + size};
  forecast.data.source = "own";
  forecast.data.files = {"one,\n.csv", ""};
  forecast.data.sha256 = {"12", "34"};
  forecast.data.file_rows = 1 + task.index;
  forecast.data.recipe = "dropped \"rows\"";
  forecast.data.fitted = std::string("a\0b", 3) + size;
}

TEST(SharedForecast, IsThatOfOneRankAlone) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_filled = fill;
  experiment.on_amount = [](const Task& task) { return 1.0 + static_cast<double>(task.index); };
  experiment.only_if = {{"scale"}, base::never(), "it is idle"};
  const Plan plan = plan_of(sixteen_problems, experiment);
  const auto got = forecast_problems_together(world, experiment, plan, {}, nullptr);
  if (!world.is_root()) {
    EXPECT_TRUE(got.empty());
    return;
  }
  const auto expected = forecast_problems(experiment, plan, {}, world.size());
  ASSERT_EQ(got.size(), 16u);
  ASSERT_EQ(expected.size(), 16u);
  for (std::size_t i = 0; i < got.size(); ++i) expect_same(got[i], expected[i]);
  EXPECT_THAT(warnings_of(got), testing::Contains(HasSubstr("it is idle")));
}

TEST(SharedForecast, IsMadeByAllRanks) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::int64_t mine = 0;
  experiment.on_forecast = [&mine](const Task& /*task*/) {
    ++mine;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  };
  const Plan plan = plan_of(sixteen_problems, experiment);
  (void)forecast_problems_together(world, experiment, plan, {}, nullptr);
  EXPECT_EQ(parallel::all_reduce_sum(world, mine), 16);  // each once
  EXPECT_GT(parallel::all_reduce_min(world, mine), 0);
}

TEST(SharedForecast, OfOneProblemIsMadeByRankZero) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::int64_t mine = 0;
  experiment.on_forecast = [&mine](const Task& /*task*/) { ++mine; };
  const Plan plan = plan_of(
      "seed = 1..3\n[data]\nname = a\n[problem]\nsize = 1\n[alpha]\nsteps = 1\n", experiment);
  for (int repeat = 1; repeat <= 20; ++repeat) {
    if (world.is_root()) std::this_thread::sleep_for(std::chrono::milliseconds(2));
    (void)forecast_problems_together(world, experiment, plan, {}, nullptr);
    EXPECT_EQ(mine, world.is_root() ? repeat : 0);
  }
}

TEST(SharedForecast, NamesTheFirstUnsoundProblemOnAnyNumberOfRanks) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  experiment.on_forecast = [](const Task& task) {
    const std::string& size = task.values.at("problem.size");
    if (size == "5") std::this_thread::sleep_for(std::chrono::milliseconds(20));
    if (size >= "5") throw base::InputError("size = " + size + ", too large");
  };
  const Plan plan = plan_of(sixteen_problems, experiment);
  try {
    (void)forecast_problems_together(world, experiment, plan, {}, nullptr);
    ADD_FAILURE() << "it is not sound";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(),
                HasSubstr("data.name=a, problem.size=5, alpha.steps=1: size = 5, too large"));
    EXPECT_THAT(error.what(), testing::Not(HasSubstr("rank")));
    EXPECT_EQ(error.exit_code(), base::InputError("").exit_code());
  }
}

TEST(SharedForecast, NamesTheRankWhereAloneAProblemIsUnsound) {
  const parallel::Comm world(MPI_COMM_WORLD);
  if (world.size() == 1) GTEST_SKIP() << "for several ranks";
  FakeExperiment experiment;
  experiment.on_forecast = [&world](const Task& /*task*/) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    if (!world.is_root()) throw base::DataError("toy.csv: cannot be read");
  };
  const Plan plan = plan_of(sixteen_problems, experiment);
  try {
    (void)forecast_problems_together(world, experiment, plan, {}, nullptr);
    ADD_FAILURE() << "a host cannot read the data";
  } catch (const base::Error& error) {
    EXPECT_THAT(error.what(), HasSubstr("toy.csv: cannot be read; rank 0 could do the same"));
    EXPECT_THAT(error.what(), HasSubstr("(rank "));
    EXPECT_EQ(error.exit_code(), base::ExitCode::internal);
  }
}

TEST(SharedForecast, EndsOnEveryRankWhenOneIsToldToStop) {
  const parallel::Comm world(MPI_COMM_WORLD);
  FakeExperiment experiment;
  std::int64_t mine = 0;
  experiment.on_forecast = [&mine](const Task& /*task*/) {
    ++mine;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    base::stop_point();
  };
  const bool is_last = world.rank() == world.size() - 1;
  const Plan plan = plan_of(sixteen_problems, experiment);
  try {
    (void)forecast_problems_together(world, experiment, plan, {},
                                     [&] { return is_last && mine >= 1; });
    ADD_FAILURE() << "it was to stop";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.exit_code(), base::ExitCode::interrupted);
  }
  EXPECT_LT(parallel::all_reduce_sum(world, mine), 16);
}

}  // namespace
}  // namespace fairfront::sweep
