/// @file
/// Proximal Newton steps for a parity dual.
#pragma once

#include <cstdint>
#include <string>

#include "optimise/eigen.hpp"
#include "solvers/common/control.hpp"
#include "solvers/regression/optimum.hpp"

namespace fairfront::regression {

/// Each step minimises the quadratic model of the smooth part with the l1 penalties themselves
/// (Lee, Sun, Saunders, 2014); curvature is added where no part of the step lowers the objective.
class ProximalNewton {
 public:
  /// In the coordinates of the dual, or in those of other blocks that it was mapped from.
  /// @param dual       must outlive it.
  /// @param to_blocks  shape (blocks of the dual, those blocks); empty: none.
  /// @param to_others  its inverse or pseudoinverse, shape (those blocks, blocks of the dual).
  ProximalNewton(const ParityDual& dual, double beta, const OptimumOptions& options,
                 Eigen::MatrixXd to_blocks = {}, const Eigen::MatrixXd& to_others = {});

  /// Towards gaps, those of the gradient, that are these and not 0. Without penalties.
  void aim_at(Eigen::VectorXd gaps);

  /// @throws base::CheckpointError  the state to go on from is of another dual.
  Optimum run(const Eigen::VectorXd& start, const solvers::Control& control);

  /// From a point near the optimum along whose flat directions whole steps are too long. Part steps
  /// only halve what should become 0 there, and as long as it is not, the subgradient is that of a
  /// bound that binds: such dust goes, and curvature is added instead of a step being shortened.
  Optimum run_carefully(Eigen::VectorXd near, const solvers::Control& control);

  /// A point that was found by other means, in as many steps.
  Optimum at(const Eigen::VectorXd& v, const Optimum& found);

 private:
  /// The point of a run with what is known there.
  struct Point {
    Eigen::VectorXd v;
    ParityDual::Evaluation at;
    double objective = 0;
    Eigen::VectorXd subgradient;
    double norm = 0;
  };

  Point point(Eigen::VectorXd v);

  /// Between the steps that the state was kept between.
  Point restored(const std::string& state, Eigen::Index size, std::int64_t& iterations);

  void evaluate(Point& p);

  /// One accepted step. False if rounding lets none pass.
  bool step(Point& now);

  /// The length of the step that was made, 0 if none from 1 to the least lowers the objective.
  double search(Point& now, const Eigen::VectorXd& direction);

  const ParityDual& dual_;
  double beta_;
  OptimumOptions options_;
  Eigen::MatrixXd to_blocks_, curvature_, nearness_;
  Eigen::VectorXd wanted_;  ///< gaps; empty: 0
  std::int64_t evaluations_ = 0;
  bool careful_ = false;
  double damping_;
  Point trial_;
};

}  // namespace fairfront::regression
