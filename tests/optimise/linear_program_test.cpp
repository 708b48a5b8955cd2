#include "optimise/linear_program.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "optimise/glpk.hpp"

namespace fairfront::optimise {
namespace {

/// Primal and dual feasibility and equal values: together they are optimality.
void expect_optimal(const LinearProgram& program, const LinearProgramResult& found,
                    double tolerance) {
  ASSERT_TRUE(found.feasible);
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return program.matrix[static_cast<std::size_t>(i * program.columns + j)];
  };
  double dual = 0, primal = 0;
  for (std::int64_t i = 0; i < program.rows; ++i) {
    const auto k = static_cast<std::size_t>(i);
    double left = 0;
    for (std::int64_t j = 0; j < program.columns; ++j) {
      left += at(i, j) * found.x[static_cast<std::size_t>(j)];
    }
    EXPECT_LE(left, program.right[k] + tolerance) << "row " << i;
    EXPECT_GE(found.multiplier[k], 0);
    dual -= program.right[k] * found.multiplier[k];
  }
  for (std::int64_t j = 0; j < program.columns; ++j) {
    const auto k = static_cast<std::size_t>(j);
    double reduced = program.cost[k];
    for (std::int64_t i = 0; i < program.rows; ++i) {
      reduced += at(i, j) * found.multiplier[static_cast<std::size_t>(i)];
    }
    EXPECT_GE(reduced, -tolerance) << "column " << j;
    EXPECT_GE(found.x[k], 0);
    primal += program.cost[k] * found.x[k];
  }
  EXPECT_NEAR(primal, dual, tolerance);
  EXPECT_NEAR(primal, found.value, tolerance);
}

TEST(LinearProgram, AProgramSolvedByHand) {
  // min 2x + 3y, x + y >= 4, x + 3y >= 6: both bind, x = 3, y = 1; multipliers 3/2 and 1/2.
  const LinearProgram program{2, 2, {-1, -1, -1, -3}, {-4, -6}, {2, 3}};
  const LinearProgramResult found = solve_linear_program(program);
  ASSERT_TRUE(found.feasible);
  EXPECT_NEAR(found.x[0], 3, 1e-12);
  EXPECT_NEAR(found.x[1], 1, 1e-12);
  EXPECT_NEAR(found.value, 9, 1e-12);
  EXPECT_NEAR(found.multiplier[0], 1.5, 1e-12);
  EXPECT_NEAR(found.multiplier[1], 0.5, 1e-12);
}

TEST(LinearProgram, WithoutAViolatedRowTheAnswerIsZero) {
  const LinearProgramResult found = solve_linear_program({1, 2, {1, 1}, {3}, {1, 0}});
  ASSERT_TRUE(found.feasible);
  EXPECT_EQ(found.x, (std::vector<double>{0, 0}));
  EXPECT_EQ(found.pivots, 0);
}

TEST(LinearProgram, ContradictingRowsAreInfeasible) {
  // x >= 2 and x <= 1.
  EXPECT_FALSE(solve_linear_program({2, 1, {-1, 1}, {-2, 1}, {1}}).feasible);
}

TEST(LinearProgram, AgreesWithGlpkOnRandomPrograms) {
  int feasible = 0, infeasible = 0;
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    base::Stream stream(base::StreamKey(seed, "linear program", "test"), 0);
    const auto integer = [&](std::int64_t least, std::int64_t most) {
      return least + stream.below(static_cast<std::uint32_t>(most - least + 1));
    };
    LinearProgram program;
    program.rows = integer(1, 30);
    program.columns = integer(1, 20);
    // Few different numbers give ties, so degenerate vertices; many zeros give sparse rows.
    for (std::int64_t k = 0; k < program.rows * program.columns; ++k) {
      program.matrix.push_back(static_cast<double>(std::max<std::int64_t>(integer(-4, 3), -2)));
    }
    for (std::int64_t i = 0; i < program.rows; ++i) {
      program.right.push_back(static_cast<double>(integer(-3, 6)));
    }
    for (std::int64_t j = 0; j < program.columns; ++j) {
      program.cost.push_back(static_cast<double>(integer(0, 5)));
    }
    const LinearProgramResult found = solve_linear_program(program);
    const testing_glpk::Answer expected = testing_glpk::minimise(program);
    ASSERT_EQ(found.feasible, expected.feasible) << "seed " << seed;
    found.feasible ? ++feasible : ++infeasible;
    if (!found.feasible) continue;
    EXPECT_NEAR(found.value, expected.value, 1e-8 * (1 + std::abs(expected.value)))
        << "seed " << seed;
    expect_optimal(program, found, 1e-8 * (1 + std::abs(expected.value)));
  }
  EXPECT_GT(feasible, 40);  // both kinds were there
  EXPECT_GT(infeasible, 20);
}

TEST(LinearProgram, BadProgramsAreRefused) {
  EXPECT_THROW((void)solve_linear_program({1, 1, {1, 1}, {1}, {1}}), std::invalid_argument);
  EXPECT_THROW((void)solve_linear_program({1, 1, {1}, {1}, {-1}}), std::invalid_argument);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THROW((void)solve_linear_program({1, 1, {nan}, {1}, {1}}), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::optimise
