#include "base/cpu_time.hpp"

#include <ctime>

namespace fairfront::base {
namespace {

thread_local double added = 0;

}  // namespace

double cpu_seconds() noexcept {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return added + static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

void add_cpu_seconds(double seconds) noexcept { added += seconds; }

}  // namespace fairfront::base
