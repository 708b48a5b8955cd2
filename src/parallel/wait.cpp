#include "parallel/wait.hpp"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "parallel/check.hpp"

#ifdef __linux__
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#endif

namespace fairfront::parallel {

void wake_up_soon() {
#ifdef __linux__
  // Without it the kernel lets a thread's sleep take 50 us longer, to wake several at once.
  prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  // Since Linux 6.6 a thread that wakes up waits for the end of the other's time slice, about 3 ms.
  // Since 6.12 one that asks for shorter slices need not; a slice is a request, not a privilege.
  struct {  // struct sched_attr, version 0, which the C library does not declare
    std::uint32_t size = 48;
    std::uint32_t policy = SCHED_OTHER;
    std::uint64_t flags = 0;
    std::int32_t nice = 0;
    std::uint32_t priority = 0;
    std::uint64_t slice_nanoseconds = 100'000;  // the least
    std::uint64_t deadline = 0;
    std::uint64_t period = 0;
  } wish;
  wish.nice = getpriority(PRIO_PROCESS, 0);
  syscall(SYS_sched_setattr, 0, &wish, 0U);
#endif
}

int wait_politely(std::span<MPI_Request> requests, double longest_sleep) {
  if (requests.empty()) return MPI_SUCCESS;
  using Seconds = std::chrono::duration<double>;
  constexpr double awake = 20e-6;
  const auto begin = std::chrono::steady_clock::now();
  for (;;) {
    int done = 0;
    const int code =
        MPI_Testall(as_count(requests.size()), requests.data(), &done, MPI_STATUSES_IGNORE);
    if (code != MPI_SUCCESS || done != 0) return code;
    const double waited = Seconds(std::chrono::steady_clock::now() - begin).count();
    if (waited < awake) {
      sched_yield();
    } else {
      [[maybe_unused]] thread_local const bool asked = (wake_up_soon(), true);
      std::this_thread::sleep_for(Seconds(std::clamp(waited / 8, awake, longest_sleep)));
    }
  }
}

void complete(MPI_Request& request, std::string_view call) {
  check(wait_politely({&request, 1}), call);
}

}  // namespace fairfront::parallel
