/// @file
/// Additive Gaussian noise on the gradients of any problem.
#pragma once

#include "solvers/alternating/problem.hpp"

namespace fairfront::alternating {

/// `problem` with gradients g + deviation * (independent standard normals): unbiased, and with
/// E|noise|^2 = n deviation^2. Refers to the problem, which must outlive it.
template <Objectives P>
class GaussianNoise {
 public:
  GaussianNoise(const P& problem, double deviation) : problem_{problem}, deviation_{deviation} {}

  [[nodiscard]] std::int64_t objectives() const { return problem_.objectives(); }
  [[nodiscard]] const optimise::Box& box() const { return problem_.box(); }
  [[nodiscard]] double value(std::int64_t objective, std::span<const double> x) const {
    return problem_.value(objective, x);
  }
  void gradient(std::int64_t objective, std::span<const double> x, std::span<double> out) const {
    problem_.gradient(objective, x, out);
  }
  void stochastic_gradient(std::int64_t objective, std::span<const double> x, base::Stream& stream,
                           std::span<double> out) const {
    draw_gradient(problem_, objective, x, stream, out);
    for (double& component : out) component += deviation_ * stream.normal();
  }

 private:
  const P& problem_;
  double deviation_;
};

}  // namespace fairfront::alternating
