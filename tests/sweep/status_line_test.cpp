#include "sweep/status_line.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>

namespace fairfront::sweep {
namespace {

/// What is said when a text is offered every tenth of a second, or some other time.
std::string said(ProgressStyle style, double seconds, double every, std::size_t columns = 80) {
  std::string all;
  double now = 100;
  {
    StatusLine line(
        style, [&](std::string_view text) { all += text; }, columns,
        [&] { return std::chrono::duration<double>(now); });
    for (int i = 0; i * every <= seconds; ++i) {
      now = 100 + i * every;
      line.show([&] { return "state " + std::to_string(static_cast<int>(now) - 100); });
    }
  }
  return all;
}

TEST(StatusLine, InALogALineStandsEveryThirtySeconds) {
  EXPECT_EQ(said(ProgressStyle::log, 29, 0.5), "");
  EXPECT_EQ(said(ProgressStyle::log, 95, 0.5), "state 30\nstate 60\nstate 90\n");
}

TEST(StatusLine, OnATerminalOneLineIsRewrittenAndEndsAtLast) {
  EXPECT_EQ(said(ProgressStyle::terminal, 2, 1), "\rstate 1\x1b[K\rstate 2\x1b[K\n");
  EXPECT_EQ(said(ProgressStyle::terminal, 0.05, 0.01), "");
  EXPECT_EQ(said(ProgressStyle::terminal, 1, 1, 4), "\rsta\x1b[K\n");
}

TEST(StatusLine, ASilentOneSaysNothing) { EXPECT_EQ(said(ProgressStyle::silent, 100, 1), ""); }

}  // namespace
}  // namespace fairfront::sweep
