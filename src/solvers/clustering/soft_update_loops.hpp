/// @file
/// The update for the processors that the including unit is compiled for.
#pragma once

#include <cstdint>

#include "solvers/clustering/soft_update.hpp"

namespace fairfront::clustering {
namespace {

// The widest vectors that the processor computes with at once: wider ones gave slower code.
#if defined(__AVX512F__)
constexpr int width = 8;
#elif defined(__AVX2__)
constexpr int width = 4;
#else
constexpr int width = 2;
#endif
constexpr int parts = static_cast<int>(SoftBlock::lanes) / width;

using Vector [[gnu::vector_size(width * sizeof(double))]] = double;
/// The same somewhere in an array.
using ArrayVector
    [[gnu::vector_size(width * sizeof(double)), gnu::aligned(alignof(double)), gnu::may_alias]] =
        double;

inline const ArrayVector& vector_at(const double* first) {
  return *reinterpret_cast<const ArrayVector*>(first);
}
inline ArrayVector& vector_at(double* first) { return *reinterpret_cast<ArrayVector*>(first); }

/// @param block  a copy: its addresses stay in registers, whatever is stored.
void update_lanes(const SoftBlock block) noexcept {
  constexpr std::int64_t lanes = SoftBlock::lanes;
  Vector norms[parts] = {};
  for (std::int64_t k = 0; k < block.clusters; ++k) {
    const Vector of_group = Vector{} + block.of_group[k];
    for (int part = 0; part < parts; ++part) {
      const std::int64_t i = k * lanes + part * width;
      const Vector product =
          vector_at(block.previous + i) * (vector_at(block.factors + i) * of_group);
      vector_at(block.memberships + i) = product;
      norms[part] += product;
    }
  }
  for (int part = 0; part < parts; ++part) vector_at(block.norms + part * width) = norms[part];
  for (std::int64_t lane = block.count; lane < lanes; ++lane) block.norms[lane] = 1;
  Vector scales[parts];
  for (int part = 0; part < parts; ++part) scales[part] = 1 / vector_at(block.norms + part * width);
  constexpr Vector least = Vector{} + SoftBlock::least_membership;
  Vector attraction[parts] = {};
  for (std::int64_t k = 0; k < block.clusters; ++k) {
    for (int part = 0; part < parts; ++part) {
      const std::int64_t i = k * lanes + part * width;
      const Vector scaled = vector_at(block.memberships + i) * scales[part];
      const Vector membership = scaled > least ? scaled : least;
      vector_at(block.memberships + i) = membership;
      vector_at(block.masses + i) += membership;
      attraction[part] += membership * vector_at(block.distances + i);
    }
  }
  for (int part = 0; part < parts; ++part) {
    vector_at(block.attraction + part * width) += attraction[part];
  }
}

void update_block(const SoftBlock& block) noexcept { update_lanes(block); }

}  // namespace
}  // namespace fairfront::clustering
