/// @file
/// The steps of D. Kingma, J. Ba (2015), "Adam: a method for stochastic optimization".
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "solvers/common/packing.hpp"

namespace fairfront::training {

/// Algorithm 1 with beta = 0.9, 0.999 and epsilon = 1e-8; with a decay, that of I. Loshchilov,
/// F. Hutter (2019), which is not scaled like the gradient.
class Adam {
 public:
  explicit Adam(std::size_t parameters) : mean_(parameters, 0.0), square_(parameters, 0.0) {}

  /// w -= size (mean / (sqrt(square) + epsilon) + decay w), with mean and square unbiased.
  /// @param gradient  shape of w, and no part of it.
  void step(std::span<double> w, std::span<const double> gradient, double size, double decay);

  void pack(solvers::Packer& packer) const;
  void unpack(solvers::Unpacker& unpacker);

 private:
  std::vector<double> mean_, square_;
  double first_power_ = 1, second_power_ = 1;  ///< beta^t
};

}  // namespace fairfront::training
