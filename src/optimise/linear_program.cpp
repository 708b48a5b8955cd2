#include "optimise/linear_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "base/stop.hpp"
#include "optimise/eigen.hpp"

namespace fairfront::optimise {
namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Vector = Eigen::VectorXd;
using Eigen::Index;

constexpr double tolerance = 1e-10;  ///< of violated rows and of the multipliers' signs
constexpr double least_pivot = 1e-9;
constexpr std::int64_t pivots_between_rebuilds = 200;
constexpr std::int64_t patience = 50;  ///< pivots without progress before smallest-index rules

void validate(const LinearProgram& program) {
  const auto check = [](std::string_view field, const std::vector<double>& values,
                        std::int64_t size) {
    if (std::ssize(values) != size) {
      throw std::invalid_argument(fmt::format("LinearProgram::{} has {} numbers, must have {}",
                                              field, values.size(), size));
    }
    if (!std::ranges::all_of(values, [](double v) { return std::isfinite(v); })) {
      throw std::invalid_argument(
          fmt::format("LinearProgram::{} has a number that is not finite", field));
    }
  };
  check("matrix", program.matrix, program.rows * program.columns);
  check("right", program.right, program.rows);
  check("cost", program.cost, program.columns);
  if (std::ranges::any_of(program.cost, [](double c) { return c < 0; })) {
    throw std::invalid_argument("LinearProgram::cost has a number below 0");
  }
}

/// basic = right - body * nonbasic and objective = value + cost^T nonbasic. Variables 0..n-1 are
/// x, variable n + i is the slack of row i.
class Tableau {
 public:
  explicit Tableau(const LinearProgram& program)
      : m_{program.rows},
        n_{program.columns},
        matrix_{Eigen::Map<const Matrix>(program.matrix.data(), m_, n_)},
        original_right_{Eigen::Map<const Vector>(program.right.data(), m_)},
        original_cost_{Eigen::Map<const Vector>(program.cost.data(), n_)},
        body_{matrix_},
        right_{original_right_},
        cost_{original_cost_},
        basic_(static_cast<std::size_t>(m_)),
        nonbasic_(static_cast<std::size_t>(n_)) {
    std::iota(basic_.begin(), basic_.end(), n_);
    std::iota(nonbasic_.begin(), nonbasic_.end(), Index{0});
  }

  /// The row to leave, -1 if none is violated.
  [[nodiscard]] Index leaving(bool smallest_index) const {
    Index found = -1;
    for (Index i = 0; i < m_; ++i) {
      if (!(right_[i] < -tolerance)) continue;
      const bool better = found < 0 || (smallest_index ? variable_of_row(i) < variable_of_row(found)
                                                       : right_[i] < right_[found]);
      if (better) found = i;
    }
    return found;
  }

  /// The column to enter for a row, -1 if the row cannot be satisfied.
  [[nodiscard]] Index entering(Index row, bool smallest_index) const {
    double limit = std::numeric_limits<double>::infinity();
    const double slack = smallest_index ? 0 : tolerance;
    for (Index j = 0; j < n_; ++j) {
      const double pivot = -body_(row, j);
      if (pivot > least_pivot) limit = std::min(limit, (std::max(cost_[j], 0.0) + slack) / pivot);
    }
    Index found = -1;
    for (Index j = 0; j < n_; ++j) {
      const double pivot = -body_(row, j);
      if (!(pivot > least_pivot) || std::max(cost_[j], 0.0) > limit * pivot) continue;
      const bool better =
          found < 0 || (smallest_index ? variable_of_column(j) < variable_of_column(found)
                                       : pivot > -body_(row, found));
      if (better) found = j;
    }
    return found;
  }

  /// Exchanges the variables of a row and a column. Returns by how much the objective rose.
  double pivot(Index row, Index column) {
    const double inverse = 1 / body_(row, column);
    const double entered = right_[row] * inverse;
    const double rise = cost_[column] * entered;
    body_.row(row) *= inverse;
    body_(row, column) = inverse;
    right_[row] = entered;
    for (Index i = 0; i < m_; ++i) {
      const double factor = body_(i, column);
      if (i == row || factor == 0) continue;
      body_(i, column) = 0;
      body_.row(i) -= factor * body_.row(row);
      right_[i] -= factor * entered;
    }
    const double factor = cost_[column];
    cost_[column] = 0;
    cost_ -= factor * body_.row(row).transpose();
    std::swap(basic_[static_cast<std::size_t>(row)], nonbasic_[static_cast<std::size_t>(column)]);
    return rise;
  }

  /// The tableau of the present basis from the program's own numbers.
  void rebuild() {
    // Rows whose slack is nonbasic determine the basic x: the square system that all follows from.
    std::vector<Index> tight, free, inside, outside;
    for (const Index v : nonbasic_) (v < n_ ? outside : tight).push_back(v < n_ ? v : v - n_);
    for (const Index v : basic_) (v < n_ ? inside : free).push_back(v < n_ ? v : v - n_);
    const auto k = std::ssize(tight), others = std::ssize(outside);
    // Of the variables in the order (slacks of tight rows, x outside).
    Matrix known(k, k + others);
    known << Matrix::Identity(k, k), matrix_(tight, outside);
    Matrix inside_body(k, k + others);
    Vector inside_right(k);
    if (k > 0) {
      const Eigen::PartialPivLU<Eigen::MatrixXd> factors(matrix_(tight, inside));
      inside_body = factors.solve(Eigen::MatrixXd(known));
      inside_right = factors.solve(Vector(original_right_(tight)));
    }
    Matrix free_body = -matrix_(free, inside) * inside_body;
    if (!free.empty()) free_body.rightCols(others) += matrix_(free, outside);
    const Vector free_right = original_right_(free) - matrix_(free, inside) * inside_right;
    const Vector inside_cost = original_cost_(inside);
    Vector costs = -inside_body.transpose() * inside_cost;
    costs.tail(others) += original_cost_(outside);

    body_ << inside_body, free_body;
    right_ << inside_right, free_right;
    cost_ = costs;
    basic_.clear();
    nonbasic_.clear();
    for (const Index j : inside) basic_.push_back(j);
    for (const Index i : free) basic_.push_back(n_ + i);
    for (const Index i : tight) nonbasic_.push_back(n_ + i);
    for (const Index j : outside) nonbasic_.push_back(j);
  }

  [[nodiscard]] LinearProgramResult result(std::int64_t pivots) const {
    LinearProgramResult found{.feasible = true,
                              .x = std::vector<double>(static_cast<std::size_t>(n_), 0.0),
                              .multiplier = std::vector<double>(static_cast<std::size_t>(m_), 0.0),
                              .pivots = pivots};
    for (Index i = 0; i < m_; ++i) {
      const Index v = variable_of_row(i);
      if (v < n_) found.x[static_cast<std::size_t>(v)] = std::max(right_[i], 0.0);
    }
    for (Index j = 0; j < n_; ++j) {
      const Index v = variable_of_column(j);
      if (v >= n_) found.multiplier[static_cast<std::size_t>(v - n_)] = std::max(cost_[j], 0.0);
    }
    for (Index j = 0; j < n_; ++j) {
      found.value += original_cost_[j] * found.x[static_cast<std::size_t>(j)];
    }
    return found;
  }

 private:
  [[nodiscard]] Index variable_of_row(Index i) const { return basic_[static_cast<std::size_t>(i)]; }
  [[nodiscard]] Index variable_of_column(Index j) const {
    return nonbasic_[static_cast<std::size_t>(j)];
  }

  Index m_, n_;
  Matrix matrix_;
  Vector original_right_, original_cost_;
  Matrix body_;
  Vector right_, cost_;
  std::vector<Index> basic_, nonbasic_;  ///< variable of every row, of every column
};

}  // namespace

LinearProgramResult solve_linear_program(const LinearProgram& program) {
  validate(program);
  Tableau tableau(program);
  std::int64_t since_rise = 0, since_rebuild = 0;
  for (std::int64_t pivots = 0; pivots <= 100 * (program.rows + program.columns); ++pivots) {
    base::stop_point();
    const bool smallest_index = since_rise > patience;
    Index row = tableau.leaving(smallest_index);
    Index column = row < 0 ? -1 : tableau.entering(row, smallest_index);
    if (since_rebuild > 0 && (column < 0 || since_rebuild >= pivots_between_rebuilds)) {
      tableau.rebuild();
      since_rebuild = 0;
      row = tableau.leaving(smallest_index);
      column = row < 0 ? -1 : tableau.entering(row, smallest_index);
    }
    if (row < 0) return tableau.result(pivots);
    if (column < 0) return {};
    const double rise = tableau.pivot(row, column);
    since_rise = rise > tolerance ? 0 : since_rise + 1;
    ++since_rebuild;
  }
  throw std::runtime_error(fmt::format("the simplex method did not end: {} rows, {} columns",
                                       program.rows, program.columns));
}

}  // namespace fairfront::optimise
