/// @file
/// A lower bound of the mean logistic loss of linear scores, such that the losses of two cells
/// differ by at most delta: branch and bound for [exact_training].
#pragma once

#include <cstdint>
#include <functional>

#include "optimise/eigen.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/state.hpp"

namespace fairfront::training {

/// Minimise q_0 L_0 + q_a L_a + q_b L_b such that L_a - L_b <= delta, where every L is a mean of
/// softplus(u_i'w) over rows. What has more constraints has no smaller optimum.
struct GapTask {
  Eigen::MatrixXd neutral;  ///< a column -y_i (x_i, 1) a row; may have none
  Eigen::MatrixXd greater;  ///< those of a, whose loss is the greater one
  Eigen::MatrixXd smaller;  ///< those of b
  double neutral_share = 0, greater_share = 0, smaller_share = 0;  ///< q: they add up to 1
  double delta = 0;
};

struct GapBoundStart {
  Eigen::VectorXd w;      ///< near the best point known, shape (n,)
  double multiplier = 0;  ///< of the gap there
  double lower = 0;       ///< a lower bound that is known
  double upper = 0;       ///< the least loss that is known
};

struct GapBound {
  double lower = 0;        ///< proven; at least the one known before
  std::int64_t cells = 0;  ///< that were looked at
};
template <solvers::MaybeConst<GapBound> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.lower, self.cells);
}

/// Up to this many weights: a cell takes time O(rows n^4).
inline constexpr std::int64_t most_bounded_weights = 16;

/// Where the multiplier lambda is above q_b the Lagrangian weighs rows of b by less than 0, and is
/// not convex. Weights that are feasible and better than T have F(w) <= T for the convex function
/// F = q_0 L_0 + (q_a + q_b) L_a - q_b delta, the Lagrangian of lambda = q_b: a convex set R(T). It
/// is cut into cells, on each of which some Lagrangian is shown to be at least T. Then the optimum
/// is at least T, for T rising in steps of half of what lacks to the best loss known, or of less
/// where a step took more cells than all before and 60, until `cells` are used up: so the bound
/// never falls as `cells` rises.
///
/// A cell is a box in the first coordinates, and in the others a ball that holds the part of R in
/// the box: F is shown to be greater than T, and than at the ball's centre, all over its sphere,
/// and the level sets of F are convex. A cell that is cut hands its ball to the parts. Coordinates:
/// first the direction in which L_b curves most against F at the minimum of F, then those with
/// heavy tails, as their few rows with large scores make all bounds worse. F and the Lagrangian are
/// bounded by moments (row_moments.hpp), their minimum over box and ball by duality (box_ball.hpp).
///
/// Rounding: a sum of N products is in error by at most N 2^-53 times the sum of their sizes
/// (Higham, 2002, section 3.1). Of values, gradients and moments, times the powers of a step d of a
/// cell, the means of these sizes are at most some L + |d| + n |d|^2, in coordinates where the mean
/// of sigma' (u'd)^2 is |d|^2, and a cell has |d| < 1: so 4e-15 N > 32 N 2^-53 covers them, and
/// 1e-9 the scores (n 2^-53 |u| |w| each) and the systems solved; the bound is lower by both.
///
/// Deterministic. Local: never communicates. Time O(cells rows n^4).
///
/// @param beat  called now and then; may throw.
/// @param control  of checkpoints, between two cells.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another search.
[[nodiscard]] GapBound raise_lower_bound(const GapTask& task, const GapBoundStart& start,
                                         std::int64_t cells, const std::function<void()>& beat,
                                         const solvers::Control& control = {});

}  // namespace fairfront::training
