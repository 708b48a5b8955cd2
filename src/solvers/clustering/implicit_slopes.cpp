#include "solvers/clustering/implicit_slopes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "base/elementary.hpp"

namespace fairfront::clustering {
namespace {

/// The w with w + log w = z. Newton's method, from the left after its first step, as the logarithm
/// is concave.
double solve_omega(double z) {
  constexpr int most_steps = 50;
  constexpr double precision = 1e-14;
  double w = z > 1 ? z : base::exp(z);
  for (int i = 0; i < most_steps; ++i) {
    const double before = w;
    w *= (1 + z - base::log(w)) / (1 + w);
    if (std::abs(w - before) <= precision * w) break;
  }
  return w;
}

}  // namespace

void make_implicit(std::span<const double> shares, std::span<const double> masses, double mu,
                   double lipschitz, std::span<double> slopes) {
  constexpr double least_exponent = -600;  // below, w is nothing beside mu / S
  double size = 0;
  for (const double mass : masses) size += mass;
  for (std::size_t j = 0; j < slopes.size(); ++j) {
    // In w = mu u_j / (V_j exp(-(c_j - b_j) / L)) / L the equation is w + log w = z.
    const double z =
        base::log(mu * shares[j] / (masses[j] * lipschitz)) + (mu / size - slopes[j]) / lipschitz;
    slopes[j] = mu / size - lipschitz * solve_omega(std::max(z, least_exponent));
  }
}

}  // namespace fairfront::clustering
