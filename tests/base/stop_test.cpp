#include "base/stop.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/beside.hpp"
#include "base/text.hpp"
#include "support/temporary_folder.hpp"

namespace fairfront::base {
namespace {

TEST(StopPoint, DoesNothingOutsideOfAScope) { EXPECT_NO_THROW(stop_point()); }

TEST(StopPoint, AsksTheInnermostScopeOnly) {
  const StopScope outer([] { return true; });
  EXPECT_THROW(stop_point(), Interrupted);
  {
    const StopScope inner([] { return false; });
    EXPECT_NO_THROW(stop_point());
    const StopScope without({});
    EXPECT_NO_THROW(stop_point());
  }
  EXPECT_THROW(stop_point(), Interrupted);
}

TEST(StopPoint, OfAnotherThreadAsksNobody) {
  const StopScope scope([] { return true; });
  std::thread([] { EXPECT_NO_THROW(stop_point()); }).join();
}

TEST(StopPoint, MeansAnInterruptedRunAndNoFailureOfATask) {
  const auto failure = std::make_exception_ptr(Interrupted());
  EXPECT_EQ(exit_code_of(failure), ExitCode::interrupted);
  EXPECT_NE(fault_of(failure), Fault::input);
}

TEST(Beside, GivesTheValueOrTheFailureOfItsWork) {
  EXPECT_EQ(beside([] { return std::this_thread::get_id(); }), std::this_thread::get_id());
  const StopScope scope([] { return false; });
  EXPECT_NE(beside([] { return std::this_thread::get_id(); }), std::this_thread::get_id());
  EXPECT_EQ(*beside([only = std::make_unique<int>(7)]() mutable { return std::move(only); }), 7);
  EXPECT_THROW((void)beside([]() -> int { throw std::domain_error("none"); }), std::domain_error);
}

TEST(Beside, CountsTheTimeOfItsWorkAsTheCallers) {
  const StopScope scope([] { return false; });
  const double before = cpu_seconds();
  const double spent = beside([] {
    while (cpu_seconds() < 0.1) {
    }
    return cpu_seconds();
  });
  EXPECT_GE(cpu_seconds() - before, spent);
}

TEST(Beside, LeavesWorkThatHasNoStopPoints) {
  const auto may_end = std::make_shared<std::atomic<bool>>(false);
  const auto ended = std::make_shared<std::atomic<bool>>(false);
  const StopScope scope([asked = 0]() mutable { return ++asked == 3; });
  EXPECT_THROW((void)beside([may_end, ended] {
                 while (!*may_end) std::this_thread::yield();
                 *ended = true;
                 return 0;
               }),
               Interrupted);
  EXPECT_FALSE(*ended);
  *may_end = true;  // nobody waits for it, and it touches only what it owns
  while (!*ended) std::this_thread::yield();
}

TEST(ReadFile, StopsWaitingForAPipeWhenAStopIsWanted) {
  const test::TemporaryFolder folder;
  const std::string path = folder / "pipe";
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  int asked = 0;
  const StopScope scope([&] { return ++asked == 2; });
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_THROW((void)read_file(path), Interrupted);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds{5});
}

}  // namespace
}  // namespace fairfront::base
