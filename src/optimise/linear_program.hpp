/// @file
/// Small dense linear programs.
#pragma once

#include <cstdint>
#include <vector>

namespace fairfront::optimise {

/// min c^T x over x >= 0 with A x <= b, where c >= 0.
struct LinearProgram {
  std::int64_t rows = 0;       ///< m
  std::int64_t columns = 0;    ///< n
  std::vector<double> matrix;  ///< A, row-major, shape (m, n)
  std::vector<double> right;   ///< b, shape (m,)
  std::vector<double> cost;    ///< c, shape (n,), >= 0
};

struct LinearProgramResult {
  bool feasible = false;           ///< if not, x and multipliers are empty
  double value = 0;                ///< c^T x
  std::vector<double> x;           ///< a vertex, shape (n,)
  std::vector<double> multiplier;  ///< y >= 0, shape (m,): c + A^T y >= 0 and value = -b^T y
  std::int64_t pivots = 0;
};

/// Dual simplex method on the condensed tableau of m x n numbers, from the basis of the slacks,
/// which is dual feasible because c >= 0. O(m n) a pivot. The most violated row leaves; of the
/// columns that keep the multipliers' signs the one with the largest pivot enters; smallest index
/// rules (Bland) once many pivots have not raised the objective. At the end, and after every few
/// hundred pivots, the tableau is computed anew from the basis.
///
/// Rows and columns should have entries of similar sizes: tolerances are absolute, 1e-10.
/// @throws std::invalid_argument  shapes that do not fit, a number that is not finite, a c_j < 0.
/// @throws std::runtime_error     no end in 100 (m + n) pivots.
[[nodiscard]] LinearProgramResult solve_linear_program(const LinearProgram& program);

}  // namespace fairfront::optimise
