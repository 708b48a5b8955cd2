#include "solvers/ranking/score_rows.hpp"

#include <cmath>
#include <stdexcept>

namespace fairfront::ranking {

double squared_norm(std::span<const double> w) {
  double squares = 0;
  for (const double value : w) squares += value * value;
  return squares;
}

namespace {

/// Whether the sum of squares in any order says so: orders differ by less than n 2^-52 of it, as no
/// term is negative. One after the other each addition waits for the last.
bool surely_within(std::span<const double> w, double radius) {
  constexpr std::size_t parts = 8;
  constexpr std::size_t most = std::size_t{1} << 20;
  if (w.size() > most) return false;
  double sums[parts] = {};
  std::size_t j = 0;
  for (; j + parts <= w.size(); j += parts) {
    for (std::size_t p = 0; p < parts; ++p) sums[p] += w[j + p] * w[j + p];
  }
  for (; j < w.size(); ++j) sums[0] += w[j] * w[j];
  double sum = 0;
  for (const double part : sums) sum += part;
  return sum <= (1 - 0x1p-30) * (radius * radius);
}

}  // namespace

void project(std::span<double> w, double radius) {
  if (surely_within(w, radius)) return;
  const double squares = squared_norm(w);
  if (squares <= radius * radius) return;
  const double shrink = radius / std::sqrt(squares);
  for (double& value : w) value *= shrink;
}

void check_problem(const Surrogate& surrogate, double kappa, double radius, double interval) {
  if (!(kappa > surrogate.infeasible_kappa())) {
    throw std::invalid_argument("SurrogateProblem::kappa must be > 2 scale margin^2 - 1");
  }
  if (!(radius > 0 && interval > 0)) {
    throw std::invalid_argument("SurrogateProblem: radius and interval must be > 0");
  }
}

}  // namespace fairfront::ranking
