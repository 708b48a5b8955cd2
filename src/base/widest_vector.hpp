/// @file
/// The width of the vectors that the including unit is compiled for. Wider ones than the processor
/// computes with at once give slower code.
#pragma once

#include <cstdint>

namespace fairfront::base {
// Every unit has its own: the linker would keep one of several for all.
namespace {

/// Numbers of 64 bits in one vector: two on any x86-64 processor.
#if defined(__AVX512F__)
constexpr std::int64_t widest_vector = 8;
#elif defined(__AVX2__)
constexpr std::int64_t widest_vector = 4;
#else
constexpr std::int64_t widest_vector = 2;
#endif

}  // namespace
}  // namespace fairfront::base
