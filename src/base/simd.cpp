#include "base/simd.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <exception>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::base {
namespace {

std::string_view forced() {
  const char* word = std::getenv("FAIRFRONT_SIMD");
  return word == nullptr ? "" : word;
}

constexpr std::array all{Simd::baseline, Simd::avx2, Simd::avx512};

bool has(Simd simd) noexcept {
#ifdef __x86_64__
  switch (simd) {
    case Simd::baseline:
      return true;
    case Simd::avx2:
      return __builtin_cpu_supports("avx2") != 0;
    case Simd::avx512:
      return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0 &&
             __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
             __builtin_cpu_supports("avx512vl") != 0;
  }
#endif
  return simd == Simd::baseline;
}

std::string names_of(std::span<const Simd> several) {
  std::vector<std::string> names;
  for (const Simd simd : several) names.emplace_back(name_of(simd));
  return join(names, ", ");
}

}  // namespace

std::string_view name_of(Simd simd) noexcept {
  switch (simd) {
    case Simd::avx2:
      return "avx2";
    case Simd::avx512:
      return "avx512";
    case Simd::baseline:
      break;
  }
#ifdef __x86_64__
  return "sse2";
#else
  return "portable";
#endif
}

std::span<const Simd> available_simd() noexcept {
  static const auto count = std::find_if_not(all.begin(), all.end(), has) - all.begin();
  return std::span{all}.first(static_cast<std::size_t>(count));
}

Simd choose_simd(std::string_view word, std::span<const Simd> available) {
  if (word.empty()) return available.back();
  const auto named = [&](Simd simd) { return name_of(simd) == word; };
  if (const auto found = std::ranges::find_if(available, named); found != available.end()) {
    return *found;
  }
  if (std::ranges::any_of(all, named)) {
    throw InputError(fmt::format("FAIRFRONT_SIMD = {}: this processor does not have it, only {}",
                                 word, names_of(available)));
  }
  throw InputError(
      fmt::format("FAIRFRONT_SIMD = {}, must be one of {}", excerpt(word), names_of(all)));
}

Simd simd() noexcept {
  static const Simd taken = [] {
    try {
      return choose_simd(forced(), available_simd());
    } catch (const std::exception&) {
      return available_simd().back();
    }
  }();
  return taken;
}

void check_simd() { static_cast<void>(choose_simd(forced(), available_simd())); }

}  // namespace fairfront::base
