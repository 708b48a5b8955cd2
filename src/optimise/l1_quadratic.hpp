/// @file
/// A small convex quadratic with weighted absolute values: the step of a proximal Newton method.
#pragma once

#include <functional>
#include <vector>

#include "optimise/eigen.hpp"

namespace fairfront::optimise {

using Shorten = std::function<void(Eigen::VectorXd& x)>;

/// Minimises g^T (x - v) + (x - v)^T H (x - v) / 2 + sum_j weight_j |x_j| over x.
///
/// Alternates sweeps of coordinate descent, which find the signs, with Newton steps on the
/// coordinates that are not 0, where those that would change their sign become 0. Every one lowers
/// the objective. O(m^2) a sweep, O(m^3) a step.
/// @param hessian    H, symmetric positive semidefinite, shape (m, m). Where it is singular the
///                   solution is one of several, found with as small a ridge as factors need.
/// @param gradient   g, shape (m,).
/// @param weight     >= 0, shape (m,).
/// @param v          shape (m,); also where the search begins.
/// @param shorten    moves x, where the quadratic part does not change, to the least sum of
/// absolute
///                   values; called before Newton steps, whose systems it may make smaller. H may
///                   then be singular along such moves. Empty: there are none.
/// @param tolerance  ends when the shortest subgradient has at most this norm, or after 100 rounds
///                   or 60 Newton steps. Weights far below it count as 0.
[[nodiscard]] Eigen::VectorXd minimise_l1_quadratic(const Eigen::MatrixXd& hessian,
                                                    const Eigen::VectorXd& gradient,
                                                    const Eigen::VectorXd& weight,
                                                    const Eigen::VectorXd& v, double tolerance,
                                                    const Shorten& shorten = {});

/// The shortest subgradient of f(x) + sum_j weight_j |x_j|, f with this gradient at x: 0 at optima
/// alone. It is the projected gradient of the same problem in x = a - b, a and b >= 0.
[[nodiscard]] Eigen::VectorXd shortest_subgradient(const Eigen::VectorXd& x,
                                                   const Eigen::VectorXd& gradient,
                                                   const Eigen::VectorXd& weight);

}  // namespace fairfront::optimise
