/// @file
/// The machine that a process runs on: its name, library and processor, and threads that leave
/// signals alone.
#pragma once

#include <signal.h>

#include <string>
#include <thread>
#include <utility>

namespace fairfront::base {

/// The name of this host; "unknown" if the system does not tell it.
[[nodiscard]] std::string host_name();

/// The C library that this process runs with, such as "glibc 2.36".
[[nodiscard]] std::string c_library();

/// Model of this host's processor, the vectors that this process computes with (simd()) and, of the
/// features by which libraries choose their variants of a function, those that it has: "Intel(R)
/// Xeon(R) Gold 6230 (computes with avx512; has avx avx2 fma avx512f)".
[[nodiscard]] std::string processor();

/// While it lives, no signal is delivered to the calling thread, nor to threads that it starts.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

/// Starts a thread that receives no signals: they are for the main thread, whose system calls and
/// MPI library expect them.
/// @throws std::system_error, or what copying `work` throws; the caller gets its signals again.
template <class Work>
[[nodiscard]] std::thread quiet_thread(Work&& work) {
  const SignalsBlocked blocked;
  return std::thread(std::forward<Work>(work));
}

}  // namespace fairfront::base
