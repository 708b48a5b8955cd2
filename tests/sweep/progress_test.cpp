#include "sweep/progress.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace fairfront::sweep::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

/// A progress whose clock the test sets and whose lines it keeps.
struct Recorder {
  double now = 100;
  std::vector<std::string> lines;
  Progress progress;

  explicit Recorder(ProgressStyle style, std::size_t columns = 200)
      : progress{style, [this](std::string_view text) { lines.emplace_back(text); }, columns,
                 [this] { return std::chrono::duration<double>{now}; }} {}
};

TEST(FormatDuration, UsesTheUnitsThatAPersonWould) {
  EXPECT_EQ(format_duration(0), "0:00");
  EXPECT_EQ(format_duration(7.4), "0:07");
  EXPECT_EQ(format_duration(59.6), "1:00");
  EXPECT_EQ(format_duration(754), "12:34");
  EXPECT_EQ(format_duration(3723), "1:02:03");
  EXPECT_EQ(format_duration(76 * 3600.0), "3 d 4 h");
}

TEST(FormatProgress, CountsTheRunningTaskByItsFraction) {
  EXPECT_EQ(format_progress({.total = 4,
                             .done = 1,
                             .failed = 0,
                             .fraction = 0.5,
                             .seconds = 3,
                             .task = "alpha, seed=2",
                             .text = "list 12"}),
            "1/4 tasks, 37%, 30.0 tasks/min; list 12 [alpha, seed=2]");
}

TEST(FormatProgress, SaysTheTimeLeftAsItIsReckonedAndNotByTheRate) {
  ProgressState state;
  state.total = 4;
  state.done = 1;
  state.seconds = 3;
  state.seconds_left = 379;
  EXPECT_EQ(format_progress(state), "1/4 tasks, 25%, 20.0 tasks/min, 6:19 left");
  state.sureness = Sureness::guessed;
  EXPECT_EQ(format_progress(state), "1/4 tasks, 25%, 20.0 tasks/min, about 6:19 left");
  state.sureness = Sureness::at_least;
  EXPECT_EQ(format_progress(state), "1/4 tasks, 25%, 20.0 tasks/min, over 6:19 left");
  state.seconds_left = 0;  // the schedule was wrong: nothing is better than "0:00 left"
  EXPECT_EQ(format_progress(state), "1/4 tasks, 25%, 20.0 tasks/min");
}

TEST(FormatProgress, SaysAtTheEndWhatWritingWillTake) {
  ProgressState state;
  state.total = state.done = 4;
  state.seconds = 4;
  state.seconds_left = 1.9;  // not worth a word
  EXPECT_EQ(format_progress(state), "4/4 tasks, 100%, 1.0 tasks/s, 0:04 in all");
  state.seconds_left = 75;
  EXPECT_EQ(format_progress(state),
            "4/4 tasks, 100%, 1.0 tasks/s, 0:04 in all, about 1:15 to write");
}

TEST(FormatProgress, SaysWhatAStoppingRunWaitsFor) {
  ProgressState state;
  state.total = 9;
  state.done = 4;
  state.seconds = 4;
  state.seconds_left = 60;
  state.in_flight = 2;
  EXPECT_EQ(format_progress(state), "4/9 tasks, 44%, 1.0 tasks/s, stopping, 2 tasks in flight");
  state.in_flight = 1;
  EXPECT_THAT(format_progress(state), testing::EndsWith("stopping, 1 task in flight"));
  state.done = 9;  // the stop came too late
  EXPECT_EQ(format_progress(state), "9/9 tasks, 100%, 2.2 tasks/s, 0:04 in all");
}

TEST(LogProgress, CountsDownFromWhatTheScheduleReckons) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(10);
  r.progress.begin_task("alpha");
  r.progress.estimate(300, Sureness::known);
  r.now = 160;
  EXPECT_DOUBLE_EQ(r.progress.state().seconds_left.value(), 240);
  r.progress.end_task({});
  EXPECT_THAT(r.lines.back(), HasSubstr(", 4:00 left"));
  r.now = 1000;
  EXPECT_DOUBLE_EQ(r.progress.state().seconds_left.value(), 0);
}

TEST(LogProgress, SaysWhatATimeLeftHangsOn) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(2);
  r.progress.estimate(TimeEstimate{});
  EXPECT_FALSE(r.progress.state().seconds_left) << "nothing is known yet";
  const auto sureness = [&](const TimeEstimate& time_left) {
    r.progress.estimate(time_left);
    EXPECT_DOUBLE_EQ(r.progress.state().seconds_left.value(), 90);
    return r.progress.state().sureness;
  };
  EXPECT_EQ(sureness({.seconds = 90}), Sureness::known);
  EXPECT_EQ(sureness({.seconds = 90, .missing = true}), Sureness::at_least);
  EXPECT_EQ(sureness({.seconds = 90, .guessed = true}), Sureness::guessed);
  EXPECT_EQ(sureness({.seconds = 90, .guessed = true, .missing = true}), Sureness::at_least)
      << "more is to come than is guessed at";
}

TEST(LogProgress, SaysAtOnceThatItStops) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(9);
  r.progress.stopping(3);
  ASSERT_EQ(r.lines.size(), 1u);
  EXPECT_THAT(r.lines[0], HasSubstr("stopping, 3 tasks in flight"));
  r.progress.stopping(2);
  EXPECT_EQ(r.lines.size(), 1u) << "the others are told with the tasks that end";
  r.now += 2;
  r.progress.end_task({});
  EXPECT_THAT(r.lines.back(), HasSubstr("stopping, 2 tasks in flight"));
}

TEST(TerminalProgress, OfARunThatWasStoppedTheLastLineTellsNoTimeLeft) {
  Recorder r(ProgressStyle::terminal);
  r.progress.begin(9);
  r.progress.begin_task("alpha");
  r.progress.estimate(300, Sureness::known);
  r.now += 2;
  r.progress.end_task({});
  EXPECT_THAT(r.lines.back(), HasSubstr(" left"));
  r.progress.begin_task("beta");
  r.now += 2;
  r.progress.end();
  const std::string& last = r.lines[r.lines.size() - 2];  // then a line break
  EXPECT_THAT(last, HasSubstr("1/9 tasks, 11%"));
  EXPECT_THAT(last, HasSubstr(", stopped"));
  EXPECT_THAT(last, testing::Not(HasSubstr("left")));
  EXPECT_THAT(last, testing::Not(HasSubstr("beta")));
}

TEST(FormatProgress, MentionsFailuresAndTheTimeInAll) {
  EXPECT_EQ(format_progress({.total = 2,
                             .done = 2,
                             .failed = 1,
                             .fraction = 0,
                             .seconds = 65,
                             .task = "",
                             .text = ""}),
            "2/2 tasks, 100%, 1 failed, 1.8 tasks/min, 1:05 in all");
}

TEST(FormatProgress, HasNoRateBeforeAnythingIsDone) {
  EXPECT_EQ(format_progress({.total = 2,
                             .done = 0,
                             .failed = 0,
                             .fraction = 0,
                             .seconds = 5,
                             .task = "alpha",
                             .text = ""}),
            "0/2 tasks, 0% [alpha]");
}

TEST(TerminalProgress, RewritesOneLineAtMostTenTimesASecond) {
  Recorder r(ProgressStyle::terminal);
  r.progress.begin(2);
  r.progress.begin_task("alpha");
  for (int i = 1; i <= 100; ++i) {
    r.now = 100 + i / 100.0;
    r.progress.report({i / 100.0, "step " + std::to_string(i)});
  }
  EXPECT_LE(r.lines.size(), 10u);
  EXPECT_GE(r.lines.size(), 8u);
  for (const std::string& line : r.lines) {
    EXPECT_THAT(line, StartsWith("\r0/2 tasks"));
    EXPECT_TRUE(line.ends_with("\x1b[K"));
    EXPECT_EQ(line.find('\n'), std::string::npos);
  }
}

TEST(TerminalProgress, EndsWithTheLastStateAndALineEnd) {
  Recorder r(ProgressStyle::terminal);
  r.progress.begin(1);
  r.progress.begin_task("alpha");
  r.progress.end_task({});
  r.progress.end();
  ASSERT_EQ(r.lines.size(), 2u);
  EXPECT_THAT(r.lines[0], HasSubstr("1/1 tasks, 100%"));
  EXPECT_EQ(r.lines[1], "\n");
}

TEST(TerminalProgress, NeverFillsTheWidthOfTheTerminal) {
  Recorder r(ProgressStyle::terminal, 20);
  r.progress.begin(1);
  r.progress.begin_task("a method with a long name");
  r.progress.end();
  EXPECT_EQ(r.lines[0], "\r0/1 tasks, 0%, stop\x1b[K");
}

TEST(LogProgress, WritesALineForATaskThatEndedAtMostOneASecond) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(50);
  for (int i = 1; i <= 40; ++i) {
    r.now = 100 + i / 10.0;
    r.progress.begin_task("alpha");
    r.progress.end_task({});
  }
  EXPECT_LE(r.lines.size(), 4u);
  EXPECT_GE(r.lines.size(), 3u);
  EXPECT_THAT(r.lines[0], StartsWith("10/50 tasks, 20%"));
  EXPECT_TRUE(r.lines[0].ends_with("\n"));
}

TEST(LogProgress, SpeaksEvery30SecondsOfALongTask) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(1);
  r.progress.begin_task("alpha");
  for (int second = 1; second <= 95; ++second) {
    r.now = 100 + second;
    r.progress.report({second / 100.0, "working"});
  }
  EXPECT_EQ(r.lines.size(), 3u);
}

/// As of a task that tells nothing, or of rank 0 that waits for the others.
TEST(LogProgress, SpeaksEvery30SecondsAlsoWhereNoTaskTellsAnything) {
  Recorder r(ProgressStyle::log);
  r.progress.look();
  EXPECT_THAT(r.lines, IsEmpty()) << "the run has not begun";
  r.progress.begin(4);
  r.progress.begin_task("alpha");
  r.progress.end_task({});
  r.progress.estimate(600, Sureness::guessed);
  for (int quarter = 1; quarter <= 4 * 95; ++quarter) {
    r.now = 100 + quarter / 4.0;
    r.progress.set_running(0.5);
    r.progress.look();
  }
  ASSERT_EQ(r.lines.size(), 3u);
  EXPECT_THAT(r.lines[0], StartsWith("1/4 tasks, 37%"));
  EXPECT_THAT(r.lines[0], HasSubstr(", about 9:30 left"));
  EXPECT_THAT(r.lines[2], HasSubstr(", about 8:30 left"));
  r.progress.end();
  const std::size_t lines = r.lines.size();
  r.now += 100;
  r.progress.look();
  EXPECT_EQ(r.lines.size(), lines) << "it has ended";
}

TEST(LogProgress, CountsTheRunningTasksOfAllRanks) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(4);
  r.progress.report({0.5, "half of a task"});
  r.progress.set_running(1.5);
  r.now += 31;
  r.progress.look();
  EXPECT_THAT(r.lines.back(), StartsWith("0/4 tasks, 37%"));
  r.progress.set_running(0.5);
  r.now += 31;
  r.progress.end_task({});
  EXPECT_THAT(r.lines.back(), StartsWith("1/4 tasks, 37%"));
}

TEST(LogProgress, AlwaysWritesTheLastTask) {
  Recorder r(ProgressStyle::log);
  r.progress.begin(1);
  r.progress.begin_task("alpha");
  r.progress.end_task({0, 0, true});
  r.progress.end();
  ASSERT_EQ(r.lines.size(), 1u);
  EXPECT_EQ(r.lines[0], "1/1 tasks, 100%, 1 failed [alpha]\n");
}

TEST(SilentProgress, WritesWarningsAndNothingElse) {
  Recorder r(ProgressStyle::silent);
  r.progress.begin(1);
  r.progress.begin_task("alpha");
  r.now = 1000;
  r.progress.report({0.5, "x"});
  r.progress.estimate(5, Sureness::known);
  r.progress.stopping(1);
  r.progress.end_task({0, 0, true});
  r.progress.end();
  EXPECT_THAT(r.lines, IsEmpty());
  r.progress.warn("a group is small");
  EXPECT_THAT(r.lines, ElementsAre("warning: a group is small\n"));
}

}  // namespace
}  // namespace fairfront::sweep::test
