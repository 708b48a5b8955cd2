/// @file
/// Factors of a matrix that rounding has left indefinite.
#pragma once

#include <functional>
#include <optional>

#include "optimise/decomposition.hpp"

namespace fairfront::optimise {

/// Shares of a diagonal that are added to it until there are factors: from `least` to `most`, each
/// ten times the one before.
struct Ridges {
  double least = 1e-16;
  double most = 1;
  bool none_first = false;  ///< the matrix itself is tried before
};

/// Of the matrix with the least of these ridges with which it is definite; nothing where none is.
/// @param diagonal  the matrix's with a ridge.
/// @param accepts   of factors: where it does not, a larger ridge is tried. Empty: any.
/// @throws base::Interrupted  at a stop point.
[[nodiscard]] std::optional<Cholesky> ridged_cholesky(
    Eigen::MatrixXd matrix, const Ridges& ridges,
    const std::function<Eigen::VectorXd(double ridge)>& diagonal,
    const std::function<bool(const Cholesky&)>& accepts = {});

}  // namespace fairfront::optimise
