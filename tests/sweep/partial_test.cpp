#include "sweep/partial.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "fake_experiment.hpp"
#include "journal/journal.hpp"
#include "results/digest.hpp"
#include "shared_folder.hpp"
#include "sweep/forecast.hpp"
#include "sweep/ledger.hpp"

namespace fairfront::sweep::test::partial_test {
namespace {

using results::TaskStatus;
using testing::ElementsAre;
using testing::HasSubstr;

const std::string text = "seed = 1..3\n[data]\nname = x, y\n[beta]\n";

/// A journal of `text` with the records that a test gives it.
struct Fixture {
  parallel::Comm world{MPI_COMM_WORLD};
  SharedFolder folder{world};
  FakeExperiment experiment;
  Plan plan{config_of(text, {}, experiment), experiment};
  std::string journal = folder.journal();

  /// @param tasks  those that are done; their loss is their number.
  void write(const std::vector<std::int64_t>& tasks) {
    const auto problems = forecast_problems(experiment, plan, {}, 1);
    journal::create_journal(journal, header_of(plan, problems, "0.0"));
    journal::JournalWriter log(journal, 0, 0);
    for (const std::int64_t index : tasks) {
      const Task task = plan.task(index);
      results::TaskRecord record;
      record.key = plan.key_of(task, "digest-of-" + task.values.at("data.name"));
      record.status = TaskStatus::done;
      record.result.metrics["loss"] = static_cast<double>(index);
      log.append(record);
    }
    log.close();
  }
};

TEST(Partial, TasksWithARecordAreThereAndTheOthersAreMissing) {
  Fixture fixture;
  if (!fixture.world.is_root()) return;
  fixture.write({4, 1});
  const PartialContent partial =
      read_partial(fixture.journal, fixture.plan, fixture.experiment.schema());
  const results::Content& content = partial.content;
  ASSERT_EQ(content.tasks.status.size(), 6U);
  EXPECT_THAT(content.tasks.status,
              ElementsAre(TaskStatus::missing, TaskStatus::done, TaskStatus::missing,
                          TaskStatus::missing, TaskStatus::done, TaskStatus::missing));
  EXPECT_EQ(content.metrics.at(0).values[1], 1);
  EXPECT_EQ(content.metrics.at(0).values[4], 4);
  EXPECT_TRUE(std::isnan(content.metrics.at(0).values[0]));
  EXPECT_EQ(content.datasets.size(), 2U);
  EXPECT_TRUE(partial.warnings.empty());
}

TEST(Partial, AMissingTaskHasTheKeyThatAnotherTaskOfItsProblemTells) {
  Fixture fixture;
  if (!fixture.world.is_root()) return;
  // The last axis runs fastest: tasks 0, 2, 4 are on x, the others on y.
  ASSERT_EQ(fixture.plan.task(3).values.at("data.name"), "y");
  fixture.write({1});
  const PartialContent partial =
      read_partial(fixture.journal, fixture.plan, fixture.experiment.schema());
  const auto& keys = partial.content.tasks.key;
  EXPECT_EQ(keys[3], fixture.plan.key_of(fixture.plan.task(3), "digest-of-y"));
  EXPECT_EQ(keys[0], "") << "no task tells which data set x is";
}

TEST(Partial, OtherRevisionsOfASolverAreRefused) {
  Fixture fixture;
  if (!fixture.world.is_root()) return;
  fixture.write({});
  FakeExperiment newer;
  const std::string both = "seed = 1..3\n[data]\nname = x, y\n[alpha]\n";
  newer.alpha_revision = 2;
  const Plan plan(config_of(both, {}, newer), newer);
  EXPECT_THAT(message_of([&] { (void)read_partial(fixture.journal, plan, newer.schema()); }),
              HasSubstr("other revisions"));
}

TEST(Partial, ARecordThatTheExperimentCannotHaveGivenIsLeftOut) {
  Fixture fixture;
  if (!fixture.world.is_root()) return;
  fixture.write({2});
  journal::JournalWriter log(fixture.journal, 1, 0);
  const Task task = fixture.plan.task(5);
  results::TaskRecord record;
  record.key = fixture.plan.key_of(task, "digest-of-y");
  record.status = TaskStatus::done;
  record.result.metrics["no such metric"] = 1;
  log.append(record);
  log.close();
  const PartialContent partial =
      read_partial(fixture.journal, fixture.plan, fixture.experiment.schema());
  EXPECT_EQ(partial.content.tasks.status[2], TaskStatus::done);
  EXPECT_EQ(partial.content.tasks.status[5], TaskStatus::missing);
  EXPECT_EQ(partial.warnings.size(), 1U);
}

}  // namespace
}  // namespace fairfront::sweep::test::partial_test
