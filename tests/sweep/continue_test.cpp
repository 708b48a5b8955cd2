// Runs that go on from an archive, parts of a sweep, and the fronts merged over tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include "archive/archive.hpp"
#include "archive/front_check.hpp"
#include "archive/records.hpp"
#include "base/random.hpp"
#include "fake_experiment.hpp"
#include "parallel/agree.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "shared_folder.hpp"
#include "sweep/merge.hpp"
#include "sweep/reopen.hpp"
#include "sweep/run.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Fronts of a few random points on a coarse grid, so that tasks tie and dominate each other.
TaskResult random_front(const Task& task) {
  base::Stream stream(base::StreamKey(std::stoull(task.values.at("seed")), task.key, "front"), 0);
  TaskResult result;
  pareto::Points points(2);
  for (std::uint64_t i = 0; i < 6; ++i) {
    points.add(
        std::array{static_cast<double>(stream.below(20)), -static_cast<double>(stream.below(20))},
        i);
  }
  const pareto::Front front(points);
  for (std::size_t i = 0; i < front.size(); ++i) {
    result.front.points.push_back(front[i][0]);
    result.front.points.push_back(-front[i][1]);  // balance is maximised
    result.solutions["labels"].emplace_back(std::vector<std::uint8_t>{1, 2});
  }
  result.front.reference = {20, 0};
  result.front.hypervolume = pareto::hypervolume(front, {20, 0});
  result.metrics["loss"] = stream.uniform();
  result.series["path"] = {{0, 1}, {stream.uniform(), 2}};
  return result;
}

struct Fixture {
  parallel::Comm world{MPI_COMM_WORLD};
  FakeExperiment experiment;
  std::int64_t ran = 0;  ///< by this rank as root of a team
  std::string fails;     ///< seed whose tasks fail

  Fixture() {
    experiment.alpha_coupled = false;
    experiment.on_run = [this](const parallel::Comm& team, const Task& task, const RunContext&) {
      if (team.is_root()) ++ran;
      if (task.values.at("seed") == fails) throw std::runtime_error("no luck");
      return random_front(task);
    };
  }
  RunOutcome run(const std::string& text, const RunSettings& settings) {
    Progress progress(ProgressStyle::silent, [](std::string_view) {});
    return sweep::run(world, experiment, plan(text), {}, settings, progress);
  }
  [[nodiscard]] Plan plan(const std::string& text) const {
    return Plan(config_of(text, {}, experiment), experiment);
  }
};

EarlierResults results_of(const archive::Content& content) {
  return {archive::sweep_of(content), archive::records_of(content)};
}

TEST(Continue, MergedFrontsAreTheNondominatedPointsOfAllTasksOfAProblem) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..9\n[data]\nname = a, b\n[alpha]\n[beta]\n";
  const RunOutcome outcome = fixture.run(text, folder.settings());
  if (!fixture.world.is_root()) return;
  const archive::Content& content = outcome.content;
  ASSERT_EQ(content.merged.size(), 2u);
  ASSERT_EQ(content.fronts.size(), 2u);
  for (std::size_t g = 0; g < 2; ++g) {
    const archive::FrontGroup& group = content.fronts[g];
    const archive::MergedFront& merged = content.merged[g];
    ASSERT_EQ(merged.offsets.size(), 5u);  // two methods on two data sets
    for (std::int32_t problem = 0; problem < 4; ++problem) {
      // The definition: no point of a task of the problem is better, none with the same values
      // stands in an earlier row.
      std::vector<std::int64_t> expected;
      for (std::size_t i = 0; i < group.task.size(); ++i) {
        if (content.tasks.problem[static_cast<std::size_t>(group.task[i])] != problem) continue;
        bool stays = true;
        for (std::size_t j = 0; j < group.task.size(); ++j) {
          if (content.tasks.problem[static_cast<std::size_t>(group.task[j])] != problem) continue;
          const double cost = group.points[2 * j] - group.points[2 * i];
          const double balance = group.points[2 * j + 1] - group.points[2 * i + 1];
          if (cost <= 0 && balance >= 0 && (cost < 0 || balance > 0 || j < i)) stays = false;
        }
        if (stays) expected.push_back(static_cast<std::int64_t>(i));
      }
      const auto p = static_cast<std::size_t>(problem);
      std::vector<std::int64_t> found(merged.point.begin() + merged.offsets[p],
                                      merged.point.begin() + merged.offsets[p + 1]);
      std::ranges::sort(found);
      EXPECT_EQ(found, expected) << group.name << ", problem " << problem;
    }
  }
  EXPECT_THAT(archive::wrong_fronts(content), ElementsAre());
}

TEST(Continue, AResumedRunMergesWhatOtherLaunchesFound) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..12\n[alpha]\n";
  const RunOutcome whole = fixture.run(text, folder.settings("whole"));
  RunSettings settings = folder.settings("cut");
  fixture.ran = 0;
  settings.stop_wanted = [&] { return fixture.ran >= 2; };
  EXPECT_EQ(fixture.run(text, settings).end, RunEnd::interrupted);
  settings.stop_wanted = {};
  settings.continuation = Continuation::resume;
  const RunOutcome resumed = fixture.run(text, settings);
  if (!fixture.world.is_root()) return;
  EXPECT_EQ(resumed.content.merged.at(0).point, whole.content.merged.at(0).point);
  EXPECT_EQ(archive::results_digest(resumed.content), archive::results_digest(whole.content));
}

TEST(Continue, PartsOfASweepMergeToTheWhole) {
  Fixture fixture;
  fixture.fails = "3";
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..7\n[alpha]\n[beta]\n";
  const RunOutcome whole = fixture.run(text, folder.settings());
  std::vector<NamedContent> parts;
  for (std::int64_t part = 0; part < 3; ++part) {
    RunSettings settings = folder.settings(std::to_string(part));
    settings.selected = [part](std::int64_t task) { return task % 3 == part; };
    const RunOutcome outcome = fixture.run(text, settings);
    EXPECT_EQ(outcome.end, RunEnd::complete);
    EXPECT_EQ(outcome.done + outcome.failed, part == 2 ? 4 : 5);
    EXPECT_EQ(outcome.missing, 0);
    parts.push_back({std::to_string(part), outcome.content});
  }
  if (!fixture.world.is_root()) return;
  EXPECT_EQ(std::ranges::count(parts[0].content.tasks.status, archive::TaskStatus::missing), 9);
  std::ranges::reverse(parts);  // the order of the parts does not matter
  const archive::Content merged = merge(fixture.plan(text), fixture.experiment.schema(), parts);
  EXPECT_EQ(archive::results_digest(merged), archive::results_digest(whole.content));
}

TEST(Continue, PartsThatContradictEachOtherOrAreOfOtherSweepsDoNotMerge) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1, 2\n[alpha]\n";
  const archive::Content a = fixture.run(text, folder.settings("a")).content;
  const archive::Content other =
      fixture.run("seed = 1, 2\n[alpha]\nsteps = 3\n", folder.settings("b")).content;
  if (!fixture.world.is_root()) return;
  const auto message = [&](archive::Content b) {
    std::vector<NamedContent> parts{{"a.h5", a}, {"b.h5", std::move(b)}};
    return message_of([&] { (void)merge(fixture.plan(text), fixture.experiment.schema(), parts); });
  };
  archive::Content changed = a;
  changed.metrics[0].values[1] = std::nextafter(changed.metrics[0].values[1], 9.0);
  EXPECT_THAT(message(changed), HasSubstr("task 1 (alpha, seed=2) has two results"));
  EXPECT_THAT(message(changed), HasSubstr("metric loss"));
  EXPECT_THAT(message(other), HasSubstr("alpha.steps"));
}

TEST(Continue, AFinishedArchiveIsExtendedAndItsTasksDoNotRunAgain) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const archive::Content small = fixture.run("seed = 2, 4\n[alpha]\n", folder.settings()).content;
  const RunOutcome whole = fixture.run("seed = 1..5\n[alpha]\n", folder.settings("whole"));
  RunSettings settings = folder.settings("extended");
  settings.continuation = Continuation::extend;
  settings.earlier = [&] { return results_of(small); };
  const RunOutcome extended = fixture.run("seed = 1..5\n[alpha]\n", settings);
  EXPECT_EQ(extended.ran, 3);
  if (!fixture.world.is_root()) return;
  EXPECT_EQ(archive::results_digest(extended.content), archive::results_digest(whole.content));
}

TEST(Continue, AnArchiveOfAnotherSweepIsRefusedAndNothingIsWritten) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const archive::Content small = fixture.run("seed = 2, 4\n[alpha]\n", folder.settings()).content;
  RunSettings settings = folder.settings("other");
  settings.continuation = Continuation::extend;
  settings.earlier = [&] { return results_of(small); };
  for (const auto& [text, difference] :
       {std::pair{"seed = 2, 4\n[alpha]\nsteps = 3\n", "alpha.steps"},
        {"seed = 2, 5\n[alpha]\n", "an axis has lost a value"}}) {
    try {
      (void)fixture.run(text, settings);
      ADD_FAILURE() << "no error";
    } catch (const parallel::CollectiveError& error) {
      EXPECT_THAT(error.what(), HasSubstr(difference));
    }
    EXPECT_FALSE(archive::journal_exists(settings.journal));
  }
}

TEST(Continue, FailedTasksOfAnArchiveAreRetriedWhenAskedFor) {
  Fixture fixture;
  fixture.fails = "2";
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  const archive::Content first = fixture.run(text, folder.settings()).content;
  fixture.fails = "";
  RunSettings settings = folder.settings("again");
  settings.continuation = Continuation::resume;
  settings.earlier = [&] { return results_of(first); };
  settings.retry_failed = true;
  const RunOutcome again = fixture.run(text, settings);
  EXPECT_EQ(again.ran, 1);
  EXPECT_EQ(again.failed, 0);
  EXPECT_EQ(again.done, 3);
}

TEST(Continue, ARetryThatWasCutOffIsNotComplete) {
  Fixture fixture;
  fixture.fails = "2";
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  (void)fixture.run(text, folder.settings());
  RunSettings settings = folder.settings();
  settings.continuation = Continuation::resume;
  settings.retry_failed = true;
  settings.stop_wanted = [] { return true; };
  const RunOutcome outcome = fixture.run(text, settings);
  EXPECT_EQ(outcome.end, RunEnd::interrupted);
  EXPECT_EQ(outcome.missing, 1);
}

TEST(Reopen, TheStoredConfigMakesTheSamePlan) {
  const FakeExperiment experiment;
  for (const std::string text :
       {"seed = 3..1..-1\n[beta]\ntolerance = 1, 2\n[alpha]\nsteps = 4, 5\n",
        "[alpha]\nsteps = 1\n[data]\ncolumns = a, b | c\nname = x, y\nseparator = \";\"\n",
        "[problem]\ncolour = red, blue\n[data]\nname = \"with, comma\", \"# not a comment\"\n"
        "[beta]\nrate = 2^-3, 7\n"}) {
    const Plan plan(config_of(text, {}, experiment), experiment);
    const StoredConfig stored = stored_config(config_entries(plan.config()), plan.axes());
    const Plan again(config_of(stored.text, stored.assignments, experiment), experiment);
    ASSERT_EQ(again.num_tasks(), plan.num_tasks()) << text;
    EXPECT_EQ(config_entries(again.config()), config_entries(plan.config()));
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      EXPECT_EQ(again.key_of(again.task(i), "d"), plan.key_of(plan.task(i), "d")) << text;
    }
  }
}

TEST(Reopen, ARowThatIsNotOfThePlanIsNamed) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n[beta]\n";
  archive::Content content = fixture.run(text, folder.settings()).content;
  if (!fixture.world.is_root()) return;
  const Plan plan = fixture.plan(text);
  EXPECT_THAT(differences_from_plan(content, plan), ElementsAre());
  std::swap(content.tasks.key[1], content.tasks.key[2]);
  EXPECT_THAT(differences_from_plan(content, plan),
              ElementsAre(HasSubstr("row 1"), HasSubstr("row 2")));
  std::swap(content.tasks.key[1], content.tasks.key[2]);
  content.tasks.method[4] = "alpha";
  EXPECT_THAT(differences_from_plan(content, plan), ElementsAre(HasSubstr("row 4: method")));
  EXPECT_THAT(differences_from_plan(content, fixture.plan("seed = 1, 2\n[alpha]\n[beta]\n")),
              ElementsAre(HasSubstr("6 tasks, but the config makes 4")));
}

}  // namespace
}  // namespace fairfront::sweep::test
