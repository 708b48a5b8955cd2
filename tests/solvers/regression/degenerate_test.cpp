#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "base/random.hpp"
#include "solvers/regression/interior_point.hpp"
#include "solvers/regression/optimum.hpp"

namespace fairfront::regression {
namespace {

enum class Kind { chain, rare, one_row, equal, certain };

/// Weight of a group's probability in a row with these numbers.
double weight_of(Kind kind, std::int64_t row, std::int64_t rows, std::int64_t groups,
                 std::int64_t group, double x, double z, base::Stream& stream) {
  const auto s = static_cast<double>(group);
  switch (kind) {
    case Kind::chain:  // all of them functions of one number
      return std::exp(1.2 * x * s + 0.5 * z);
    case Kind::rare:
      return std::exp(3 * std::sin(1.3 * s + 2 * x) + 2 * z * std::cos(2.1 * s) - 0.3 * s);
    case Kind::one_row:
      if (group == 0) return 1;
      return row == group * (rows / groups) ? 50 : 1e-3;
    case Kind::equal:
      return std::exp(stream.normal() + 0.5 * x * std::cos(s));
    case Kind::certain:
      break;
  }
  return row % groups == group ? 1 : 0;
}

PredictedRows degenerate_rows(Kind kind, std::int64_t rows, std::int64_t groups,
                              std::uint64_t seed = 1) {
  base::Stream stream(base::StreamKey(seed, "degenerate", "rows"), 0);
  std::vector<double> eta, tau;
  for (std::int64_t i = 0; i < rows; ++i) {
    const double x = stream.normal(), z = stream.normal();
    std::vector<double> weights;
    double sum = 0;
    for (std::int64_t s = 0; s < groups; ++s) {
      weights.push_back(weight_of(kind, i, rows, groups, s, x, z, stream));
      sum += weights.back();
    }
    for (const double weight : weights) tau.push_back(weight / sum);
    eta.push_back(0.35 * x + 0.2 * stream.normal());
  }
  return predicted_rows(eta, tau, mean_shares(tau, groups));
}

std::string text(Kind kind, std::int64_t groups, double epsilon, ParityBound bound) {
  return std::to_string(static_cast<int>(kind)) + ", " + std::to_string(groups) + " groups, " +
         std::to_string(std::log2(epsilon)) + (bound == ParityBound::atom ? ", atoms" : ", CDF");
}

/// Calls with every dual of the matrix.
template <class Check>
void for_all(std::int64_t rows, std::initializer_list<std::int64_t> numbers, Check check) {
  const Grid grid{static_cast<std::int64_t>(std::sqrt(static_cast<double>(rows))), 1};
  for (const Kind kind : {Kind::chain, Kind::rare, Kind::one_row, Kind::equal, Kind::certain}) {
    for (const std::int64_t groups : numbers) {
      const PredictedRows data = degenerate_rows(kind, rows, groups);
      for (const double epsilon : {0.0, 0x1p-512, 0x1p-20, 0x1p-10}) {
        for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
          const ParityDual dual(data, grid, bound,
                                std::vector<double>(static_cast<std::size_t>(groups), epsilon));
          check(dual, text(kind, groups, epsilon, bound));
        }
      }
    }
  }
}

TEST(Degenerate, TheDualIsSolvedInFewSteps) {
  for_all(60, {2, 3, 5, 16}, [](const ParityDual& dual, const std::string& which) {
    const Optimum found = minimise_dual(dual, 0.5 * std::sqrt(60.0) * std::log2(60.0));
    EXPECT_TRUE(found.converged) << which;
    EXPECT_LE(found.gradient_norm, 1e-9) << which;
    EXPECT_LE(found.iterations, 60) << which;
  });
}

TEST(Degenerate, TheLinearProgramIsSolvedInFewSteps) {
  for_all(100, {2, 3, 5, 8}, [](const ParityDual& dual, const std::string& which) {
    const Limit found = minimise_limit(dual);
    EXPECT_TRUE(found.converged) << which;
    EXPECT_LE(found.certificate.gap(), 1e-7) << which;
    EXPECT_LE(found.optimum.iterations, 60) << which;
  });
}

/// Bounds below which tilts that nearly depend on each other have multipliers of 1e5: from the
/// smallest to those that hardly bind.
TEST(Degenerate, TheLinearProgramOfAnyNumberOfGroupsIsSolvedForAnyBound) {
  for (const std::uint64_t seed : {1U, 2U}) {
    for (std::int64_t groups = 2; groups <= 16; ++groups) {
      for (const Kind kind : {Kind::chain, Kind::equal}) {
        const PredictedRows rows = degenerate_rows(kind, 60, groups, seed);
        for (const double epsilon : {0.0, 0x1p-512, 0x1p-30, 0x1p-20, 0x1p-10, 0.01, 0.1}) {
          for (const ParityBound bound : {ParityBound::atom, ParityBound::cumulative}) {
            const ParityDual dual(rows, {7, 1}, bound,
                                  std::vector<double>(static_cast<std::size_t>(groups), epsilon));
            const Limit found = minimise_limit(dual);
            const std::string which = text(kind, groups, epsilon, bound) + std::to_string(seed);
            EXPECT_TRUE(found.converged) << which;
            EXPECT_LE(found.certificate.gap(), 1e-7) << which;
            EXPECT_LE(found.optimum.iterations, 60) << which;
            EXPECT_LE(found.certificate.excess, 1e-5) << which;
          }
        }
      }
    }
  }
}

/// Singular systems: of the changes that take a softmax inside its bounds only the first are right.
TEST(Degenerate, SixteenGroupsOfOneNumberAreCertifiedInFewSteps) {
  const PredictedRows rows = degenerate_rows(Kind::chain, 300, 16);
  const ParityDual dual(rows, {17, 1}, ParityBound::cumulative, std::vector<double>(16, 0.0));
  const Limit found = minimise_limit(dual);
  EXPECT_TRUE(found.converged);
  EXPECT_LE(found.certificate.gap(), 1e-7);
  EXPECT_LE(found.optimum.iterations, 60);
}

/// Bounds of atoms so tight that what all atoms' scores have in common is 1e10 times as cheap as
/// what moves probabilities.
TEST(Degenerate, WhatAllAtomsHaveInCommonDoesNotDrownTheRest) {
  struct Case {
    std::uint64_t seed;
    std::int64_t groups;
    double epsilon;
  };
  for (const auto& [seed, groups, epsilon] :
       {Case{1, 11, 0x1p-34}, Case{2, 12, 0x1p-34}, Case{2, 13, 0x1p-32}, Case{2, 14, 0x1p-32},
        Case{3, 9, 0x1p-32}, Case{3, 13, 0x1p-32}}) {
    const PredictedRows rows = degenerate_rows(Kind::chain, 60, groups, seed);
    const ParityDual dual(rows, {7, 1}, ParityBound::atom,
                          std::vector<double>(static_cast<std::size_t>(groups), epsilon));
    const Limit found = minimise_limit(dual);
    const std::string which = text(Kind::chain, groups, epsilon, ParityBound::atom);
    EXPECT_TRUE(found.converged) << which;
    EXPECT_LE(std::abs(found.certificate.gap()), 1e-7) << which;
    EXPECT_LE(found.optimum.iterations, 60) << which;
  }
  const PredictedRows rows = degenerate_rows(Kind::chain, 60, 16, 2);
  const ParityDual dual(rows, {7, 1}, ParityBound::atom, std::vector<double>(16, 0x1p-32));
  const Optimum found = minimise_dual(dual, 0.5 * std::sqrt(60.0) * std::log2(60.0));
  EXPECT_LE(found.gradient_norm, 1e-9);
  EXPECT_LE(found.iterations, 60);
}

/// Problems whose ends rounding brings into the wrong order: that is not called solved.
TEST(Degenerate, ALowerEndAboveTheUpperOneIsNoCertificate) {
  const PredictedRows rows = degenerate_rows(Kind::chain, 60, 16, 3);
  for (const double epsilon : {0x1p-44, 0x1p-43}) {
    const ParityDual dual(rows, {7, 1}, ParityBound::atom, std::vector<double>(16, epsilon));
    const Limit found = minimise_limit(dual);
    EXPECT_TRUE(!found.converged || std::abs(found.certificate.gap()) <= 1e-7)
        << found.certificate.gap();
  }
}

/// Groups of one row: whole steps are too long along directions that hardly move a probability, and
/// part steps leave of what should become 0 a rest whose subgradient is that of a bound that binds.
TEST(Degenerate, PartStepsDoNotEndBeforeTheOptimum) {
  struct Case {
    Kind kind;
    std::int64_t rows;
    std::uint64_t seed;
    std::int64_t groups;
    double epsilon;
    ParityBound bound;
  };
  for (const auto& [kind, rows, seed, groups, epsilon, bound] :
       {Case{Kind::one_row, 60, 4, 9, 0.03, ParityBound::atom},
        Case{Kind::one_row, 60, 4, 10, 0.03, ParityBound::atom},
        Case{Kind::one_row, 60, 5, 16, 0.03, ParityBound::atom},
        Case{Kind::one_row, 200, 1, 16, 0.03, ParityBound::atom},
        Case{Kind::one_row, 60, 4, 12, 0x1p-40, ParityBound::cumulative},
        Case{Kind::rare, 60, 5, 11, 0x1p-40, ParityBound::cumulative},
        Case{Kind::rare, 200, 1, 9, 0x1p-40, ParityBound::cumulative}}) {
    const PredictedRows data = degenerate_rows(kind, rows, groups, seed);
    const auto number = static_cast<double>(rows);
    const ParityDual dual(data, {static_cast<std::int64_t>(std::sqrt(number)), 1}, bound,
                          std::vector<double>(static_cast<std::size_t>(groups), epsilon));
    const Optimum found = minimise_dual(dual, 0.5 * std::sqrt(number) * std::log2(number));
    const std::string which = text(kind, groups, epsilon, bound);
    EXPECT_TRUE(found.converged) << which;
    EXPECT_LE(found.gradient_norm, 1e-9) << which;
    EXPECT_LE(found.iterations, 60) << which;
  }
}

TEST(InteriorPoint, BadOptionsAreRefused) {
  const PredictedRows rows = degenerate_rows(Kind::equal, 20, 2);
  const ParityDual dual(rows, {3, 1}, ParityBound::atom, {0.1, 0.1});
  const solvers::Control nobody;
  solvers::Stages stages(nobody, "");
  for (const InteriorOptions& bad : {InteriorOptions{}, InteriorOptions{.beta = 1, .tolerance = 0},
                                     InteriorOptions{.beta = 1, .max_steps = 0}}) {
    EXPECT_THROW((void)interior_point(dual, bad, stages), std::invalid_argument);
  }
}

}  // namespace
}  // namespace fairfront::regression
