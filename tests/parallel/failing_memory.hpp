/// @file
/// Memory that runs out when a test wants it to.
#pragma once

namespace fairfront::parallel::test {

/// Operator new of the calling thread succeeds `allocations` times, then throws std::bad_alloc
/// once. Negative: it never does, as at the beginning.
void let_allocations_succeed(int allocations) noexcept;

}  // namespace fairfront::parallel::test
