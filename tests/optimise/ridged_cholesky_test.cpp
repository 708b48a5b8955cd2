#include "optimise/ridged_cholesky.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace fairfront::optimise {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

TEST(RidgedCholesky, TakesTheLeastRidgeWithWhichAMatrixIsDefinite) {
  // Eigenvalues 1 and -1e-6.
  Matrix matrix = Matrix::Zero(2, 2);
  matrix.diagonal() << 1, -1e-6;
  std::vector<double> tried;
  const auto diagonal = [&](double ridge) -> Vector {
    tried.push_back(ridge);
    return matrix.diagonal() + ridge * Vector::Ones(2);
  };
  const auto found = ridged_cholesky(matrix, {.least = 1e-8, .none_first = true}, diagonal);
  ASSERT_TRUE(found);
  ASSERT_EQ(tried.size(), 5U);  // 0, 1e-8, .. 1e-5
  EXPECT_EQ(tried.front(), 0);
  EXPECT_NEAR(tried.back(), 1e-5, 1e-18);
  EXPECT_NEAR(found->solve(Vector::Unit(2, 1))[1], 1 / 9e-6, 1e-3);
  EXPECT_FALSE(ridged_cholesky(matrix, {.least = 1e-10, .most = 1e-7}, diagonal));
}

TEST(RidgedCholesky, ADefiniteMatrixIsLeftAsItIs) {
  base::Stream stream(base::StreamKey(1, "test", "ridged cholesky"), 0);
  Matrix root(6, 6);
  for (double& value : root.reshaped()) value = stream.normal();
  const Matrix matrix = root * root.transpose() + Matrix::Identity(6, 6);
  const auto found = ridged_cholesky(matrix, {.none_first = true}, [&](double ridge) -> Vector {
    return matrix.diagonal() * (1 + ridge);
  });
  ASSERT_TRUE(found);
  EXPECT_EQ(found->diagonal(), Cholesky(matrix).diagonal());
}

TEST(RidgedCholesky, FactorsThatAreNotAcceptedAreFollowedByThoseOfALargerRidge) {
  const Matrix one = Matrix::Identity(1, 1);
  int asked = 0;
  const auto found = ridged_cholesky(
      one, {.least = 0.01, .most = 1},
      [](double ridge) -> Vector { return Vector::Constant(1, 1 + ridge); },
      [&](const Cholesky&) { return ++asked == 2; });
  ASSERT_TRUE(found);
  EXPECT_NEAR(found->diagonal()[0] * found->diagonal()[0], 1.1, 1e-15);
}

}  // namespace
}  // namespace fairfront::optimise
