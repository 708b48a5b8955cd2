#include "removed_at_signal.hpp"

#include <unistd.h>

#include <array>
#include <atomic>
#include <climits>
#include <csignal>

namespace fairfront::drivers {
namespace {

constexpr std::array ending_signals{SIGINT, SIGTERM, SIGHUP, SIGPIPE};

// A handler may read no std::string.
std::array<char, PATH_MAX> path_to_remove{};
std::atomic<bool> is_there = false;
static_assert(std::atomic<bool>::is_always_lock_free);  // or a handler may not read it

void remove_and_end(int signal) {
  if (is_there) ::unlink(path_to_remove.data());
  std::signal(signal, SIG_DFL);
  ::raise(signal);
}

void exchange_handlers(void (*from)(int), void (*to)(int)) {
  for (const int signal : ending_signals) {
    struct sigaction action {};
    if (::sigaction(signal, nullptr, &action) != 0 || action.sa_handler != from) continue;
    action.sa_handler = to;
    ::sigaction(signal, &action, nullptr);
  }
}

}  // namespace

RemovedAtSignal::RemovedAtSignal(const std::string& path) {
  if (is_there || path.size() >= path_to_remove.size()) return;
  path.copy(path_to_remove.data(), path.size());
  path_to_remove.at(path.size()) = '\0';
  is_first_ = true;
  is_there = true;
  exchange_handlers(SIG_DFL, remove_and_end);
}

RemovedAtSignal::~RemovedAtSignal() {
  if (!is_first_) return;
  exchange_handlers(remove_and_end, SIG_DFL);
  is_there = false;
}

}  // namespace fairfront::drivers
