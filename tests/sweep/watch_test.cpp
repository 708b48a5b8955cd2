// What rank 0 says while tasks run, on any number of ranks.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "fake_experiment.hpp"
#include "shared_folder.hpp"
#include "sweep/run.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::HasSubstr;

/// The lines of a log, from whatever thread they come.
class Lines {
 public:
  void add(std::string_view line) {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  }
  [[nodiscard]] std::string with(const std::string& text) const {
    const std::lock_guard lock(mutex_);
    for (const std::string& line : lines_) {
      if (line.find(text) != std::string::npos) return line;
    }
    return {};
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> lines_;
};

/// True when `ready` becomes so within 30 s.
bool wait_for(const std::function<bool()>& ready) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!ready()) {
    if (std::chrono::steady_clock::now() > patience) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

struct Fixture {
  parallel::Comm world{MPI_COMM_WORLD};
  SharedFolder folder{world};
  FakeExperiment experiment;
  Lines lines;
  Progress progress{ProgressStyle::log, [this](std::string_view line) { lines.add(line); }};
  RunContext context;
  RunSettings settings;

  Fixture() {
    experiment.alpha_coupled = false;
    settings.journal = folder.journal();
  }
  RunOutcome run(const std::string& text) {
    const Plan plan(config_of(text, {}, experiment), experiment);
    return sweep::run(world, experiment, plan, context, settings, progress);
  }
};

TEST(Watch, ATaskThatDoesNotAskForTheStopIsSaidToBeInFlight) {
  Fixture fixture;
  std::atomic<bool> stop = false;
  if (fixture.world.is_root()) fixture.settings.stop_wanted = [&] { return stop.load(); };
  fixture.experiment.on_run = [&](const parallel::Comm&, const Task&, const RunContext&) {
    if (!fixture.world.is_root()) return TaskResult{};
    stop = true;
    EXPECT_TRUE(wait_for([&] { return !fixture.lines.with("stopping, ").empty(); }));
    return TaskResult{};
  };
  const RunOutcome outcome = fixture.run("seed = 1..10000\n[alpha]\n");
  EXPECT_EQ(outcome.end, RunEnd::interrupted);
  EXPECT_GT(outcome.missing, 0);
  if (!fixture.world.is_root()) return;
  EXPECT_THAT(fixture.lines.with("stopping"), HasSubstr(" in flight"));
}

TEST(Watch, TheTimeLeftFollowsFromTheTasksThatHaveEnded) {
  Fixture fixture;
  std::atomic<int> ran = 0;
  fixture.experiment.on_run = [&](const parallel::Comm&, const Task&, const RunContext&) {
    // The first ones show what a task takes; the others wait until the run has said what is left.
    if (++ran < 4) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    } else if (fixture.world.is_root()) {
      EXPECT_TRUE(wait_for([&] { return fixture.progress.state().seconds_left.has_value(); }));
    }
    return TaskResult{};
  };
  const RunOutcome outcome = fixture.run("seed = 1..40\n[alpha]\n");
  EXPECT_EQ(outcome.end, RunEnd::complete);
}

/// As a forecast or a trial has done.
TEST(Watch, WhatWasPreparedBeforeTheFirstTaskIsNoPartOfIt) {
  using std::chrono::milliseconds;
  Fixture fixture;
  (void)fixture.context.cache->get<int>("problem", [] {
    std::this_thread::sleep_for(milliseconds(500));
    return Made<int>{std::make_shared<const int>(1), sizeof(int)};
  });
  int ran = 0;
  fixture.experiment.on_run = [&](const parallel::Comm&, const Task&, const RunContext&) {
    if (++ran > 1 && fixture.world.is_root()) {
      EXPECT_TRUE(ran > 2 || wait_for([&] { return fixture.progress.state().seconds_left > 0.3; }));
    } else {
      std::this_thread::sleep_for(milliseconds(100));
    }
    return TaskResult{};
  };
  EXPECT_EQ(fixture.run("seed = 1..40\n[alpha]\n").end, RunEnd::complete);
}

TEST(Watch, TheTimeLeftFollowsFromHowFarATaskOfAnyRankHasCome) {
  Fixture fixture;
  const parallel::Comm& world = fixture.world;
  const std::filesystem::path seen =
      std::filesystem::path(fixture.folder.journal()).concat(".seen");
  fixture.experiment.on_run = [&](const parallel::Comm&, const Task&, const RunContext& context) {
    if (world.rank() + 1 == world.size()) {
      const auto begin = std::chrono::steady_clock::now();
      EXPECT_TRUE(wait_for([&] {
        const std::chrono::duration<double> since = std::chrono::steady_clock::now() - begin;
        context.report({std::min(since.count() / 40, 0.5), "on its way"});
        if (world.is_root() && fixture.progress.state().seconds_left > 15.0) return true;
        return std::filesystem::exists(seen);
      }));
    } else if (world.is_root()) {
      EXPECT_TRUE(wait_for([&] { return fixture.progress.state().seconds_left > 15.0; }));
      std::ofstream{seen};
    }
    return TaskResult{};
  };
  const RunOutcome outcome =
      fixture.run("seed = 1.." + std::to_string(world.size()) + "\n[alpha]\n");
  EXPECT_EQ(outcome.end, RunEnd::complete);
}

}  // namespace
}  // namespace fairfront::sweep::test
