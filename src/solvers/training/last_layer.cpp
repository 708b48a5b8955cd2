#include "solvers/training/last_layer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/elementary.hpp"
#include "base/stop.hpp"
#include "models/kernels.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/pass.hpp"
#include "solvers/training/rounded_hinge.hpp"
#include "solvers/training/row_team.hpp"

namespace fairfront::training {
namespace {

constexpr std::size_t block = 128;

/// Positions of the rows of each slot.
std::vector<std::vector<std::size_t>> members_of(const Part& part) {
  std::vector<std::vector<std::size_t>> members(part.of_cell.size() + 1);
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    members[static_cast<std::size_t>(part.cell[i] + 1)].push_back(i);
  }
  return members;
}

/// Evenly spaced ones of them.
std::vector<std::size_t> some_of(const std::vector<std::size_t>& members, double share) {
  constexpr double least = 1000;  // of fewer rows a mean says little
  const auto all = static_cast<double>(members.size());
  const auto count = static_cast<std::size_t>(std::min(all, std::max(least, share * all)));
  std::vector<std::size_t> some(count);
  for (std::size_t i = 0; i < count; ++i) some[i] = members[i * members.size() / count];
  return some;
}

}  // namespace

LastLayer::LastLayer(const Problem& problem, std::span<const double> w, double share)
    : problem_{problem},
      is_linear_{problem.model.layers().size() == 1},
      rows_(problem.features, problem.model.inputs()),
      pieces_(nullptr, {}, 1) {
  const Part& part = problem.train;
  const std::int64_t columns = problem.model.layers().back().inputs;
  std::vector<std::int64_t> rows, of_slots;
  for (const auto& all : members_of(part)) {
    const auto members = some_of(all, share);
    slots_.push_back({std::ssize(rows), std::ssize(members),
                      static_cast<double>(all.size()) / static_cast<double>(part.rows.size())});
    of_slots.push_back(std::ssize(members));
    for (const std::size_t member : members) rows.push_back(part.rows[member]);
  }
  for (const std::int64_t row : rows) {
    labels_.push_back(problem.labels[static_cast<std::size_t>(row)]);
  }
  const auto count = std::ssize(rows);
  const std::int64_t a_piece = rows_a_piece(count, most_pieces(curvature_width(columns + 1)));
  pieces_ = RowPieces(count <= a_piece ? nullptr : problem.team, of_slots, a_piece);
  one_row_ = Vector::Zero(columns + 1);
  if (is_linear_) {
    order_ = std::move(rows);
    rows_ = models::Rows(problem.features, columns, order_);
    if (share < 1 || !has_decisions(problem)) find_rare_inputs();
  } else {
    make_inputs(w, rows);
  }
  has_prior_ = share < 1;
  for (auto* values : {&scores_, &losses_, &slopes_}) values->resize(labels_.size());
  if (!problem.constraints.rate()) return;
  for (auto* values : {&cell_values_, &cell_slopes_}) values->resize(labels_.size());
}

void LastLayer::stop_point() const {
  base::stop_point();
  if (problem_.team != nullptr) problem_.team->stop_point();
}

void LastLayer::make_inputs(std::span<const double> w, std::span<const std::int64_t> rows) {
  const std::int64_t columns = problem_.model.layers().back().inputs;
  const bool all = has_decisions(problem_);  // the band of a decision has rows of every rank
  first_input_ = all ? 0 : pieces_.first_row();
  inputs_.resize((all ? rows.size() : static_cast<std::size_t>(pieces_.rows())) *
                 static_cast<std::size_t>(columns));
  Pass pass(problem_);
  const auto make = [&](const Piece& piece) {
    const auto of_piece = of(piece, rows);
    for (std::size_t first = 0; first < of_piece.size(); first += block) {
      base::stop_point();
      (void)pass.forward(w, of_piece.subspan(first, std::min(block, of_piece.size() - first)));
      const std::int64_t at = piece.first + static_cast<std::int64_t>(first) - first_input_;
      std::ranges::copy(pass.last_inputs(), inputs_.begin() + at * columns);
    }
  };
  pieces_.each(make, all ? std::span(inputs_) : std::span<double>{}, all ? columns : 0);
  rows_ = models::Rows(inputs_, columns);
}

void LastLayer::find_rare_inputs() {
  constexpr double rare = 0.02;  // of the rows
  const auto n = size();
  // How many rows fill each column, and the largest square in it.
  const auto found = pieces_.compute(2 * n, [&](const Piece& piece, std::span<double> out) {
    for (std::int64_t row = piece.first; row < piece.first + piece.count; ++row) {
      const double* const inputs = inputs_of(row);
      for (std::size_t j = 0; j + 1 < n; ++j) {
        if (inputs[j] == 0) continue;
        out[j] += 1;
        out[n + j] = std::max(out[n + j], inputs[j] * inputs[j]);
      }
    }
  });
  for (std::size_t j = 0; j < n; ++j) {
    double filled = 0, largest = 0;
    for (std::size_t p = 0; p < pieces_.all().size(); ++p) {
      filled += found[p * 2 * n + j];
      largest = std::max(largest, found[p * 2 * n + n + j]);
    }
    const auto all = static_cast<double>(rows());
    one_row_[static_cast<Eigen::Index>(j)] = filled <= rare * all ? largest / all : 0;
  }
}

LastLayerPoint LastLayer::at(std::vector<double> v) {
  stop_point();
  models::dots(rows_.part(pieces_.first_row() - first_input_, pieces_.rows()), v.data(), v.back(),
               pieces_.own_of(scores_));
  return with_scores(std::move(v), true);
}

LastLayerPoint LastLayer::with_scores(std::vector<double> v, bool is_counted) {
  constexpr double rounding = 1e-9;  // of a score: some millions of times what it can be
  const auto scores = pieces_.own_of(scores_), labels = pieces_.own_of(labels_);
  models::loss_values(problem_.loss, scores, labels, pieces_.own_of(losses_));
  const bool are_losses = cell_values_.empty(), counts = has_decisions(problem_);
  if (!are_losses) cell_values(problem_, scores, labels, pieces_.own_of(cell_values_));
  const std::size_t width = pool_ != nullptr ? 4 : 3;
  const auto sums = pieces_.compute(width, [&](const Piece& piece, std::span<double> out) {
    out[0] = sum_of(of(piece, losses_));
    if (!are_losses) out[1] = sum_of(of(piece, cell_values_));
    if (!counts) return;
    for (const double score : of(piece, scores_)) out[2] += std::abs(score) > rounding ? 0 : 1;
    if (pool_ != nullptr) out[3] = count_wrong(of(piece, scores_), of(piece, labels_));
  });
  double uncertain = 0, wrong = 0;
  for (std::size_t i = 2; i < sums.size(); i += width) uncertain += sums[i];
  for (std::size_t i = 3; pool_ != nullptr && i < sums.size(); i += width) wrong += sums[i];
  const auto of_slots = means_of_slots(sums, width, 0);
  LastLayerPoint found{.v = std::move(v),
                       .loss = mean_of_all(of_slots),
                       .error = wrong / static_cast<double>(rows()),
                       .is_certain = uncertain == 0};
  v_ = found.v;
  if (has_prior_) found.loss += 0.5 * one_row_.dot(weights().cwiseAbs2());
  const auto values_of_slots = are_losses ? of_slots : means_of_slots(sums, width, 1);
  found.cells = cells_of(values_of_slots);
  found.gaps = gaps_of(found.cells);
  found.kept_gap = problem_.constraints.largest_gap(found.cells, found.gaps);
  if (pool_ != nullptr && is_counted && found.is_certain) offer(values_of_slots, found.error);
  if (width_ > 0) {
    found.decided = std::move(found.gaps);
    smoothed_values(problem_, width_of_scores(), scores, labels, pieces_.own_of(cell_values_));
    found.cells = means_of_cell_values();
    for (std::size_t k = 0; k < correction_.size(); ++k) found.cells[k] += correction_[k];
    found.gaps = gaps_of(found.cells);
  }
  if (!std::isfinite(found.loss)) found.loss = std::numeric_limits<double>::infinity();
  found.led_loss = found.loss;
  if (bend_ > 0) round(found);
  return found;
}

void LastLayer::round(LastLayerPoint& point) {
  const RoundedHinge hinge(bend_);
  const auto sums = pieces_.compute(1, [&](const Piece& piece, std::span<double> out) {
    const auto scores = of(piece, scores_), labels = of(piece, labels_);
    for (std::size_t i = 0; i < scores.size(); ++i) out[0] += hinge.value(scores[i], labels[i]);
  });
  const auto of_slots = means_of_slots(sums, 1, 0);
  point.led_loss = mean_of_all(of_slots);
  if (has_prior_) point.led_loss += 0.5 * one_row_.dot(weights().cwiseAbs2());
  if (!cell_values_.empty()) return;  // rates are bounded, not losses
  point.decided = std::move(point.gaps);
  point.cells = cells_of(of_slots);
  for (std::size_t k = 0; k < point.cells.size(); ++k) point.cells[k] += correction_[k];
  point.gaps = gaps_of(point.cells);
}

void LastLayer::round_hinge(double width) {
  bend_ = 0;
  const std::vector<double> of_hinges = again().cells;
  correction_.assign(of_hinges.size(), 0.0);
  bend_ = width;
  const std::vector<double> of_rounded = again().cells;
  for (std::size_t k = 0; k < correction_.size(); ++k)
    correction_[k] = of_hinges[k] - of_rounded[k];
}

void LastLayer::offer(const std::vector<double>& of_slots, double error) {
  const std::vector<double> cells(of_slots.begin() + 1, of_slots.end());
  pool_->offer(error, cells, true, [this] { return v_; });
}

DecisionBand LastLayer::decision_band(double share) {
  stop_point();
  pieces_.exchange(scores_);
  std::vector<double> values(labels_.size());
  cell_values(problem_, scores_, labels_, values);
  std::vector<BandCell> cells;
  std::vector<std::int64_t> numbers;
  std::vector<double> labels, scores;
  for (std::size_t k = 1; k < slots_.size(); ++k) {
    const Slot& slot = slots_[k];
    std::vector<std::int64_t> order(static_cast<std::size_t>(slot.count));
    std::iota(order.begin(), order.end(), slot.first);
    const auto score = [&](std::int64_t i) { return scores_[static_cast<std::size_t>(i)]; };
    const auto count = std::min(
        slot.count, std::max<std::int64_t>(
                        100, static_cast<std::int64_t>(share * static_cast<double>(slot.count))));
    std::ranges::nth_element(order, order.begin() + count, [&](std::int64_t a, std::int64_t b) {
      const double of_a = std::abs(score(a)), of_b = std::abs(score(b));
      return of_a < of_b || (of_a == of_b && a < b);
    });
    std::sort(order.begin(), order.begin() + count);
    BandCell cell{.first = std::ssize(numbers),
                  .count = count,
                  .rows = static_cast<double>(slot.count),
                  .outside = offset_.empty() ? 0 : offset_[k - 1]};
    for (std::int64_t i = 0; i < slot.count; ++i) {
      const auto row = static_cast<std::size_t>(order[static_cast<std::size_t>(i)]);
      if (i >= count) {
        cell.outside += values[row] / cell.rows;
        cell.reach = std::min(cell.reach, std::abs(scores_[row]));
        continue;
      }
      numbers.push_back(rows_.number(static_cast<std::int64_t>(row)));
      labels.push_back(labels_[row]);
      scores.push_back(scores_[row]);
    }
    cells.push_back(cell);
  }
  return {problem_,         rows_, std::move(numbers), std::move(cells), std::move(labels),
          std::move(scores)};
}

std::vector<double> LastLayer::means_of_slots(std::span<const double> of_pieces, std::size_t width,
                                              std::size_t which) const {
  std::vector<double> means(slots_.size(), 0.0);
  const auto pieces = pieces_.all();
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    means[pieces[p].slot] += of_pieces[p * width + which];
  }
  for (std::size_t k = 0; k < means.size(); ++k) {
    if (slots_[k].count > 0) means[k] /= static_cast<double>(slots_[k].count);
  }
  return means;
}

double LastLayer::mean_of_all(std::span<const double> of_slots) const {
  double mean = 0;
  for (std::size_t k = 0; k < slots_.size(); ++k) mean += slots_[k].share * of_slots[k];
  return mean;
}

std::vector<double> LastLayer::cells_of(std::span<const double> of_slots) const {
  std::vector<double> cells(of_slots.begin() + 1, of_slots.end());
  for (std::size_t k = 0; k < offset_.size(); ++k) cells[k] += offset_[k];
  return cells;
}

std::vector<double> LastLayer::means_of_cell_values() {
  const auto sums = pieces_.compute(1, [&](const Piece& piece, std::span<double> out) {
    out[0] = sum_of(of(piece, cell_values_));
  });
  return cells_of(means_of_slots(sums, 1, 0));
}

std::vector<double> LastLayer::gaps_of(const std::vector<double>& cells) const {
  std::vector<double> gaps(static_cast<std::size_t>(problem_.constraints.gaps()));
  problem_.constraints.gaps_of(cells, gaps);
  return gaps;
}

double LastLayer::sum_of_squares() {
  double squares = 0;
  pieces_.add({&squares, 1}, [&](const Piece& piece, std::span<double> out) {
    for (const double score : of(piece, scores_)) out[0] += score * score;
  });
  return squares;
}

double LastLayer::root_mean_square() {
  return std::sqrt(sum_of_squares() / static_cast<double>(scores_.size()));
}

double LastLayer::width_of_scores() {
  constexpr double least = 1e-300;  // where all scores are 0
  return std::max(width_ * root_mean_square(), least);
}

std::vector<double> LastLayer::smooth_decisions(const std::vector<double>& v, double width) {
  width_ = 0;
  std::vector<double> rates = at(v).cells;
  correction_ = rates;
  width_ = width;
  smoothed_values(problem_, width_of_scores(), pieces_.own_of(scores_), pieces_.own_of(labels_),
                  pieces_.own_of(cell_values_));
  const auto smoothed = means_of_cell_values();
  for (std::size_t k = 0; k < correction_.size(); ++k) correction_[k] -= smoothed[k];
  return rates;
}

void LastLayer::add_weighted_inputs(const Piece& piece, const std::vector<double>& slopes,
                                    std::span<double> out) const {
  const auto of_rows = of(piece, slopes);
  models::add_weighted_rows(rows_.part(piece.first - first_input_, piece.count), of_rows,
                            out.data());
  for (const double slope : of_rows) out.back() += slope;
}

void LastLayer::add_gradients(const Piece& piece, std::span<double> out) const {
  const std::size_t n = size();
  add_weighted_inputs(piece, slopes_, out.first(n));
  if (cell_slopes_.empty()) return;
  if (piece.slot > 0) add_weighted_inputs(piece, cell_slopes_, out.subspan(n, n));
  if (!has_decisions(problem_)) return;
  add_weighted_inputs(piece, scores_, out.subspan(2 * n, n));
  const auto scores = of(piece, scores_), slopes = of(piece, cell_slopes_);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (piece.slot > 0) out[3 * n] += scores[i] * slopes[i];
    out[3 * n + 1] += scores[i] * scores[i];
  }
}

void LastLayer::gradients(Vector& of_loss, Matrix& of_cells) {
  stop_point();
  const auto scores = pieces_.own_of(scores_), labels = pieces_.own_of(labels_);
  models::loss_slopes(problem_.loss, scores, labels, pieces_.own_of(slopes_));
  if (bend_ > 0) {
    const RoundedHinge hinge(bend_);
    const auto slopes = pieces_.own_of(slopes_);
    for (std::size_t i = 0; i < slopes.size(); ++i) slopes[i] = hinge.slope(scores[i], labels[i]);
  }
  const bool are_losses = cell_slopes_.empty(), counts = has_decisions(problem_);
  if (width_ > 0) {
    smoothed_slopes(problem_, width_of_scores(), scores, labels, pieces_.own_of(cell_slopes_));
  } else if (!are_losses) {
    cell_slopes(problem_, scores, labels, pieces_.own_of(cell_slopes_));
  }
  const auto n = static_cast<Eigen::Index>(size());
  const std::size_t width = size() * (are_losses ? 1 : counts ? 3 : 2) + (counts ? 2 : 0);
  const auto sums = pieces_.compute(
      width, [&](const Piece& piece, std::span<double> out) { add_gradients(piece, out); });
  Matrix of_slots = Matrix::Zero(static_cast<Eigen::Index>(width), std::ssize(slots_));
  for (std::size_t p = 0; p < pieces_.all().size(); ++p) {
    of_slots.col(static_cast<Eigen::Index>(pieces_.all()[p].slot)) +=
        Eigen::Map<const Vector>(sums.data() + p * width, of_slots.rows());
  }
  of_loss = Vector::Zero(n);
  of_cells = Matrix::Zero(std::ssize(slots_) - 1, n);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const auto& slot = slots_[k];
    if (slot.count == 0) continue;
    const auto sum = of_slots.col(static_cast<Eigen::Index>(k));
    of_loss += slot.share / static_cast<double>(slot.count) * sum.head(n);
    if (k == 0) continue;
    of_cells.row(static_cast<Eigen::Index>(k) - 1) =
        sum.segment(are_losses ? 0 : n, n) / static_cast<double>(slot.count);
  }
  if (has_prior_) of_loss += one_row_.cwiseProduct(weights());
  if (counts) take_size_away(of_slots, of_cells);
}

void LastLayer::take_size_away(const Matrix& of_slots, Matrix& of_cells) const {
  const Eigen::Index n = of_cells.cols();
  // Decisions are the same for scores of any size: what slopes say of the size is taken from them.
  const double squares = of_slots.row(3 * n + 1).sum();
  if (!(squares > 0)) return;
  const Vector of_size = of_slots.middleRows(2 * n, n).rowwise().sum();
  for (Eigen::Index k = 0; k < of_cells.rows(); ++k) {
    const double count = static_cast<double>(slots_[static_cast<std::size_t>(k) + 1].count);
    const double along = of_slots(3 * n, k + 1) / (count * squares);
    of_cells.row(k) -= along * of_size.transpose();
  }
}

LastLayer::Vector LastLayer::gradient_of_costs(const DecisionCosts& costs, double width) {
  stop_point();
  const double narrowing = 1 / width;
  const auto scores = pieces_.own_of(scores_);
  const auto smoothed = pieces_.own_of(slopes_);
  for (std::size_t i = 0; i < scores.size(); ++i) smoothed[i] = narrowing * scores[i];
  base::sigmoid(smoothed, smoothed);
  const DecisionValues values = decision_values(problem_);
  Vector gradient = Vector::Zero(static_cast<Eigen::Index>(size()));
  std::vector<double> of_slots;
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    of_slots.push_back(k == 0 ? 0 : costs.of_cells[k - 1] / static_cast<double>(slots_[k].count));
  }
  const double of_error = costs.of_error / static_cast<double>(rows());
  pieces_.add({gradient.data(), size()}, [&](const Piece& piece, std::span<double> out) {
    const auto of_labels = of(piece, labels_), chances = of(piece, slopes_);
    const auto slopes = of(piece, std::span(cell_slopes_));
    for (std::size_t i = 0; i < slopes.size(); ++i) {
      const double cost =
          of_error * error_values.of(of_labels[i]) + of_slots[piece.slot] * values.of(of_labels[i]);
      slopes[i] = cost * narrowing * chances[i] * (1 - chances[i]);
    }
    add_weighted_inputs(piece, cell_slopes_, out);
  });
  return gradient;
}

double LastLayer::best_size() {
  stop_point();
  std::vector<double> scaled(scores_.size());
  double low = -20.7, high = 6.9;  // logarithms
  constexpr int halvings = 24;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    const double size = base::exp(middle);
    const auto own = pieces_.own_of(scaled), scores = pieces_.own_of(scores_);
    for (std::size_t i = 0; i < own.size(); ++i) own[i] = size * scores[i];
    models::loss_slopes(problem_.loss, own, pieces_.own_of(labels_), pieces_.own_of(slopes_));
    double along = 0;
    pieces_.add({&along, 1}, [&](const Piece& piece, std::span<double> out) {
      const auto of_scores = of(piece, scores_), slopes = of(piece, slopes_);
      for (std::size_t i = 0; i < slopes.size(); ++i) out[0] += slopes[i] * of_scores[i];
    });
    (along > 0 ? high : low) = middle;
  }
  return base::exp(low);
}

}  // namespace fairfront::training
