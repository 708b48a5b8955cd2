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
constexpr std::int64_t rows_to_a_stop = 16;  ///< of which one may take milliseconds

}  // namespace

CovarianceSums::CovarianceSums(std::int64_t atoms, std::int64_t blocks)
    : atoms_{atoms}, blocks_{blocks}, pairs_{blocks * (blocks + 1) / 2} {
  std::int64_t size = 0;
  for (std::int64_t l = 0; l < atoms; ++l) {
    begin_.push_back(size);
    size += pairs_ * (atoms - l - 1);
  }
  products_.resize(static_cast<std::size_t>(size));
  diagonals_.resize(static_cast<std::size_t>(atoms * pairs_));
}

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

void CovarianceSums::add(std::span<const double> tilts, std::span<const double> pi,
                         std::span<const double> weights) {
  const std::size_t n = static_cast<std::size_t>(atoms_), k = static_cast<std::size_t>(blocks_);
  const std::size_t rows = pi.size() / n;
  std::vector<Range> ranges;
  std::vector<double> factors;  // weight t_b t_c, shape (rows, pairs)
  factors.reserve(rows * static_cast<std::size_t>(pairs_));
  for (std::size_t i = 0; i < rows; ++i) {
    const double weight = weights.empty() ? 1 : weights[i];
    ranges.push_back(range_of(pi.subspan(i * n, n), weight != 1));
    for (std::size_t b = 0; b < k; ++b) {
      const double at_b = weight * tilts[i * k + b];
      for (std::size_t c = b; c < k; ++c) factors.push_back(at_b * tilts[i * k + c]);
    }
  }
  const bool together = pairs_ >= least_pairs;
  for (std::size_t i = 0; i < rows; ++i) {
    if (i % rows_to_a_stop == 0) base::stop_point();
    const double* const of_row = factors.data() + i * static_cast<std::size_t>(pairs_);
    add_to_diagonals(ranges[i], of_row, pi.data() + i * n);
    if (!together) add_products(ranges[i], of_row, pi.data() + i * n);
  }
  if (together) multiply(ranges, factors, pi);
}

void CovarianceSums::add_to_diagonals(const Range& range, const double* factors, const double* pi) {
  for (std::int64_t l = range.first; l < range.end; ++l) {
    double* const sums = diagonals_.data() + l * pairs_;
    for (std::int64_t pair = 0; pair < pairs_; ++pair) {
      const double factor = factors[pair] * pi[l];
      sums[pair] = l == range.top ? sums[pair] + factor * range.others
                                  : sums[pair] - factor * pi[l] + factor;
    }
  }
}

void CovarianceSums::add_products(const Range& range, const double* factors, const double* pi) {
  for (std::int64_t l = range.first; l < range.end; ++l) {
    const double* const others = pi + l + 1;
    double* sums = products_of(l);
    for (std::int64_t pair = 0; pair < pairs_; ++pair, sums += atoms_ - l - 1) {
      const double factor = factors[pair] * pi[l];
      for (std::int64_t m = 0; m < range.end - l - 1; ++m) sums[m] += factor * others[m];
    }
  }
}

/// Atom by atom a product of those rows that have it in their range.
void CovarianceSums::multiply(std::span<const Range> ranges, const std::vector<double>& factors,
                              std::span<const double> pi) {
  const auto n = static_cast<std::size_t>(atoms_), pairs = static_cast<std::size_t>(pairs_);
  std::vector<double> left(ranges.size() * pairs), right(ranges.size() * n);
  for (std::int64_t l = 0; l + 1 < atoms_; ++l) {
    base::stop_point();
    double* of_pairs = left.data();    // shape (rows, pairs)
    double* of_others = right.data();  // shape (rows, atoms behind this one)
    std::int64_t rows = 0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
      if (l < ranges[i].first || l >= ranges[i].end) continue;
      ++rows;
      const double* const of_row = pi.data() + i * n;
      const double* const from = factors.data() + i * pairs;
      const double at_l = of_row[l];
      for (std::size_t pair = 0; pair < pairs; ++pair) of_pairs[pair] = from[pair] * at_l;
      of_pairs += pairs;
      std::fill(std::copy(of_row + l + 1, of_row + ranges[i].end, of_others),
                of_others + (atoms_ - l - 1), 0.0);
      of_others += atoms_ - l - 1;
    }
    if (rows == 0) continue;
    models::add_outer_products(rows, pairs_, atoms_ - l - 1, left.data(), right.data(),
                               products_of(l));
  }
}

Matrix CovarianceSums::of_blocks(std::int64_t b, std::int64_t c) const {
  const std::int64_t pair = b * blocks_ - b * (b - 1) / 2 + c - b;
  Matrix result(atoms_, atoms_);
  for (std::int64_t l = 0; l < atoms_; ++l) {
    const std::int64_t behind = atoms_ - l - 1;
    const double* const products =
        products_.data() + begin_[static_cast<std::size_t>(l)] + pair * behind;
    result(l, l) = diagonals_[static_cast<std::size_t>(l * pairs_ + pair)];
    for (std::int64_t m = 0; m < behind; ++m) {
      result(l + 1 + m, l) = result(l, l + 1 + m) = 0 - products[m];
    }
  }
  return result;
}

}  // namespace fairfront::regression
