#include "solvers/clustering/member_search.hpp"

namespace fairfront::clustering {

const MemberSearch& member_search([[maybe_unused]] base::Simd simd) noexcept {
#if defined(__x86_64__)
  if (simd == base::Simd::avx512 && __builtin_cpu_supports("avx512bw") != 0 &&
      __builtin_cpu_supports("bmi2") != 0 && __builtin_cpu_supports("popcnt") != 0) {
    return member_search_avx512;
  }
  if (simd != base::Simd::baseline) return member_search_avx2;
#endif
  return member_search_baseline;
}

}  // namespace fairfront::clustering
