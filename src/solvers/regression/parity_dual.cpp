#include "solvers/regression/parity_dual.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/stop.hpp"
#include "models/kernels.hpp"
#include "solvers/regression/covariance_sums.hpp"

namespace fairfront::regression {
namespace {

using Eigen::Index;
using Matrix = Eigen::MatrixXd;
using Vector = Eigen::VectorXd;

constexpr std::int64_t most_kept = 1 << 22;  ///< probabilities, in memory
constexpr double implied_tolerance = 1e-9;   ///< of sum_s p_s t_s(x) = 0

/// Whether the last group's tilts follow from the others'.
bool tilts_cancel(const PredictedRows& rows) {
  for (std::int64_t i = 0; i < rows.rows(); ++i) {
    double sum = 0, size = 0;
    for (std::size_t s = 0; s < rows.shares.size(); ++s) {
      sum += rows.shares[s] * rows.tilts(i)[s];
      size += rows.shares[s] * std::abs(rows.tilts(i)[s]);
    }
    if (std::abs(sum) > implied_tolerance * (1 + size)) return false;
  }
  return true;
}

/// So many rows of scores at once. A pass over all of them takes minutes where they are many, and
/// their atoms, too: it stops between a few.
constexpr std::int64_t rows_at_once = 16;
constexpr std::int64_t rows_computed_again = 512;  ///< whose probabilities are not kept

/// Calls part(first row, number of rows) for all rows in their order, a few at a time.
template <class Part>
void for_few_rows(std::int64_t count, std::int64_t together, const Part& part) {
  for (std::int64_t first = 0; first < count; first += together) {
    base::stop_point();
    part(first, std::min(together, count - first));
  }
}

/// Some rows of a table with n columns.
template <class T>
std::span<T> rows_of(std::span<T> table, std::int64_t n, std::int64_t first, std::int64_t rows) {
  return table.subspan(static_cast<std::size_t>(first * n), static_cast<std::size_t>(rows * n));
}

/// sums[l] = values[0] + .. + values[l].
void sum_up(double* values, std::int64_t count, std::int64_t stride = 1) {
  for (std::int64_t l = 1; l < count; ++l) values[l * stride] += values[(l - 1) * stride];
}

}  // namespace

ParityDual::ParityDual(const PredictedRows& rows, const Grid& grid, ParityBound bound,
                       std::vector<double> epsilon)
    : rows_{&rows},
      grid_{grid},
      bound_{bound},
      epsilon_{std::move(epsilon)},
      atoms_{grid.values()} {
  if (rows.rows() == 0) throw std::invalid_argument("ParityDual: no rows");
  const auto groups = static_cast<std::size_t>(rows.groups);
  if (rows.tilt.size() != rows.eta.size() * groups || rows.shares.size() != groups ||
      epsilon_.size() != groups) {
    throw std::invalid_argument(
        "ParityDual: tilt must have shape (N, K), shares and epsilon shape (K,)");
  }
  for (const double e : epsilon_) {
    if (!(e >= 0) || !std::isfinite(e)) {
      throw std::invalid_argument("ParityDual: every epsilon must be >= 0");
    }
  }
  kept_.resize(groups);
  std::iota(kept_.begin(), kept_.end(), 0);
  if (const auto implied = implied_bound()) kept_.erase(kept_.begin() + *implied);
  choose_free_blocks();
  of_block_ = grid.atoms() - (bound == ParityBound::cumulative ? 1 : 0);
  weight_.resize(size());
  for (std::int64_t b = 0; b < blocks(); ++b) {
    weight_.segment(b * of_block_, of_block_)
        .setConstant(epsilon_[static_cast<std::size_t>(group_of_block(b))]);
  }
}

std::optional<std::ptrdiff_t> ParityDual::implied_bound() const {
  const std::vector<double>& p = rows_->shares;
  if (p.size() < 2) return std::nullopt;
  std::size_t widest = 0;
  double sum = 0;
  for (std::size_t s = 0; s < p.size(); ++s) {
    const double size = epsilon_[s] * p[s], most = epsilon_[widest] * p[widest];
    if (size > most || (size == most && p[s] > p[widest])) widest = s;
    sum += size;
  }
  const double own = epsilon_[widest] * p[widest];
  if (own < sum - own || !tilts_cancel(*rows_)) return std::nullopt;
  return static_cast<std::ptrdiff_t>(widest);
}

void ParityDual::choose_free_blocks() {
  free_.resize(kept_.size());
  std::iota(free_.begin(), free_.end(), 0);
  if (blocks() < rows_->groups || blocks() < 2 || !tilts_cancel(*rows_)) return;
  implied_ = std::ranges::max_element(rows_->shares) - rows_->shares.begin();
  free_.erase(free_.begin() + implied_);
  for (const std::int64_t block : free_) ratio_.push_back(share(block) / share(implied_));
}

std::vector<double> ParityDual::block_scores(const Vector& v) const {
  const std::int64_t n = grid_.atoms();
  std::vector<double> scores(static_cast<std::size_t>(blocks() * n), 0.0);
  for (std::int64_t b = 0; b < blocks(); ++b) {
    double* u = scores.data() + b * n;
    for (std::int64_t l = of_block_ - 1; l >= 0; --l) {
      const double above = bound_ == ParityBound::cumulative && l + 1 < of_block_ ? u[l + 1] : 0.0;
      u[l] = v[b * of_block_ + l] + above;
    }
  }
  return scores;
}

/// <u_l, t> as a sum over the free blocks alone, shape (free_blocks, n).
std::vector<double> ParityDual::free_scores(const Vector& v) const {
  std::vector<double> scores = block_scores(v);
  if (!has_implied_block()) return scores;
  const std::int64_t n = grid_.atoms();
  std::vector<double> result;
  result.reserve(static_cast<std::size_t>(free_blocks() * n));
  for (std::size_t b = 0; b < free_.size(); ++b) {
    for (std::int64_t l = 0; l < n; ++l) {
      result.push_back(scores[static_cast<std::size_t>(free_[b] * n + l)] -
                       ratio_[b] * scores[static_cast<std::size_t>(implied_ * n + l)]);
    }
  }
  return result;
}

/// Of as many rows as z has room for, a few.
void ParityDual::score_rows(std::int64_t first, const std::vector<double>& scores,
                            std::span<double> z) const {
  const std::size_t n = atoms_.size(), rows = z.size() / n;
  const double* const q = atoms_.data();
  for (std::size_t i = 0; i < rows; ++i) {
    const double eta = rows_->eta[static_cast<std::size_t>(first) + i];
    double* const out = z.data() + i * n;
    for (std::size_t l = 0; l < n; ++l) {
      const double error = eta - q[l];
      out[l] = -(error * error);
    }
  }
  const auto count = static_cast<std::int64_t>(rows);
  std::vector<double> tilts;  // shape (free_blocks, rows)
  for (std::int64_t b = 0; b < free_blocks(); ++b) {
    for (std::int64_t i = 0; i < count; ++i) tilts.push_back(tilt(first + i, b));
  }
  models::add_outer_products(free_blocks(), count, grid_.atoms(), tilts.data(), scores.data(),
                             z.data());
}

/// @param moments  sums over rows of t_b pi_l, shape (free_blocks, n).
Vector ParityDual::gaps_of(std::vector<double> moments) const {
  const auto n = static_cast<std::size_t>(grid_.atoms());
  const auto rows = static_cast<double>(rows_->rows());
  Vector result = Vector::Zero(size());
  for (std::size_t b = 0; b < free_.size(); ++b) {
    double* const sums = moments.data() + b * n;
    if (bound_ == ParityBound::cumulative) sum_up(sums, of_block_);
    for (std::int64_t l = 0; l < of_block_; ++l) {
      result[free_[b] * of_block_ + l] = sums[l] / rows;
      if (has_implied_block()) {
        result[implied_ * of_block_ + l] -= ratio_[b] * (sums[l] / rows);
      }
    }
  }
  return result;
}

Vector ParityDual::gaps(std::span<const double> pi) const {
  const std::int64_t n = grid_.atoms();
  std::vector<double> moments(static_cast<std::size_t>(free_blocks() * n), 0.0);
  for_few_rows(rows_->rows(), rows_at_once, [&](std::int64_t first, std::int64_t rows) {
    add_moments(first, rows_of(pi, n, first, rows), moments);
  });
  return gaps_of(std::move(moments));
}

void ParityDual::score_rows(const Vector& v, std::span<double> z) const {
  const std::vector<double> scores = free_scores(v);
  for_few_rows(rows_->rows(), rows_at_once, [&](std::int64_t first, std::int64_t rows) {
    score_rows(first, scores, rows_of(z, grid_.atoms(), first, rows));
  });
}

void ParityDual::evaluate(const Vector& v, double beta, Evaluation& out) const {
  const std::int64_t n = grid_.atoms(), count = rows_->rows();
  const std::vector<double> scores = free_scores(v);
  std::vector<double> moments(scores.size(), 0.0);
  const bool keep = count * n <= most_kept;
  out.pi.resize(static_cast<std::size_t>((keep ? count : std::min(count, rows_at_once)) * n));
  double value = 0;
  for_few_rows(count, rows_at_once, [&](std::int64_t first, std::int64_t rows) {
    const auto some = rows_of(std::span{out.pi}, n, keep ? first : 0, rows);
    soften(first, scores, beta, some, value);
    add_moments(first, some, moments);
  });
  out.value = value / static_cast<double>(count);
  out.gradient = gaps_of(std::move(moments));
  if (!keep) out.pi.clear();
}

/// pi of some rows, at most rows_at_once, and adds their soft maxima to `value`, one after the
/// other.
void ParityDual::soften(std::int64_t first, const std::vector<double>& scores, double beta,
                        std::span<double> pi, double& value) const {
  std::array<double, rows_at_once> values;
  const std::size_t rows = pi.size() / atoms_.size();
  score_rows(first, scores, pi);
  models::soft_maxima(beta, pi, std::span{values}.first(rows));
  for (std::size_t i = 0; i < rows; ++i) value += values[i];
}

double ParityDual::risk(const Vector& v, double beta) const {
  const std::int64_t n = grid_.atoms();
  const std::vector<double> scores = free_scores(v);
  std::vector<double> pi(static_cast<std::size_t>(rows_at_once * n));
  double sum = 0, value = 0;
  for_few_rows(rows_->rows(), rows_at_once, [&](std::int64_t first, std::int64_t rows) {
    const auto some = rows_of(std::span{pi}, n, 0, rows);
    soften(first, scores, beta, some, value);
    for (std::int64_t i = 0; i < rows; ++i) {
      const double eta = rows_->eta[static_cast<std::size_t>(first + i)];
      const double* const of_row = some.data() + i * n;
      double of_this = 0;
      for (std::size_t l = 0; l < atoms_.size(); ++l) {
        of_this += of_row[l] * (eta - atoms_[l]) * (eta - atoms_[l]);
      }
      sum += of_this;
    }
  });
  return sum / static_cast<double>(rows_->rows());
}

/// Adds t_b pi_l of some rows to sums over rows, shape (free_blocks, n).
void ParityDual::add_moments(std::int64_t first, std::span<const double> pi,
                             std::vector<double>& moments) const {
  const std::int64_t rows = std::ssize(pi) / grid_.atoms();
  std::vector<double> tilts;  // shape (rows, free_blocks)
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t b = 0; b < free_blocks(); ++b) tilts.push_back(tilt(first + i, b));
  }
  models::add_outer_products(rows, free_blocks(), grid_.atoms(), tilts.data(), pi.data(),
                             moments.data());
}

/// Of some rows, shape (rows, free_blocks).
std::vector<double> ParityDual::tilts_of(std::int64_t first, std::int64_t rows) const {
  std::vector<double> tilts;
  tilts.reserve(static_cast<std::size_t>(rows * free_blocks()));
  for (std::int64_t i = first; i < first + rows; ++i) {
    for (std::int64_t b = 0; b < free_blocks(); ++b) tilts.push_back(tilt(i, b));
  }
  return tilts;
}

Matrix ParityDual::assembled(const CovarianceSums& sums, double scale) const {
  const std::int64_t k = free_blocks();
  Matrix result(k * of_block_, k * of_block_);
  for (std::int64_t b = 0; b < k; ++b) {
    for (std::int64_t c = b; c < k; ++c) {
      Matrix block = scale * sums.of_blocks(b, c).topLeftCorner(of_block_, of_block_);
      if (bound_ == ParityBound::cumulative) {
        for (Index l = 1; l < of_block_; ++l) block.row(l) += block.row(l - 1);
        for (Index l = 1; l < of_block_; ++l) block.col(l) += block.col(l - 1);
      }
      result.block(b * of_block_, c * of_block_, of_block_, of_block_) = block;
      if (b < c) {
        result.block(c * of_block_, b * of_block_, of_block_, of_block_) = block.transpose();
      }
    }
  }
  return result;
}

Matrix ParityDual::free_hessian(const Vector& v, double beta, const Evaluation& at) const {
  const std::int64_t n = grid_.atoms(), count = rows_->rows();
  CovarianceSums sums(n, free_blocks());
  if (!at.pi.empty()) {
    sums.add(tilts_of(0, count), at.pi);
    return assembled(sums, beta / static_cast<double>(count));
  }
  const std::vector<double> scores = free_scores(v);
  std::vector<double> again;
  double value = 0;
  for_few_rows(count, rows_computed_again, [&](std::int64_t first, std::int64_t rows) {
    again.resize(static_cast<std::size_t>(rows * n));
    for_few_rows(rows, rows_at_once, [&](std::int64_t i, std::int64_t some) {
      soften(first + i, scores, beta, rows_of(std::span{again}, n, i, some), value);
    });
    sums.add(tilts_of(first, rows), again);
  });
  return assembled(sums, beta / static_cast<double>(count));
}

Matrix ParityDual::weighted_hessian(std::span<const double> weights) const {
  const std::int64_t count = rows_->rows();
  CovarianceSums sums(grid_.atoms(), free_blocks());
  sums.add_weights(tilts_of(0, count), weights);
  return assembled(sums, 1 / static_cast<double>(count));
}

Matrix ParityDual::expand(const Matrix& free) const {
  if (!has_implied_block()) return free;
  Matrix result = Matrix::Zero(size(), size());
  const auto block = [&](Matrix& of, std::int64_t b, std::int64_t c) {
    return of.block(b * of_block_, c * of_block_, of_block_, of_block_);
  };
  for (std::int64_t b = 0; b < free_blocks(); ++b) {
    const double at_b = -ratio_[static_cast<std::size_t>(b)];
    const std::int64_t row = free_[static_cast<std::size_t>(b)];
    for (std::int64_t c = 0; c < free_blocks(); ++c) {
      const double at_c = -ratio_[static_cast<std::size_t>(c)];
      const std::int64_t column = free_[static_cast<std::size_t>(c)];
      const Matrix part = free.block(b * of_block_, c * of_block_, of_block_, of_block_);
      block(result, row, column) = part;
      block(result, implied_, column) += at_b * part;
      block(result, row, implied_) += at_c * part;
      block(result, implied_, implied_) += at_b * at_c * part;
    }
  }
  return result;
}

Matrix ParityDual::curvature_bound() const {
  const Index k = free_blocks();
  Matrix squares = Matrix::Zero(k, k);
  for (std::int64_t i = 0; i < rows_->rows(); ++i) {
    for (Index b = 0; b < k; ++b) {
      for (Index c = 0; c < k; ++c) squares(b, c) += tilt(i, b) * tilt(i, c);
    }
  }
  // The covariance of an atom's indicators has eigenvalues up to 1/2.
  squares *= 0.5 / static_cast<double>(rows_->rows());
  if (bound_ == ParityBound::atom) return in_every_atom(squares);
  Matrix result(k * of_block_, k * of_block_);
  for (Index j = 0; j < result.cols(); ++j) {
    for (Index i = 0; i < result.rows(); ++i) {
      const Index scores = std::min(i % of_block_, j % of_block_) + 1;  // that both are part of
      result(i, j) = squares(i / of_block_, j / of_block_) * static_cast<double>(scores);
    }
  }
  return result;
}

Matrix ParityDual::in_every_atom(const Matrix& blocks) const {
  Matrix result = Matrix::Zero(blocks.rows() * of_block_, blocks.cols() * of_block_);
  for (Index b = 0; b < blocks.rows(); ++b) {
    for (Index c = 0; c < blocks.cols(); ++c) {
      result.block(b * of_block_, c * of_block_, of_block_, of_block_)
          .diagonal()
          .setConstant(blocks(b, c));
    }
  }
  return result;
}

double ParityDual::limit(const Vector& v) const {
  const std::int64_t n = grid_.atoms();
  const std::vector<double> scores = free_scores(v);
  std::vector<double> z(static_cast<std::size_t>(rows_at_once * n));
  double sum = 0;
  for_few_rows(rows_->rows(), rows_at_once, [&](std::int64_t first, std::int64_t rows) {
    score_rows(first, scores, rows_of(std::span{z}, n, 0, rows));
    for (std::int64_t i = 0; i < rows; ++i) {
      sum += std::ranges::max(rows_of(std::span{z}, n, i, 1));
    }
  });
  return sum / static_cast<double>(rows_->rows());
}

std::vector<double> ParityDual::scores(const Vector& v) const {
  const std::vector<double> kept = block_scores(v);
  const auto n = static_cast<std::size_t>(grid_.atoms());
  std::vector<double> result(static_cast<std::size_t>(rows_->groups) * n, 0.0);
  for (std::size_t b = 0; b < kept_.size(); ++b) {
    std::copy_n(
        kept.begin() + static_cast<std::ptrdiff_t>(b * n), n,
        result.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(kept_[b]) * n));
  }
  return result;
}

Vector ParityDual::of_atoms(const Vector& scores) const {
  if (bound_ == ParityBound::atom) return scores;
  Vector v(size());
  for (std::int64_t b = 0; b < blocks(); ++b) {
    const auto u = scores.segment(b * grid_.atoms(), grid_.atoms());
    v.segment(b * of_block_, of_block_) = u.head(of_block_) - u.tail(of_block_);
  }
  return v;
}

void ParityDual::shorten(Vector& v) const {
  if (!has_implied_block()) return;
  const std::int64_t k = blocks();
  const std::vector<double>& p = rows_->shares;
  for (std::int64_t l = 0; l < of_block_; ++l) {
    // min over c of sum_s eps_s |v_s + c p_s|: at one of the c = -v_s / p_s.
    const auto penalty = [&](double c) {
      double sum = 0;
      for (std::int64_t s = 0; s < k; ++s) {
        const auto j = static_cast<std::size_t>(s);
        sum += epsilon_[j] * std::abs(v[s * of_block_ + l] + c * p[j]);
      }
      return sum;
    };
    double best = 0, least = penalty(0);
    std::int64_t zero = -1;
    for (std::int64_t s = 0; s < k; ++s) {
      const double c = -v[s * of_block_ + l] / p[static_cast<std::size_t>(s)];
      const double found = penalty(c);
      if (found < least) {
        least = found;
        best = c;
        zero = s;
      }
    }
    if (zero < 0) continue;
    for (std::int64_t s = 0; s < k; ++s) {
      v[s * of_block_ + l] += best * p[static_cast<std::size_t>(s)];
    }
    v[zero * of_block_ + l] = 0;
  }
}

}  // namespace fairfront::regression
