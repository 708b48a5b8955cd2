#include "models/least_squares.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/stop.hpp"
#include "models/mean_loss.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::models {
namespace {

using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

void validate(const Rows& rows, const LeastSquaresOptions& options) {
  if (rows.size() == 0) throw std::invalid_argument("LeastSquares: no rows");
  if (!(options.l2 >= 0) || !std::isfinite(options.l2)) {
    throw std::invalid_argument(
        fmt::format("LeastSquaresOptions::l2 = {}, must be >= 0", options.l2));
  }
  if (!(options.deficient_ridge >= 0) || !std::isfinite(options.deficient_ridge)) {
    throw std::invalid_argument(fmt::format(
        "LeastSquaresOptions::deficient_ridge = {}, must be >= 0", options.deficient_ridge));
  }
  if (!(options.rank_tolerance > 0 && options.rank_tolerance < 1)) {
    throw std::invalid_argument(fmt::format(
        "LeastSquaresOptions::rank_tolerance = {}, must be in (0, 1)", options.rank_tolerance));
  }
}

/// The rows with a 1 in front where there is an intercept, a row sqrt(m l2) e_j for each penalised
/// weight, and rows of 0 until there are as many rows as columns.
Matrix design_of(const Rows& rows, const LeastSquaresOptions& options) {
  const Eigen::Index first = options.intercept == Intercept::first ? 1 : 0;
  const Eigen::Index m = rows.size(), d = rows.columns();
  const Eigen::Index penalties = options.l2 > 0 ? d : 0;
  Matrix design = Matrix::Zero(std::max(m + penalties, d + first), d + first);
  for (Eigen::Index i = 0; i < m; ++i) {
    if (i % rows_between_stops == 0) base::stop_point();
    if (first == 1) design(i, 0) = 1;
    const double* row = rows.row(i);
    for (Eigen::Index j = 0; j < d; ++j) design(i, first + j) = row[j];
  }
  const double penalty = std::sqrt(static_cast<double>(m) * options.l2);
  for (Eigen::Index j = 0; j < penalties; ++j) design(m + j, first + j) = penalty;
  return design;
}

}  // namespace

struct LeastSquares::Factors {
  Factors(const Rows& design_rows, const LeastSquaresOptions& given)
      : rows{design_rows},
        options{given},
        model{rows.columns(), options.intercept},
        qr{design_of(rows, options)} {
    const Eigen::Index first = model.has_intercept() ? 1 : 0;
    const Eigen::Index d = rows.columns();
    const Matrix triangle = qr.r(d + first);
    means = triangle.topRows(first).rightCols(d);
    diagonal = triangle(0, 0);
    Matrix centred = triangle.bottomRightCorner(d, d);
    scales = Vector::Ones(d);
    for (Eigen::Index j = 0; j < d; ++j) {
      const double norm = centred.col(j).stableNorm();
      if (norm <= options.rank_tolerance * triangle.col(first + j).stableNorm()) {
        centred.col(j).setZero();
      } else {
        scales[j] = norm;
        centred.col(j) /= norm;
      }
    }
    decomposition = optimise::CompleteOrthogonal(std::move(centred), options.rank_tolerance);
    const Eigen::Index rank = decomposition.rank();  // 0: constant columns alone
    if (rank > 0 && rank < d && options.deficient_ridge > 0) factorise_with_ridge();
  }

  /// Of centred P = Q [T 0; 0 0] Z with T of full rank: the QR decomposition of T above a multiple
  /// of the identity. What does not count stays out, so that the ridge need not be above rounding.
  void factorise_with_ridge() {
    const Eigen::Index rank = decomposition.rank();
    Matrix stacked = Matrix::Zero(2 * rank, rank);
    stacked.topRows(rank) = decomposition.t();
    const Matrix gram = stacked.topRows(rank).transpose() * stacked.topRows(rank);
    const double square = optimise::eigenvalues(gram).maxCoeff();
    stacked.bottomRows(rank).diagonal().setConstant(std::sqrt(options.deficient_ridge * square));
    ridge_qr = optimise::Qr(std::move(stacked));
  }

  /// Slopes of the scaled columns.
  [[nodiscard]] Vector slopes_of(const Vector& centred) const {
    if (ridge_qr.columns() == 0) return decomposition.solve(centred);
    const Eigen::Index rank = decomposition.rank(), d = rows.columns();
    Vector right = Vector::Zero(2 * rank);
    const Vector rotated = decomposition.rotated(centred);
    right.head(rank) = rotated.head(rank);
    Vector weights = Vector::Zero(d);
    weights.head(rank) = ridge_qr.solve(right);
    return decomposition.of_columns(weights);
  }

  Rows rows;
  LeastSquaresOptions options;
  LinearModel model;
  optimise::Qr qr;
  Matrix means;                                ///< the intercept's row of the triangle, (0 or 1, d)
  double diagonal = 0;                         ///< the intercept's own element there
  Vector scales;                               ///< of the columns of the triangle below that row
  optimise::CompleteOrthogonal decomposition;  ///< of those columns / scales
  optimise::Qr ridge_qr;                       ///< empty: without ridge
};

LeastSquares::LeastSquares(const Rows& rows, const LeastSquaresOptions& options) {
  validate(rows, options);
  factors_ = std::make_unique<const Factors>(rows, options);
}
LeastSquares::LeastSquares(LeastSquares&&) noexcept = default;
LeastSquares& LeastSquares::operator=(LeastSquares&&) noexcept = default;
LeastSquares::~LeastSquares() = default;

LeastSquaresResult LeastSquares::solve(std::span<const double> targets) const {
  const Factors& f = *factors_;
  const Eigen::Index first = f.model.has_intercept() ? 1 : 0;
  Vector right = Vector::Zero(f.qr.rows());
  for (std::int64_t i = 0; i < f.rows.size(); ++i) {
    right[i] = targets[static_cast<std::size_t>(f.rows.number(i))];
  }
  right = f.qr.rotated(std::move(right));
  const Vector centred = right.segment(first, f.rows.columns());
  const Vector slopes = f.slopes_of(centred).cwiseQuotient(f.scales);

  LeastSquaresResult result;
  result.rank = f.decomposition.rank() + first;
  if (first == 1) {
    result.weights.push_back((right[0] - (f.means * slopes)[0]) / f.diagonal);
  }
  result.weights.insert(result.weights.end(), slopes.begin(), slopes.end());

  std::vector<double> gradient(result.weights.size(), 0.0);
  for (Eigen::Index j = 0; j < slopes.size(); ++j) {
    gradient[static_cast<std::size_t>(first + j)] = f.options.l2 * slopes[j];
  }
  LossScratch<LinearModel> scratch;
  add_mean_loss_gradient(f.model, result.weights, f.rows, targets, LossKind::square, 1, scratch,
                         gradient);
  for (const double component : gradient) {
    result.gradient_norm = std::max(result.gradient_norm, std::abs(component));
  }
  return result;
}

LeastSquaresResult fit_least_squares(const Rows& rows, std::span<const double> targets,
                                     const LeastSquaresOptions& options) {
  return LeastSquares(rows, options).solve(targets);
}

}  // namespace fairfront::models
