/// @file
/// Random weights to start the training of a layer from.
#pragma once

#include <cstdint>
#include <span>

#include "base/random.hpp"

namespace fairfront::models {

/// Uniform on (-r, r), independent; `in` and `out` count the units on both sides of the layer.
enum class Initialisation {
  glorot,  ///< r = sqrt(6 / (in + out)), biases 0: Glorot, Bengio (2010)
  he,      ///< r = sqrt(6 / in), biases 0: He, Zhang, Ren, Sun (2015)
  fan_in,  ///< r = 1 / sqrt(in), biases as well: what PyTorch's layers do by default
};

/// Draws the weights in the order of memory, then the biases.
void draw_layer(Initialisation kind, std::int64_t in, std::int64_t out, base::Stream& stream,
                std::span<double> weights, std::span<double> biases);

}  // namespace fairfront::models
