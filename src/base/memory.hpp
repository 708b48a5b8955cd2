/// @file
/// The memory that this process holds.
#pragma once

namespace fairfront::base {

/// In bytes; 0 where the system does not tell.
struct MemoryInUse {
  double own = 0;       ///< what the process has written, and pages that it shares with others
  double of_files = 0;  ///< of programs and libraries, which processes of a host have once
  double peak = 0;      ///< of both together, since the start or forget_peak_memory()
};
[[nodiscard]] MemoryInUse memory_in_use();

/// From now on the peak counts anew, where the system can do that.
void forget_peak_memory();

}  // namespace fairfront::base
