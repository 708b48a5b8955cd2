/// @file
/// How busy the cores are with other programs.
#pragma once

#include <algorithm>

#include "base/elementary.hpp"

namespace fairfront::sweep {

/// What other programs add to the seconds of the wall clock that a task needs for a CPU second,
/// beside those that it needs as tasks share cores: known from the CPU seconds that tasks have got
/// of late. Where all that runs gets the same part of the cores, each of them adds the same,
/// however many tasks run, as long as no core idles.
class CoreLoad {
 public:
  /// A task has got CPU seconds in seconds of the wall clock.
  /// @param own  seconds of the wall clock for a CPU second without others, >= 1.
  /// @param at   by the clock of the wall, not before that of the last call.
  void observe(double cpu_seconds, double seconds, double own, double at) {
    const double kept = base::exp(-std::max(0.0, at - last_) / window);
    // Of what lasted longer than the window, as of a machine that was asleep, no more is kept.
    const double weight = std::min(1.0, window / seconds);
    used_ = used_ * kept + weight * cpu_seconds;
    passed_ = passed_ * kept + weight * seconds;
    own_ = own_ * kept + weight * seconds * own;
    last_ = at;
  }

  /// By others, for a CPU second; 0 before anything is known.
  [[nodiscard]] double seconds() const {
    // Of a core: a task may wait for a disk for most of its time.
    constexpr double least_part = 1e-4;
    if (!(passed_ > 0)) return 0;
    return std::max(0.0, passed_ / std::max(used_, least_part * passed_) - own_ / passed_);
  }

 private:
  static constexpr double window = 8;  ///< seconds: several tellings of a rank
  double used_ = 0;
  double passed_ = 0;
  double own_ = 0;
  double last_ = 0;
};

}  // namespace fairfront::sweep
