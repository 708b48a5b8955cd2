/// @file
/// Quasi-Newton descent of a smooth function in a box.
#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <vector>

#include "optimise/box.hpp"

namespace fairfront::optimise {

/// A function of which ProjectedLbfgs asks a gradient only where it last asked the value.
class BoxFunction {
 public:
  virtual ~BoxFunction() = default;
  [[nodiscard]] virtual double value(std::span<const double> x) = 0;
  virtual void gradient(std::span<const double> x, std::span<double> out) = 0;
  /// Whether the next gradient may still be drawn.
  [[nodiscard]] virtual bool may_go_on() = 0;
};

struct ProjectedLbfgsOptions {
  std::int64_t iterations = 30;
  double tolerance = 1e-9;   ///< ends where the next step promises a smaller decrease
  double longest_step = 1;   ///< of one variable, as a share of its interval
  std::int64_t memory = 10;  ///< pairs of steps and gradient changes kept
};

/// Limited-memory BFGS on the variables that are free to move, with backtracking along the
/// projected arc: variables at a bound that the gradient pushes against stay there in that
/// iteration. J. Nocedal, S. J. Wright, "Numerical Optimization" (2006), Algorithm 7.4; D. P.
/// Bertsekas, SIAM J. Control Optim. 20(2), 1982, for the projection. Deterministic.
class ProjectedLbfgs {
 public:
  /// @param widths  of the problem's intervals, > 0 where the box's own is, shape (n,): the unit of
  ///                `longest_step`.
  ProjectedLbfgs(Box box, std::vector<double> widths, const ProjectedLbfgsOptions& options);

  /// Moves x, shape (n,), which must lie in the box, to lower values of the function. May be called
  /// again for a function that has changed little: what was learnt of the curvature is kept.
  /// @return  whether the last step promised less than the tolerance, or no step went lower.
  bool minimise(BoxFunction& function, std::span<double> x);

  /// What the last gradient promised to first order for a step of one variable through its whole
  /// interval, >= 0, those aside that a bound holds: small where minimise() ended at a smooth
  /// minimum, not at a kink.
  [[nodiscard]] double slope_left() const;

  /// Forgets the curvature, for a function that has changed much.
  void forget() { pairs_.clear(); }

 private:
  struct Pair {
    std::vector<double> step;
    std::vector<double> change;
  };
  void find_free(std::span<const double> x);
  [[nodiscard]] double free_dot(std::span<const double> a, std::span<const double> b) const;
  void quasi_newton_direction();
  void steepest_direction();
  /// Shortens the direction to the longest step. @return  its slope, < 0 for descent.
  double bounded_slope();
  bool search(BoxFunction& function, std::span<double> x, double slope);
  void remember(std::span<const double> x);

  Box box_;
  std::vector<double> widths_;
  ProjectedLbfgsOptions options_;
  std::deque<Pair> pairs_;
  double value_ = 0;
  std::vector<double> gradient_;
  std::vector<double> direction_;
  std::vector<double> old_x_;
  std::vector<double> old_gradient_;
  std::vector<double> trial_;
  std::vector<char> free_;
};

}  // namespace fairfront::optimise
