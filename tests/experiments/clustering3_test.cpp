// Three objectives: a table with two sensitive columns.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "config/config.hpp"
#include "config/config_text.hpp"
#include "experiments/registry.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/plan.hpp"

namespace fairfront::experiments {
namespace {

using sweep::Plan;
using sweep::RunContext;
using sweep::Task;
using sweep::TaskResult;
using ::testing::HasSubstr;

/// A folder of this process alone with people.csv: 60 rows, sex in two levels, race in three, of
/// which c is rare, town in one.
class People {
 public:
  People()
      : folder_{std::filesystem::temp_directory_path() /
                fmt::format("fairfront-people-{}", getpid())} {
    std::filesystem::create_directories(folder_);
    std::ofstream file(folder_ / "people.csv");
    file << "age,income,sex,race,town\n";
    base::Stream stream(base::StreamKey(1, "test", "people"), 0);
    for (int row = 0; row < 60; ++row) {
      file << fmt::format("{},{},{},{},x\n", stream.normal(), stream.normal(),
                          row % 2 == 0 ? "f" : "m",
                          row < 4        ? "c"
                          : row % 3 == 0 ? "a"
                                         : "b");
    }
  }
  People(const People&) = delete;
  People& operator=(const People&) = delete;
  ~People() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  [[nodiscard]] RunContext context() const {
    RunContext context;
    context.data_dir = folder_;
    return context;
  }

 private:
  std::filesystem::path folder_;
};

Plan plan_of(const std::string& sensitive, const std::string& method = "[safairkm_front]\n") {
  const std::string text = fmt::format(
      "experiment = clustering3\n[data]\ndata = csv\nfile = people.csv\nfeatures = age, income\n"
      "sensitive = {}\n[clustering]\nclusters = 5\n{}",
      sensitive, method);
  const sweep::Experiment& experiment = find("clustering3");
  return {config::resolve(config::scan_config(text, "test.ini"), experiment.name(),
                          experiment.sections()),
          experiment};
}

const char* const short_method =
    "[safairkm_front]\niterations = 30\nstarts = 6\nlist_budget = 20\n";

TEST(Clustering3, ItsResultFitsTheSchemaAndItsMetricsSumUpTheFront) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const People people;
  const sweep::Experiment& experiment = find("clustering3");
  const Plan plan = plan_of("sex, race", short_method);
  Task task = plan.task(0);
  task.key = plan.key_of(task, "digest");
  const TaskResult result = experiment.run(world, task, people.context());
  if (!world.is_root()) return;
  EXPECT_NO_THROW(sweep::check_result(experiment.schema(), result));
  const std::vector<double>& points = result.front.points;
  EXPECT_EQ(result.metrics.at("front_size") * 3, static_cast<double>(points.size()));
  EXPECT_EQ(result.solutions.at("labels").size() * 3, points.size());
  EXPECT_EQ(result.front.reference.size(), 3u);
  double greatest[2] = {0, 0};
  for (std::size_t i = 0; i < points.size(); i += 3) {
    EXPECT_GE(points[i], result.metrics.at("least_cost"));
    greatest[0] = std::max(greatest[0], points[i + 1]);
    greatest[1] = std::max(greatest[1], points[i + 2]);
  }
  EXPECT_EQ(result.metrics.at("greatest_balance_1"), greatest[0]);
  EXPECT_EQ(result.metrics.at("greatest_balance_2"), greatest[1]);
  EXPECT_EQ(result.metrics.at("balance_bound_1"), 1);         // 30 of each sex
  EXPECT_EQ(result.metrics.at("balance_bound_2"), 4.0 / 38);  // 4 c, 18 a, 38 b
  EXPECT_EQ(greatest[1], 0);                                  // five clusters for four members of c
  EXPECT_GT(greatest[0], 0.3);
  EXPECT_EQ(result.metrics.at("hypervolume_share"), 0);
}

TEST(Clustering3, GivesTheSameOnEveryTeam) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const parallel::Comm alone(MPI_COMM_SELF);
  const People people;
  const Plan plan = plan_of("sex, race", short_method);
  Task task = plan.task(0);
  task.key = plan.key_of(task, "digest");
  const TaskResult together = find("clustering3").run(world, task, people.context());
  const TaskResult single = find("clustering3").run(alone, task, people.context());
  if (!world.is_root()) return;
  EXPECT_EQ(together, single);
}

TEST(Clustering3, WarnsOfLevelsThatClustersMustLackAndNotOfCombinations) {
  const People people;
  const Plan plan = plan_of("sex, race");
  const auto forecast = find("clustering3").forecast(plan.task(0), people.context(), 1);
  EXPECT_THAT(forecast.problem, HasSubstr("levels 2 x 3"));
  ASSERT_EQ(forecast.warnings.size(), 1u);
  EXPECT_THAT(forecast.warnings[0], HasSubstr("'csv, race': 1 of 3 groups"));
  EXPECT_THAT(forecast.warnings[0], HasSubstr("'c' 4"));
}

std::string refusal(const People& people, const Plan& plan) {
  try {
    (void)find("clustering3").forecast(plan.task(0), people.context(), 1);
    return "no error";
  } catch (const base::InputError& error) {
    return error.what();
  }
}

TEST(Clustering3, NeedsExactlyTwoAttributesWithTwoLevelsEach) {
  const People people;
  EXPECT_EQ(refusal(people, plan_of("sex, race")), "no error");
  EXPECT_EQ(refusal(people, plan_of("sex")),
            "clustering3 needs two sensitive attributes, and 'csv' has 1 (sex): name two columns, "
            "such as sensitive = sex, race in [data]");
  EXPECT_THAT(refusal(people, plan_of("sex, race, town")), HasSubstr("has 3 (sex, race, town)"));
  EXPECT_THAT(refusal(people, plan_of("sex, town")),
              HasSubstr("attribute 'town' has one level: balance needs at least two"));
  EXPECT_THAT(refusal(people, plan_of("sex, race", "[safairkm_front]\nlist_budget = 2\n")),
              HasSubstr("list_budget = 2, must be >= 3"));
}

TEST(Clustering3, HasTheMethodsThatTraceThreeObjectives) {
  EXPECT_EQ(find("clustering3").name(), "clustering3");
  EXPECT_THROW((void)plan_of("sex, race", "[lloyd]\n"), base::InputError);
}

}  // namespace
}  // namespace fairfront::experiments
