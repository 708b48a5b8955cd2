#include "solvers/ranking/score_rows.hpp"

#include <cmath>
#include <stdexcept>

namespace fairfront::ranking {

double squared_norm(std::span<const double> w) {
  double squares = 0;
  for (const double value : w) squares += value * value;
  return squares;
}

void project(std::span<double> w, double radius) {
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
