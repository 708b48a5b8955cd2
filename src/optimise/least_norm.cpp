#include "optimise/least_norm.hpp"

#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <utility>

namespace fairfront::optimise {
namespace {

/// Solves the system (k, k) for its last unit vector by elimination with pivots.
/// @return  nothing where it is singular.
std::optional<std::vector<double>> solve_for_last(std::vector<double> matrix, std::size_t k) {
  std::vector<double> x(k, 0.0);
  x.back() = 1;
  for (std::size_t column = 0; column < k; ++column) {
    std::size_t pivot = column;
    for (std::size_t row = column + 1; row < k; ++row) {
      if (std::abs(matrix[row * k + column]) > std::abs(matrix[pivot * k + column])) pivot = row;
    }
    if (matrix[pivot * k + column] == 0) return std::nullopt;
    for (std::size_t j = 0; j < k; ++j) std::swap(matrix[pivot * k + j], matrix[column * k + j]);
    std::swap(x[pivot], x[column]);
    for (std::size_t row = column + 1; row < k; ++row) {
      const double factor = matrix[row * k + column] / matrix[column * k + column];
      for (std::size_t j = column; j < k; ++j) {
        matrix[row * k + j] -= factor * matrix[column * k + j];
      }
      x[row] -= factor * x[column];
    }
  }
  for (std::size_t row = k; row-- > 0;) {
    for (std::size_t j = row + 1; j < k; ++j) x[row] -= matrix[row * k + j] * x[j];
    x[row] /= matrix[row * k + row];
  }
  return x;
}

/// Stationary weights of a face: G w = mu 1, sum w = 1. The multiplier mu, the square of the
/// length, may be 0, as for gradients of opposite directions.
std::optional<std::vector<double>> weights_in(std::span<const double> products, std::size_t m,
                                              std::span<const std::size_t> face) {
  const std::size_t k = face.size();
  std::vector<double> matrix((k + 1) * (k + 1), 0.0);
  for (std::size_t i = 0; i < k; ++i) {
    for (std::size_t j = 0; j < k; ++j) matrix[i * (k + 1) + j] = products[face[i] * m + face[j]];
    matrix[i * (k + 1) + k] = matrix[k * (k + 1) + i] = 1;
  }
  auto weights = solve_for_last(std::move(matrix), k + 1);
  if (!weights) return std::nullopt;
  weights->pop_back();
  double sum = 0;
  for (const double weight : *weights) {
    if (!(weight >= 0)) return std::nullopt;
    sum += weight;
  }
  for (double& weight : *weights) weight /= sum;  // rounding aside it is 1
  return weights;
}

}  // namespace

std::vector<double> least_norm_weights(std::span<const double> products) {
  std::size_t m = 1;
  while (m * m < products.size()) ++m;
  std::vector<double> best(m, 0.0);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t members = 1; members < std::size_t{1} << m; ++members) {
    std::vector<std::size_t> face;
    for (std::size_t i = 0; i < m; ++i) {
      if ((members >> i & 1) != 0) face.push_back(i);
    }
    const auto weights = weights_in(products, m, face);
    if (!weights) continue;
    std::vector<double> all(m, 0.0);
    for (std::size_t i = 0; i < face.size(); ++i) all[face[i]] = (*weights)[i];
    double square = 0;
    for (std::size_t i = 0; i < m; ++i) {
      for (std::size_t j = 0; j < m; ++j) square += all[i] * all[j] * products[i * m + j];
    }
    if (!(square < least)) continue;
    least = square;
    best = std::move(all);
  }
  return best;
}

}  // namespace fairfront::optimise
