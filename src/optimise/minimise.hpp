/// @file
/// Minimisers of smooth functions to a stated gradient norm: Newton's method for small convex
/// problems, limited-memory BFGS for larger ones.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace fairfront::optimise {

struct MinimiseOptions {
  double tolerance = 1e-8;            ///< stop when every |component of the gradient| <= tolerance
  std::int64_t max_iterations = 500;  ///< >= 1
};

enum class Stop {
  converged,        ///< the gradient is as small as asked for
  iteration_limit,  ///< max_iterations
  stalled,          ///< no step along the direction improves in double precision
};

struct MinimiseResult {
  std::vector<double> weights;
  Stop stop = Stop::stalled;
  std::int64_t iterations = 0;
  std::int64_t evaluations = 0;  ///< of the function: passes over the rows, where it is of rows
  double value = 0;              ///< of the function at the weights
  double gradient_norm = 0;      ///< largest component there

  [[nodiscard]] bool converged() const { return stop == Stop::converged; }
};

/// Fills the gradient (n,) and returns the value; a value that is not finite is a refusal.
using ValueAndGradient =
    std::function<double(std::span<const double> w, std::span<double> gradient)>;
/// Fills the lower triangle of a symmetric matrix (n, n), column-major.
using Hessian = std::function<void(std::span<const double> w, std::span<double> matrix)>;

/// Newton's method with a line search for the weak Wolfe conditions. The Hessian must be positive
/// semidefinite; scaled to a unit diagonal it gets 1e-10 added there, so that flat directions
/// neither fail nor move. @throws std::invalid_argument  an option out of range.
[[nodiscard]] MinimiseResult minimise_newton(const ValueAndGradient& function,
                                             const Hessian& hessian, std::span<const double> start,
                                             const MinimiseOptions& options);

/// L-BFGS (Nocedal, 1980) with ten pairs and the same line search.
/// @param curvatures  shape (n,), > 0: the diagonal of a matrix like the Hessian, by which the
///                    variables are scaled.
[[nodiscard]] MinimiseResult minimise_lbfgs(const ValueAndGradient& function,
                                            std::span<const double> curvatures,
                                            std::span<const double> start,
                                            const MinimiseOptions& options);

}  // namespace fairfront::optimise
