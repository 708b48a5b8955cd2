#include "solvers/training/penalty_step.hpp"

#include <algorithm>
#include <cmath>

#include "optimise/penalty_quadratic.hpp"

namespace fairfront::training {
namespace {

using Eigen::Index;
using Vector = Eigen::VectorXd;
using Matrix = Eigen::MatrixXd;

Matrix factors_of(const GapConstraints& constraints) {
  Matrix factors(constraints.gaps(), std::ssize(constraints.cells()));
  for (Index i = 0; i < factors.rows(); ++i) {
    for (Index k = 0; k < factors.cols(); ++k) factors(i, k) = constraints.factor(i, k);
  }
  return factors;
}

}  // namespace

double total_excess(std::span<const double> gaps, double bound) {
  double sum = 0;
  for (const double gap : gaps) sum += std::max(0.0, std::abs(gap) - bound);
  return sum;
}

PenaltyStep penalty_step(const GapConstraints& constraints, const PenaltyModel& model,
                         const optimise::Cholesky& factor, double cap, double bound) {
  Vector gaps(constraints.gaps());
  const std::span<double> of_gaps{gaps.data(), static_cast<std::size_t>(gaps.size())};
  constraints.gaps_of(model.cells, of_gaps);
  const optimise::PenaltyQuadraticResult found =
      optimise::minimise_penalty_quadratic({model.gradient, factor, gaps, factors_of(constraints),
                                            model.jacobian.transpose(), bound, cap});
  PenaltyStep step{found.p,
                   {found.multipliers.begin(), found.multipliers.end()},
                   std::vector<double>(model.cells.size()),
                   0};
  for (double& y : step.of_gaps) y = std::clamp(y, -cap, cap);  // it may exceed it by rounding
  constraints.pull_back(step.of_gaps, step.multipliers);
  const Vector pulled = Eigen::Map<const Vector>(step.multipliers.data(), model.jacobian.rows());
  // s'Ps = -s'(g + C'D'y)
  const double curved = -step.s.dot(model.gradient + model.jacobian.transpose() * pulled);
  std::vector<double> losses = model.cells;
  const Vector change = model.jacobian * step.s;
  for (std::size_t k = 0; k < losses.size(); ++k) losses[k] += change[static_cast<Index>(k)];
  constraints.gaps_of(losses, of_gaps);
  step.value = model.gradient.dot(step.s) + 0.5 * curved + cap * total_excess(of_gaps, bound);
  return step;
}

}  // namespace fairfront::training
