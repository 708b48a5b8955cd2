/// @file
/// The directions of the groups' tilts that differ: coordinates in which a dual without bounds to
/// spare is well conditioned.
#pragma once

#include <cstdint>
#include <span>

#include "optimise/eigen.hpp"
#include "solvers/regression/dual.hpp"

namespace fairfront::regression {

/// Root mean square of tilts that gaps of 1e-10 do not tell from 0.
inline constexpr double negligible_tilt = 2e-11;

/// Scores u of K groups and c of `rank` tilts that are orthogonal over the rows with
/// a mean square of 1: <u, t(x)> = <c, t'(x)> up to rounding. Groups that are predicted from few
/// columns have tilts that nearly depend on each other, which makes the Hessian in u nearly
/// singular, and the one in c not.
struct FreeTilts {
  PredictedRows rows;         ///< with t' for tilts and shares of 1
  Eigen::MatrixXd to_free;    ///< c = to_free u, shape (rank, K)
  Eigen::MatrixXd to_groups;  ///< u = to_groups c, shape (K, rank)

  [[nodiscard]] Eigen::Index rank() const noexcept { return to_free.rows(); }
};

/// By a QR decomposition with column pivoting. O(N K^2).
/// @param groups      whose tilts, shape (K,).
/// @param negligible  root mean square of a direction up to which it is left out: no prediction has
///                    a larger gap along it. What multipliers keep it 0 are as large as it is
///                    small.
[[nodiscard]] FreeTilts free_tilts(const PredictedRows& rows, std::span<const std::int64_t> groups,
                                   double negligible = negligible_tilt);

/// Every block of v, of one number a group each, to the other coordinates.
/// @param map  shape (blocks after, blocks before).
/// @param v    shape (blocks before x numbers a block,), block by block.
[[nodiscard]] Eigen::VectorXd map_blocks(const Eigen::MatrixXd& map, const Eigen::VectorXd& v);

}  // namespace fairfront::regression
