#include "sweep/monitor.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "journal/journal.hpp"

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// An empty folder, gone with this object.
class Folder {
 public:
  Folder() {
    std::string name =
        (std::filesystem::temp_directory_path() / "fairfront-monitor-XXXXXX").string();
    path_ = mkdtemp(name.data());
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

/// The first heartbeat that appears.
journal::Heartbeat wait_for_heartbeat(const std::string& journal) {
  const auto patience = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (std::chrono::steady_clock::now() < patience) {
    if (auto heartbeat = journal::read_heartbeat(journal)) return *heartbeat;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "no heartbeat in 30 s";
  return {};
}

TEST(Monitor, TellsAtOnceWhoRunsAndHowFarHeIs) {
  const Folder journal;
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  progress.begin(10, 4, 1);
  progress.set_earlier(7, 2, 12.5);
  progress.begin_task("alpha, seed=2");
  progress.report({0.5, "step 7"});
  progress.end_task({3, 0.5, true});
  progress.end_task({5, 2, false});
  const Monitor monitor(
      true, [&] { return base::Folder(journal.path()); }, 3, progress);
  const journal::Heartbeat heartbeat = wait_for_heartbeat(journal.path());
  EXPECT_EQ(heartbeat.state, "running");
  EXPECT_EQ(heartbeat.process, getpid());
  EXPECT_FALSE(heartbeat.host.empty());
  EXPECT_EQ(heartbeat.ranks, 3);
  EXPECT_EQ(heartbeat.total, 10);
  EXPECT_EQ(heartbeat.done, 4);
  EXPECT_EQ(heartbeat.failed, 2);
  EXPECT_EQ(heartbeat.ended, 2);
  EXPECT_EQ(heartbeat.task_seconds, 15);
  EXPECT_THAT(heartbeat.slowest_tasks, ElementsAre(5, 3));
  EXPECT_THAT(heartbeat.slowest_seconds, ElementsAre(2, 0.5));
  EXPECT_THAT(heartbeat.failed_tasks, ElementsAre(3));
  EXPECT_EQ(heartbeat.other_done, 7);
  EXPECT_EQ(heartbeat.other_failed, 2);
  EXPECT_THAT(heartbeat.running, ElementsAre("alpha, seed=2: step 7"));
  EXPECT_GT(heartbeat.unix_seconds, 1.6e9);
}

/// `status` says what the line says, but for a second: it was five.
TEST(Monitor, BeatsEverySecondUnlessTheFileSystemIsSlow) {
  EXPECT_EQ(seconds_to_next_beat(0), 1);
  EXPECT_EQ(seconds_to_next_beat(0.05), 1);
  EXPECT_EQ(seconds_to_next_beat(0.1), 2);
  EXPECT_EQ(seconds_to_next_beat(60), 5);
}

TEST(Monitor, ItsLastWordIsWhatComesAndItDoesNotDelayTheEnd) {
  const Folder journal;
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  progress.begin(2);
  {
    const Monitor monitor(
        true, [&] { return base::Folder(journal.path()); }, 1, progress);
    progress.end_task({});
  }
  EXPECT_EQ(journal::read_heartbeat(journal.path()).value().state, "ended");
  progress.begin(2);
  const auto begin = std::chrono::steady_clock::now();
  {
    const Monitor monitor(
        true, [&] { return base::Folder(journal.path()); }, 1, progress);
    progress.end_task({});
    progress.end_task({});
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
  const auto heartbeat = journal::read_heartbeat(journal.path());
  ASSERT_TRUE(heartbeat);
  EXPECT_EQ(heartbeat->state, "writing") << "the archive is to be made now";
  EXPECT_EQ(heartbeat->done, 2);
  EXPECT_THAT(heartbeat->running, IsEmpty());
}

TEST(Monitor, LooksAtTheRunSeveralTimesASecondAndKeepsTheTimeLeft) {
  const Folder journal;
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  progress.begin(2);
  std::atomic<int> looks = 0;
  const auto begin = std::chrono::steady_clock::now();
  {
    const Monitor monitor(
        true, [&] { return base::Folder(journal.path()); }, 1, progress,
        [&] {
          progress.estimate(1000, Sureness::known);
          ++looks;
        });
    while (looks < 3 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  }
  EXPECT_GE(looks, 3);
  EXPECT_NEAR(journal::read_heartbeat(journal.path()).value().seconds_left, 1000, 30);
}

TEST(Monitor, HasTheLineWrittenThatIsDueWhileNoTaskTellsAnything) {
  const Folder journal;
  std::atomic<int> lines = 0;
  std::atomic<double> now = 0;
  Progress progress(
      ProgressStyle::log, [&](std::string_view) { ++lines; }, 80,
      [&] { return std::chrono::duration<double>(now.load()); });
  progress.begin(2);
  now = 31;
  const auto begin = std::chrono::steady_clock::now();
  const Monitor monitor(
      true, [&] { return base::Folder(journal.path()); }, 1, progress);
  while (lines == 0 && std::chrono::steady_clock::now() - begin < std::chrono::seconds(30)) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  EXPECT_EQ(lines, 1);
}

TEST(Monitor, ATimeThatIsOnlyALowerBoundIsToldAsOne) {
  const Folder journal;
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  progress.begin(2);
  progress.estimate(1000, Sureness::at_least);
  {
    const Monitor monitor(
        true, [&] { return base::Folder(journal.path()); }, 1, progress);
  }
  const journal::Heartbeat beat = journal::read_heartbeat(journal.path()).value();
  EXPECT_NEAR(beat.seconds_left, 1000, 30);
  EXPECT_EQ(beat.sureness, "at_least");
}

TEST(Monitor, OnOtherRanksDoesNothing) {
  const Folder journal;
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  {
    const Monitor monitor(
        false, [&] { return base::Folder(journal.path()); }, 1, progress);
  }
  EXPECT_TRUE(std::filesystem::is_empty(journal.path()));
}

TEST(Monitor, ARunGoesOnWhereNoHeartbeatCanBeWritten) {
  Progress progress(ProgressStyle::silent, [](std::string_view) {});
  EXPECT_NO_THROW(const Monitor monitor(
      true, [] { return base::Folder("/no/such/folder"); }, 1, progress));
}

}  // namespace
}  // namespace fairfront::sweep::test
