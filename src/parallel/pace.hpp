/// @file
/// How often the task queue's service thread looks for messages.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "base/elementary.hpp"

namespace fairfront::parallel {

/// Processor time of the calling thread.
[[nodiscard]] double thread_cpu_seconds();

/// What one look for messages has found.
struct Served {
  std::int64_t messages = 0;
  std::int64_t claims = 0;  ///< of ranks that wait for the answer
  std::int64_t ahead = 0;   ///< of ranks that work meanwhile
};

/// A number of events a second, over the last tenth of a second.
class EventRate {
 public:
  void add(std::int64_t events, double seconds) {
    rate_ = rate_ * base::exp(-seconds / window) + static_cast<double>(events) / window;
  }
  [[nodiscard]] double per_second() const { return std::max(rate_, 1e-9); }

 private:
  static constexpr double window = 0.1;
  double rate_ = 0;
};

/// How long the service sleeps between two looks for claims.
///
/// A look costs c seconds of rank 0's core; a claim that comes at a random moment waits half an
/// interval T, and another rank idles meanwhile. With r claims a second the two losses are c/T and
/// r T/2, the least at T = sqrt(2 c / r). Who looks ahead idles only if the answer takes longer
/// than its task: with q such requests a second of n ranks, T = n / (2 q) is half a task. Where
/// both are rare, T is at most 100 c (and 5 ms): 1 % of the core. c is measured; it was 30 us
/// (shared memory) and 55 us (TCP) on a virtual machine whose shortest sleep costs 20 us.
class Pace {
 public:
  /// @param served  since the last call.  @param ranks  that still claim.
  double next_sleep(const Served& served, std::int64_t ranks);

 private:
  static constexpr double shortest = 10e-6;
  static constexpr double longest = 5e-3;
  std::chrono::steady_clock::time_point last_time_ = std::chrono::steady_clock::now();
  double last_cpu_ = thread_cpu_seconds();
  double cost_ = 10e-6;
  EventRate claims_;
  EventRate ahead_;
};

}  // namespace fairfront::parallel
