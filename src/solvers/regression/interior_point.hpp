/// @file
/// An interior-point method for regression under demographic parity: the linear program, or the
/// same with the entropy that makes its solution a softmax.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "optimise/eigen.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/regression/parity_dual.hpp"

namespace fairfront::regression {

struct InteriorOptions {
  double beta = 0;              ///< inverse temperature, > 0; infinity: the linear program
  double tolerance = 1e-8;      ///< of the distance between the two objectives
  std::int64_t max_steps = 60;  ///< >= 1
  double no_penalty = 0;        ///< norm of epsilons up to which they are taken for 0
};

struct InteriorPoint {
  Eigen::VectorXd v;       ///< of the ParityDual
  Eigen::VectorXd active;  ///< the same, exactly 0 where a bound does not bind
  Eigen::VectorXd
      basic;             ///< of the same scores up to rounding, 0 of groups that follow from others
  Eigen::VectorXd gaps;  ///< those that the slacks of its bounds say it has; 0 without bounds
  std::vector<double> pi;  ///< of InteriorPath::softmax(), row-major, shape (N, n): probabilities
  double gap = 0;          ///< between the objectives of the probabilities and of v
  std::int64_t steps = 0;  ///< each looks at all rows once
};
template <solvers::MaybeConst<InteriorPoint> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.v, self.active, self.basic, self.gaps, self.pi, self.gap, self.steps);
}

/// Primal-dual steps with predictor and corrector (Mehrotra, 1992) on min over pi of the mean of
/// sum_l pi_il (r_il + log(pi_il) / beta) with gaps within the bounds. A step solves a system in
/// the unknowns of the dual alone, as a Newton step of the dual does, but far from a solution it is
/// not misled by what a softmax cannot see: probabilities that vanish, groups of one row, bounds
/// that are nearly 0. Where rounding lets no further step be made it ends, with the best point that
/// was passed. Deterministic. O(N n^2 K^2) a step, memory O(N n).
///
/// It is a stage of a run. Probabilities are too many to be kept: a checkpoint has the solutions of
/// all systems, with which the same steps are made again at a small part of their cost.
/// @throws std::invalid_argument  an option out of range.
[[nodiscard]] InteriorPoint interior_point(const ParityDual& dual, const InteriorOptions& options,
                                           solvers::Stages& stages);

/// The same for the linear program and then for softmaxes, each of which is searched for from a
/// point that the linear program's steps passed: a few steps instead of all of them. Each of them
/// is a stage.
class InteriorPath {
 public:
  /// Solves the linear program.
  /// @param dual   must outlive the path.
  /// @param betas  for which points are kept: memory O(N n) each at most.
  /// @throws std::invalid_argument  as interior_point().
  InteriorPath(const ParityDual& dual, double no_penalty, std::span<const double> betas,
               double tolerance, std::int64_t max_steps, solvers::Stages& stages);
  ~InteriorPath();
  InteriorPath(const InteriorPath&) = delete;
  InteriorPath& operator=(const InteriorPath&) = delete;

  /// Of the linear program.
  [[nodiscard]] const InteriorPoint& end() const noexcept { return end_; }
  /// @param beta  one of the betas, finite.
  [[nodiscard]] InteriorPoint softmax(double beta, double tolerance, std::int64_t max_steps,
                                      solvers::Stages& stages);

 private:
  friend InteriorPoint interior_point(const ParityDual& dual, const InteriorOptions& options,
                                      solvers::Stages& stages);
  struct Problem;
  std::unique_ptr<Problem> problem_;
  InteriorPoint end_;
};

}  // namespace fairfront::regression
