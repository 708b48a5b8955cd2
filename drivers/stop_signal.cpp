#include "stop_signal.hpp"

#include <signal.h>

namespace fairfront::drivers {
namespace {

volatile sig_atomic_t signal_has_come = 0;

void remember_signal(int) { signal_has_come = 1; }

}  // namespace

void catch_stop_signals() {
  struct sigaction action {};
  action.sa_handler = remember_signal;
  action.sa_flags = SA_RESTART;  // a write to the journal goes on as if nothing had come
  sigemptyset(&action.sa_mask);
  sigaction(SIGTERM, &action, nullptr);
  sigaction(SIGUSR1, &action, nullptr);
}

bool stop_signal_has_come() { return signal_has_come != 0; }

}  // namespace fairfront::drivers
