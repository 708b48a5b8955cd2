#include "solvers/ranking/exact_auc.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <stdexcept>
#include <utility>
#include <vector>

#include "base/shared_pages.hpp"
#include "base/stop.hpp"
#include "optimise/decomposition.hpp"

namespace fairfront::ranking {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Moments {
  double rows = 0;
  VectorXd mean;
  MatrixXd covariance;
};

/// Sums of the products of ones, which are whole numbers.
void add_lists(const LinearScores& rows, std::vector<Moments>& cells) {
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    if (i % 1024 == 0) base::stop_point();
    Moments& cell = cells[rows.cells()[static_cast<std::size_t>(i)]];
    const auto ones = rows.ones(i);
    for (std::size_t k = 0; k < ones.size(); ++k) {
      cell.mean[ones[k]] += 1;
      for (std::size_t l = 0; l <= k; ++l) cell.covariance(ones[k], ones[l]) += 1;
    }
  }
}

void add_features(const LinearScores& rows, std::vector<Moments>& cells) {
  constexpr Index block = 256;
  std::vector<MatrixXd> held(cells.size(), MatrixXd::Zero(rows.columns(), block));
  std::vector<Index> count(cells.size(), 0);
  const auto flush = [&](std::size_t c) {
    const auto part = held[c].leftCols(count[c]);
    cells[c].covariance.selfadjointView<Eigen::Lower>().rankUpdate(part);
    cells[c].mean += part.rowwise().sum();
    count[c] = 0;
  };
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    const std::size_t c = rows.cells()[static_cast<std::size_t>(i)];
    const auto row = rows.centred(i);
    std::ranges::copy(row, held[c].col(count[c]).data());
    if (++count[c] < block) continue;
    base::stop_point();
    flush(c);
  }
  for (std::size_t c = 0; c < cells.size(); ++c) flush(c);
}

/// Of centred rows.
std::vector<Moments> moments_of_cells(const LinearScores& rows) {
  const Index p = rows.columns();
  std::vector<Moments> cells;
  for (std::size_t c = 0; c < 2 * rows.groups(); ++c) {
    cells.push_back({rows.rows_of_cell()[c], VectorXd::Zero(p), MatrixXd::Zero(p, p)});
  }
  if (rows.is_indexed()) {
    add_lists(rows, cells);
  } else {
    add_features(rows, cells);
  }
  for (Moments& cell : cells) {
    cell.mean /= cell.rows;
    cell.covariance /= cell.rows;
    const MatrixXd lower = cell.covariance;
    cell.covariance = lower.selfadjointView<Eigen::Lower>();
    cell.covariance -= cell.mean * cell.mean.transpose();
    if (!rows.is_indexed()) continue;
    for (Index j = 0; j < p; ++j) cell.mean[j] -= rows.mean()[static_cast<std::size_t>(j)];
  }
  return cells;
}

Moments moments_of(const std::vector<Moments>& cells, CellSet set) {
  const Index p = cells[0].mean.size();
  Moments all{0, VectorXd::Zero(p), MatrixXd::Zero(p, p)};
  for_each_cell(set, [&](std::size_t c) { all.rows += cells[c].rows; });
  for_each_cell(set, [&](std::size_t c) { all.mean += cells[c].rows / all.rows * cells[c].mean; });
  for_each_cell(set, [&](std::size_t c) {
    const VectorXd away = cells[c].mean - all.mean;
    all.covariance += cells[c].rows / all.rows * (cells[c].covariance + away * away.transpose());
  });
  return all;
}

/// w^T matrix w + 2 c2 slope^T w is a pair loss but for factor and constant.
struct PairMoments {
  MatrixXd matrix;
  VectorXd slope;
  double mean_bound;
};

PairMoments moments_of(const std::vector<Moments>& cells, const PairSet& pair) {
  const Moments above = moments_of(cells, pair.above);
  const Moments below = moments_of(cells, pair.below);
  const VectorXd slope = above.mean - below.mean;
  return {above.covariance + below.covariance + slope * slope.transpose(), slope,
          std::max({above.mean.norm(), below.mean.norm(), slope.norm()})};
}

VectorXd copy_of(std::span<const double> w) {
  VectorXd copy(std::ssize(w));
  std::ranges::copy(w, copy.data());
  return copy;
}

/// A square matrix, column by column.
void lay_down_matrix(base::PageWriter& pages, const MatrixXd& matrix) {
  pages(std::vector<double>(matrix.data(), matrix.data() + matrix.size()));
}
MatrixXd take_matrix(base::PageReader& pages, Index columns) {
  std::vector<double> values;
  pages(values);
  if (std::ssize(values) != columns * columns) throw base::PagesError("a matrix of another shape");
  return Eigen::Map<const MatrixXd>(values.data(), columns, columns);
}

void lay_down_vector(base::PageWriter& pages, const VectorXd& vector) {
  pages(std::vector<double>(vector.data(), vector.data() + vector.size()));
}
VectorXd take_vector(base::PageReader& pages) {
  std::vector<double> values;
  pages(values);
  return copy_of(values);
}

}  // namespace

QuadraticLosses::QuadraticLosses(base::PageReader& pages) {
  std::uint64_t constraints = 0;
  pages(surrogate_.scale, surrogate_.margin, mean_bound_, constraints);
  d0_ = take_vector(pages);
  a0_ = take_matrix(pages, d0_.size());
  for (std::uint64_t i = 0; i < constraints; ++i) {
    VectorXd slope = take_vector(pages);
    MatrixXd matrix = take_matrix(pages, slope.size());
    constraints_.push_back({std::move(matrix), std::move(slope)});
  }
}

void QuadraticLosses::lay_down(base::PageWriter& pages) const {
  pages(surrogate_.scale, surrogate_.margin, mean_bound_, std::uint64_t{constraints_.size()});
  lay_down_vector(pages, d0_);
  lay_down_matrix(pages, a0_);
  for (const auto& [matrix, slope] : constraints_) {
    lay_down_vector(pages, slope);
    lay_down_matrix(pages, matrix);
  }
}

QuadraticLosses::QuadraticLosses(const LinearScores& rows, const PairSets& pairs,
                                 const Surrogate& surrogate)
    : surrogate_{surrogate} {
  const auto cells = moments_of_cells(rows);
  const PairMoments objective = moments_of(cells, pairs[0]);
  a0_ = objective.matrix;
  d0_ = objective.slope;
  mean_bound_ = objective.mean_bound;
  for (std::size_t i = 1; i < pairs.size(); i += 4) {
    base::stop_point();
    const PairMoments second = moments_of(cells, pairs[i + 1]);
    const PairMoments first = moments_of(cells, pairs[i + 3]);
    constraints_.push_back({first.matrix + second.matrix, first.slope - second.slope});
    mean_bound_ = std::max({mean_bound_, first.mean_bound, second.mean_bound});
  }
}

Losses QuadraticLosses::operator()(std::span<const double> w) const {
  const VectorXd x = copy_of(w);
  const auto [c1, c2] = surrogate_;
  Losses losses{c1 * (x.dot(a0_ * x) - 2 * c2 * d0_.dot(x) + c2 * c2), {}};
  for (const auto& [matrix, slope] : constraints_) {
    const double spread = 2 * c2 * c2 + x.dot(matrix * x);
    const double difference = 2 * c2 * slope.dot(x);
    losses.constraints.push_back(c1 * (spread + difference));
    losses.constraints.push_back(c1 * (spread - difference));
  }
  return losses;
}

struct ExactAuc::Point {
  double lambda;
  double delta;
  ArrayXd z;
  double bounded;  ///< w^T Aq w + 2 c2 |d^T w|
};

ExactAuc::ExactAuc(QuadraticLosses losses, double rank_tolerance) : losses_{std::move(losses)} {
  const optimise::Spectrum of_objective = optimise::spectrum(losses_.objective_matrix());
  const VectorXd& values = of_objective.values;
  const Index p = values.size();
  Index first = 0;
  while (first < p && values[first] <= rank_tolerance * values[p - 1]) ++first;
  if (first == p) throw std::domain_error("all training rows have the same features");
  const MatrixXd whitened = of_objective.vectors.rightCols(p - first) *
                            values.tail(p - first).cwiseSqrt().cwiseInverse().asDiagonal();
  const double margin = losses_.surrogate().margin;
  const std::vector<optimise::QuadraticBound>& constraints = losses_.constraints();
  basis_ = whitened;
  if (constraints.size() == 1) {
    const MatrixXd reduced = whitened.transpose() * constraints[0].matrix * whitened;
    const optimise::Spectrum of_constraint = optimise::spectrum(reduced);
    basis_ = whitened * of_constraint.vectors;
    sigma_ = of_constraint.values.array().max(0.0);
    b_ = (margin * (basis_.transpose() * constraints[0].slope)).array();
  } else {
    for (const auto& [matrix, slope] : constraints) {
      base::stop_point();
      bounds_.push_back(
          {basis_.transpose() * matrix * basis_, margin * (basis_.transpose() * slope)});
    }
  }
  b0_ = (margin * (basis_.transpose() * losses_.objective_slope())).array();
}

ExactAuc::Point ExactAuc::point(double lambda) const {
  const ArrayXd shrink = (1 + lambda * sigma_).inverse();
  const double curvature = (b_ * b_ * shrink).sum();
  double delta = curvature > 0 ? (b_ * b0_ * shrink).sum() / curvature : 0;
  delta = std::clamp(delta, -lambda, lambda);
  ArrayXd z = (b0_ - delta * b_) * shrink;
  const double bounded = (sigma_ * z * z).sum() + 2 * std::abs((b_ * z).sum());
  return {lambda, delta, std::move(z), bounded};
}

optimise::BoundedOptimum ExactAuc::bounded(const Point& point, double bound) const {
  optimise::BoundedOptimum found{point.z.matrix(), {}, 0, 0};
  found.multipliers.resize(losses_.constraints().size());
  const ArrayXd slope = b0_ - point.delta * b_;
  found.multipliers[0] = {point.lambda, point.delta};
  found.least = (slope * slope / (1 + point.lambda * sigma_)).sum();
  found.price = point.lambda * bound;
  return found;
}

optimise::BoundedOptimum ExactAuc::without_constraints() const {
  if (bounds_.empty()) return bounded(point(0), 0);
  return {b0_.matrix(), std::vector<optimise::BoundMultipliers>(bounds_.size()), b0_.square().sum(),
          0};
}

double ExactAuc::void_bound() const {
  if (bounds_.empty()) return point(0).bounded;
  double largest = 0;
  for (const auto& [matrix, slope] : bounds_) {
    const VectorXd z = b0_.matrix();
    largest = std::max(largest, z.dot(matrix * z) + 2 * std::abs(slope.dot(z)));
  }
  return largest;
}

ExactOptimum ExactAuc::optimum(const optimise::BoundedOptimum& found) const {
  const VectorXd w = basis_ * found.z;
  ExactOptimum best{.w = {w.data(), w.data() + w.size()}, .losses = {}, .multipliers = {}};
  best.losses = losses_(best.w);
  best.multipliers = found.multipliers;
  const auto [c1, c2] = losses_.surrogate();
  best.dual_value = c1 * (c2 * c2 - found.least - found.price);
  VectorXd gradient = losses_.objective_matrix() * w;
  VectorXd slope = losses_.objective_slope();
  for (std::size_t j = 0; j < found.multipliers.size(); ++j) {
    const auto& [lambda, delta] = found.multipliers[j];
    gradient += lambda * (losses_.constraints()[j].matrix * w);
    slope -= delta * losses_.constraints()[j].slope;
  }
  gradient -= c2 * slope;
  const double at_zero = c2 * losses_.objective_slope().cwiseAbs().maxCoeff();
  best.kkt_residual = gradient.cwiseAbs().maxCoeff() / (at_zero > 0 ? at_zero : 1);
  return best;
}

ExactOptimum ExactAuc::unconstrained() const { return optimum(without_constraints()); }

std::vector<double> ExactAuc::penalised(double ridge) const {
  MatrixXd matrix = losses_.objective_matrix();
  matrix.diagonal().array() += ridge;
  const optimise::Cholesky factors(std::move(matrix));
  const VectorXd w = factors.solve(losses_.surrogate().margin * losses_.objective_slope());
  return {w.data(), w.data() + w.size()};
}

std::vector<double> ExactAuc::tilted(double delta) const {
  const VectorXd w = basis_ * (b0_ - delta * b_).matrix();
  return {w.begin(), w.end()};
}

double ExactAuc::tilt_without_difference() const {
  const double squares = b_.square().sum();
  return squares > 0 ? (b_ * b0_).sum() / squares : 0;
}

std::vector<double> ExactAuc::weights(std::span<const double> z) const {
  const VectorXd w = basis_ * copy_of(z);
  return {w.begin(), w.end()};
}

double ExactAuc::void_kappa() const {
  const auto [c1, c2] = losses_.surrogate();
  return c1 * (void_bound() + 2 * c2 * c2) - 1;
}

ExactAuc::Point ExactAuc::solve_pencil(double bound) const {
  // Bisection over the bit patterns of the doubles >= 0, which are in the order of their values.
  auto below = std::bit_cast<std::uint64_t>(0.0);
  auto above = std::bit_cast<std::uint64_t>(1e100);
  while (above - below > 1) {
    const std::uint64_t middle = below + (above - below) / 2;
    base::stop_point();
    const bool feasible = point(std::bit_cast<double>(middle)).bounded <= bound;
    (feasible ? above : below) = middle;
  }
  return point(std::bit_cast<double>(above));
}

ExactOptimum ExactAuc::solve(double kappa) const {
  const auto [c1, c2] = losses_.surrogate();
  if (!(kappa > losses_.surrogate().infeasible_kappa())) {
    throw std::invalid_argument(fmt::format("kappa = {}, must be > 2 scale margin^2 - 1 = {}",
                                            kappa, losses_.surrogate().infeasible_kappa()));
  }
  const double bound = (1 + kappa) / c1 - 2 * c2 * c2;
  if (void_bound() <= bound) return unconstrained();
  if (bounds_.empty()) return optimum(bounded(solve_pencil(bound), bound));
  return optimum(optimise::minimise_bounded(b0_.matrix(), bounds_, bound));
}

}  // namespace fairfront::ranking
