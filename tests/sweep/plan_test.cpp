#include "sweep/plan.hpp"
#include "base/condition.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "base/text.hpp"
#include "fake_experiment.hpp"
#include "sweep/forecast.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Plan plan_of(const std::string& text, const FakeExperiment& experiment = {}) {
  return {config_of(text, {}, experiment), experiment};
}

TEST(Plan, WithoutAxesEachMethodIsOneTask) {
  const Plan plan = plan_of("[beta]\n[alpha]\n");
  ASSERT_EQ(plan.num_tasks(), 2);
  EXPECT_EQ(plan.task(0).method, "beta");
  EXPECT_EQ(plan.task(1).method, "alpha");
  EXPECT_EQ(plan.task(1).index, 1);
}

TEST(Plan, ATaskHasTheOptionsOfSharedSectionsItsMethodAndTheSeed) {
  const Task task = plan_of("seed = 4\n[alpha]\n[beta]\n").task(0);
  std::vector<std::string> names;
  for (const auto& [name, value] : task.values) names.push_back(name);
  EXPECT_THAT(names, ElementsAre("alpha.steps", "alpha.tolerance", "data.columns", "data.name",
                                 "data.separator", "problem.colour", "problem.scale",
                                 "problem.shuffled", "problem.size", "seed"));
  EXPECT_EQ(task.values.at("seed"), "4");
}

TEST(Plan, TheLastAxisRunsFastestAndForeignAxesAreMarked) {
  const Plan plan =
      plan_of("seed = 1, 2\n[alpha]\nsteps = 5, 6\n[problem]\nsize = 3, 4\n[beta]\nrate = 7, 8\n");
  EXPECT_THAT(std::vector<std::string>({plan.axes()[0].name, plan.axes()[1].name,
                                        plan.axes()[2].name, plan.axes()[3].name}),
              ElementsAre("seed", "alpha.steps", "problem.size", "beta.rate"));
  ASSERT_EQ(plan.num_tasks(), 16);
  EXPECT_THAT(plan.task(0).axis_index, ElementsAre(0, 0, 0, -1));
  EXPECT_THAT(plan.task(1).axis_index, ElementsAre(0, 0, 1, -1));
  EXPECT_THAT(plan.task(2).axis_index, ElementsAre(0, 1, 0, -1));
  EXPECT_THAT(plan.task(8).axis_index, ElementsAre(0, -1, 0, 0));
  EXPECT_THAT(plan.task(9).axis_index, ElementsAre(0, -1, 0, 1));
  EXPECT_EQ(plan.task(2).values.at("alpha.steps"), "6");
  EXPECT_EQ(plan.label(plan.task(9)), "beta, seed=1, problem.size=3, beta.rate=8");
}

TEST(Plan, AWalkHasTheTasksInAnyOrder) {
  const Plan plan =
      plan_of("seed = 1, 2\n[alpha]\nsteps = 5, 6\n[problem]\nsize = 3, 4\n[beta]\nrate = 7, 8\n");
  TaskWalk walk(plan);
  for (const std::int64_t index : {0, 1, 7, 8, 15, 3, 3, 12, 2, 9, 0}) {
    const Task& found = walk.task(index);
    const Task expected = plan.task(index);
    EXPECT_EQ(found.index, index);
    EXPECT_EQ(found.method, expected.method);
    EXPECT_EQ(found.values, expected.values);
    EXPECT_EQ(found.axis_index, expected.axis_index);
    EXPECT_EQ(plan.method_of(index), expected.method);
    EXPECT_EQ(plan.axis_index_of(index), expected.axis_index);
  }
  EXPECT_EQ(walk.task(9).values.at("beta.rate"), "8");
  EXPECT_FALSE(walk.task(9).values.contains("alpha.steps"));
}

TEST(Plan, TasksReadBackAsOptionsStructs) {
  const Plan plan = plan_of("[data]\ncolumns = x, y\n[alpha]\ntolerance = 2^-1, 2^-2\n");
  EXPECT_EQ(read_section<AlphaOptions>(plan.task(1), "alpha").tolerance, 0.25);
  EXPECT_THAT(read_section<DataOptions>(plan.task(1), "data").columns, ElementsAre("x", "y"));
}

TEST(Plan, TooManyTasksAreAnError) {
  EXPECT_EQ(message_of([] { (void)plan_of("seed = 1..100000\n[alpha]\nsteps = 1..101\n"); }),
            "test.ini: the axes make more than 10000000 tasks for [alpha]");
  EXPECT_THAT(message_of([] {
                (void)plan_of(
                    "seed = 1..1000000\n[alpha]\nsteps = 1..1000000\n"
                    "tolerance = 1..1000000\n");
              }),
              HasSubstr("more than 10000000 tasks"));
  EXPECT_EQ(plan_of("seed = 1..100000\n[alpha]\nsteps = 1..100\n").num_tasks(), max_tasks);
}

/// The axes of a random config: name, section, values.
struct RandomAxis {
  std::string name;
  std::string section;
  std::vector<std::string> values;
};

std::vector<RandomAxis> random_axes() {
  std::vector<RandomAxis> axes{{"seed", "", {}},
                               {"problem.size", "problem", {}},
                               {"alpha.steps", "alpha", {}},
                               {"beta.rate", "beta", {}}};
  for (RandomAxis& axis : axes) {
    const auto numbers = *rc::gen::unique<std::vector<int>>(rc::gen::inRange(1, 50));
    for (const int number : numbers) axis.values.push_back(std::to_string(number));
    if (axis.values.size() > 4) axis.values.resize(4);
    if (axis.values.empty()) axis.values = {"1"};
  }
  return axes;
}

/// All combinations by recursion: the independent enumeration that the plan must match.
void enumerate(const std::vector<RandomAxis>& axes, const std::string& method, std::size_t next,
               std::map<std::string, std::string>& chosen,
               std::vector<std::map<std::string, std::string>>& all) {
  if (next == axes.size()) {
    all.push_back(chosen);
    return;
  }
  const RandomAxis& axis = axes[next];
  const std::string other = method == "alpha" ? "beta" : "alpha";
  if (axis.section == other) {
    enumerate(axes, method, next + 1, chosen, all);
    return;
  }
  for (const std::string& value : axis.values) {
    chosen[axis.name] = value;
    enumerate(axes, method, next + 1, chosen, all);
  }
  chosen.erase(axis.name);
}

TEST(PlanProperties, ThePlanIsTheProductOfTheAxesOfEachMethod) {
  EXPECT_TRUE(rc::check([] {
    const auto axes = random_axes();
    std::string text;
    for (const RandomAxis& axis : axes) {
      text += axis.name + " = " + base::join(axis.values, ", ") + "\n";
    }
    const Plan plan = plan_of(text + "[beta]\n[alpha]\n");
    std::int64_t index = 0;
    for (const std::string method : {"beta", "alpha"}) {
      std::vector<std::map<std::string, std::string>> expected;
      std::map<std::string, std::string> chosen;
      enumerate(axes, method, 0, chosen, expected);
      for (const auto& values : expected) {
        const Task task = plan.task(index++);
        RC_ASSERT(task.method == method);
        for (const auto& [name, value] : values) RC_ASSERT(task.values.at(name) == value);
      }
    }
    RC_ASSERT(plan.num_tasks() == index);
  }));
}

TEST(PlanProperties, TasksOfOneProblemShareTheSharedSectionsAndNoOthersDo) {
  EXPECT_TRUE(rc::check([] {
    std::string text;
    for (const RandomAxis& axis : random_axes()) {
      text += axis.name + " = " + base::join(axis.values, ", ") + "\n";
    }
    const Plan plan = plan_of(text + "scale = 1, 2\n[alpha]\n[beta]\n");
    std::map<std::int64_t, std::string> shared_of;
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      const Task task = plan.task(i);
      const std::string shared = task.method + "/" + task.values.at("problem.size") + "/" +
                                 task.values.at("problem.scale");
      const auto [known, is_new] = shared_of.emplace(plan.problem_of(i), shared);
      RC_ASSERT(known->second == shared);
      if (is_new) RC_ASSERT(plan.first_task_of(plan.problem_of(i)) == i);
    }
    std::set<std::string> distinct;
    for (const auto& [problem, shared] : shared_of) distinct.insert(shared);
    RC_ASSERT(distinct.size() == shared_of.size());
    RC_ASSERT(static_cast<std::int64_t>(shared_of.size()) == plan.num_problems());
  }));
}

std::string key_of(const std::string& text, const std::string& digest = "d",
                   const FakeExperiment& experiment = {}) {
  const Plan plan = plan_of(text, experiment);
  return plan.key_of(plan.task(0), digest);
}

TEST(TaskKey, DependsOnWhatTheTaskComputesAndNothingElse) {
  const std::string key = key_of("[alpha]\n");
  EXPECT_EQ(key.size(), 64u);
  EXPECT_EQ(key, key_of("seed = 1, 2\n# a comment\n[problem]\nscale = 1.0\n[alpha]\n[beta]\n"));
  EXPECT_NE(key, key_of("seed = 2\n[alpha]\n"));
  EXPECT_NE(key, key_of("[beta]\n"));
  EXPECT_NE(key, key_of("[alpha]\n", "other digest"));
  FakeExperiment revised;
  revised.alpha_revision = 2;
  EXPECT_NE(key, key_of("[alpha]\n", "d", revised));
}

TEST(TaskKey, ChangesWithEveryOption) {
  std::set<std::string> keys{key_of("[alpha]\n")};
  for (const char* change : {"name = x", "separator = x", "columns = x", "size = 6", "scale = 2",
                             "shuffled = true", "colour = blue", "steps = 11", "tolerance = 1"}) {
    EXPECT_TRUE(keys.insert(key_of(std::string{change} + "\n[alpha]\n")).second) << change;
  }
}

TEST(TaskKey, IsTheSameWhereverTheTaskStandsInThePlan) {
  const Plan wide = plan_of("seed = 1..3\n[alpha]\nsteps = 5, 10\n");
  const Plan narrow = plan_of("seed = 3\n[beta]\n[alpha]\n");
  EXPECT_EQ(wide.key_of(wide.task(5), "d"), narrow.key_of(narrow.task(1), "d"));
}

TEST(Problems, EachIsForecastOnceWithItsFirstTask) {
  FakeExperiment experiment;
  std::vector<std::int64_t> asked;
  experiment.on_forecast = [&](const Task& task) { asked.push_back(task.index); };
  const Plan plan =
      plan_of("seed = 1..3\n[data]\nname = a, b\n[alpha]\nsteps = 1, 2\n[beta]\n", experiment);
  const auto problems = forecast_problems(experiment, plan, {}, 2);
  ASSERT_EQ(problems.size(), 4u);
  EXPECT_THAT(asked, ElementsAre(0, 2, 12, 13));
  EXPECT_EQ(problems[0].amounts.size(), 6u);
  EXPECT_EQ(problems[3].amounts.size(), 3u);
  EXPECT_EQ(problems[0].forecast.work.bytes_per_rank, 50);
  const auto datasets = datasets_of(problems);
  ASSERT_EQ(datasets.size(), 2u);
  EXPECT_EQ(datasets[1].name, "b");
}

TEST(Problems, AnUnsoundOneIsNamedAmongSeveral) {
  FakeExperiment experiment;
  experiment.on_forecast = [](const Task& task) {
    if (task.values.at("problem.size") == "9") throw base::InputError("size = 9, too large");
  };
  const Plan several = plan_of("[problem]\nsize = 3, 9\n[alpha]\n");
  EXPECT_EQ(message_of([&] { (void)forecast_problems(experiment, several, {}, 1); }),
            "test.ini:2: alpha, problem.size=9: size = 9, too large");
  const Plan one = plan_of("[problem]\nsize = 9\n[alpha]\n");
  EXPECT_EQ(message_of([&] { (void)forecast_problems(experiment, one, {}, 1); }),
            "test.ini:2: size = 9, too large");
}

TEST(Problems, DataThatCannotBeLoadedAreNamedWithThePlaceInTheConfig) {
  FakeExperiment experiment;
  experiment.on_forecast = [](const Task& /*task*/) { throw base::DataError("toy.csv: line 3"); };
  const Plan plan = plan_of("[data]\nname = x\n[alpha]\n");
  EXPECT_EQ(message_of([&] { (void)forecast_problems(experiment, plan, {}, 1); }),
            "test.ini: toy.csv: line 3");
}

TEST(Problems, WorkThatNoNumberTellsIsRefusedWithItsMethodAndPlace) {
  FakeExperiment experiment;
  const Plan plan = plan_of("[alpha]\nsteps = 1, 2\n[beta]\n", experiment);
  for (const double amount :
       {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN(), -1.0}) {
    experiment.on_amount = [&](const Task& task) { return task.method == "beta" ? amount : 1; };
    EXPECT_EQ(message_of([&] { (void)forecast_problems(experiment, plan, {}, 1); }),
              "test.ini: beta: [beta] would never come to an end")
        << amount;
  }
  // Not the first task of its problem, for which alone a forecast is asked.
  experiment.on_amount = [](const Task& task) { return task.index == 1 ? HUGE_VAL : 1; };
  EXPECT_EQ(message_of([&] { (void)forecast_problems(experiment, plan, {}, 1); }),
            "test.ini: alpha, alpha.steps=2: [alpha] would never come to an end");
}

/// The warnings of a plan where an option matters only if that holds.
std::vector<std::string> idle_warnings(const std::string& text, const std::string& option,
                                       base::Condition condition) {
  FakeExperiment experiment;
  experiment.only_if = {{option}, std::move(condition), "it is idle"};
  return warnings_of(forecast_problems(experiment, plan_of(text, experiment), {}, 1));
}

TEST(IdleOptions, AnAxisThatChangesNothingIsRefused) {
  const std::string text = "seed = 1..3\n[problem]\nscale = 1, 2\n[alpha]\n[beta]\n";
  EXPECT_EQ(message_of([&] { (void)idle_warnings(text, "scale", base::never()); }),
            "test.ini:3: problem.scale has 2 values, which change nothing: it is idle");
  EXPECT_EQ(message_of([&] { (void)idle_warnings(text, "seed", base::never()); }),
            "test.ini:1: seed has 3 values, which change nothing: it is idle");
}

TEST(IdleOptions, OneThatMattersForSomeProblemIsAllowed) {
  EXPECT_THAT(idle_warnings("[problem]\nsize = 1, 2\nscale = 1, 2\n[alpha]\n", "scale",
                            base::above("size", 1)),
              testing::IsEmpty());
}

/// Not by the first value of what it hangs on.
TEST(IdleOptions, OneThatMattersForSomeTaskOfAProblemIsAllowed) {
  for (const char* steps : {"1, 2", "2, 1"}) {
    const std::string text = fmt::format("[problem]\nscale = 1, 2\n[alpha]\nsteps = {}\n", steps);
    const base::Condition condition = base::is("alpha.steps", {"2"});
    EXPECT_THAT(idle_warnings(text, "scale", condition), testing::IsEmpty()) << steps;
    const std::string single = fmt::format("[problem]\nscale = 3\n[alpha]\nsteps = {}\n", steps);
    EXPECT_THAT(idle_warnings(single, "scale", condition), testing::IsEmpty()) << steps;
  }
}

TEST(IdleOptions, AnAxisThatMattersForOneMethodOnlyIsAWarning) {
  EXPECT_THAT(idle_warnings("seed = 1, 2\n[alpha]\n[beta]\n", "seed", base::method_is({"beta"})),
              ElementsAre("test.ini:1: seed changes nothing: it is idle"));
}

TEST(IdleOptions, ASingleValueIsAWarningUnlessItIsTheDefault) {
  EXPECT_THAT(idle_warnings("[problem]\nscale = 3\n[alpha]\n", "scale", base::never()),
              ElementsAre("test.ini:2: problem.scale changes nothing: it is idle"));
  EXPECT_THAT(idle_warnings("[problem]\nscale = 1\n[alpha]\n", "scale", base::never()),
              testing::IsEmpty());
  EXPECT_THAT(idle_warnings("[alpha]\n", "scale", base::never()), testing::IsEmpty());
}

TEST(IdleOptions, AWarningSaysFirstWhatWouldGiveTheOptionAMeaning) {
  EXPECT_THAT(
      idle_warnings("[problem]\nscale = 3\n[alpha]\n", "scale", base::is("size", {"2"})),
      ElementsAre("test.ini:2: set problem.size = 2, or leave out problem.scale, which changes "
                  "nothing: it is idle"));
}

TEST(IdleOptions, OfAWholeSectionAreToldInOneWarningForItsReason) {
  EXPECT_THAT(idle_warnings("[data]\nname = x\nseparator = +\n[problem]\nsize = 3\n[alpha]\n",
                            "data.*", base::above("size", 3)),
              ElementsAre("test.ini:2: data.name, data.separator change nothing: it is idle"));
}

TEST(Plan, TasksWhoseProblemsDifferAlongReplicatesAreOfOneKind) {
  const Plan plan(config_of("seed = 1, 2\n[data]\nname = x, y\n[alpha]\nsteps = 1, 2\n[beta]\n"),
                  FakeExperiment{});
  std::map<std::pair<std::string, std::string>, std::set<std::int64_t>> kinds;
  std::set<std::int64_t> all;
  for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
    const Task task = plan.task(i);
    kinds[{task.method, task.values.at("data.name")}].insert(plan.kind_of(i));
    all.insert(plan.kind_of(i));
  }
  EXPECT_EQ(all.size(), 4u);
  for (const auto& [what, found] : kinds) EXPECT_EQ(found.size(), 1u) << what.first;
}

}  // namespace
}  // namespace fairfront::sweep::test
