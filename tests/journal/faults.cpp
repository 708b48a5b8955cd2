// System calls that fail on demand. The linker prefers these to the C library's for the whole test
// program, the library under test included; by default they do what those do.
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "journal/sample.hpp"

namespace fairfront::journal::test {

Faults faults;

FaultsEnd::~FaultsEnd() {
  faults.sync_error = 0;
  faults.lock_error = 0;
  faults.longest_write = 0;
  faults.interruptions = 0;
}

}  // namespace fairfront::journal::test

using fairfront::journal::test::faults;

extern "C" {

int fdatasync(int descriptor) {
  ++faults.syncs;
  if (const int error = faults.sync_error) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_fdatasync, descriptor));
}

int flock(int descriptor, int operation) noexcept {
  if (const int error = faults.lock_error) {
    errno = error;
    return -1;
  }
  return static_cast<int>(::syscall(SYS_flock, descriptor, operation));
}

ssize_t write(int descriptor, const void* bytes, size_t count) {
  if (faults.interruptions > 0) {
    --faults.interruptions;
    errno = EINTR;
    return -1;
  }
  if (const std::size_t longest = faults.longest_write) count = std::min(count, longest);
  return ::syscall(SYS_write, descriptor, bytes, count);
}

}  // extern "C"
