#include "failing_memory.hpp"

#include <cstdlib>
#include <new>

namespace {

thread_local int allocations_left = -1;

}  // namespace

namespace fairfront::parallel::test {

void let_allocations_succeed(int allocations) noexcept { allocations_left = allocations; }

}  // namespace fairfront::parallel::test

void* operator new(std::size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
