#include "models/soft_prediction.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <string_view>

#include "base/elementary.hpp"

namespace fairfront::models {
namespace {

void require_argument(bool holds, std::string_view what) {
  if (!holds) throw std::invalid_argument(std::string{what});
}

/// Four partial results, so that one need not wait for another; always in the same order.
constexpr std::size_t width = 4;

double greatest(std::span<const double> values) {
  std::array<double, width> best;
  best.fill(-std::numeric_limits<double>::infinity());
  std::size_t i = 0;
  for (; i + width <= values.size(); i += width) {
    for (std::size_t k = 0; k < width; ++k) best[k] = std::max(best[k], values[i + k]);
  }
  for (; i < values.size(); ++i) best[0] = std::max(best[0], values[i]);
  return std::max(std::max(best[0], best[1]), std::max(best[2], best[3]));
}

double sum_of(std::span<const double> values) {
  std::array<double, width> sums{};
  std::size_t i = 0;
  for (; i + width <= values.size(); i += width) {
    for (std::size_t k = 0; k < width; ++k) sums[k] += values[i + k];
  }
  for (; i < values.size(); ++i) sums[0] += values[i];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

}  // namespace

std::vector<double> Grid::values() const {
  require_argument(half >= 1, "Grid::half must be >= 1");
  require_argument(std::isfinite(bound) && bound > 0, "Grid::bound must be > 0");
  std::vector<double> atoms;
  for (std::int64_t l = -half; l <= half; ++l) {
    atoms.push_back(static_cast<double>(l) * bound / static_cast<double>(half));
  }
  return atoms;
}

double soft_maximum(double beta, std::span<double> z) {
  double value = 0;
  soft_maxima(beta, z, {&value, 1});
  return value;
}

void soft_maxima(double beta, std::span<double> z, std::span<double> values) {
  const std::size_t n = z.size() / values.size();
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::span<double> row = z.subspan(i * n, n);
    values[i] = greatest(row);
    for (double& value : row) value = beta * (value - values[i]);
  }
  base::exp(z, z);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::span<double> row = z.subspan(i * n, n);
    const double sum = sum_of(row);
    const double share = 1 / sum;
    for (double& value : row) value *= share;
    values[i] += base::log(sum) / beta;
  }
}

SoftPrediction::SoftPrediction(const Grid& grid, std::int64_t groups, double beta)
    : grid_{grid}, groups_{groups}, beta_{beta}, atoms_{grid.values()} {
  require_argument(groups >= 1, "SoftPrediction: at least one group is needed");
  require_argument(std::isfinite(beta) && beta > 0, "SoftPrediction: beta must be > 0");
}

double SoftPrediction::operator()(double eta, std::span<const double> tilt,
                                  std::span<const double> d, std::span<double> pi) const {
  const std::size_t n = atoms_.size();
  const double* const q = atoms_.data();
  double* const z = pi.data();
  for (std::size_t l = 0; l < n; ++l) {
    const double error = eta - q[l];
    z[l] = -(error * error);
  }
  for (std::size_t s = 0; s < tilt.size(); ++s) {
    const double t = tilt[s];
    const double* const of_group = d.data() + s * n;
    for (std::size_t l = 0; l < n; ++l) z[l] += t * of_group[l];
  }
  return soft_maximum(beta_, pi);
}

std::vector<double> difference_of(std::span<const double> w) {
  const std::size_t half = w.size() / 2;
  std::vector<double> d(half);
  for (std::size_t i = 0; i < half; ++i) d[i] = w[i] - w[half + i];
  return d;
}

}  // namespace fairfront::models
