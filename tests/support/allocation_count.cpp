// The replacements live in a file of their own: where g++ 12 inlines one of a pair but not the
// other, it warns of a mismatch that is none.
#include "allocation_count.hpp"

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<std::int64_t> count{0};
}

namespace fairfront::support {
std::int64_t allocations() { return count; }
}  // namespace fairfront::support

void* operator new(std::size_t size) {
  ++count;
  if (void* memory = std::malloc(size)) return memory;
  throw std::bad_alloc();
}
// Of std::stable_sort, for one: a sanitizer that has its own would find it freed by the wrong hand.
void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  ++count;
  return std::malloc(size);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, const std::nothrow_t&) noexcept { std::free(memory); }
