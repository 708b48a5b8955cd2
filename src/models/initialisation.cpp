#include "models/initialisation.hpp"

#include <algorithm>
#include <cmath>

namespace fairfront::models {
namespace {

double radius(Initialisation kind, std::int64_t in, std::int64_t out) {
  switch (kind) {
    case Initialisation::glorot:
      return std::sqrt(6.0 / static_cast<double>(in + out));
    case Initialisation::he:
      return std::sqrt(6.0 / static_cast<double>(in));
    case Initialisation::fan_in:
      break;
  }
  return 1.0 / std::sqrt(static_cast<double>(in));
}

}  // namespace

void draw_layer(Initialisation kind, std::int64_t in, std::int64_t out, base::Stream& stream,
                std::span<double> weights, std::span<double> biases) {
  const double r = radius(kind, in, out);
  const auto draw = [&] { return r * (2.0 * stream.uniform() - 1.0); };
  std::ranges::generate(weights, draw);
  if (kind == Initialisation::fan_in) {
    std::ranges::generate(biases, draw);
  } else {
    std::ranges::fill(biases, 0.0);
  }
}

}  // namespace fairfront::models
