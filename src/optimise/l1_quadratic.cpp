#include "optimise/l1_quadratic.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/stop.hpp"
#include "optimise/ridged_cholesky.hpp"

namespace fairfront::optimise {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr int most_rounds = 100;
constexpr int sweeps_a_round = 3;
constexpr int most_newton_steps = 60;  ///< of all rounds; where signs change without end

double sign_of(double x) { return x > 0 ? 1.0 : -1.0; }

/// x and the gradient of the quadratic part there, kept together.
struct Iterate {
  Vector x;
  Vector gradient;

  void move(Index j, double by, const Matrix& hessian) {
    x[j] += by;
    gradient += by * hessian.col(j);
  }
};

void sweep(Iterate& at, const Matrix& hessian, const Vector& weight) {
  for (Index j = 0; j < at.x.size(); ++j) {
    const double curvature = hessian(j, j);
    const double target = at.x[j] - at.gradient[j] / curvature;
    const double threshold = weight[j] / curvature;
    const double best = std::abs(target) <= threshold ? 0 : target - sign_of(target) * threshold;
    if (best == at.x[j]) continue;
    at.move(j, best - at.x[j], hessian);
    at.x[j] = best;
  }
}

/// By how much the objective changes with a move, whose product with the Hessian is given.
double change(const Iterate& at, const Vector& weight, const Vector& move, const Vector& product) {
  return at.gradient.dot(move) + 0.5 * move.dot(product) +
         weight.dot((at.x + move).cwiseAbs() - at.x.cwiseAbs());
}

/// The solution of a system with a matrix that is symmetric and positive semidefinite. Where it is
/// singular, a ridge, the smallest that lets the factors exist, keeps the solution short where the
/// right side lies in the range, and makes it long along the kernel where it does not: a direction
/// in which a quadratic falls without curvature.
Vector solve_nearly(const Matrix& matrix, const Vector& right) {
  const Vector diagonal = matrix.diagonal();
  const Vector size = (diagonal.array() > 0).select(diagonal, 1.0);
  Vector solution;
  const auto found = ridged_cholesky(
      matrix, {.least = 1e-15, .none_first = true},
      [&](double ridge) -> Vector { return diagonal + ridge * size; },
      [&](const Cholesky& factors) {
        solution = factors.solve(right);
        return solution.allFinite();
      });
  return found ? solution : Vector::Zero(right.size());
}

/// The Newton step on the coordinates that are not 0, or cost nothing. Those that would change
/// their sign become 0; where that does not lower the objective the step is halved, down to where
/// the first of them does. Whether it was a whole step.
bool newton_step(Iterate& at, const Matrix& hessian, const Vector& weight) {
  std::vector<Index> active;
  for (Index j = 0; j < at.x.size(); ++j) {
    if (at.x[j] != 0 || weight[j] == 0) active.push_back(j);
  }
  if (active.empty()) return true;
  Vector right(std::ssize(active));
  for (Index k = 0; k < right.size(); ++k) {
    const Index j = active[static_cast<std::size_t>(k)];
    right[k] = -at.gradient[j] - weight[j] * sign_of(at.x[j]);
  }
  const Vector step = solve_nearly(hessian(active, active), right);

  double length = 1;  // to the first change of sign
  Index first = -1;
  for (Index k = 0; k < step.size(); ++k) {
    const Index j = active[static_cast<std::size_t>(k)];
    if (!(weight[j] > 0 && at.x[j] * (at.x[j] + length * step[k]) < 0)) continue;
    length = -at.x[j] / step[k];
    first = j;
  }
  Vector bent(at.x.size());
  for (double part = 1; first < 0 || part > length; part /= 2) {
    bent.setZero();
    for (Index k = 0; k < step.size(); ++k) {
      const Index j = active[static_cast<std::size_t>(k)];
      const bool crosses = weight[j] > 0 && at.x[j] * (at.x[j] + part * step[k]) < 0;
      bent[j] = crosses ? -at.x[j] : part * step[k];
    }
    const Vector product = hessian * bent;
    if (first >= 0 && change(at, weight, bent, product) >= 0) continue;
    at.x += bent;
    at.gradient += product;
    return first < 0;
  }
  Vector cut = Vector::Zero(at.x.size());
  cut(active) = length * step;
  at.x += cut;
  at.x[first] = 0;
  at.gradient.noalias() += hessian * cut;
  return false;
}

}  // namespace

Vector shortest_subgradient(const Vector& x, const Vector& gradient, const Vector& weight) {
  Vector result(x.size());
  for (Index j = 0; j < x.size(); ++j) {
    if (x[j] != 0) {
      result[j] = gradient[j] + weight[j] * sign_of(x[j]);
    } else {
      const double excess = std::abs(gradient[j]) - weight[j];
      result[j] = excess > 0 ? sign_of(gradient[j]) * excess : 0;
    }
  }
  return result;
}

Vector minimise_l1_quadratic(const Matrix& hessian, const Vector& gradient, const Vector& weight,
                             const Vector& v, double tolerance, const Shorten& shorten) {
  Iterate at{v, gradient};
  // Weights that the tolerance does not see would only stop steps at signs without meaning.
  const double seen = 0.01 * tolerance / std::sqrt(static_cast<double>(v.size()));
  const Vector counted = (weight.array() > seen).select(weight, 0.0);
  const bool smooth = (counted.array() == 0).all();
  int steps = 0;
  for (int round = 0; round < most_rounds && steps < most_newton_steps; ++round) {
    for (int k = 0; k < sweeps_a_round && !smooth; ++k) {
      base::stop_point();
      sweep(at, hessian, counted);
    }
    if (shorten) shorten(at.x);
    for (bool whole = false; !whole && steps < most_newton_steps; ++steps) {
      base::stop_point();
      whole = newton_step(at, hessian, counted);
    }
    if (shorten) shorten(at.x);
    // Anew, so that what was added up along the way does not drift.
    at.gradient = gradient + hessian * (at.x - v);
    if (shortest_subgradient(at.x, at.gradient, weight).norm() <= tolerance) break;
  }
  return at.x;
}

}  // namespace fairfront::optimise
