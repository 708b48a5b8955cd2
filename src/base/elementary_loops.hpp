/// @file
/// The loops over arrays, as the processor has them that the including unit is compiled for; each
/// such unit defines one table of them, and nothing else that others could call.
#pragma once

#include <cstddef>

#include "base/elementary_lanes.hpp"
#include "base/elementary_table.hpp"

namespace fairfront::base {
namespace {

/// y = f(x) for every value. The same memory for both is a loop of its own, as the compiler has a
/// vector form of it without asking whether they overlap.
template <double (*lane)(double)>
[[gnu::flatten]] void for_each(const double* x, double* y, std::size_t n) noexcept {
  if (x == y) {
    for (std::size_t i = 0; i < n; ++i) y[i] = lane(y[i]);
  } else {
    for (std::size_t i = 0; i < n; ++i) y[i] = lane(x[i]);
  }
}

[[gnu::flatten]] void for_each_angle(const double* __restrict x, double* __restrict sines,
                                     double* __restrict cosines, std::size_t n) noexcept {
  for (std::size_t i = 0; i < n; ++i) {
    const SineCosine both = sin_cos_lane(x[i]);
    sines[i] = both.sine;
    cosines[i] = both.cosine;
  }
}

constexpr ElementaryTable elementary_loops{
    .exp = for_each<exp_lane>,
    .expm1 = for_each<expm1_lane>,
    .log = for_each<log_lane>,
    .log1p = for_each<log1p_lane>,
    .sin = for_each<sin_lane>,
    .cos = for_each<cos_lane>,
    .sin_cos = for_each_angle,
    .tanh = for_each<tanh_lane>,
    .sigmoid = for_each<sigmoid_lane>,
    .softplus = for_each<softplus_lane>,
};

}  // namespace
}  // namespace fairfront::base
