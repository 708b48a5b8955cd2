#include "output.hpp"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>

namespace fairfront::drivers {
namespace {

/// errno of the first failure on the standard output; 0: none.
std::atomic<int> output_error = 0;

void note_output_error() {
  int none = 0;
  output_error.compare_exchange_strong(none, errno != 0 ? errno : EIO);
}

/// A pipe that is ready takes PIPE_BUF bytes without waiting.
bool is_ready(int descriptor, Patience patience) {
  constexpr int longest_wait = 2000;  // milliseconds
  pollfd wanted{descriptor, POLLOUT, 0};
  return ::poll(&wanted, 1, patience == Patience::none ? 0 : longest_wait) > 0;
}

}  // namespace

void guard_standard_streams() noexcept {
  for (int number = STDIN_FILENO; number <= STDERR_FILENO; ++number) {
    if (::fcntl(number, F_GETFD) < 0 && errno == EBADF) {
      (void)::open("/dev/null", O_RDONLY);  // takes the lowest free number: this one
    }
  }
  std::signal(SIGPIPE, SIG_IGN);
}

void log_text(std::string_view text, Patience patience) noexcept {
  const int before = errno;
  while (!text.empty()) {
    if (!is_ready(STDERR_FILENO, patience)) break;
    const ssize_t count =
        ::write(STDERR_FILENO, text.data(), std::min<std::size_t>(text.size(), PIPE_BUF));
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  errno = before;
}

void print_text(std::string_view text) noexcept {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size()) note_output_error();
}

bool has_reader() noexcept { return output_error != EPIPE; }

bool flush_output() {
  if (std::fflush(stdout) != 0) note_output_error();
  const int error = output_error;
  if (error == 0 || error == EPIPE) return true;
  log("fairfront: error: cannot write to the standard output: {}\n", std::strerror(error));
  return false;
}

}  // namespace fairfront::drivers
