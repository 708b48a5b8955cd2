#include "solvers/ranking/linear_scores.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/index.hpp"
#include "base/shared_pages.hpp"
#include "models/indicator_rows.hpp"
#include "models/kernels.hpp"

namespace fairfront::ranking {
namespace {

using base::at;

std::vector<double> mean_of(const models::Rows& rows) {
  std::vector<double> mean(at(rows.columns()), 0.0);
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    for (std::size_t j = 0; j < mean.size(); ++j) mean[j] += rows.row(i)[j];
  }
  for (double& value : mean) value /= static_cast<double>(rows.size());
  return mean;
}

double dot(std::span<const double> a, std::span<const double> b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

LinearScores::LinearScores(const models::Rows& rows, std::vector<std::uint8_t> cells,
                           std::size_t groups)
    : cells_{std::move(cells)}, groups_{groups} {
  if (groups < 2 || groups > max_groups) {
    throw std::invalid_argument("LinearScores: from 2 to 32 groups");
  }
  if (std::ssize(cells_) != rows.size()) {
    throw std::invalid_argument("LinearScores: every row needs a cell");
  }
  for (const std::uint8_t cell : cells_) {
    if (cell >= 2 * groups) throw std::invalid_argument("LinearScores: no such cell");
    ++rows_of_cell_[cell];
  }
  if (std::ranges::min(std::span(rows_of_cell_).first(2 * groups)) == 0) {
    throw std::invalid_argument("LinearScores: every group needs rows of both labels");
  }
  mean_ = mean_of(rows);
  auto indicators = std::make_shared<models::IndicatorRows>(rows);
  if (!indicators->empty()) {
    indicators_ = std::move(indicators);
    return;
  }
  features_.reserve(at(rows.size()) * mean_.size());
  for (std::int64_t i = 0; i < rows.size(); ++i) {
    const double* row = rows.row(i);
    for (std::size_t j = 0; j < mean_.size(); ++j) features_.push_back(row[j] - mean_[j]);
  }
}

/// All but the lists of columns.
template <class Pages, class Self>
void LinearScores::walk_rows(Pages& pages, Self& self) {
  pages(self.cells_, self.groups_, self.rows_of_cell_, self.mean_, self.features_);
}

LinearScores::LinearScores(base::PageReader& pages) {
  walk_rows(pages, *this);
  auto indicators = std::make_shared<models::IndicatorRows>();
  pages(*indicators);
  if (!indicators->empty()) indicators_ = std::move(indicators);
}

void LinearScores::lay_down(base::PageWriter& pages) const {
  walk_rows(pages, *this);
  if (is_indexed()) {
    pages(*indicators_);
  } else {
    pages(models::IndicatorRows());
  }
}

std::size_t LinearScores::bytes() const {
  return cells_.size() + (mean_.size() + features_.size()) * sizeof(double) +
         (is_indexed() ? indicators_->bytes() : 0);
}

std::span<const std::int32_t> LinearScores::ones(std::int64_t row) const {
  assert(is_indexed());
  return indicators_->ones(row);
}

std::span<const double> LinearScores::centred(std::int64_t row) const {
  assert(!is_indexed());
  return std::span{features_}.subspan(at(row) * mean_.size(), mean_.size());
}

void LinearScores::scores(std::span<const double> w, std::span<const std::int64_t> batch,
                          std::span<double> out) const {
  assert(w.size() == mean_.size() && batch.size() == out.size());
  if (!is_indexed()) {
    models::dots(models::Rows(features_, columns(), batch), w.data(), 0, out);
    return;
  }
  const double shift = dot(w, mean_);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    double sum = 0;
    for (const std::int32_t column : ones(batch[i])) sum += w[static_cast<std::size_t>(column)];
    out[i] = sum - shift;
  }
}

void LinearScores::add_gradient(std::span<const std::int64_t> batch, std::span<const double> slopes,
                                std::span<double> gradient) const {
  assert(gradient.size() == mean_.size() && batch.size() == slopes.size());
  if (!is_indexed()) {
    models::add_weighted_rows(models::Rows(features_, columns(), batch), slopes, gradient.data());
    return;
  }
  double total = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    for (const std::int32_t column : ones(batch[i])) {
      gradient[static_cast<std::size_t>(column)] += slopes[i];
    }
    total += slopes[i];
  }
  for (std::size_t j = 0; j < mean_.size(); ++j) gradient[j] -= total * mean_[j];
}

double LinearScores::most_factor(std::span<const double> w, double radius) {
  return radius / std::sqrt(dot(w, w));
}

CellSums LinearScores::sums(std::span<const double> w) const {
  std::vector<std::int64_t> all(cells_.size());
  std::iota(all.begin(), all.end(), 0);
  std::vector<double> score(cells_.size());
  scores(w, all, score);
  CellSums sums;
  for (std::size_t i = 0; i < cells_.size(); ++i) sums.add(cells_[i], score[i]);
  return sums;
}

}  // namespace fairfront::ranking
