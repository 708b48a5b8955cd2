#include "sweep/ledger.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>

#include "fake_experiment.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"
#include "sweep/forecast.hpp"

namespace fairfront::sweep::test {
namespace {

using results::TaskStatus;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Three coupled tasks of alpha, then three of beta.
constexpr const char* six_tasks = "seed = 1..3\n[alpha]\n[beta]\n";

/// A plan and a place for its journal, gone with this object.
struct Sweep {
  explicit Sweep(const std::string& config = six_tasks) : plan{config_of(config), experiment} {
    std::string name =
        (std::filesystem::temp_directory_path() / "fairfront-ledger-XXXXXX").string();
    folder = mkdtemp(name.data());
    settings.journal = folder + "/a.h5.journal";
  }
  ~Sweep() { std::filesystem::remove_all(folder); }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  [[nodiscard]] Ledger open(const Plan& other) const {
    const auto problems = forecast_problems(experiment, other, RunContext{}, 1);
    std::vector<TaskKey> keys;
    for (std::int64_t i = 0; i < other.num_tasks(); ++i) {
      const auto& data = problems[static_cast<std::size_t>(other.problem_of(i))].forecast.data;
      keys.push_back(TaskKey::of(other.key_of(other.task(i), data.digest)));
    }
    return {other, experiment, problems, std::move(keys), settings};
  }
  [[nodiscard]] Ledger open() const { return open(plan); }

  /// What task `index` leaves behind.
  [[nodiscard]] results::TaskRecord record(std::int64_t index, TaskStatus status) const {
    results::TaskRecord record;
    record.key = plan.key_of(plan.task(index), "digest-of-toy");
    record.status = status;
    record.seconds = 0.5;
    return record;
  }
  /// A launch that ends after these tasks.
  void finish(int launch, const std::vector<std::int64_t>& done,
              const std::vector<std::int64_t>& failed = {}) const {
    journal::JournalWriter writer(settings.journal, launch, 0);
    for (const auto index : done) writer.append(record(index, TaskStatus::done));
    for (const auto index : failed) writer.append(record(index, TaskStatus::failed));
    writer.close();
  }
  void resume() { settings.continuation = Continuation::resume; }

  FakeExperiment experiment;
  Plan plan;
  std::string folder;
  RunSettings settings;
};

/// All that a schedule hands out, in the order of the plan.
std::vector<std::int64_t> tasks_of(Schedule& schedule) {
  std::vector<std::int64_t> tasks;
  while (const auto task = schedule.next({})) tasks.push_back(*task);
  std::sort(tasks.begin(), tasks.end());
  return tasks;
}

std::vector<std::int64_t> tasks_of(const Ledger& ledger, Together which) {
  return tasks_of(*ledger.schedule(which, {}));
}

TEST(Ledger, AFreshRunMakesAJournalAndHasEverythingToDo) {
  const Sweep sweep;
  const Ledger ledger = sweep.open();
  EXPECT_TRUE(journal::journal_exists(sweep.settings.journal));
  EXPECT_EQ(ledger.launch(), 0);
  EXPECT_EQ(ledger.selected(), 6);
  EXPECT_EQ(ledger.done() + ledger.failed(), 0);
  EXPECT_EQ(ledger.waiting(Together::coupled), 3);
  EXPECT_EQ(ledger.waiting(Together::alone), 3);
  EXPECT_EQ(ledger.waiting(Together::all), 6);
  EXPECT_THAT(tasks_of(ledger, Together::coupled), ElementsAre(0, 1, 2));
  EXPECT_THAT(tasks_of(ledger, Together::alone), ElementsAre(3, 4, 5));
  EXPECT_THAT(ledger.warnings(), IsEmpty());
}

TEST(Ledger, ATaskThatATeamCannotShareIsRunWithThoseOfOneRank) {
  Sweep sweep;
  sweep.experiment.on_shared = [](const Task& task) { return task.values.at("data.name") == "b"; };
  sweep.plan = {config_of("[data]\nname = a, b\n[alpha]\n[beta]\n"), sweep.experiment};
  const Ledger ledger = sweep.open();
  std::vector<std::int64_t> of_teams;
  for (std::int64_t i = 0; i < sweep.plan.num_tasks(); ++i) {
    const Task task = sweep.plan.task(i);
    if (task.method == "alpha" && task.values.at("data.name") == "b") of_teams.push_back(i);
  }
  ASSERT_EQ(of_teams.size(), 1u);
  EXPECT_EQ(tasks_of(ledger, Together::coupled), of_teams);
  EXPECT_EQ(ledger.waiting(Together::alone), sweep.plan.num_tasks() - 1);
}

TEST(Ledger, AResumedRunHasTheRestToDoAndALaunchOfItsOwn) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0, 4});
  sweep.finish(1, {5}, {2});
  sweep.resume();
  const Ledger ledger = sweep.open();
  EXPECT_EQ(ledger.launch(), 2);
  EXPECT_EQ(ledger.done(), 3);
  EXPECT_EQ(ledger.failed(), 1);
  EXPECT_THAT(tasks_of(ledger, Together::coupled), ElementsAre(1));
  EXPECT_THAT(tasks_of(ledger, Together::alone), ElementsAre(3));
}

TEST(Ledger, FailedTasksRunAgainWhenThatIsWanted) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0}, {2, 3});
  sweep.resume();
  sweep.settings.retry_failed = true;
  const Ledger ledger = sweep.open();
  EXPECT_EQ(ledger.failed(), 0);
  EXPECT_THAT(tasks_of(ledger, Together::coupled), ElementsAre(1, 2));
  EXPECT_THAT(tasks_of(ledger, Together::alone), ElementsAre(3, 4, 5));
}

TEST(Ledger, OnlySelectedTasksAreCountedAndHandedOut) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0, 1});
  sweep.resume();
  sweep.settings.selected = [](std::int64_t task) { return task % 2 == 1; };
  const Ledger ledger = sweep.open();
  EXPECT_EQ(ledger.selected(), 3);
  EXPECT_EQ(ledger.done(), 1);
  EXPECT_EQ(ledger.waiting(Together::coupled), 0);
  EXPECT_THAT(tasks_of(ledger, Together::alone), ElementsAre(3, 5));
}

/// The tasks whose results the records of each log are; -1: of none.
std::vector<std::vector<std::int64_t>> tasks_of(const Choices& choices) {
  std::vector<std::vector<std::int64_t>> tasks;
  for (const std::vector<Choice>& log : choices.of_logs) {
    std::vector<std::int64_t>& of_log = tasks.emplace_back();
    for (const Choice& choice : log) of_log.push_back(choice.task);
  }
  return tasks;
}

/// What a rank tells of records.
std::vector<FoundRecord> found_records(const Sweep& sweep, const std::vector<std::int64_t>& done,
                                       const std::vector<std::int64_t>& failed = {}) {
  std::vector<FoundRecord> records;
  for (const auto i : done) {
    records.push_back({-1, TaskKey::of(sweep.record(i, TaskStatus::done).key), TaskStatus::done});
  }
  for (const auto i : failed) {
    records.push_back(
        {-1, TaskKey::of(sweep.record(i, TaskStatus::failed).key), TaskStatus::failed});
  }
  return records;
}

TEST(Ledger, OfSeveralRecordsTheFirstDoneOneIsTheResultElseTheLastFailedOne) {
  using enum TaskStatus;
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {4, 1}, {3, 0, 5});
  sweep.resume();
  Ledger ledger = sweep.open();
  const Choices choices = ledger.choose({found_records(sweep, {4, 1}, {3, 0, 5}),
                                         {},
                                         found_records(sweep, {3}, {5, 1}),
                                         found_records(sweep, {3, 1}, {0})});
  EXPECT_THAT(tasks_of(choices), ElementsAre(ElementsAre(4, 1, -1, -1, -1), IsEmpty(),
                                             ElementsAre(3, 5, -1), ElementsAre(-1, -1, 0)));
  EXPECT_THAT(choices.status, ElementsAre(failed, done, missing, done, done, failed));
}

TEST(Ledger, ARecordIsAResultOnlyOfATaskThatRanNowOrHadOneThatStands) {
  using enum TaskStatus;
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {4}, {3});
  sweep.resume();
  sweep.settings.retry_failed = true;
  Ledger ledger = sweep.open();
  std::vector<FoundRecord> records = found_records(sweep, {4, 2}, {3});
  records.push_back({-1, TaskKey::of("of another sweep"), done});
  EXPECT_THAT(ledger.choose({records}).status,
              ElementsAre(missing, missing, missing, missing, done, missing))
      << "task 3 was to be retried, 2 has not run";
  ledger.mark_ran(2);
  ledger.mark_ran(3);
  const Choices choices = ledger.choose({records});
  EXPECT_THAT(tasks_of(choices), ElementsAre(ElementsAre(4, 2, 3, -1)));
  EXPECT_EQ(choices.of_logs[0][0].from_before, 1);
  EXPECT_EQ(choices.of_logs[0][1].from_before, 0);
}

TEST(Ledger, ARankThatKnowsTheTaskOfARecordNeedNotTellItsKey) {
  Sweep sweep;
  Ledger ledger = sweep.open();
  for (const std::int64_t task : {1, 4}) ledger.mark_ran(task);
  const Choices choices = ledger.choose(
      {{{4, {}, TaskStatus::done}, {0, {}, TaskStatus::done}}, found_records(sweep, {4, 1})});
  EXPECT_THAT(tasks_of(choices), ElementsAre(ElementsAre(4, -1), ElementsAre(-1, 1)))
      << "0 has not run";
}

TEST(Ledger, AFreshRunDoesNotTouchAJournalThatIsThere) {
  const Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0});
  EXPECT_THAT(message_of([&] { (void)sweep.open(); }), HasSubstr("--resume"));
  EXPECT_EQ(journal::read_journal(sweep.settings.journal).records.size(), 1u);
}

TEST(Ledger, AJournalIsReplacedOnlyOnceTheNewRunHasItsOwn) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0});
  sweep.settings.replace_journal = true;
  {
    const journal::JournalLock held(sweep.settings.journal);
    EXPECT_THAT(message_of([&] { (void)sweep.open(); }), HasSubstr("in use by process"));
  }
  EXPECT_EQ(journal::read_journal(sweep.settings.journal).records.size(), 1u);
  {
    const Ledger ledger = sweep.open();
    EXPECT_EQ(ledger.done(), 0);
    EXPECT_EQ(ledger.launch(), 0);
  }
  EXPECT_THAT(journal::read_journal(sweep.settings.journal).records, IsEmpty());
  const std::filesystem::directory_iterator entries{sweep.folder};
  EXPECT_EQ(std::distance(begin(entries), end(entries)), 1) << "the old journal is gone";
}

TEST(Ledger, AnOldJournalHasItsNameBackWhenTheNewOneCannotBeMade) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0});
  const base::Folder aside = journal::set_journal_aside(sweep.settings.journal);
  EXPECT_FALSE(journal::journal_exists(sweep.settings.journal));
  journal::make_journal_folder(sweep.settings.journal);
  EXPECT_TRUE(journal::put_journal_back(aside, sweep.settings.journal));
  EXPECT_EQ(journal::read_journal(sweep.settings.journal).records.size(), 1u);
}

TEST(Ledger, TheJournalOfAnotherSweepIsRefusedByItsFirstDifference) {
  Sweep sweep;
  (void)sweep.open();
  sweep.resume();
  const Plan other(config_of("seed = 1..3\n[alpha]\nsteps = 11\n[beta]\n"), sweep.experiment);
  EXPECT_THAT(message_of([&] { (void)sweep.open(other); }),
              HasSubstr("alpha.steps: 10 there, 11 here"));
}

TEST(Ledger, AnExtendedSweepKeepsItsResultsAndBecomesTheJournalsSweep) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0, 1, 2, 3, 4, 5});
  const Plan wider(config_of("seed = 1..5\n[alpha]\n[beta]\n"), sweep.experiment);
  sweep.settings.continuation = Continuation::extend;
  {
    const Ledger ledger = sweep.open(wider);
    EXPECT_EQ(ledger.done(), 6);
    EXPECT_THAT(tasks_of(ledger, Together::coupled), ElementsAre(3, 4));
    EXPECT_THAT(tasks_of(ledger, Together::alone), ElementsAre(8, 9));
  }
  sweep.resume();
  EXPECT_EQ(sweep.open(wider).waiting(Together::coupled), 2);
  EXPECT_THAT(message_of([&] { (void)sweep.open(); }), HasSubstr("seed"));
}

TEST(Ledger, ItsLockOutlivesItAsLongAsSomebodyHoldsIt) {
  Sweep sweep;
  sweep.resume();
  auto ledger = std::make_unique<Ledger>(sweep.open());
  std::shared_ptr<journal::JournalLock> lock = ledger->lock();
  ledger.reset();
  EXPECT_THAT(message_of([&] { (void)sweep.open(); }), HasSubstr("in use by process"));
  lock.reset();
  EXPECT_EQ(sweep.open().selected(), 6);
}

TEST(Ledger, WhatIsWrongWithTheJournalIsToldAsAWarning) {
  Sweep sweep;
  (void)sweep.open();
  sweep.finish(0, {0, 1});
  std::ofstream(sweep.settings.journal + "/0000-000000.log", std::ios::app) << "half a record";
  sweep.resume();
  const Ledger ledger = sweep.open();
  EXPECT_THAT(ledger.warnings(), ElementsAre(HasSubstr("last 13 bytes")));
  EXPECT_EQ(ledger.done(), 2);
}

}  // namespace
}  // namespace fairfront::sweep::test
