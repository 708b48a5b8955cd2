#include "sweep/trials.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstring>
#include <filesystem>
#include <functional>
#include <limits>
#include <map>
#include <new>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "fake_experiment.hpp"
#include "journal/journal.hpp"
#include "parallel/agree.hpp"
#include "shared_folder.hpp"
#include "sweep/run.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::HasSubstr;

constexpr int tried = 3;

/// A task per seed and data set, and three trials for each data set.
const std::string config_text = "seed = 4..9\n[data]\nname = a, b\n[alpha]\n";

/// Beside its tasks it has trials.
class TunedExperiment : public FakeExperiment {
 public:
  std::function<double(const Task&)> on_score;

  /// Score that the last of the trials must not reach: there is one more for each that does.
  double enough = std::numeric_limits<double>::infinity();

  [[nodiscard]] std::vector<Task> trials(const Task& task,
                                         const TrialOutcomes& known) const override {
    std::vector<Task> all = first(task, tried);
    for (auto last = known.find(address_of(all.back()));
         last != known.end() && last->second.score >= enough;
         last = known.find(address_of(all.back()))) {
      all = first(task, static_cast<int>(all.size()) + 1);
    }
    return all;
  }
  [[nodiscard]] static std::vector<Task> first(const Task& task, int count) {
    std::vector<Task> all(static_cast<std::size_t>(count), task);
    for (int i = 0; i < count; ++i) {
      Task& trial = all[static_cast<std::size_t>(i)];
      trial.values.at("seed") = "1";
      trial.values.at(task.method + ".tolerance") = std::to_string(i);
    }
    return all;
  }
  [[nodiscard]] double score(const parallel::Comm& /*team*/, const Task& trial,
                             const RunContext& context) const override {
    if (context.report) context.report({0.5, "half of a trial"});
    return on_score(trial);
  }
};

/// Of each data set; the score of a trial is its place.
struct Tuned {
  TunedExperiment experiment;
  std::vector<std::string> made;  ///< trials of this rank, by data set and place
  std::vector<std::string> ran;   ///< tasks of this rank, with the scores that they found
  std::function<void(const std::string& trial)> before = [](const std::string&) {};

  Tuned() {
    experiment.alpha_coupled = false;
    experiment.on_score = [this](const Task& trial) {
      const std::string place = trial.values.at(trial.method + ".tolerance");
      const std::string name = trial.values.at("data.name") + place;
      before(name);
      made.push_back(name);
      return std::stod(place) + (trial.values.at("data.name") == "b" ? 0.5 : 0);
    };
    experiment.on_run = [this](const parallel::Comm&, const Task& task, const RunContext& context) {
      std::string scores;
      for (const Task& trial : experiment.trials(task, *context.trials)) {
        const TrialOutcome& outcome = context.trials->at(address_of(trial));
        if (outcome.failure) throw base::InputError(*outcome.failure);
        scores += fmt::format(" {}", outcome.score);
      }
      ran.push_back(task.values.at("data.name") + ":" + scores);
      return TaskResult{};
    };
  }

  RunOutcome run(const parallel::Comm& world, const RunSettings& settings,
                 const std::string& text = config_text) {
    made.clear();
    ran.clear();
    Progress progress(world.is_root() ? ProgressStyle::log : ProgressStyle::silent,
                      [this](std::string_view line) { said += line; });
    const Plan plan(config_of(text, {}, experiment), experiment);
    shown = &progress;
    return sweep::run(world, experiment, plan, {}, settings, progress);
  }
  /// Of all ranks, by name. Collective.
  [[nodiscard]] static std::map<std::string, int> counts(const parallel::Comm& world,
                                                         const std::vector<std::string>& mine) {
    std::string text;
    for (const std::string& name : mine) text += name + "\n";
    std::map<std::string, int> counts;
    for (const std::string& of_rank :
         parallel::broadcast(world, 0, parallel::gather(world, text))) {
      std::size_t begin = 0;
      for (std::size_t end; (end = of_rank.find('\n', begin)) != std::string::npos;) {
        ++counts[of_rank.substr(begin, end - begin)];
        begin = end + 1;
      }
    }
    return counts;
  }

  std::string said;
  const Progress* shown = nullptr;  ///< while a run goes on
};

const std::map<std::string, int> each_once{{"a0", 1}, {"a1", 1}, {"a2", 1},
                                           {"b0", 1}, {"b1", 1}, {"b2", 1}};

TEST(Trials, TheMiddleOneOfEachKindComesFirst) {
  const std::vector<PlannedTrial> trials{{0, 0}, {0, 1}, {0, 2}, {5, 0}, {6, 0}};
  const auto kind_of = [](std::int64_t task) { return std::int64_t{task < 5 ? 1 : 0}; };
  std::vector<std::pair<std::int64_t, std::int64_t>> ordered;
  for (const PlannedTrial& trial : with_probes_first(trials, kind_of)) {
    ordered.emplace_back(trial.task, trial.place);
  }
  const std::vector<std::pair<std::int64_t, std::int64_t>> expected{
      {6, 0}, {0, 1}, {0, 0}, {0, 2}, {5, 0}};
  EXPECT_EQ(ordered, expected);
  EXPECT_TRUE(with_probes_first({}, kind_of).empty());
}

TEST(Trials, EachIsMadeOnceByOneRankAndEveryTaskFindsIt) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  const RunOutcome outcome = tuned.run(world, folder.settings());
  EXPECT_EQ(outcome.done, 12);
  EXPECT_EQ(Tuned::counts(world, tuned.made), each_once);
  const std::map<std::string, int> expected{{"a: 0 1 2", 6}, {"b: 0.5 1.5 2.5", 6}};
  EXPECT_EQ(Tuned::counts(world, tuned.ran), expected);
}

/// The fake scores fall with the place here: those of b reach the bound at two further places.
TEST(Trials, HowFarTheyHaveComeIsNoTimeLeftOfTheRun) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  int looked = 0;
  tuned.before = [&](const std::string&) {
    if (!world.is_root()) return;
    EXPECT_EQ(tuned.shown->state().text, "half of a trial");
    // The first trial alone: what trials took that have ended does say when the run ends.
    if (looked == 0) {
      EXPECT_FALSE(tuned.shown->state().seconds_left);
    }
    ++looked;
  };
  EXPECT_EQ(tuned.run(world, folder.settings()).end, RunEnd::complete);
  if (world.size() == 1) {
    EXPECT_EQ(looked, 6);
  }
}

TEST(Trials, MoreAreMadeAsLongAsTheirScoresAskForThem) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  tuned.experiment.enough = -3;
  tuned.experiment.on_score = [&](const Task& trial) {
    const std::string place = trial.values.at(trial.method + ".tolerance");
    tuned.made.push_back(trial.values.at("data.name") + place);
    return -std::stod(place) - (trial.values.at("data.name") == "a" ? 2 : 0);
  };
  EXPECT_EQ(tuned.run(world, folder.settings()).done, 12);
  std::map<std::string, int> made = each_once;
  made.insert({{"b3", 1}, {"b4", 1}});
  EXPECT_EQ(Tuned::counts(world, tuned.made), made);
  const std::map<std::string, int> expected{{"a: -2 -3 -4", 6}, {"b: -0 -1 -2 -3 -4", 6}};
  EXPECT_EQ(Tuned::counts(world, tuned.ran), expected);
}

TEST(Trials, MethodsHaveTrialsOfTheirOwn) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  const std::string text = "seed = 4, 5\n[alpha]\n[beta]\n";
  EXPECT_EQ(tuned.run(world, folder.settings(), text).done, 4);
  const std::map<std::string, int> expected{{"toy0", 2}, {"toy1", 2}, {"toy2", 2}};
  EXPECT_EQ(Tuned::counts(world, tuned.made), expected);
}

TEST(Trials, OnlyThoseOfTasksThatWaitAreMade) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  RunSettings settings = folder.settings();
  settings.selected = [](std::int64_t task) { return task % 2 == 1; };  // of b
  EXPECT_EQ(tuned.run(world, settings).done, 6);
  const std::map<std::string, int> of_b{{"b0", 1}, {"b1", 1}, {"b2", 1}};
  EXPECT_EQ(Tuned::counts(world, tuned.made), of_b);
  settings.continuation = Continuation::resume;
  EXPECT_EQ(tuned.run(world, settings).ran, 0);
  EXPECT_TRUE(Tuned::counts(world, tuned.made).empty());
}

/// A rank stops before its second trial, or inside it. What was made is not made again.
TEST(Trials, AStoppedRunBeginsNoTaskAndAResumedOneMakesWhatIsLeft) {
  const parallel::Comm world(MPI_COMM_WORLD);
  for (const bool inside : {false, true}) {
    const SharedFolder folder(world);
    Tuned tuned;
    RunSettings settings = folder.settings();
    if (inside) {
      tuned.before = [&](const std::string&) {
        if (!tuned.made.empty()) throw TaskInterrupted();
      };
    } else {
      settings.stop_wanted = [&] { return !tuned.made.empty(); };
    }
    const RunOutcome stopped = tuned.run(world, settings);
    EXPECT_EQ(stopped.end, RunEnd::interrupted);
    EXPECT_EQ(stopped.ran, 0);
    auto all = Tuned::counts(world, tuned.made);
    EXPECT_LE(all.size(), static_cast<std::size_t>(world.size()));
    tuned.before = [](const std::string&) {};
    settings.stop_wanted = nullptr;
    settings.continuation = Continuation::resume;
    EXPECT_EQ(tuned.run(world, settings).done, 12);
    for (const auto& [name, count] : Tuned::counts(world, tuned.made)) all[name] += count;
    EXPECT_EQ(all, each_once);
  }
}

TEST(Trials, AnErrorOfTheInputFailsTheTasksThatNeedTheTrial) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  tuned.before = [](const std::string& trial) {
    if (trial == "b1") throw base::InputError("no row of a group");
  };
  const RunOutcome outcome = tuned.run(world, folder.settings());
  EXPECT_EQ(outcome.done, 6);
  EXPECT_EQ(outcome.failed, 6);
  if (!world.is_root()) return;
  for (std::size_t task = 0; task < 12; ++task) {
    EXPECT_EQ(outcome.content.tasks.message[task], task % 2 == 0 ? "" : "no row of a group");
  }
}

TEST(Trials, AnErrorThatIsNotTheTrialsEndsTheRunOnAllRanksAndIsResumed) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const std::vector<std::function<void()>> errors{
      [] { throw std::bad_alloc(); }, [] { throw std::logic_error("a bug"); },
      [] { throw base::DataError("cannot read 'people.csv'"); }, [] { throw 42; }};
  for (const std::function<void()>& fail : errors) {
    const SharedFolder folder(world);
    Tuned tuned;
    tuned.before = [&](const std::string& trial) {
      if (trial == "b1") fail();
    };
    RunSettings settings = folder.settings();
    try {
      (void)tuned.run(world, settings);
      ADD_FAILURE() << "the run goes on";
    } catch (const parallel::CollectiveError& error) {
      EXPECT_EQ(error.exit_code(), base::ExitCode::internal);
      EXPECT_THAT(error.what(), HasSubstr("trial 1 of task 1 (alpha, "));
      EXPECT_THAT(error.what(), HasSubstr("has no result: "));
    }
    EXPECT_TRUE(tuned.ran.empty());
    tuned.before = [](const std::string&) {};
    settings.continuation = Continuation::resume;
    EXPECT_EQ(tuned.run(world, settings).done, 12);
  }
}

/// Of a task on the first rank: the files of all trials are there when it runs.
TEST(Trials, AScoreWhoseFileIsDamagedIsFoundAnewWithAWarning) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const SharedFolder folder(world);
  Tuned tuned;
  RunSettings settings = folder.settings();
  const auto run_task = tuned.experiment.on_run;
  tuned.experiment.on_run = [](const parallel::Comm&, const Task&,
                               const RunContext&) -> TaskResult { throw TaskInterrupted(); };
  EXPECT_EQ(tuned.run(world, settings).end, RunEnd::interrupted);
  const Plan plan(config_of(config_text, {}, tuned.experiment), tuned.experiment);
  const std::string file = journal::checkpoint_path(
      settings.journal, address_of(tuned.experiment.trials(plan.task(0), {}).front()));
  if (world.is_root()) std::filesystem::resize_file(file, std::filesystem::file_size(file) - 1);
  (void)parallel::all_reduce_sum(world, 0);
  tuned.experiment.on_run = run_task;
  settings.continuation = Continuation::resume;
  tuned.said.clear();
  EXPECT_EQ(tuned.run(world, settings).done, 12);
  const std::map<std::string, int> anew{{"a0", 1}};
  EXPECT_EQ(Tuned::counts(world, tuned.made), anew);
}

/// NaN, infinity, both zeros: what one rank finds is what the others see.
TEST(Trials, ScoresReachTheOtherRanksBitForBit) {
  const parallel::Comm world(MPI_COMM_WORLD);
  const std::vector<double> scores{std::numeric_limits<double>::quiet_NaN(),
                                   -std::numeric_limits<double>::infinity(), -0.0, 1.0 / 3, 5e-324};
  TimeLeft time_left;
  const std::vector<TaskCost> costs(scores.size());
  time_left.expect(world.size(), costs);
  TrialSource source(costs, time_left);
  const auto all = make_trials(
      world, world.is_root() ? &source : nullptr, [] { return false; },
      [&](std::size_t place, parallel::TaskQueue&, TrialOutcomes& outcomes) {
        outcomes[std::to_string(place)] = {scores[place], std::nullopt};
        return true;
      });
  ASSERT_EQ(all.size(), scores.size());
  for (std::size_t i = 0; i < scores.size(); ++i) {
    const double found = all.at(std::to_string(i)).score;
    EXPECT_EQ(std::memcmp(&found, &scores[i], sizeof found), 0) << i;
  }
}

TEST(Trials, TheirAddressIsThatOfTheirValues) {
  Task trial;
  trial.method = "alpha";
  trial.values["alpha.steps"] = "1";
  std::set<std::string> addresses{address_of(trial)};
  trial.index = 5;
  EXPECT_TRUE(addresses.contains(address_of(trial)));
  trial.values.at("alpha.steps") = "2";
  EXPECT_TRUE(addresses.insert(address_of(trial)).second);
  trial.method = "beta";
  EXPECT_TRUE(addresses.insert(address_of(trial)).second);
}

}  // namespace
}  // namespace fairfront::sweep::test
