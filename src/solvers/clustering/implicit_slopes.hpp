/// @file
/// Slopes of VfairKM's penalty where an update will end, not where it begins.
#pragma once

#include <span>

namespace fairfront::clustering {

/// What the slopes of one cluster are to be, so that they are those at the end of the update that
/// they are used in. V_j are the masses of its groups, S their sum.
///
/// Slopes taken at the beginning (explicit ones) make masses overshoot unless L is at least
/// mu u_j / V_j: with an L for the rarest group, all others creep. An update multiplies memberships
/// by exp(-b_j / L), and then normalises rows. With c_j in place of the slopes b_j that led to V_j,
/// masses are about V_j exp(-(c_j - b_j) / L), so the slope there is the solution of
///
///     c_j = mu (1 / S - u_j / (V_j exp(-(c_j - b_j) / L))),
///
/// an equation in one unknown with one solution, by Newton's method. Where L is far above
/// mu u_j / V_j it is the explicit slope, and where far below, the step takes V_j to where the
/// slope is b_j. S stays as it is, which holds back sizes: the penalty is a function of the shares
/// V_j / S alone, and where its slopes are made to have sum_j V_j c_j = 0 on the way, small
/// clusters of many die out.
///
/// A fixed point is one of explicit slopes: where b_j is the slope at V_j, c_j = b_j.
///
/// @param shares  u_j > 0, shape (J,).
/// @param masses  V_j > 0 that an update with slopes b_j would end with, shape (J,).
/// @param slopes  b_j, replaced by c_j, shape (J,).
void make_implicit(std::span<const double> shares, std::span<const double> masses, double mu,
                   double lipschitz, std::span<double> slopes);

}  // namespace fairfront::clustering
