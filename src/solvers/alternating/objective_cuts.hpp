/// @file
/// What is known of three objectives by their gradients at a few places.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "optimise/eigen.hpp"

namespace fairfront::alternating {

/// The objectives and their gradients at a point of the box, in units.
struct ObjectiveLook {
  std::vector<double> x;           ///< shape (n,)
  std::array<double, 3> values{};  ///< f_i
  Eigen::VectorXd place;           ///< x as shares of the box's intervals
  std::array<double, 3> u{};       ///< f_i in units of the front's ranges
  Eigen::MatrixXd slopes;          ///< of u by place, shape (n, 3)
};

/// What excesses over bounds cost is known beforehand.
struct PenalisedSum {
  std::array<double, 3> bounds{};
  double price = 0;
  /// min sum_i u_i + price max_i (u_i - bounds_i), the augmented Chebyshev scalarisation (R. E.
  /// Steuer, E.-U. Choo, Math. Program. 26, 1983); otherwise the price is of each excess:
  /// min sum_i u_i + price sum_i max(0, u_i - bounds_i).
  bool of_greatest = false;

  [[nodiscard]] double operator()(const std::array<double, 3>& u) const;
  /// Of sums that a step has made: >= 1, with what exceeds 1 as the price allows.
  [[nodiscard]] std::array<double, 3> weights_near(const std::array<double, 3>& sums) const;
};

/// A model of convex objectives: each is at least what a look says, a line, or a parabola where
/// objectives bend. All parabolas of one objective bend alike, so that the least penalised sum of
/// the model is a quadratic program whose bounds are exact (with lines alone, steps along a bound
/// that bends leave it). An objective bends by what is declared, or more where no pair of looks
/// contradicts, as A. Astorino, A. Frangioni, M. Gaudioso, E. Gorgone, "Piecewise-quadratic
/// approximations in convex numerical optimization", SIAM J. Optim. 21(4), 2011, have it.
class ObjectiveCuts {
 public:
  using Values = std::array<double, 3>;

  /// What an objective is at least by a look.
  struct Cut {
    const ObjectiveLook* look = nullptr;
    std::size_t objective = 0;
    double below = 0;  ///< its value at the centre by so much there, >= 0
  };

  /// @param metric    of distances |t|^2 = sum_j metric_j t_j^2, shape (n,).
  /// @param declared  for every objective: u_i - declared_i |t|^2 / 2 is convex.
  ObjectiveCuts(Eigen::VectorXd metric, const Values& declared);

  void clear();
  /// @param look  must outlive the cuts.
  void add(const ObjectiveLook& look);
  [[nodiscard]] const std::vector<const ObjectiveLook*>& looks() const { return looks_; }

  /// Whether no pair of looks says that an objective is not convex.
  [[nodiscard]] bool may_be_convex() const;

  /// Where the model, and (proximity / 2) |t - centre|^2, are least.
  struct Step {
    Eigen::VectorXd place;
    Values weights{};  ///< of the objectives: the sum's, and what the bounds add
    double model = 0;  ///< the penalised sum there, if the model is right
    double bound = 0;  ///< of the penalised sum in the whole box, if the objectives are convex
  };
  /// @param trusts_pairs  whether objectives bend by more than is declared.
  [[nodiscard]] Step step_from(const ObjectiveLook& centre, const PenalisedSum& sum,
                               double proximity, bool trusts_pairs) const;

 private:
  [[nodiscard]] std::vector<Cut> cuts_from(const ObjectiveLook& centre, const Values& bend) const;
  [[nodiscard]] double bound_by(const std::vector<Cut>& cuts, const Eigen::VectorXd& shares,
                                const Values& weights, const PenalisedSum& sum) const;

  Eigen::VectorXd metric_;
  Values declared_;
  Values seen_{};  ///< as far as any pair of looks allows an objective to bend
  std::vector<const ObjectiveLook*> looks_;
};

}  // namespace fairfront::alternating
