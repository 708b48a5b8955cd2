#include "base/stop.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <exception>
#include <string>
#include <thread>

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
