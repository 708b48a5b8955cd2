/// @file
/// How busy the cores are with other programs.
#pragma once

#include <algorithm>

#include "base/elementary.hpp"

namespace fairfront::sweep {

/// CPU seconds that tasks get for a second that they are supposed to have a core, of late: less
/// than 1 beside other programs, and where tasks wait. The mean over a window that forgets.
class CoreShare {
 public:
  /// @param at  by the clock of the wall, not before that of the last call.
  void observe(double cpu_seconds, double seconds, double at) {
    const double kept = base::exp(-std::max(0.0, at - last_) / window);
    used_ = used_ * kept + cpu_seconds;
    passed_ = passed_ * kept + seconds;
    last_ = at;
  }
  /// 1 before anything is known.
  [[nodiscard]] double value() const {
    return passed_ > 0 ? std::clamp(used_ / passed_, least, most) : 1;
  }

 private:
  static constexpr double window = 8;  ///< seconds: several tellings of a rank
  static constexpr double least = 0.02;
  static constexpr double most = 4;  ///< a task may have threads
  double used_ = 0;
  double passed_ = 0;
  double last_ = 0;
};

}  // namespace fairfront::sweep
