#include "solvers/common/control.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

namespace fairfront::solvers {
namespace {

using namespace std::chrono_literals;

TEST(Control, WithoutAnythingARunGoesOn) {
  const Control control;
  EXPECT_EQ(control.wanted(), Request::go_on);
  EXPECT_NO_THROW(control.tell({0.5, "half"}));
  Heartbeat heart(control);
  for (int i = 0; i < 1000; ++i) EXPECT_NO_THROW(heart.beat());
}

TEST(Heartbeat, AsksAtTheFirstBeatAndStopsTheRun) {
  const Control control{.request = [] { return Request::stop; }};
  Heartbeat heart(control);
  EXPECT_THROW(heart.beat(), Interrupted);
}

TEST(Heartbeat, AWishForACheckpointIsNoStop) {
  const Control control{.request = [] { return Request::checkpoint; }};
  Heartbeat heart(control);
  EXPECT_NO_THROW(heart.beat());
}

TEST(Heartbeat, ReportsWhatTheLoopSays) {
  Progress seen;
  const Control control{.report = [&](const Progress& now) { seen = now; }};
  Heartbeat heart(control);
  heart.beat([] { return progress("iteration", 1, 4); });
  EXPECT_EQ(seen.fraction, 0.25);
  EXPECT_EQ(seen.text, "iteration 1/4");
  EXPECT_EQ(progress("step", 2, 2, "hypervolume 3").text, "step 2/2, hypervolume 3");
}

TEST(Heartbeat, AFastLoopAsksRarely) {
  int asked = 0;
  const Control control{.request = [&] {
    ++asked;
    return Request::go_on;
  }};
  Heartbeat heart(control);
  for (int i = 0; i < 1'000'000; ++i) heart.beat();
  // Doubling strides up to 1024.
  EXPECT_LT(asked, 1'100);
  EXPECT_GE(asked, 10);
}

TEST(Heartbeat, ALoopThatGetsMuchSlowerIsHeardWithinASecondOrTwo) {
  bool stop = false;
  const Control control{.request = [&] { return stop ? Request::stop : Request::go_on; }};
  Heartbeat heart(control);
  for (int i = 0; i < 10'000'000; ++i) heart.beat();
  stop = true;  // from now on a beat may take a millisecond
  int more = 0;
  EXPECT_THROW(for (; more < 100'000; ++more) heart.beat(), Interrupted);
  EXPECT_LE(more, 1024);
}

TEST(Heartbeat, AskingTellsOfACheckpointToo) {
  const Control control{.request = [] { return Request::checkpoint; }};
  Heartbeat heart(control);
  EXPECT_EQ(heart.ask(), Request::checkpoint);
}

TEST(Heartbeat, ALoopThatGetsSlowIsHeardSoon) {
  bool stop = false;
  const Control control{.request = [&] { return stop ? Request::stop : Request::go_on; }};
  Heartbeat heart(control);
  for (int i = 0; i < 8; ++i) {
    heart.beat();
    std::this_thread::sleep_for(20ms);
  }
  stop = true;
  int more = 0;
  EXPECT_THROW(
      for (; more < 100; ++more) {
        heart.beat();
        std::this_thread::sleep_for(20ms);
      },
      Interrupted);
  EXPECT_LE(more, 8);  // strides of 50 ms; generous, since sleeps may be long
}

}  // namespace
}  // namespace fairfront::solvers
