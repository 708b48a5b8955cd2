#include "models/least_squares.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "optimise/eigen.hpp"

namespace fairfront::models::least_squares_test {
namespace {

using Numbers = std::vector<double>;
using Wide = std::vector<long double>;

Numbers normal(std::int64_t size, std::uint64_t index) {
  base::Stream stream(base::StreamKey(1, "least squares", "test"), index);
  Numbers values(static_cast<std::size_t>(size));
  for (double& value : values) value = stream.normal();
  return values;
}

/// Solves a x = b in long double by Gaussian elimination with row pivots.
Wide solve(std::vector<Wide> a, Wide b) {
  const std::size_t n = b.size();
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t pivot = k;
    for (std::size_t i = k; i < n; ++i) {
      if (std::abs(a[i][k]) > std::abs(a[pivot][k])) pivot = i;
    }
    std::swap(a[k], a[pivot]);
    std::swap(b[k], b[pivot]);
    for (std::size_t i = k + 1; i < n; ++i) {
      const long double factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < n; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = n; k-- > 0;) {
    for (std::size_t j = k + 1; j < n; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
  return b;
}

/// The same problem by its normal equations, in long double.
Wide by_normal_equations(const Rows& rows, const Numbers& targets, bool intercept, double l2) {
  const std::size_t first = intercept ? 1 : 0;
  const std::size_t n = static_cast<std::size_t>(rows.columns()) + first;
  std::vector<Wide> matrix(n, Wide(n, 0));
  Wide right(n, 0);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    Wide x(n, 1);
    for (std::size_t j = first; j < n; ++j) x[j] = rows.row(i)[j - first];
    for (std::size_t j = 0; j < n; ++j) {
      for (std::size_t k = 0; k < n; ++k) matrix[j][k] += x[j] * x[k];
      right[j] += x[j] * targets[static_cast<std::size_t>(rows.number(i))];
    }
  }
  for (std::size_t j = first; j < n; ++j) {
    matrix[j][j] += static_cast<long double>(rows.size()) * l2;
  }
  return solve(matrix, right);
}

void expect_near(const Numbers& weights, const Wide& expected, double error) {
  ASSERT_EQ(weights.size(), expected.size());
  for (std::size_t j = 0; j < weights.size(); ++j) {
    EXPECT_NEAR(weights[j], static_cast<double>(expected[j]), error) << j;
  }
}

TEST(LeastSquares, AgreesWithTheNormalEquationsInLongDouble) {
  constexpr std::int64_t m = 200, d = 60;  // more columns than Eigen takes in one block
  const Numbers features = normal(m * d, 1);
  const Numbers targets = normal(m, 2);
  const Rows rows(features, d);
  for (const Intercept intercept : {Intercept::first, Intercept::none}) {
    for (const double l2 : {0.0, 0.1}) {
      const auto fit = fit_least_squares(rows, targets, {.intercept = intercept, .l2 = l2});
      const bool first = intercept == Intercept::first;
      // Condition about 10, weights about 0.1.
      expect_near(fit.weights, by_normal_equations(rows, targets, first, l2), 1e-14);
      EXPECT_EQ(fit.rank, d + (first ? 1 : 0));
      EXPECT_LT(fit.gradient_norm, 1e-14);
    }
  }
}

TEST(LeastSquares, TakesRowsOfAnIndexAndTargetsByRowNumber) {
  const Numbers features = normal(90, 1), targets = normal(30, 2);
  const std::vector<std::int64_t> index = {29, 3, 4, 4, 11, 0, 7, 8};
  const Rows rows(features, 3, index);
  const auto fit = fit_least_squares(rows, targets);
  expect_near(fit.weights, by_normal_equations(rows, targets, true, 0), 1e-13);
}

TEST(LeastSquares, ColumnsOfVeryDifferentSizesAndOffsetsDoNoHarm) {
  constexpr std::int64_t m = 100;
  Numbers features = normal(m * 3, 1);
  for (std::int64_t i = 0; i < m; ++i) {
    double* row = features.data() + 3 * i;
    row[0] = 1e5 + 1e2 * row[0];
    row[1] = 1e-7 * row[1];
  }
  const Numbers targets = normal(m, 2);
  const Rows rows(features, 3);
  const auto fit = fit_least_squares(rows, targets);
  const Wide expected = by_normal_equations(rows, targets, true, 0);
  EXPECT_EQ(fit.rank, 4);
  for (std::size_t j = 0; j < 4; ++j) {
    // Offsets of 1e3 deviations cost 1e3 roundings here, and 1e6 of 1e-19 in the normal equations.
    const auto wanted = static_cast<double>(expected[j]);
    EXPECT_NEAR(fit.weights[j], wanted, 1e-11 * std::abs(wanted)) << j;
  }
}

/// Columns: u, v, 1 (constant), 2 u + 3, u - v, 0.
Numbers deficient(std::int64_t m) {
  const Numbers source = normal(2 * m, 1);
  Numbers features;
  for (std::size_t i = 0; i < static_cast<std::size_t>(m); ++i) {
    const double u = source[2 * i], v = source[2 * i + 1];
    for (const double x : {u, v, 7.7, 2 * u + 3, u - v, 0.0}) features.push_back(x);
  }
  return features;
}

TEST(LeastSquares, ADeficientDesignGivesTheSmallestStandardisedWeights) {
  constexpr std::int64_t m = 50;
  const Numbers features = deficient(m), targets = normal(m, 2);
  const Rows rows(features, 6);
  const auto fit = fit_least_squares(rows, targets);
  EXPECT_EQ(fit.rank, 3);  // 1, u, v
  EXPECT_LT(fit.gradient_norm, 1e-13);
  EXPECT_EQ(fit.weights[3], 0);  // constant
  EXPECT_EQ(fit.weights[6], 0);
  // u and 2 u + 3 are one column after scaling: equal standardised weights.
  EXPECT_NEAR(fit.weights[1], 2 * fit.weights[4], 1e-13);
  // Least norm: the standardised weights are orthogonal to what changes no score. One such change
  // of (u, v, u - v) is (1, -1, -1), in standardised units times the deviations.
  Numbers mean(6, 0.0), square(6, 0.0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < 6; ++j) mean[j] += rows.row(i)[j] / m;
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < 6; ++j) square[j] += std::pow(rows.row(i)[j] - mean[j], 2) / m;
  }
  const double inner =
      fit.weights[1] * square[0] - fit.weights[2] * square[1] - fit.weights[5] * square[4];
  EXPECT_NEAR(inner, 0, 1e-13);
  // The scores are those of the two columns that matter.
  Numbers two;
  for (std::int64_t i = 0; i < m; ++i) two.insert(two.end(), {rows.row(i)[0], rows.row(i)[1]});
  const Wide plain = by_normal_equations(Rows(two, 2), targets, true, 0);
  for (std::int64_t i = 0; i < m; ++i) {
    const double* x = rows.row(i);
    const double score = std::inner_product(x, x + 6, fit.weights.begin() + 1, fit.weights[0]);
    EXPECT_NEAR(score, static_cast<double>(plain[0] + plain[1] * x[0] + plain[2] * x[1]), 1e-13);
  }
}

TEST(LeastSquares, ARidgeMakesADeficientDesignRegular) {
  const Numbers features = deficient(50), targets = normal(50, 2);
  const Rows rows(features, 6);
  const auto fit = fit_least_squares(rows, targets, {.l2 = 1e-3});
  // What rounding leaves of the centred constant, 1e-14, is divided by m l2 = 0.05, and the
  // intercept balances 7.7 times that.
  expect_near(fit.weights, by_normal_equations(rows, targets, true, 1e-3), 1e-11);
  EXPECT_LT(fit.gradient_norm, 1e-14);
}

TEST(LeastSquares, ARidgeForDeficientDesignsTendsToLeastNormLinearly) {
  constexpr std::int64_t m = 50;
  const Numbers features = deficient(m), targets = normal(m, 2);
  const Rows rows(features, 6);
  const Numbers least_norm = fit_least_squares(rows, targets).weights;
  const auto distance = [&](double ridge) {
    const auto fit = fit_least_squares(rows, targets, {.deficient_ridge = ridge});
    EXPECT_EQ(fit.rank, 3);
    double square = 0;
    for (std::size_t j = 0; j < least_norm.size(); ++j) {
      square += std::pow(fit.weights[j] - least_norm[j], 2);
    }
    return std::sqrt(square);
  };
  for (const double ridge : {1e-3, 1e-5, 1e-7}) {
    EXPECT_GT(distance(ridge), 1e-2 * ridge);
    EXPECT_NEAR(distance(ridge) / distance(ridge / 10), 10, 10 * (10 * ridge + 1e-6));
  }
  EXPECT_LT(distance(1e-14), 1e-13);
  // A penalty of the same size on the same columns, by the normal equations: centred, with norm 1.
  Numbers scaled;
  Numbers mean(6, 0.0), norm(6, 0.0);
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < 6; ++j) mean[j] += rows.row(i)[j] / m;
  }
  for (std::int64_t i = 0; i < m; ++i) {
    for (std::size_t j = 0; j < 6; ++j) norm[j] += std::pow(rows.row(i)[j] - mean[j], 2);
  }
  const std::vector<std::size_t> varying{0, 1, 3, 4};
  for (std::int64_t i = 0; i < m; ++i) {
    for (const std::size_t j : varying) {
      scaled.push_back((rows.row(i)[j] - mean[j]) / std::sqrt(norm[j]));
    }
  }
  const Eigen::MatrixXd design =
      Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
          scaled.data(), m, 4);
  const double largest = Eigen::JacobiSVD<Eigen::MatrixXd>(design).singularValues()[0];
  const double ridge = 0.01;
  const auto expected = by_normal_equations(Rows(scaled, 4), targets, true,
                                            ridge * largest * largest / static_cast<double>(m));
  const auto fit = fit_least_squares(rows, targets, {.deficient_ridge = ridge});
  for (std::size_t k = 0; k < varying.size(); ++k) {
    EXPECT_NEAR(fit.weights[1 + varying[k]] * std::sqrt(norm[varying[k]]),
                static_cast<double>(expected[1 + k]), 1e-12);
  }
}

TEST(LeastSquares, ARidgeForDeficientDesignsLeavesOthersAlone) {
  const Numbers features = normal(40 * 4, 1), targets = normal(40, 2);
  const Rows rows(features, 4);
  EXPECT_EQ(fit_least_squares(rows, targets, {.deficient_ridge = 1}).weights,
            fit_least_squares(rows, targets).weights);
}

TEST(LeastSquares, FewerRowsThanColumnsAreInterpolated) {
  const Numbers features = normal(5 * 12, 1), targets = normal(5, 2);
  const Rows rows(features, 12);
  const auto fit = fit_least_squares(rows, targets);
  EXPECT_EQ(fit.rank, 5);
  for (std::int64_t i = 0; i < 5; ++i) {
    const double* x = rows.row(i);
    EXPECT_NEAR(std::inner_product(x, x + 12, fit.weights.begin() + 1, fit.weights[0]),
                targets[static_cast<std::size_t>(i)], 1e-13);
  }
}

TEST(LeastSquares, OneFactorServesManyTargets) {
  const Numbers features = normal(40 * 4, 1);
  const Rows rows(features, 4);
  const LeastSquares factor(rows, {.intercept = Intercept::none});
  for (const std::uint64_t index : {2U, 3U}) {
    const Numbers targets = normal(40, index);
    expect_near(factor.solve(targets).weights, by_normal_equations(rows, targets, false, 0), 1e-14);
  }
}

TEST(LeastSquares, ConstantColumnsAloneLeaveTheMean) {
  const Numbers features(12, 3.0), targets = {1, 2, 3, 4, 5, 9};
  for (const double ridge : {0.0, 1e-14}) {
    const auto fit = fit_least_squares(Rows(features, 2), targets, {.deficient_ridge = ridge});
    EXPECT_NEAR(fit.weights[0], 4, 1e-14);
    EXPECT_EQ(fit.weights[1], 0);
    EXPECT_EQ(fit.weights[2], 0);
  }
}

TEST(LeastSquares, BitsDoNotDependOnTheAlignmentOfMemory) {
  const Numbers features = normal(101 * 7, 1), targets = normal(101, 2);
  const auto fit = fit_least_squares(Rows(features, 7), targets);
  for (const std::size_t shift : {1U, 2U, 3U}) {
    Numbers moved(shift, 0.0), moved_targets(shift, 0.0);
    moved.insert(moved.end(), features.begin(), features.end());
    moved_targets.insert(moved_targets.end(), targets.begin(), targets.end());
    const std::span<const double> at = std::span(moved).subspan(shift);
    EXPECT_EQ(fit.weights,
              fit_least_squares(Rows(at, 7), std::span(moved_targets).subspan(shift)).weights);
  }
}

TEST(LeastSquares, BadOptionsAreRefused) {
  const Numbers features = {1, 2}, targets = {1, 2};
  const Rows rows(features, 1);
  EXPECT_THROW(LeastSquares(rows, {.l2 = -1}), std::invalid_argument);
  EXPECT_THROW(LeastSquares(rows, {.rank_tolerance = 0}), std::invalid_argument);
  EXPECT_THROW(LeastSquares(rows, {.deficient_ridge = -1}), std::invalid_argument);
  EXPECT_THROW(LeastSquares(rows.part(0, 0)), std::invalid_argument);
}

}  // namespace
}  // namespace fairfront::models::least_squares_test
