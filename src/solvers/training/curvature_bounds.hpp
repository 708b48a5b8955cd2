/// @file
/// How far softplus(z + t) may be from its Taylor polynomials at z, for all |t| up to a reach: what
/// the lower bound of [exact_training] is made of.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace fairfront::training {

struct Range {
  double least = 0;
  double most = 0;
};

/// Holds k(z, t) = 2 (softplus(z + t) - softplus(z) - sigma(z) t) / t^2 for all |t| <= reach: the
/// mean of sigma' between z and z + t, with weights 2 (1 - s).
///
/// By symmetry z >= 0. A parabola of curvature c meets softplus(z + t) at t = 0 twice and, as
/// sigma' - c has two zeros at most, at two more t at most: so k takes no value at more than two t,
/// k(z, 0) among them once it is left. It falls for t > 0 and tends to 0 on both sides, so that for
/// t < 0 it rises to one maximum, at t = -2 z by the symmetry of sigma'', and then falls. Its
/// greatest value is at t = -min(reach, 2 z), its least at t = reach, which is further from 0 all
/// along than t = -reach. Up to rounding the bounds are attained; reaches below 0.01 have wider
/// ones, and all a margin for rounding.
///
/// @param reach  >= 0, finite.
[[nodiscard]] Range averaged_curvature(double z, double reach);

/// Holds r(z, t) = 24 (softplus(z + t) - its Taylor polynomial of degree 3) / t^4 for all
/// |t| <= reach: the mean of sigma''' between z and z + t, with weights 4 (1 - s)^3.
///
/// From a table over z and reach, widened by what r may change between its points:
/// |dr/dz| <= max |sigma''''| and |dr/dt| <= max |sigma''''| / 5.
class FourthDerivatives {
 public:
  static constexpr double largest_reach = 4;

  FourthDerivatives();
  /// @param reach  in [0, largest_reach].
  [[nodiscard]] Range operator()(double z, double reach) const;

 private:
  std::vector<Range> table_;  ///< by z, then by reach
};

}  // namespace fairfront::training
