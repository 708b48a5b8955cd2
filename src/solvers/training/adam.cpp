#include "solvers/training/adam.hpp"

#include <cmath>

#include "solvers/training/options.hpp"

namespace fairfront::training {

void Adam::step(std::span<double> w, std::span<const double> gradient, double size, double decay) {
  constexpr double first = 0.9, second = 0.999, epsilon = 1e-8;
  // Of units that never change both would fall to numbers so small that processors crawl.
  constexpr double tiny = 1e-290;
  first_power_ *= first;
  second_power_ *= second;
  const double of_mean = size / (1 - first_power_);
  const double of_root = 1 / std::sqrt(1 - second_power_);
  const double keep = 1 - size * decay;
  double* __restrict const x = w.data();
  double* __restrict const mean = mean_.data();
  double* __restrict const square = square_.data();
  const double* __restrict const g = gradient.data();
  for (std::size_t j = 0; j < w.size(); ++j) {
    mean[j] = first * mean[j] + (1 - first) * g[j] + tiny;
    square[j] = second * square[j] + (1 - second) * g[j] * g[j] + tiny;
    x[j] = keep * x[j] - of_mean * mean[j] / (std::sqrt(square[j]) * of_root + epsilon);
  }
}

void Adam::pack(solvers::Packer& packer) const {
  for (const auto* values : {&mean_, &square_}) packer.array(std::span<const double>(*values));
  packer.number(first_power_);
  packer.number(second_power_);
}

void Adam::unpack(solvers::Unpacker& unpacker) {
  for (auto* values : {&mean_, &square_}) *values = unpack_values(unpacker, values->size());
  first_power_ = unpacker.number<double>();
  second_power_ = unpacker.number<double>();
}

}  // namespace fairfront::training
