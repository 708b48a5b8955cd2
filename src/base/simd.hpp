/// @file
/// The vectors that kernels compute with. Code for each of these is in the program; which one runs
/// is chosen once, by what the processor has. All of them give the same bits.
#pragma once

#include <span>
#include <string_view>

namespace fairfront::base {

/// From the narrowest to the widest.
enum class Simd {
  baseline,  ///< two doubles at a time: SSE2 on x86-64, and what others have
  avx2,      ///< four
  avx512,    ///< eight; with the extensions F, DQ and VL
};

/// "sse2" ("portable" where the processor is no x86-64), "avx2", "avx512".
[[nodiscard]] std::string_view name_of(Simd simd) noexcept;

/// Those that this processor and its operating system have, the baseline first.
[[nodiscard]] std::span<const Simd> available_simd() noexcept;

/// The one of `available` that `word`, a value of FAIRFRONT_SIMD, names; the widest for no word.
/// @throws InputError  it names none of them
[[nodiscard]] Simd choose_simd(std::string_view word, std::span<const Simd> available);

/// What this process computes with: FAIRFRONT_SIMD decides, or else the processor. Read at the
/// first call, the same ever after. A value that cannot be taken counts as none: see check_simd().
[[nodiscard]] Simd simd() noexcept;

/// @throws InputError  the environment variable FAIRFRONT_SIMD has a value that cannot be taken
void check_simd();

}  // namespace fairfront::base
