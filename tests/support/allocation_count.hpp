/// @file
/// Counts what the test program allocates with operator new.
#pragma once

#include <cstdint>

namespace fairfront::support {

/// Calls of operator new so far.
[[nodiscard]] std::int64_t allocations();

}  // namespace fairfront::support
