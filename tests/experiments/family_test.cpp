#include "experiments/family.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/stop.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::RunContext;
using sweep::Task;
using sweep::TaskResult;

struct SizeOptions {
  std::int64_t size = 5;
};
base::OptionTable options_of(SizeOptions& options) {
  base::OptionTable table("size");
  table.add("size", options.size, base::at_least<std::int64_t>(1), "", "Size.");
  return table;
}

struct StepOptions {
  std::int64_t steps = 3;
};
base::OptionTable options_of(StepOptions& options) {
  base::OptionTable table("steps");
  table.add("steps", options.steps, base::at_least<std::int64_t>(1), "", "Steps.");
  return table;
}
void validate_for(std::int64_t size, const StepOptions& options) {
  if (options.steps > size) throw std::invalid_argument("more steps than the size");
}

/// The addresses of random numbers that the methods below were given.
std::vector<std::string>& addresses_of_runs() {
  static std::vector<std::string> addresses;
  return addresses;
}

/// A problem is its size; both methods say where they ran.
Family<std::int64_t> sizes(int& loads) {
  const auto work = [](std::int64_t size, const StepOptions& options, std::int64_t ranks) {
    return sweep::Work{static_cast<double>(size) / static_cast<double>(ranks),
                       static_cast<double>(options.steps), "steps"};
  };
  const auto solve = [](const Run<std::int64_t, StepOptions>& run) {
    solvers::Heartbeat(run.control).beat();
    addresses_of_runs().push_back(run.key);
    TaskResult result;
    result.metrics["steps"] = static_cast<double>(run.options.steps);
    result.front = one_point_front({1, 2}, {2, 4});
    return result;
  };
  const sweep::Columns own{.metrics = {{"steps", "steps made", "", Direction::none, ""}}};
  return {
      .name = "sizes",
      .title = "sizes",
      .shared = {config::make_section<SizeOptions>({.name = "size", .title = "the size"})},
      .objectives = {{"f1", "", "", Direction::minimise, ""},
                     {"f2", "", "", Direction::minimise, ""}},
      .columns = {},
      .front_solutions = "",
      .load =
          [&loads](const Task& task, const RunContext& /*context*/) {
            ++loads;
            const auto size = sweep::read_section<SizeOptions>(task, "size").size;
            if (size == 13) throw std::invalid_argument("an unlucky size");
            if (size == 14) throw std::domain_error("a size that gives no finite numbers");
            return Loaded<std::int64_t>{size, {}, "size " + std::to_string(size), {"odd"}, 8};
          },
      .rows =
          [](const Task& task, const RunContext& /*context*/) {
            auto rows = std::make_shared<data::SupervisedSet>();
            rows->set.rows = sweep::read_section<SizeOptions>(task, "size").size;
            return sweep::PreparedRows(std::move(rows));
          },
      .methods = {make_method<std::int64_t, StepOptions>({.name = "alone", .title = "one rank"},
                                                         own, work, solve),
                  make_method<std::int64_t, StepOptions>(
                      {.name = "together", .title = "a team", .coupled = true}, own, work, solve)}};
}

Task task_of(const std::string& method, const std::string& size = "5",
             const std::string& steps = "3") {
  Task task;
  task.method = method;
  task.values = {{"seed", "7"}, {"size.size", size}, {method + ".steps", steps}};
  return task;
}

TEST(Family, TasksOfOneProblemLoadItOnce) {
  int loads = 0;
  const auto experiment = make_experiment(sizes(loads));
  const parallel::Comm alone(MPI_COMM_SELF);
  const RunContext context;
  for (const char* steps : {"1", "2", "3"}) {
    (void)experiment->run(alone, task_of("alone", "5", steps), context);
    (void)experiment->run(alone, task_of("together", "5", steps), context);
  }
  EXPECT_EQ(loads, 1);
  (void)experiment->run(alone, task_of("alone", "6"), context);
  EXPECT_EQ(loads, 2);
}

TEST(Family, ForecastsSayWhatTheMethodNeeds) {
  int loads = 0;
  const auto experiment = make_experiment(sizes(loads));
  const RunContext context;
  const auto forecast = experiment->forecast(task_of("alone"), context, 2);
  EXPECT_EQ(forecast.problem, "size 5");
  EXPECT_EQ(forecast.work.bytes_per_rank, 2.5);
  EXPECT_EQ(forecast.work.amount, 3);
  EXPECT_EQ(forecast.work.unit, "steps");
  EXPECT_EQ(forecast.warnings, std::vector<std::string>{"odd"});
  EXPECT_EQ(experiment->amount(task_of("alone", "5", "9"), context), 9);  // sound or not
}

TEST(Family, OptionsThatDoNotSuitTheProblemAreInputErrors) {
  int loads = 0;
  const auto experiment = make_experiment(sizes(loads));
  const RunContext context;
  EXPECT_THROW((void)experiment->forecast(task_of("alone", "5", "6"), context, 1),
               base::InputError);
  EXPECT_THROW((void)experiment->forecast(task_of("alone", "13"), context, 1), base::InputError);
  EXPECT_THROW((void)experiment->forecast(task_of("alone", "14"), context, 1), base::InputError);
  // A later task of a problem, which nobody has checked before.
  const parallel::Comm self(MPI_COMM_SELF);
  for (const char* size : {"13", "14"}) {
    EXPECT_ANY_THROW((void)experiment->run(self, task_of("alone", size), context)) << size;
  }
}

TEST(Family, OnlyTheTeamsRootHasAResult) {
  int loads = 0;
  const auto experiment = make_experiment(sizes(loads));
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const char* method : {"alone", "together"}) {
    const TaskResult result = experiment->run(world, task_of(method), RunContext{});
    EXPECT_EQ(result.metrics.size(), world.is_root() ? 1u : 0u);
    EXPECT_EQ(result.front.hypervolume, world.is_root() ? 2 : 0);
  }
}

TEST(Family, AStopIsTheSameOnEveryRankAlsoForMethodsWithoutCheckpoints) {
  int loads = 0;
  const auto experiment = make_experiment(sizes(loads));
  const parallel::Comm world(MPI_COMM_WORLD);
  RunContext context;
  context.stop_wanted = [] { return true; };
  for (const char* method : {"alone", "together"}) {
    EXPECT_THROW((void)experiment->run(world, task_of(method), context), sweep::TaskInterrupted);
  }
}

TEST(Family, RandomNumbersHangOnMethodRevisionAndDataAlone) {
  int loads = 0;
  const auto address_of = [&](const std::string& method, const std::string& steps,
                              const std::string& digest, std::int64_t revision) {
    Family<std::int64_t> family = sizes(loads);
    for (auto& each : family.methods) each.section.revision = revision;
    family.load = [&digest](const Task&, const RunContext&) {
      data::Provenance data;
      data.digest = digest;
      return Loaded<std::int64_t>{5, std::move(data), "size 5", {}, 8};
    };
    Task task = task_of(method, "5", steps);
    task.key = method + steps;  // as tasks of other options have another one
    const parallel::Comm alone(MPI_COMM_SELF);
    (void)make_experiment(std::move(family))->run(alone, task, RunContext{});
    return addresses_of_runs().back();
  };
  const std::string first = address_of("alone", "1", "rows", 1);
  EXPECT_EQ(address_of("alone", "2", "rows", 1), first);
  EXPECT_NE(address_of("alone", "1", "other rows", 1), first);
  EXPECT_NE(address_of("alone", "1", "rows", 2), first);
  EXPECT_NE(address_of("together", "1", "rows", 1), first);
}

TEST(Family, AColumnOfTwoMethodsIsOneColumnAndMustMeanTheSame) {
  int loads = 0;
  Family<std::int64_t> family = sizes(loads);
  EXPECT_EQ(make_experiment(family)->schema().metrics.size(), 1u);
  family.methods[1].columns.metrics[0].definition = "something else";
  EXPECT_THROW((void)make_experiment(family), std::logic_error);
}

TEST(Family, AStopWhileOneRankLoadsEndsTheTaskOnAllOfThem) {
  int loads = 0;
  Family<std::int64_t> family = sizes(loads);
  family.load = [](const Task&, const RunContext&) {
    base::stop_point();
    return Loaded<std::int64_t>{5, {}, "size 5", {}, 8};
  };
  const auto experiment = make_experiment(std::move(family));
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const int stopped : {0, world.size() - 1}) {
    RunContext context;
    int asked = 0;
    context.stop_wanted = [&] { return world.rank() == stopped && ++asked == 1; };
    EXPECT_THROW((void)experiment->run(world, task_of("together"), context),
                 sweep::TaskInterrupted);
  }
}

}  // namespace
}  // namespace fairfront::experiments
