/// @file
/// Counts what the program of this test allocates with operator new.
#pragma once

#include <cstdint>

namespace fairfront::alternating::test {

/// Calls of operator new so far.
[[nodiscard]] std::int64_t allocations();

}  // namespace fairfront::alternating::test
