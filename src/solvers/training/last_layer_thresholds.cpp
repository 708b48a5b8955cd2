#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "models/loss.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/last_layer.hpp"

namespace fairfront::training {
namespace {

/// Rows in the order in which a threshold that falls decides them 1.
class RowsByScore {
 public:
  struct Row {
    double score = 0;
    std::ptrdiff_t cell = -1;  ///< below 0: none
    double value = 0;          ///< what decision 1 adds to the sum of its cell
  };
  struct Cell {
    double sum = 0;  ///< where nothing is decided 1; then at the place
    double rows = 0, offset = 0;
  };

  RowsByScore(std::vector<Row> rows, std::vector<Cell> cells)
      : rows_{std::move(rows)}, cells_{std::move(cells)}, rates_(cells_.size()) {
    std::ranges::sort(rows_, [](const Row& a, const Row& b) { return a.score > b.score; });
  }

  /// The last place for a threshold: before the first row is 0, behind all rows this.
  [[nodiscard]] std::int64_t last() const { return std::ssize(rows_); }
  [[nodiscard]] double score(std::int64_t row) const {
    return rows_[static_cast<std::size_t>(row)].score;
  }
  [[nodiscard]] std::int64_t place_of(double threshold) const {
    return std::ranges::partition_point(rows_,
                                        [&](const Row& row) { return row.score >= threshold; }) -
           rows_.begin();
  }
  /// Between the rows on either side.
  [[nodiscard]] double room(std::int64_t place) const {
    if (place == 0 || place == last()) return std::numeric_limits<double>::infinity();
    return score(place - 1) - score(place);
  }

  /// Goes to a place. @return the rates there: sums of whole numbers, the same on any way.
  const std::vector<double>& rates_at(std::int64_t place) {
    for (; place_ < place; ++place_) count(place_, 1);
    while (place_ > place) count(--place_, -1);
    for (std::size_t k = 0; k < cells_.size(); ++k) {
      rates_[k] = cells_[k].sum / cells_[k].rows + cells_[k].offset;
    }
    return rates_;
  }

 private:
  void count(std::int64_t row, double sign) {
    const Row& counted = rows_[static_cast<std::size_t>(row)];
    if (counted.cell < 0) return;
    cells_[static_cast<std::size_t>(counted.cell)].sum += sign * counted.value;
  }

  std::vector<Row> rows_;
  std::vector<Cell> cells_;
  std::vector<double> rates_;
  std::int64_t place_ = 0;
};

/// A constant that brings the threshold 0 to a place, as near to `wanted` as is sure.
double shift_to(const RowsByScore& rows, std::int64_t place, double wanted, double size) {
  constexpr double most = 0.05;  // of the size of scores
  const double beside = std::min(0.25 * rows.room(place), most * size);
  double shift = wanted;
  if (place > 0) shift = std::max(shift, beside - rows.score(place - 1));
  if (place < rows.last()) shift = std::min(shift, -beside - rows.score(place));
  return shift;
}

}  // namespace

LastLayerPoint LastLayer::with_other_scores(double shift, double factor) {
  stop_point();
  std::vector<double> v = v_;
  v.back() += shift;
  for (double& weight : v) weight *= factor;
  for (double& score : pieces_.own_of(scores_)) score = factor * (score + shift);
  return with_scores(std::move(v), false);
}

double LastLayer::best_shift() {
  constexpr double beyond = 20;  // all scores: of one label the loss has no end
  constexpr int halvings = 32;
  double far = beyond;
  for (const double score : scores_) far = std::max(far, std::abs(score) + beyond);
  double low = -far, high = far;
  std::vector<double> moved(scores_.size());
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    const auto own = pieces_.own_of(moved), scores = pieces_.own_of(scores_);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = scores[i] + middle;
    models::loss_slopes(problem_.loss, own, pieces_.own_of(labels_), pieces_.own_of(slopes_));
    double slope = 0;
    pieces_.add({&slope, 1}, [&](const Piece& piece, std::span<double> out) {
      for (const double of_row : of(piece, slopes_)) out[0] += of_row;
    });
    (slope > 0 ? high : low) = middle;
  }
  return 0.5 * (low + high);
}

std::vector<double> LastLayer::shifts_within(
    const std::function<bool(const std::vector<double>& cells)>& keeps) {
  stop_point();
  const double size = root_mean_square();
  if (!(size > 0)) return {};
  pieces_.exchange(scores_);
  const DecisionValues values = decision_values(problem_);
  std::vector<RowsByScore::Row> of_rows(labels_.size());
  std::vector<RowsByScore::Cell> cells(slots_.size() - 1);
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const auto first = static_cast<std::size_t>(slots_[slot].first);
    const auto count = static_cast<std::size_t>(slots_[slot].count);
    for (std::size_t i = first; i < first + count; ++i) {
      of_rows[i] = {scores_[i], static_cast<std::ptrdiff_t>(slot) - 1, values.of(labels_[i])};
      if (slot > 0 && of_rows[i].value < 0) cells[slot - 1].sum += 1;
    }
    if (slot == 0) continue;
    cells[slot - 1].rows = static_cast<double>(count);
    cells[slot - 1].offset = offset_.empty() ? 0 : offset_[slot - 1];
  }
  RowsByScore rows(std::move(of_rows), std::move(cells));
  constexpr double least_room = 1e-6;  // of the size of scores
  constexpr std::int64_t most_work = 300'000'000;
  const std::int64_t work = rows.last() * problem_.constraints.gaps() * std::ssize(slots_);
  const std::int64_t stride = 1 + work / most_work;
  const auto is_kept = [&](std::int64_t place) {
    return rows.room(place) > least_room * size && keeps(rows.rates_at(place));
  };
  const double wanted = best_shift();
  const std::int64_t start = rows.place_of(-wanted);
  if (is_kept(start)) return {shift_to(rows, start, wanted, size)};
  std::vector<double> shifts;
  for (const std::int64_t step : {-stride, stride}) {
    const std::int64_t end = step < 0 ? 0 : rows.last();
    for (std::int64_t place = start; place != end;) {
      place = std::clamp<std::int64_t>(place + step, 0, rows.last());
      if (!is_kept(place)) continue;
      shifts.push_back(shift_to(rows, place, wanted, size));
      break;
    }
  }
  return shifts;
}

}  // namespace fairfront::training
