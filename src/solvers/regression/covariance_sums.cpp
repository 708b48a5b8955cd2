#include "solvers/regression/covariance_sums.hpp"

#include <algorithm>

#include "base/stop.hpp"
#include "models/kernels.hpp"

namespace fairfront::regression {
namespace {

using Matrix = Eigen::MatrixXd;

constexpr double negligible_probability = 1e-10;
constexpr double negligible_weight = 1e-18;  ///< of a row's weights
constexpr std::int64_t least_pairs = 10;     ///< of blocks, for matrix products
constexpr std::int64_t least_range = 12;     ///< atoms of a row, in the mean, for these
constexpr std::size_t many_rows = 512;       ///< worth a matrix product, and in the second cache
constexpr std::size_t rows_to_a_stop = 16;   ///< of which one may take milliseconds

}  // namespace

CovarianceSums::CovarianceSums(std::int64_t atoms, std::int64_t blocks)
    : atoms_{atoms},
      blocks_{blocks},
      pairs_{blocks * (blocks + 1) / 2},
      sums_(static_cast<std::size_t>(pairs_), Matrix::Zero(atoms, atoms)) {}

CovarianceSums::Range CovarianceSums::range_of(std::span<const double> pi, bool is_weighted) const {
  const double least = is_weighted ? negligible_weight : negligible_probability;
  Range range{.end = atoms_};
  while (range.first < atoms_ && pi[static_cast<std::size_t>(range.first)] <= least) ++range.first;
  while (range.end > range.first && pi[static_cast<std::size_t>(range.end - 1)] <= least) {
    --range.end;
  }
  // What weights leave of 1 beside the largest, which may be all but 1, is summed up.
  if (is_weighted) range.top = std::ranges::max_element(pi) - pi.begin();
  for (std::int64_t l = range.first; l < range.end; ++l) {
    if (l != range.top) range.others += pi[static_cast<std::size_t>(l)];
  }
  return range;
}

void CovarianceSums::add(std::span<const double> tilts, std::span<const double> pi) {
  add_rows(tilts, pi, false);
}

void CovarianceSums::add_weights(std::span<const double> tilts, std::span<const double> weights) {
  add_rows(tilts, weights, true);
}

/// Row by row at once where pairs are few; else some rows together.
void CovarianceSums::add_rows(std::span<const double> tilts, std::span<const double> values,
                              bool are_weights) {
  const auto n = static_cast<std::size_t>(atoms_), k = static_cast<std::size_t>(blocks_);
  const std::size_t rows = values.size() / n;
  const std::size_t together = pairs_ >= least_pairs ? std::min(rows, many_rows) : 1;
  pi_.resize(are_weights ? together * n : 0);
  factors_.resize(together * static_cast<std::size_t>(pairs_));
  for (std::size_t first = 0; first < rows; first += together) {
    const std::size_t end = std::min(first + together, rows);
    ranges_.clear();
    for (std::size_t i = first; i < end; ++i) {
      if (i % rows_to_a_stop == 0) base::stop_point();
      ranges_.push_back(
          take_row(tilts.subspan(i * k, k), values.subspan(i * n, n), are_weights, i - first));
    }
    const double* const pi = are_weights ? pi_.data() : values.data() + first * n;
    if (together == 1) {
      add_row(ranges_.front(), factors_.data(), pi);
    } else {
      add_some(pi);
    }
  }
}

/// Its range; its factors and, of weights, pi become those of a number.
CovarianceSums::Range CovarianceSums::take_row(std::span<const double> tilts,
                                               std::span<const double> values, bool are_weights,
                                               std::size_t number) {
  double weight = 1;
  if (are_weights) {
    weight = 0;
    for (const double value : values) weight += value;
    double* const pi = pi_.data() + number * values.size();
    for (std::size_t l = 0; l < values.size(); ++l) pi[l] = values[l] / weight;
    values = {pi, values.size()};
  }
  double* factor = factors_.data() + number * static_cast<std::size_t>(pairs_);
  for (std::size_t b = 0; b < tilts.size(); ++b) {
    const double at_b = weight * tilts[b];
    for (std::size_t c = b; c < tilts.size(); ++c) *factor++ = at_b * tilts[c];
  }
  return range_of(values, weight != 1);
}

/// Adds the rows that are in ranges_ and factors_.
void CovarianceSums::add_some(const double* pi) {
  std::int64_t looked_at = 0;
  for (const Range& range : ranges_) looked_at += range.end - range.first;
  if (looked_at >= least_range * std::ssize(ranges_)) return multiply(pi);
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    if (i > 0 && i % rows_to_a_stop == 0) base::stop_point();
    add_row(ranges_[i], factors_.data() + i * static_cast<std::size_t>(pairs_),
            pi + i * static_cast<std::size_t>(atoms_));
  }
}

void CovarianceSums::add_row(const Range& range, const double* factors, const double* pi) {
  for (Matrix& sums : sums_) {
    const double of_pair = *factors++;
    for (std::int64_t l = range.first; l < range.end; ++l) {
      double* const column = sums.data() + l * atoms_;
      const double factor = of_pair * pi[l], before = column[l];
      for (std::int64_t m = l; m < range.end; ++m) column[m] -= factor * pi[m];
      column[l] += factor;
      if (l == range.top) column[l] = before + factor * range.others;
    }
  }
}

/// Atom by atom a product of those rows that have it in their range.
void CovarianceSums::multiply(const double* pi) {
  const auto n = static_cast<std::size_t>(atoms_), pairs = static_cast<std::size_t>(pairs_);
  left_.resize(ranges_.size() * pairs);
  right_.resize(ranges_.size() * n);
  for (std::int64_t l = 0; l < atoms_; ++l) {
    base::stop_point();
    std::int64_t end = l;
    for (const Range& range : ranges_) {
      if (l >= range.first && l < range.end) end = std::max(end, range.end);
    }
    if (end == l) continue;
    const std::int64_t width = end - l - 1;
    std::vector<double> diagonal(pairs);
    for (std::size_t pair = 0; pair < pairs; ++pair) diagonal[pair] = sums_[pair](l, l);
    double* of_pairs = left_.data();    // shape (rows, pairs)
    double* of_others = right_.data();  // shape (rows, width)
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      const Range& range = ranges_[i];
      if (l < range.first || l >= range.end) continue;
      const double* const of_row = pi + i * n;
      const double* const factors = factors_.data() + i * pairs;
      const double at_l = of_row[l];
      for (std::size_t pair = 0; pair < pairs; ++pair) of_pairs[pair] = factors[pair] * at_l;
      for (std::size_t pair = 0; pair < pairs; ++pair) {
        diagonal[pair] = l == range.top ? diagonal[pair] + of_pairs[pair] * range.others
                                        : diagonal[pair] - of_pairs[pair] * at_l + of_pairs[pair];
      }
      std::fill(std::copy(of_row + l + 1, of_row + range.end, of_others), of_others + width, 0.0);
      of_pairs += pairs;
      of_others += width;
      ++rows;
    }
    add_product(l, rows, width);
    for (std::size_t pair = 0; pair < pairs; ++pair) sums_[pair](l, l) = diagonal[pair];
  }
}

/// Subtracts left_^T right_ from the sums of an atom with the next ones: adds it to their
/// negatives.
void CovarianceSums::add_product(std::int64_t atom, std::int64_t rows, std::int64_t width) {
  if (width == 0) return;
  some_.resize(static_cast<std::size_t>(pairs_ * width));
  double* of_pair = some_.data();
  for (const Matrix& sums : sums_) {
    for (std::int64_t m = 0; m < width; ++m) *of_pair++ = -sums(atom + 1 + m, atom);
  }
  models::add_outer_products(rows, pairs_, width, left_.data(), right_.data(), some_.data());
  of_pair = some_.data();
  for (Matrix& sums : sums_) {
    for (std::int64_t m = 0; m < width; ++m) sums(atom + 1 + m, atom) = -*of_pair++;
  }
}

Matrix CovarianceSums::of_blocks(std::int64_t b, std::int64_t c) const {
  const std::int64_t pair = b * blocks_ - b * (b - 1) / 2 + c - b;
  return sums_[static_cast<std::size_t>(pair)].selfadjointView<Eigen::Lower>();
}

}  // namespace fairfront::regression
