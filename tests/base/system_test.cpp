#include "base/system.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <fstream>
#include <stdexcept>
#include <string>

namespace fairfront::base {
namespace {

bool is_blocked(int signal) {
  sigset_t mask;
  pthread_sigmask(SIG_SETMASK, nullptr, &mask);
  return sigismember(&mask, signal) == 1;
}

/// Work that cannot be handed to a thread.
struct Stubborn {
  Stubborn() = default;
  Stubborn(const Stubborn&) { throw std::runtime_error("no copies"); }
  void operator()() const {}
};

TEST(CLibrary, IsTheOneThatTheSystemNames) {
  std::array<char, 256> name{};
  ASSERT_GT(::confstr(_CS_GNU_LIBC_VERSION, name.data(), name.size()), 0u);
  EXPECT_EQ(c_library(), name.data());
}

TEST(Processor, HasTheFeaturesThatTheKernelLists) {
  std::ifstream file("/proc/cpuinfo");
  std::string flags;
  std::string model;
  for (std::string line; std::getline(file, line) && (flags.empty() || model.empty());) {
    if (line.starts_with("flags")) flags = line + ' ';
    if (line.starts_with("model name")) model = line.substr(line.find(": ") + 2);
  }
  ASSERT_FALSE(flags.empty());
  const std::string known = processor();
  EXPECT_EQ(known.find(model + " ("), 0u) << known;
  for (const std::string feature : {"avx", "avx2", "fma", "fma4", "avx512f"}) {
    const bool listed = known.find('(' + feature + ' ') != std::string::npos ||
                        known.find('(' + feature + ')') != std::string::npos ||
                        known.find(' ' + feature + ' ') != std::string::npos ||
                        known.find(' ' + feature + ')') != std::string::npos;
    EXPECT_EQ(listed, flags.find(' ' + feature + ' ') != std::string::npos) << feature;
  }
}

TEST(HostName, IsThatOfTheSystem) {
  std::array<char, 256> name{};
  ASSERT_EQ(::gethostname(name.data(), name.size() - 1), 0);
  EXPECT_EQ(host_name(), name.data());
}

TEST(QuietThread, ReceivesNoSignalsAndItsCallerStillDoes) {
  bool blocked_inside = false;
  std::thread thread = quiet_thread([&] { blocked_inside = is_blocked(SIGTERM); });
  EXPECT_FALSE(is_blocked(SIGTERM));
  thread.join();
  EXPECT_TRUE(blocked_inside);
}

TEST(QuietThread, OneThatCannotStartLeavesTheCallerItsSignals) {
  const Stubborn work;
  EXPECT_THROW((void)quiet_thread(work), std::runtime_error);
  EXPECT_FALSE(is_blocked(SIGTERM));
}

TEST(SignalsBlocked, KeepsWhatWasBlockedBefore) {
  sigset_t one;
  sigset_t before;
  sigemptyset(&one);
  sigaddset(&one, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &one, &before);
  { const SignalsBlocked blocked; }
  EXPECT_TRUE(is_blocked(SIGUSR2));
  EXPECT_FALSE(is_blocked(SIGTERM));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace
}  // namespace fairfront::base
