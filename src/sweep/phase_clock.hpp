/// @file
/// How long each phase of a run takes on one rank.
#pragma once

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "base/cpu_time.hpp"

namespace fairfront::sweep {

/// One phase of a run as one rank has seen it.
struct Phase {
  std::string name;
  double seconds = 0;      ///< of wall clock, waiting for other ranks included
  double cpu_seconds = 0;  ///< of the rank's main thread and its side jobs
};

/// Cuts a run into phases, each from the end of the last one. A phase may come several times.
class PhaseClock {
 public:
  /// What came since the last phase was this one.
  void end(std::string name) {
    const auto now = Clock::now();
    const double cpu = base::cpu_seconds();
    auto phase = std::ranges::find(phases_, name, &Phase::name);
    if (phase == phases_.end()) phase = phases_.insert(phase, {std::move(name), 0, 0});
    phase->seconds += std::chrono::duration<double>(now - begin_).count();
    phase->cpu_seconds += cpu - cpu_begin_;
    begin_ = now;
    cpu_begin_ = cpu;
  }
  /// In the order in which each came first.
  [[nodiscard]] const std::vector<Phase>& phases() const noexcept { return phases_; }

 private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin_ = Clock::now();
  double cpu_begin_ = base::cpu_seconds();
  std::vector<Phase> phases_;
};

}  // namespace fairfront::sweep
