#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "base/stop.hpp"
#include "optimise/eigen.hpp"
#include "solvers/alternating/data_problem.hpp"

namespace fairfront::alternating {
namespace {

using Matrix = Eigen::MatrixXd;
using base::at;

/// Second derivatives of a loss by the score, in place of the scores.
void bend(models::LossKind loss, std::span<double> scores) {
  if (loss == models::LossKind::square) {
    std::ranges::fill(scores, 1.0);
    return;
  }
  base::sigmoid(scores, scores);
  for (double& p : scores) p *= 1 - p;
}

}  // namespace

void DataProblem::hessian(std::span<const double> weights, std::span<const double> w,
                          std::span<double> out) const {
  if (!convex()) throw std::logic_error("DataProblem::hessian: not convex");
  const auto n = static_cast<Eigen::Index>(w.size());
  Matrix sum = Matrix::Zero(n, n);
  std::array<double, at(models::rows_per_block)> bends{};
  models::LinearModel::Scratch scratch;
  const models::Rows rows = all();
  for (std::int64_t first = 0; first < rows.size(); first += models::rows_per_block) {
    base::stop_point();
    const models::Rows block =
        rows.part(first, std::min(models::rows_per_block, rows.size() - first));
    const auto curvatures = std::span(bends).first(at(block.size()));
    model_.scores(w, block, scratch, curvatures);
    bend(options_.loss, curvatures);
    Matrix columns(n, block.size());
    for (Eigen::Index i = 0; i < columns.cols(); ++i) {
      const double root = std::sqrt(curvatures[at(i)]);
      columns(0, i) = root;
      for (Eigen::Index j = 1; j < n; ++j) columns(j, i) = root * block.row(i)[j - 1];
    }
    sum.selfadjointView<Eigen::Lower>().rankUpdate(columns);
  }
  sum *= weights[0] / static_cast<double>(rows.size());
  sum.diagonal().array() += convexity(weights);
  const Matrix directions = Eigen::Map<const Matrix>(covariances_.data(), n, groups());
  sum.selfadjointView<Eigen::Lower>().rankUpdate(directions, weights[1] * options_.fairness_scale);
  Eigen::Map<Matrix>(out.data(), n, n) = sum;
}

}  // namespace fairfront::alternating
