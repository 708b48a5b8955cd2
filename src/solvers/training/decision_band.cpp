#include "solvers/training/decision_band.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/stop.hpp"
#include "models/kernels.hpp"
#include "solvers/training/cell_values.hpp"

namespace fairfront::training {

void add_decision_changes(const DecisionValues& values, std::span<const double> labels,
                          std::span<const double> from, std::span<const double> to, double share,
                          double points, std::span<double> changes) {
  const auto count = static_cast<double>(changes.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool is_decided = from[i] >= 0;
    if (is_decided ? to[i] >= from[i] : to[i] <= from[i]) continue;
    const double point = std::ceil(from[i] / (from[i] - to[i]) * points) - 1;
    if (!(point < count)) continue;
    const double change = share * values.of(labels[i]);
    changes[static_cast<std::size_t>(std::max(point, 0.0))] += is_decided ? -change : change;
  }
}

DecisionBand::DecisionBand(const Problem& problem, const models::Rows& rows,
                           std::vector<std::int64_t> numbers, std::vector<BandCell> cells,
                           std::vector<double> labels, std::vector<double> scores)
    : problem_{problem},
      numbers_{std::move(numbers)},
      rows_{rows.at(numbers_)},
      cells_{std::move(cells)},
      labels_{std::move(labels)},
      first_scores_{std::move(scores)},
      scores_{first_scores_},
      aimed_(scores_.size()) {}

std::vector<double> DecisionBand::cells() const {
  std::vector<double> values(scores_.size()), means;
  cell_values(problem_, scores_, labels_, values);
  for (const BandCell& cell : cells_) {
    double sum = 0;
    for (std::int64_t i = 0; i < cell.count; ++i) {
      sum += values[static_cast<std::size_t>(cell.first + i)];
    }
    means.push_back(cell.outside + sum / cell.rows);
  }
  return means;
}

DecisionBand::Matrix DecisionBand::slopes(double share, std::int64_t least) const {
  base::stop_point();
  const auto n = static_cast<Eigen::Index>(rows_.columns()) + 1;
  Matrix slopes = Matrix::Zero(std::ssize(cells_), n);
  std::vector<double> distances, weights;
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const BandCell& cell = cells_[k];
    if (cell.count == 0) continue;
    const auto first = static_cast<std::size_t>(cell.first);
    const auto count = static_cast<std::size_t>(cell.count);
    distances.clear();
    for (std::size_t i = 0; i < count; ++i) distances.push_back(std::abs(scores_[first + i]));
    const auto nearest = std::max(least, static_cast<std::int64_t>(share * cell.rows));
    const auto at = std::min(count, static_cast<std::size_t>(nearest)) - 1;
    auto ordered = distances;
    std::ranges::nth_element(ordered, ordered.begin() + static_cast<std::ptrdiff_t>(at));
    const double width = std::max(ordered[at], 1e-300);
    weights.assign(count, 0.0);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const double inside = std::max(0.0, 1 - distances[i] / (1.01 * width));
      weights[i] = decision_value(problem_, labels_[first + i]) * inside / (width * cell.rows);
      sum += weights[i];
    }
    Vector of_cell = Vector::Zero(n);
    models::add_weighted_rows(rows_.part(cell.first, cell.count), weights, of_cell.data());
    of_cell[n - 1] += sum;
    slopes.row(static_cast<Eigen::Index>(k)) = of_cell;
  }
  return slopes;
}

double DecisionBand::aim(const Vector& change) {
  base::stop_point();
  models::dots(rows_, change.data(), change[change.size() - 1], aimed_);
  double most = 1;
  for (const BandCell& cell : cells_) {
    if (!std::isfinite(cell.reach)) continue;
    // (a + t b)^2 of all its rows, a what has changed, b what is to change.
    double aa = 0, ab = 0, bb = 0;
    for (auto i = static_cast<std::size_t>(cell.first);
         i < static_cast<std::size_t>(cell.first + cell.count); ++i) {
      const double a = scores_[i] - first_scores_[i], b = aimed_[i];
      aa += a * a;
      ab += a * b;
      bb += b * b;
    }
    const double limit = cell.reach * cell.reach * static_cast<double>(cell.count);
    if (!(bb > 0) || aa + 2 * ab + bb <= limit) continue;
    const double root = std::sqrt(std::max(0.0, ab * ab - bb * (aa - limit)));
    most = std::min(most, std::max(0.0, (root - ab) / bb));
  }
  for (std::size_t i = 0; i < aimed_.size(); ++i) aimed_[i] += scores_[i];
  return most;
}

std::vector<std::vector<double>> DecisionBand::cells_on_way(int count) const {
  const auto points = static_cast<std::size_t>(count);
  std::vector<std::vector<double>> way(points, cells());
  std::vector<double> changes(points);
  for (std::size_t k = 0; k < cells_.size(); ++k) {
    const auto first = static_cast<std::size_t>(cells_[k].first),
               size = static_cast<std::size_t>(cells_[k].count);
    std::ranges::fill(changes, 0.0);
    add_decision_changes(decision_values(problem_), std::span(labels_).subspan(first, size),
                         std::span(scores_).subspan(first, size),
                         std::span(aimed_).subspan(first, size), 1 / cells_[k].rows, count,
                         changes);
    double sum = 0;
    for (std::size_t t = 0; t < points; ++t) way[t][k] += sum += changes[t];
  }
  return way;
}

void DecisionBand::go(double t) {
  for (std::size_t i = 0; i < scores_.size(); ++i) {
    scores_[i] = (1 - t) * scores_[i] + t * aimed_[i];
  }
}

}  // namespace fairfront::training
