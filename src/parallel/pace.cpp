#include "parallel/pace.hpp"

#include <cmath>
#include <ctime>

namespace fairfront::parallel {

double thread_cpu_seconds() {
  timespec time{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

double Pace::next_sleep(const Served& served, std::int64_t ranks) {
  const auto now = std::chrono::steady_clock::now();
  const double cpu = thread_cpu_seconds();
  const double passed = std::chrono::duration<double>(now - last_time_).count();
  claims_.add(served.claims, passed);
  ahead_.add(served.ahead, passed);
  if (served.messages == 0) cost_ += (std::min(cpu - last_cpu_, 1e-3) - cost_) / 16;
  last_time_ = now;
  last_cpu_ = cpu;
  const double best = std::min(std::sqrt(2 * cost_ / claims_.per_second()),
                               static_cast<double>(ranks) / (2 * ahead_.per_second()));
  return std::clamp(best, shortest, std::clamp(100 * cost_, shortest, longest));
}

}  // namespace fairfront::parallel
