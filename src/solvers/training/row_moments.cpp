#include "solvers/training/row_moments.hpp"
#include "optimise/decomposition.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <span>

namespace fairfront::training {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Matrix = Eigen::MatrixXd;

constexpr std::size_t kinds = std::size(moment_reaches) + 1;  ///< of rows, by their reach

/// Of d_i d_j among the products.
Index place_of(Index n, Index i, Index j) {
  if (i > j) std::swap(i, j);
  return i * n - i * (i - 1) / 2 + (j - i);
}

std::size_t kind_of(double reach) {
  return static_cast<std::size_t>(std::ranges::lower_bound(moment_reaches, reach) -
                                  std::begin(moment_reaches));
}

/// What rows weigh in the moments, row by row.
struct Weights {
  ArrayXd curvature;              ///< averaged, from the side asked for
  ArrayXd second, third, fourth;  ///< of the polynomial
};

Weights weights_of(const RowsAt& rows, bool below, const FourthDerivatives& fourth) {
  const Index count = rows.score.size();
  const ArrayXd second = rows.chance * (1 - rows.chance);
  Weights found{ArrayXd(count), second, second * (1 - 2 * rows.chance), ArrayXd::Zero(count)};
  for (Index i = 0; i < count; ++i) {
    const Range k = averaged_curvature(rows.score[i], rows.reach[i]);
    found.curvature[i] = below ? k.least : k.most;
    if (rows.reach[i] > moment_reaches[kinds - 2]) continue;
    const Range r = fourth(rows.score[i], rows.reach[i]);
    found.fourth[i] = below ? r.least : r.most;
  }
  return found;
}

Matrix columns_of(const Matrix& x, std::span<const Index> which) {
  Matrix found(x.rows(), std::ssize(which));
  for (Index i = 0; i < found.cols(); ++i) found.col(i) = x.col(which[static_cast<std::size_t>(i)]);
  return found;
}

ArrayXd entries_of(const ArrayXd& x, std::span<const Index> which) {
  ArrayXd found(std::ssize(which));
  for (Index i = 0; i < found.size(); ++i) found[i] = x[which[static_cast<std::size_t>(i)]];
  return found;
}

/// matrix += x diag(weights) x', lower triangle; weights of any sign.
void add_products(const Matrix& x, const ArrayXd& weights, Matrix& matrix) {
  const Matrix scaled = x * weights.matrix().asDiagonal();
  matrix.triangularView<Eigen::Lower>() += scaled * x.transpose();
}

void mirror(Matrix& lower) { lower.triangularView<Eigen::StrictlyUpper>() = lower.transpose(); }

Moments zero_moments(Index n) {
  const Index m = n * (n + 1) / 2;
  return {Matrix::Zero(n, n), Matrix::Zero(n, m), Matrix::Zero(m, m)};
}

/// What rows of one kind change where they have derivatives of their own.
void add_block(const Matrix& x, const Weights& weights, std::span<const Index> which, Moments& to) {
  const Matrix some = columns_of(x, which);
  const Matrix products = products_of(some);
  add_products(some, entries_of(weights.second, which) - entries_of(weights.curvature, which),
               to.second);
  to.third.noalias() +=
      some * entries_of(weights.third, which).matrix().asDiagonal() * products.transpose();
  add_products(products, entries_of(weights.fourth, which), to.fourth);
}

}  // namespace

void Moments::add(double factor, const Moments& other) {
  second += factor * other.second;
  third += factor * other.third;
  fourth += factor * other.fourth;
}

void Moments::scale(double factor) {
  second *= factor;
  third *= factor;
  fourth *= factor;
}

Matrix products_of(const Matrix& x) {
  const Index n = x.rows();
  Matrix found(n * (n + 1) / 2, x.cols());
  for (Index c = 0; c < x.cols(); ++c) {
    Index at = 0;
    for (Index i = 0; i < n; ++i) {
      const double scaled = std::numbers::sqrt2 * x(i, c);
      found(at++, c) = x(i, c) * x(i, c);
      for (Index j = i + 1; j < n; ++j) found(at++, c) = scaled * x(j, c);
    }
  }
  return found;
}

std::vector<Moments> bounding_moments(const RowsAt& rows, bool below,
                                      const FourthDerivatives& fourth,
                                      const std::function<void()>& beat) {
  constexpr std::size_t most_rows = 256;  // of a block
  const Index n = rows.x.rows();
  const Weights weights = weights_of(rows, below, fourth);
  std::array<std::vector<Index>, kinds> of_kind;
  for (Index i = 0; i < rows.score.size(); ++i) of_kind[kind_of(rows.reach[i])].push_back(i);
  std::vector<Moments> found(kinds, zero_moments(n));
  for (std::size_t kind = 0; kind < kinds; ++kind) {
    const std::span<const Index> all = of_kind[kind];
    for (std::size_t first = 0; first < all.size(); first += most_rows) {
      beat();
      const auto some = all.subspan(first, std::min(most_rows, all.size() - first));
      add_products(columns_of(rows.x, some), entries_of(weights.curvature, some), found[0].second);
      if (kind + 1 < kinds) add_block(rows.x, weights, some, found[kind + 1]);
    }
  }
  const double count = std::max(1.0, static_cast<double>(rows.score.size()));
  for (std::size_t m = 0; m < kinds; ++m) {
    mirror(found[m].second);
    mirror(found[m].fourth);
    found[m].second /= count;
    found[m].third /= count;
    found[m].fourth /= count;
    if (m > 0) found[m].add(1, found[m - 1]);
  }
  return found;
}

Moments balanced(Moments moments, double share) {
  const Index n = moments.second.rows();
  const Moments from = moments;
  for (Index i = 0; i < n; ++i) {
    const Index square = place_of(n, i, i);
    for (Index j = 0; j < n; ++j) {
      if (j == i) continue;
      const double cubic = share * from.third(j, square);  // d_j times d_i^2
      moments.third(j, square) -= cubic;
      moments.third(i, place_of(n, i, j)) += cubic / std::numbers::sqrt2;
      for (Index k = j; k < n; ++k) {
        if (k == i || (k == j && i > j)) continue;
        const Index other = place_of(n, j, k), a = place_of(n, i, j), b = place_of(n, i, k);
        const double moved = share * from.fourth(square, other);
        moments.fourth(square, other) -= moved;
        moments.fourth(other, square) -= moved;
        const double gained = j == k ? moved : moved / std::numbers::sqrt2;
        moments.fourth(a, b) += gained;
        if (a != b) moments.fourth(b, a) += gained;
      }
    }
  }
  return moments;
}

Penalty::Penalty(const Moments& moments) {
  const Moments even = balanced(moments, 0.75);
  constexpr double rounding = 1e-11;  // of an eigenvalue, in units of the greatest
  square_ = even.third * even.third.transpose();
  norm_ = std::sqrt(std::max(0.0, (1 + rounding) * optimise::eigenvalues(square_).maxCoeff()));
  const Eigen::VectorXd fourth = optimise::eigenvalues(even.fourth);
  fourth_ = std::max(0.0, -fourth.minCoeff() + rounding * fourth.cwiseAbs().maxCoeff());
}

Matrix Penalty::at(double radius) const {
  const Index n = square_.rows();
  const double even = radius * norm_ / 6 + radius * radius * fourth_ / 12;
  Matrix found = even * Matrix::Identity(n, n);
  if (norm_ > 0) found += radius / (6 * norm_) * square_;
  return found;
}

}  // namespace fairfront::training
