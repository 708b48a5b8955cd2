/// @file
/// In which coordinates the search for a lower bound cuts the weights into cells.
#pragma once

#include <functional>
#include <optional>

#include "solvers/training/bounded_rows.hpp"

namespace fairfront::training {

/// A basis E with E' convex E = I whose first column is the direction in which `other` curves most
/// against `convex`; of the rest the next column is where the rows' scores have the heaviest tail,
/// the greatest mean of sigma' (u'd)^4, and so on. Local maxima from the axes and the longest row:
/// any basis serves.
///
/// @param convex, other  Hessians, shape (n, n).
/// @param at  where sigma' is taken.
/// @return nothing where `convex` is not positive definite.
[[nodiscard]] std::optional<Eigen::MatrixXd> gap_coordinates(const Eigen::MatrixXd& convex,
                                                             const Eigen::MatrixXd& other,
                                                             const BoundedRows& rows,
                                                             const Eigen::VectorXd& at,
                                                             const std::function<void()>& beat);

}  // namespace fairfront::training
