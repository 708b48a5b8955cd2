#include "stop_signal.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <string_view>

#include "base/error.hpp"
#include "output.hpp"
#include "parallel/comm.hpp"
#include "terminal.hpp"

namespace fairfront::drivers {
namespace {

// Written by the handler, on whatever thread a signal comes to, and read by all of them.
std::atomic<bool> signal_has_come = false;
std::atomic<RunPhase> run_phase = RunPhase::starting;
std::atomic<time_t> first_second = 0;  ///< of the monotonic clock; 0: no signal yet
static_assert(std::atomic<bool>::is_always_lock_free);  // a handler must not wait for a lock
static_assert(std::atomic<RunPhase>::is_always_lock_free);
static_assert(std::atomic<time_t>::is_always_lock_free);

// Set before the handler is there.
std::array<char, 32> rank_text{};  ///< " on rank 3"; empty on rank 0 and without a launcher
bool is_first_rank = true;
bool on_terminal = false;

struct StopSignal {
  int number;
  std::string_view name;
  bool to_all;     ///< batch systems and launchers send it to every rank
  bool ignorable;  ///< nohup, or a shell that starts the program in the background, ignores it
};
constexpr std::array stop_signals{
    StopSignal{SIGTERM, "SIGTERM", false, false}, StopSignal{SIGINT, "SIGINT", false, true},
    StopSignal{SIGHUP, "SIGHUP", false, true},    StopSignal{SIGUSR1, "SIGUSR1", true, false},
    StopSignal{SIGUSR2, "SIGUSR2", true, false},  StopSignal{SIGXCPU, "SIGXCPU", true, false}};

std::string_view answer_in(RunPhase phase) {
  switch (phase) {
    case RunPhase::starting:
      return ": ends with exit code 3 before the first task\n";
    case RunPhase::running:
      return ": no task is begun any more, running ones stop within seconds, finished ones are "
             "kept; then exit code 3 (a second SIGINT ends at once)\n";
    case RunPhase::ending:
      break;
  }
  return ": comes too late, all tasks are done and the results are being written\n";
}

/// One line, put together without an allocation: this runs in a handler.
void answer(const StopSignal& signal, std::string_view text) {
  std::array<char, 256> line{};
  std::size_t length = 0;
  const auto add = [&](std::string_view part) {
    const std::size_t count = std::min(part.size(), line.size() - length);
    std::memcpy(line.data() + length, part.data(), count);
    length += count;
  };
  if (on_terminal) add("\n");  // not behind a line of progress
  add("fairfront: ");
  add(signal.name);
  add(rank_text.data());
  add(text);
  log_text({line.data(), length}, Patience::none);
}

time_t now() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return time.tv_sec + 1;  // never 0
}

/// timeout(1) sends a signal twice at once: only one that comes later is a second one.
bool is_second(time_t time) { return first_second != 0 && time > first_second + 1; }

bool ends_at_once(const StopSignal& signal, time_t time) {
  if (!is_second(time)) return false;
  return signal.number == SIGINT || (signal.number == SIGTERM && run_phase == RunPhase::starting);
}

void handle(int number) {
  for (const StopSignal& signal : stop_signals) {
    if (signal.number != number) continue;
    const time_t time = now();
    if (ends_at_once(signal, time)) {
      answer(signal, " again: ends at once, what the journal holds is kept\n");
      ::_exit(static_cast<int>(base::ExitCode::interrupted));
    }
    const bool first = first_second == 0;
    if (first) first_second = time;
    if (first && (is_first_rank || !signal.to_all)) answer(signal, answer_in(run_phase));
  }
  signal_has_come = true;
}

bool is_ignored(int number) {
  struct sigaction before {};
  return ::sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN;
}

}  // namespace

void end_with_the_launcher() {
  if (parallel::rank_told_by_launcher() != nullptr) ::prctl(PR_SET_PDEATHSIG, SIGKILL);
}

void catch_stop_signals() {
  const char* const told = parallel::rank_told_by_launcher();
  const std::string_view rank = told != nullptr ? told : "0";
  is_first_rank = rank == "0";
  constexpr std::string_view where = " on rank ";
  if (!is_first_rank && where.size() + rank.size() < rank_text.size()) {
    std::memcpy(rank_text.data(), where.data(), where.size());
    std::memcpy(rank_text.data() + where.size(), rank.data(), rank.size());
  }
  on_terminal = terminal_columns().has_value();
  struct sigaction action {};
  action.sa_handler = handle;
  action.sa_flags = SA_RESTART;  // a write to the journal goes on as if nothing had come
  sigemptyset(&action.sa_mask);
  for (const StopSignal& signal : stop_signals) {
    if (signal.ignorable && is_ignored(signal.number)) continue;
    ::sigaction(signal.number, &action, nullptr);
  }
}

void set_run_phase(RunPhase phase) { run_phase = phase; }

bool stop_signal_has_come() { return signal_has_come; }

}  // namespace fairfront::drivers
