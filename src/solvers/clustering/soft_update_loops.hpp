/// @file
/// The update for the processors that the including unit is compiled for.
#pragma once

#include <cstdint>
#include <cstring>

#include "base/widest_vector.hpp"
#include "solvers/clustering/soft_update.hpp"

namespace fairfront::clustering {
namespace {

constexpr int width = base::widest_vector;
constexpr int parts = static_cast<int>(SoftBlock::lanes) / width;

using Vector [[gnu::vector_size(width * sizeof(double))]] = double;

/// Of any address: a vector type of smaller alignment is not what all compilers make of it.
inline Vector load(const double* from) {
  Vector values;
  std::memcpy(&values, from, sizeof values);
  return values;
}
inline void store(Vector values, double* to) { std::memcpy(to, &values, sizeof values); }

/// @param block  a copy: its addresses stay in registers, whatever is stored.
void update_lanes(const SoftBlock block) noexcept {
  constexpr std::int64_t lanes = SoftBlock::lanes;
  Vector norms[parts] = {};
  for (std::int64_t k = 0; k < block.clusters; ++k) {
    const Vector of_group = Vector{} + block.of_group[k];
    for (int part = 0; part < parts; ++part) {
      const std::int64_t i = k * lanes + part * width;
      const Vector product = load(block.previous + i) * (load(block.factors + i) * of_group);
      store(product, block.memberships + i);
      norms[part] += product;
    }
  }
  for (int part = 0; part < parts; ++part) store(norms[part], block.norms + part * width);
  for (std::int64_t lane = block.count; lane < lanes; ++lane) block.norms[lane] = 1;
  Vector scales[parts];
  for (int part = 0; part < parts; ++part) scales[part] = 1 / load(block.norms + part * width);
  constexpr Vector least = Vector{} + SoftBlock::least_membership;
  Vector attraction[parts] = {};
  for (std::int64_t k = 0; k < block.clusters; ++k) {
    for (int part = 0; part < parts; ++part) {
      const std::int64_t i = k * lanes + part * width;
      const Vector scaled = load(block.memberships + i) * scales[part];
      const Vector membership = scaled > least ? scaled : least;
      store(membership, block.memberships + i);
      store(load(block.masses + i) + membership, block.masses + i);
      attraction[part] += membership * load(block.distances + i);
    }
  }
  for (int part = 0; part < parts; ++part) {
    double* const total = block.attraction + part * width;
    store(load(total) + attraction[part], total);
  }
}

void update_block(const SoftBlock& block) noexcept { update_lanes(block); }

}  // namespace
}  // namespace fairfront::clustering
