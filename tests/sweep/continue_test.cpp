// Runs that go on from an archive, parts of a sweep, and the fronts merged over tasks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "archive/archive.hpp"
#include "base/random.hpp"
#include "fake_experiment.hpp"
#include "parallel/agree.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"
#include "results/front_check.hpp"
#include "results/records.hpp"
#include "shared_folder.hpp"
#include "sweep/leftover.hpp"
#include "sweep/merge.hpp"
#include "sweep/run.hpp"
#include "sweep/stored_config.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Fronts of random points on a coarse grid, so that tasks tie and dominate each other.
/// @param draws  points of which the nondominated ones stay.
/// @param grid   values of each objective.
TaskResult random_front(const Task& task, std::uint64_t draws = 6, std::uint32_t grid = 20) {
  base::Stream stream(base::StreamKey(std::stoull(task.values.at("seed")), task.key, "front"), 0);
  TaskResult result;
  pareto::Points points(2);
  for (std::uint64_t i = 0; i < draws; ++i) {
    const double cost = stream.below(grid);
    const double balance = stream.below(grid);
    points.add(std::array{cost, -balance}, i);
  }
  const pareto::Front front(points);
  for (std::size_t i = 0; i < front.size(); ++i) {
    result.front.points.push_back(front[i][0]);
    result.front.points.push_back(-front[i][1]);  // balance is maximised
    result.solutions["labels"].emplace_back(std::vector<std::uint8_t>{1, 2});
  }
  const auto worst = static_cast<double>(grid);
  result.front.reference = {worst, 0};
  result.front.hypervolume = pareto::hypervolume(front, {worst, 0});
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
      if (task.values.at("seed") == fails) throw std::domain_error("no luck");
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

EarlierResults results_of(const results::Content& content) {
  return {results::sweep_of(content), results::records_of(content)};
}

/// The definition: rows of points of one group of tasks such that no point of the group is better,
/// and none with the same values stands in an earlier row.
std::vector<std::int64_t> nondominated_rows(const results::FrontGroup& group,
                                            const std::vector<std::int32_t>& group_of_task,
                                            std::int32_t wanted) {
  const auto belongs = [&](std::size_t row) {
    return group_of_task[static_cast<std::size_t>(group.task[row])] == wanted;
  };
  std::vector<std::int64_t> rows;
  for (std::size_t i = 0; i < group.task.size(); ++i) {
    if (!belongs(i)) continue;
    bool stays = true;
    for (std::size_t j = 0; j < group.task.size(); ++j) {
      if (!belongs(j)) continue;
      const double cost = group.points[2 * j] - group.points[2 * i];
      const double balance = group.points[2 * j + 1] - group.points[2 * i + 1];
      if (cost <= 0 && balance >= 0 && (cost < 0 || balance > 0 || j < i)) stays = false;
    }
    if (stays) rows.push_back(static_cast<std::int64_t>(i));
  }
  return rows;
}

void expect_merged(const results::FrontGroup& group, const results::MergedSet& set,
                   const std::vector<std::int32_t>& group_of_task, std::size_t groups) {
  ASSERT_EQ(set.offsets.size(), groups + 1);
  for (std::size_t g = 0; g < groups; ++g) {
    std::vector<std::int64_t> found(set.point.begin() + set.offsets[g],
                                    set.point.begin() + set.offsets[g + 1]);
    std::ranges::sort(found);
    EXPECT_EQ(found, nondominated_rows(group, group_of_task, static_cast<std::int32_t>(g)))
        << group.name << ", group " << g;
  }
}

TEST(Continue, FrontsAreMergedAlongTradeOffsPerReplicateAndOverReplicates) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text =
      "seed = 1..3\n[data]\nname = a, b\n[alpha]\nsteps = 1..4\ntolerance = 1, 2\n[beta]\n";
  const RunOutcome outcome = fixture.run(text, folder.settings());
  if (!fixture.world.is_root()) return;
  const results::Content& content = outcome.content;
  ASSERT_EQ(content.merged.size(), 2u);
  ASSERT_EQ(content.fronts.size(), 2u);
  // alpha: 2 data sets x 2 tolerances, each with 3 seeds; beta: 2 data sets with 3 seeds.
  const std::size_t configurations = 4 + 2;
  for (std::size_t g = 0; g < 2; ++g) {
    const results::MergedFront& merged = content.merged[g];
    expect_merged(content.fronts[g], merged.per_replicate, content.tasks.curve, 3 * configurations);
    expect_merged(content.fronts[g], merged.over_replicates, content.tasks.configuration,
                  configurations);
  }
  EXPECT_THAT(results::wrong_fronts(content), ElementsAre());
}

/// More points than the collector lets wait, several times over.
TEST(Continue, FrontsOfManyTasksAreMergedLikeThoseOfFew) {
  Fixture fixture;
  fixture.experiment.on_run = [](const parallel::Comm&, const Task& task, const RunContext&) {
    return random_front(task, 60, 1000);
  };
  const SharedFolder folder(fixture.world);
  const RunOutcome outcome = fixture.run(
      "seed = 1..40\n[data]\nname = a\n[alpha]\nsteps = 1..5\n[beta]\n", folder.settings());
  if (!fixture.world.is_root()) return;
  const results::Content& content = outcome.content;
  ASSERT_EQ(content.merged.size(), 2u);
  EXPECT_GT(content.fronts[0].task.size(), 3u * 256u);
  for (std::size_t g = 0; g < 2; ++g) {
    expect_merged(content.fronts[g], content.merged[g].over_replicates, content.tasks.configuration,
                  2);
  }
  EXPECT_THAT(results::wrong_fronts(content), ElementsAre());
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
  EXPECT_EQ(resumed.content.merged.at(0).over_replicates.point,
            whole.content.merged.at(0).over_replicates.point);
  EXPECT_EQ(results::results_digest(resumed.content), results::results_digest(whole.content));
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
  EXPECT_EQ(std::ranges::count(parts[0].content.tasks.status, results::TaskStatus::missing), 9);
  std::ranges::reverse(parts);  // the order of the parts does not matter
  const results::Content merged = merge(fixture.plan(text), fixture.experiment.schema(), parts);
  EXPECT_EQ(results::results_digest(merged), results::results_digest(whole.content));
}

/// An earlier version knows fewer measures: what one part knows is there, whatever the order.
TEST(Continue, PartsOfOneTaskHaveTheirMeasuresTogether) {
  using Cells = std::map<results::MeasuredRows, results::Measured>;
  const auto content_with = [](const Cells& error) {
    Fixture fixture;
    fixture.experiment.on_run = [&](const parallel::Comm&, const Task& task, const RunContext&) {
      TaskResult result = random_front(task);
      if (!error.empty()) result.measured["error"] = error;
      return result;
    };
    const SharedFolder folder(fixture.world);
    return fixture.run("seed = 1, 2\n[alpha]\n", folder.settings("a")).content;
  };
  const results::Content none = content_with({});
  const results::Content all =
      content_with({{{"train"}, {.value = 0.25}}, {{"test"}, {.value = 0.5}}});
  Fixture fixture;
  if (!fixture.world.is_root()) return;
  std::vector<NamedContent> parts{{"a.h5", none}, {"b.h5", all}};
  for (int order = 0; order < 2; ++order) {
    std::vector<NamedContent> given = parts;
    const results::Content merged =
        merge(fixture.plan("seed = 1, 2\n[alpha]\n"), fixture.experiment.schema(), given);
    EXPECT_EQ(results::records_of(merged).at(1).result.measured,
              results::records_of(all).at(1).result.measured);
    std::ranges::reverse(parts);
  }
}

TEST(Continue, PartsThatContradictEachOtherOrAreOfOtherSweepsDoNotMerge) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1, 2\n[alpha]\n";
  const results::Content a = fixture.run(text, folder.settings("a")).content;
  const results::Content other =
      fixture.run("seed = 1, 2\n[alpha]\nsteps = 3\n", folder.settings("b")).content;
  if (!fixture.world.is_root()) return;
  const auto message = [&](results::Content b) {
    std::vector<NamedContent> parts{{"a.h5", a}, {"b.h5", std::move(b)}};
    return message_of([&] { (void)merge(fixture.plan(text), fixture.experiment.schema(), parts); });
  };
  results::Content changed = a;
  changed.metrics[0].values[1] = std::nextafter(changed.metrics[0].values[1], 9.0);
  EXPECT_THAT(message(changed), HasSubstr("task 1 (alpha, seed=2) has two results"));
  EXPECT_THAT(message(changed), HasSubstr("metric loss"));
  EXPECT_THAT(message(other), HasSubstr("alpha.steps"));
  results::Content later = a;
  later.measures.emplace_back().what.name = "of_tomorrow";
  EXPECT_THAT(message(later), HasSubstr("'b.h5' has measures that this version does not know "
                                        "('of_tomorrow')"));
}

TEST(Continue, AFinishedArchiveIsExtendedAndItsTasksDoNotRunAgain) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const results::Content small = fixture.run("seed = 2, 4\n[alpha]\n", folder.settings()).content;
  const RunOutcome whole = fixture.run("seed = 1..5\n[alpha]\n", folder.settings("whole"));
  RunSettings settings = folder.settings("extended");
  settings.continuation = Continuation::extend;
  settings.earlier = [&] { return results_of(small); };
  const RunOutcome extended = fixture.run("seed = 1..5\n[alpha]\n", settings);
  EXPECT_EQ(extended.ran, 3);
  if (!fixture.world.is_root()) return;
  EXPECT_EQ(results::results_digest(extended.content), results::results_digest(whole.content));
}

TEST(Continue, AnArchiveOfAnotherSweepIsRefusedAndNothingIsWritten) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const results::Content small = fixture.run("seed = 2, 4\n[alpha]\n", folder.settings()).content;
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
    EXPECT_FALSE(journal::journal_exists(settings.journal));
  }
}

TEST(Continue, FailedTasksOfAnArchiveAreRetriedWhenAskedFor) {
  Fixture fixture;
  fixture.fails = "2";
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  const results::Content first = fixture.run(text, folder.settings()).content;
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

TEST(Continue, AnArchiveWithResultsThatTheExperimentCannotGiveIsNotTaken) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  results::Content forged = fixture.run(text, folder.settings()).content;
  if (fixture.world.is_root()) forged.metrics[0].what.name = "nonsense";
  RunSettings settings = folder.settings("again");
  settings.continuation = Continuation::resume;
  settings.earlier = [&] { return results_of(forged); };
  try {
    (void)fixture.run(text, settings);
    ADD_FAILURE() << "no error";
  } catch (const parallel::CollectiveError& error) {
    EXPECT_THAT(error.what(), HasSubstr("task 0: "));
    EXPECT_THAT(error.what(), HasSubstr("no metric 'nonsense'"));
  }
  EXPECT_FALSE(journal::journal_exists(settings.journal));
  if (!fixture.world.is_root()) return;
  std::vector<NamedContent> parts{{"a.h5", forged}, {"b.h5", forged}};
  try {
    (void)merge(fixture.plan(text), fixture.experiment.schema(), parts);
    ADD_FAILURE() << "no error";
  } catch (const base::DamagedError& error) {
    EXPECT_THAT(error.what(), HasSubstr("task 0 of 'a.h5'"));
  }
}

/// Records with right checksums that no run of this experiment has written: their tasks run again,
/// once, instead of being passed over by every launch and missed by the archive.
TEST(Continue, RecordsThatNoArchiveCanHoldAreNotTaken) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..5\n[alpha]\n";
  const RunSettings whole = folder.settings();
  const results::Content good = fixture.run(text, whole).content;
  RunSettings settings = folder.settings("forged");
  settings.stop_wanted = [] { return true; };
  EXPECT_EQ(fixture.run(text, settings).end, RunEnd::interrupted);
  if (fixture.world.is_root()) {
    std::vector<results::TaskRecord> records = results::records_of(good);
    records[0].result.metrics["nonsense"] = 1;
    records[1].result.front.hypervolume = -1;
    records[2].result.front.reference[0] = std::numeric_limits<double>::infinity();
    records[3].message = std::string("a\0b", 3);
    records[4].seconds = std::numeric_limits<double>::quiet_NaN();  // no reason to run it again
    records.push_back(records[4]);
    records.back().key = std::string(64, '0');
    journal::JournalWriter log(settings.journal, 1, 0);
    for (const results::TaskRecord& record : records) log.append(record);
    log.close();
  }
  settings.stop_wanted = {};
  settings.continuation = Continuation::resume;
  const RunOutcome resumed = fixture.run(text, settings);
  EXPECT_EQ(resumed.end, RunEnd::complete);
  EXPECT_EQ(resumed.ran, 4);
  if (!fixture.world.is_root()) return;
  EXPECT_EQ(results::results_digest(resumed.content), results::results_digest(good));
  EXPECT_THAT(resumed.warnings, testing::Contains(HasSubstr("5 damaged places")));
}

TEST(Continue, AFailureElsewhereInTheSweepIsKeptWhenASliceIsRetried) {
  Fixture fixture;
  fixture.fails = "2";
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  (void)fixture.run(text, folder.settings());
  RunSettings settings = folder.settings();
  settings.continuation = Continuation::resume;
  settings.retry_failed = true;
  settings.selected = [](std::int64_t task) { return task == 0; };
  const RunOutcome outcome = fixture.run(text, settings);
  EXPECT_EQ(outcome.ran, 0);
  if (!fixture.world.is_root()) return;
  EXPECT_EQ(outcome.content.tasks.status.at(1), results::TaskStatus::failed);
}

TEST(Continue, ATaskThatIsDoneInTheArchiveStaysDoneWhateverTheJournalSays) {
  Fixture fixture;
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  const results::Content sound = fixture.run(text, folder.settings("sound")).content;
  fixture.fails = "2";
  (void)fixture.run(text, folder.settings());
  RunSettings settings = folder.settings();
  settings.continuation = Continuation::resume;
  settings.earlier = [&] { return results_of(sound); };
  const RunOutcome outcome = fixture.run(text, settings);
  EXPECT_EQ(outcome.ran, 0);
  EXPECT_EQ(outcome.failed, 0);
  EXPECT_EQ(outcome.done, 3);
}

TEST(Leftover, OnlyAJournalWhoseEveryRecordIsStoredIsStored) {
  Fixture fixture;
  fixture.fails = "2";
  const SharedFolder folder(fixture.world);
  const std::string text = "seed = 1..3\n[alpha]\n";
  const results::Content first = fixture.run(text, folder.settings()).content;
  fixture.fails = "";
  RunSettings settings = folder.settings();
  settings.continuation = Continuation::resume;
  settings.retry_failed = true;
  const results::Content retried = fixture.run(text, settings).content;
  const results::Content wider =
      fixture.run("seed = 1..4\n[alpha]\n", folder.settings("wider")).content;
  if (!fixture.world.is_root()) return;
  const std::string journal = folder.journal();
  EXPECT_EQ(judge_leftover(journal, retried), Leftover::stored);
  EXPECT_EQ(judge_leftover(journal, first), Leftover::unstored) << "seed 2 is done by now";
  EXPECT_EQ(judge_leftover(journal, wider), Leftover::foreign);
  EXPECT_EQ(judge_leftover(folder.journal("none"), first), Leftover::none);
  results::Content slice = retried;
  slice.tasks.status.at(2) = results::TaskStatus::missing;
  EXPECT_EQ(judge_leftover(journal, slice), Leftover::unstored);
}

TEST(Reopen, TheStoredConfigMakesTheSamePlan) {
  const FakeExperiment experiment;
  for (const std::string text :
       {"seed = 3..1..-1\n[beta]\ntolerance = 1, 2\n[alpha]\nsteps = 4, 5\n",
        "[alpha]\nsteps = 1\n[data]\ncolumns = a, b | c\nname = x, y\nseparator = \";\"\n",
        "[problem]\ncolour = red, blue\n[data]\nname = \"with, comma\", \"# not a comment\"\n"
        "[beta]\nrate = 2^-3, 7\n"}) {
    const Plan plan(config_of(text, {}, experiment), experiment);
    const StoredConfig stored = stored_config(config::config_entries(plan.config()), plan.axes());
    const Plan again(config_of(stored.text, stored.assignments, experiment), experiment);
    ASSERT_EQ(again.num_tasks(), plan.num_tasks()) << text;
    EXPECT_EQ(config::config_entries(again.config()), config::config_entries(plan.config()));
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      EXPECT_EQ(again.key_of(again.task(i), "d"), plan.key_of(plan.task(i), "d")) << text;
    }
  }
}

TEST(Reopen, TheIniMakesTheSameTasksInTheSameOrder) {
  const FakeExperiment experiment;
  using Overrides = std::vector<std::string>;
  // The last two have axes in an order that lines within sections cannot give.
  for (const auto& [text, overrides] : {
           std::pair{std::string{"seed = 3..1..-1\n[beta]\ntolerance = 1, 2\n[alpha]\n"},
                     Overrides{}},
           std::pair{std::string{"[problem]\ncolour = red, blue\n[data]\nname = \"with, comma\", "
                                 "\"# not a comment\"\n[beta]\nrate = 2^-3, 7\n"},
                     Overrides{}},
           std::pair{std::string{"[alpha]\nsteps = 4, 5\n[data]\nname = x, y\n"},
                     Overrides{"seed=1..3"}},
           std::pair{std::string{"[data]\nname = x, y\n[alpha]\nsteps = 4, 5\n"},
                     Overrides{"data.columns=a, b | c"}},
       }) {
    const Plan plan(config_of(text, overrides, experiment), experiment);
    const auto entries = config::config_entries(plan.config());
    const Plan again(config_of(stored_ini(entries, plan.axes()), {}, experiment), experiment);
    EXPECT_EQ(config::config_entries(again.config()), entries) << text;
    ASSERT_EQ(again.num_tasks(), plan.num_tasks()) << text;
    for (std::int64_t i = 0; i < plan.num_tasks(); ++i) {
      EXPECT_EQ(again.key_of(again.task(i), "d"), plan.key_of(plan.task(i), "d")) << text;
    }
  }
}

TEST(Reopen, AnIniWithALineEndInAValueIsRefused) {
  const std::vector<results::ConfigEntry> config{{"", "experiment", "fake"},
                                                 {"data", "name", "\"two\nlines\""}};
  EXPECT_THAT(message_of([&] { (void)stored_ini(config, {}); }), HasSubstr("data.name"));
}

}  // namespace
}  // namespace fairfront::sweep::test
