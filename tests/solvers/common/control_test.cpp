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

// Two loops with one heartbeat, such as a search of small swaps and descents over all rows behind
// it: 1,024 of those took 14 s.
TEST(Heartbeat, ALoopThatGetsMuchSlowerIsHeardAtOnce) {
  bool stop = false;
  const Control control{.request = [&] { return stop ? Request::stop : Request::go_on; }};
  Heartbeat heart(control);
  for (int i = 0; i < 100'000; ++i) {
    heart.beat();
    for (const auto begin = std::chrono::steady_clock::now();
         std::chrono::steady_clock::now() - begin < 1us;) {
    }
  }
  stop = true;  // from now on a beat takes 2 ms
  int more = 0;
  EXPECT_THROW(
      for (; more < 1'000; ++more) {
        heart.beat();
        std::this_thread::sleep_for(2ms);
      },
      Interrupted);
  EXPECT_LE(more, 60);  // those up to the next look, some 20, or 50 ms of them
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
