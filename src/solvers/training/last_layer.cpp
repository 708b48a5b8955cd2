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

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return sum / static_cast<double>(values.size());
}

}  // namespace

LastLayer::LastLayer(const Problem& problem, std::span<const double> w, double share)
    : problem_{problem},
      is_linear_{problem.model.layers().size() == 1},
      rows_(problem.features, problem.model.inputs()) {
  const Part& part = problem.train;
  const std::int64_t columns = problem.model.layers().back().inputs;
  if (!is_linear_) inputs_.reserve(part.rows.size() * static_cast<std::size_t>(columns));
  Pass pass(problem);
  std::vector<std::int64_t> some;
  std::size_t done = 0;
  for (const auto& all : members_of(part)) {
    const auto members = some_of(all, share);
    slots_.push_back({static_cast<std::int64_t>(done), std::ssize(members),
                      static_cast<double>(all.size()) / static_cast<double>(part.rows.size())});
    for (std::size_t first = 0; first < members.size(); first += block) {
      base::stop_point();
      some.clear();
      const std::size_t last = std::min(members.size(), first + block);
      for (std::size_t i = first; i < last; ++i) some.push_back(part.rows[members[i]]);
      for (const std::int64_t row : some) {
        labels_.push_back(problem.labels[static_cast<std::size_t>(row)]);
      }
      if (is_linear_) {
        order_.insert(order_.end(), some.begin(), some.end());
      } else {
        (void)pass.forward(w, some);
        const auto made = pass.last_inputs();
        inputs_.insert(inputs_.end(), made.begin(), made.end());
      }
      done += some.size();
    }
  }
  rows_ =
      is_linear_ ? models::Rows(problem.features, columns, order_) : models::Rows(inputs_, columns);
  one_row_ = Vector::Zero(columns + 1);
  if (is_linear_ && !has_decisions(problem)) find_rare_inputs();
  has_prior_ = share < 1;
  for (auto* values : {&scores_, &losses_, &slopes_}) values->resize(labels_.size());
  if (!problem.constraints.rate()) return;
  for (auto* values : {&cell_values_, &cell_slopes_}) values->resize(labels_.size());
}

void LastLayer::find_rare_inputs() {
  constexpr double rare = 0.02;  // of the rows
  std::vector<std::int64_t> filled(static_cast<std::size_t>(one_row_.size()), 0);
  for (std::int64_t row = 0; row < rows(); ++row) {
    const double* const inputs = rows_.row(row);
    for (std::size_t j = 0; j + 1 < filled.size(); ++j) {
      if (inputs[j] == 0) continue;
      ++filled[j];
      double& largest = one_row_[static_cast<Eigen::Index>(j)];
      largest = std::max(largest, inputs[j] * inputs[j]);
    }
  }
  for (std::size_t j = 0; j < filled.size(); ++j) {
    const bool is_rare = static_cast<double>(filled[j]) <= rare * static_cast<double>(rows());
    one_row_[static_cast<Eigen::Index>(j)] *= is_rare ? 1 / static_cast<double>(rows()) : 0;
  }
}

std::span<const double> LastLayer::of_slot(const std::vector<double>& values, const Slot& slot) {
  return std::span(values).subspan(static_cast<std::size_t>(slot.first),
                                   static_cast<std::size_t>(slot.count));
}

bool LastLayer::is_certain() const {
  constexpr double rounding = 1e-9;  // of a score: some millions of times what it can be
  return !has_decisions(problem_) ||
         std::ranges::all_of(scores_, [](double score) { return std::abs(score) > rounding; });
}

LastLayerPoint LastLayer::at(std::vector<double> v) {
  base::stop_point();
  models::dots(rows_, v.data(), v.back(), scores_);
  return with_scores(std::move(v));
}

LastLayerPoint LastLayer::with_scores(std::vector<double> v) {
  models::loss_values(problem_.loss, scores_, labels_, losses_);
  if (!cell_values_.empty()) cell_values(problem_, scores_, labels_, cell_values_);
  LastLayerPoint found{std::move(v), mean_of_all(losses_), {}, {}, {}, is_certain()};
  v_ = found.v;
  if (has_prior_) found.loss += 0.5 * one_row_.dot(weights().cwiseAbs2());
  found.cells = means_of(cell_values_.empty() ? losses_ : cell_values_);
  found.gaps = gaps_of(found.cells);
  if (width_ > 0) {
    found.decided = std::move(found.gaps);
    smoothed_values(problem_, width_of_scores(), scores_, labels_, cell_values_);
    found.cells = means_of(cell_values_);
    for (std::size_t k = 0; k < correction_.size(); ++k) found.cells[k] += correction_[k];
    found.gaps = gaps_of(found.cells);
  }
  if (!std::isfinite(found.loss)) found.loss = std::numeric_limits<double>::infinity();
  return found;
}

void LastLayer::begin_line() { begin_ = {v_, scores_}; }

void LastLayer::end_line() { end_ = {v_, scores_}; }

void LastLayer::line_of_thresholds(double far) {
  begin_line();
  end_line();
  begin_.v.back() -= far;
  end_.v.back() += far;
  for (double& score : begin_.scores) score -= far;
  for (double& score : end_.scores) score += far;
}

std::vector<std::vector<double>> LastLayer::gaps_on_line(double last, int count) const {
  base::stop_point();
  const double points = count / last;
  std::vector<double> values(labels_.size());
  cell_values(problem_, begin_.scores, labels_, values);
  std::vector<double> cells = means_of(values);
  // What changes in each cell from the point before to each.
  std::vector<std::vector<double>> changes(cells.size());
  for (std::size_t k = 0; k < cells.size(); ++k) {
    changes[k].assign(static_cast<std::size_t>(count), 0.0);
    const Slot& slot = slots_[k + 1];
    add_decision_changes(problem_, of_slot(labels_, slot), of_slot(begin_.scores, slot),
                         of_slot(end_.scores, slot), 1 / static_cast<double>(slot.count), points,
                         changes[k]);
  }
  std::vector<std::vector<double>> gaps;
  for (std::size_t t = 0; t < static_cast<std::size_t>(count); ++t) {
    for (std::size_t k = 0; k < cells.size(); ++k) cells[k] += changes[k][t];
    gaps.push_back(gaps_of(cells));
  }
  return gaps;
}

LastLayerPoint LastLayer::on_line(double t) {
  base::stop_point();
  const auto mixed = [t](const std::vector<double>& from, const std::vector<double>& to,
                         std::vector<double>& out) {
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = (1 - t) * from[i] + t * to[i];
  };
  std::vector<double> v(v_.size());
  mixed(begin_.v, end_.v, v);
  mixed(begin_.scores, end_.scores, scores_);
  return with_scores(std::move(v));
}

DecisionBand LastLayer::decision_band(double share) const {
  base::stop_point();
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

double LastLayer::mean_of_all(const std::vector<double>& values) const {
  double mean = 0;
  for (const Slot& slot : slots_) {
    if (slot.count > 0) mean += slot.share * mean_of(of_slot(values, slot));
  }
  return mean;
}

std::vector<double> LastLayer::means_of(const std::vector<double>& values) const {
  std::vector<double> means;
  for (std::size_t k = 1; k < slots_.size(); ++k)
    means.push_back(mean_of(of_slot(values, slots_[k])));
  for (std::size_t k = 0; k < offset_.size(); ++k) means[k] += offset_[k];
  return means;
}

std::vector<double> LastLayer::gaps_of(const std::vector<double>& cells) const {
  std::vector<double> gaps(static_cast<std::size_t>(problem_.constraints.gaps()));
  problem_.constraints.gaps_of(cells, gaps);
  return gaps;
}

double LastLayer::root_mean_square() const {
  double squares = 0;
  for (const double score : scores_) squares += score * score;
  return std::sqrt(squares / static_cast<double>(scores_.size()));
}

double LastLayer::width_of_scores() const {
  constexpr double least = 1e-300;  // where all scores are 0
  return std::max(width_ * root_mean_square(), least);
}

void LastLayer::smooth_decisions(const std::vector<double>& v, double width) {
  width_ = 0;
  correction_ = at(v).cells;
  width_ = width;
  smoothed_values(problem_, width_of_scores(), scores_, labels_, cell_values_);
  const auto smoothed = means_of(cell_values_);
  for (std::size_t k = 0; k < correction_.size(); ++k) correction_[k] -= smoothed[k];
}

LastLayer::Vector LastLayer::weighted_inputs(const Slot& slot,
                                             const std::vector<double>& slopes) const {
  const auto of_rows = of_slot(slopes, slot);
  Vector sum = Vector::Zero(static_cast<Eigen::Index>(size()));
  models::add_weighted_rows(rows_.part(slot.first, slot.count), of_rows, sum.data());
  for (const double slope : of_rows) sum[sum.size() - 1] += slope;
  return sum;
}

void LastLayer::gradients(Vector& of_loss, Matrix& of_cells) {
  base::stop_point();
  models::loss_slopes(problem_.loss, scores_, labels_, slopes_);
  const bool are_losses = cell_slopes_.empty();
  if (width_ > 0) {
    smoothed_slopes(problem_, width_of_scores(), scores_, labels_, cell_slopes_);
  } else if (!are_losses) {
    cell_slopes(problem_, scores_, labels_, cell_slopes_);
  }
  const auto n = static_cast<Eigen::Index>(size());
  of_loss = Vector::Zero(n);
  of_cells = Matrix::Zero(std::ssize(slots_) - 1, n);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    const auto& slot = slots_[k];
    if (slot.count == 0) continue;
    const Vector sum = weighted_inputs(slot, slopes_);
    of_loss += slot.share / static_cast<double>(slot.count) * sum;
    if (k == 0) continue;
    const Vector of_cell = are_losses ? sum : weighted_inputs(slot, cell_slopes_);
    of_cells.row(static_cast<Eigen::Index>(k) - 1) = of_cell / static_cast<double>(slot.count);
  }
  if (has_prior_) of_loss += one_row_.cwiseProduct(weights());
  if (!has_decisions(problem_)) return;
  // Decisions are the same for scores of any size: what slopes say of the size is taken from them.
  double squares = 0;
  for (const double score : scores_) squares += score * score;
  if (!(squares > 0)) return;
  Vector of_size = Vector::Zero(n);
  for (const Slot& slot : slots_) {
    if (slot.count > 0) of_size += weighted_inputs(slot, scores_);
  }
  for (std::size_t k = 1; k < slots_.size(); ++k) {
    double along = 0;
    const auto scores = of_slot(scores_, slots_[k]), slopes = of_slot(cell_slopes_, slots_[k]);
    for (std::size_t i = 0; i < scores.size(); ++i) along += scores[i] * slopes[i];
    along /= static_cast<double>(slots_[k].count) * squares;
    of_cells.row(static_cast<Eigen::Index>(k) - 1) -= along * of_size.transpose();
  }
}

double LastLayer::best_size() {
  base::stop_point();
  std::vector<double> scaled(scores_.size());
  double low = -20.7, high = 6.9;  // logarithms
  constexpr int halvings = 24;
  for (int k = 0; k < halvings; ++k) {
    const double middle = 0.5 * (low + high);
    const double size = base::exp(middle);
    for (std::size_t i = 0; i < scaled.size(); ++i) scaled[i] = size * scores_[i];
    models::loss_slopes(problem_.loss, scaled, labels_, slopes_);
    double along = 0;
    for (std::size_t i = 0; i < scaled.size(); ++i) along += slopes_[i] * scores_[i];
    (along > 0 ? high : low) = middle;
  }
  return base::exp(low);
}

double LastLayer::second_derivative(std::size_t row) const {
  switch (problem_.loss) {
    case models::LossKind::logistic: {
      const double size = std::abs(slopes_[row]);
      return std::max(size * (1 - size), 1e-3);  // where all scores are certain, steps have an end
    }
    case models::LossKind::square:
      return 1;
    case models::LossKind::hinge:
      break;
  }
  return 0.25;  // it has none; steps are tried before they are taken
}

void LastLayer::add_curvature(const Slot& slot, double weight, Matrix& out) {
  const Eigen::Index n = out.rows();
  // Some 8 N / n rows cost as much as two evaluations; 30 of a cell tell its directions.
  const auto share = std::max<std::int64_t>(30, slot.count * 8 / n + 1);
  const std::int64_t stride = std::max<std::int64_t>(1, slot.count / share);
  const std::int64_t taken = (slot.count + stride - 1) / stride;
  weight *= static_cast<double>(slot.count) / static_cast<double>(taken);
  Matrix scaled(n, static_cast<Eigen::Index>(block));
  for (std::int64_t first = 0; first < taken; first += static_cast<std::int64_t>(block)) {
    base::stop_point();
    const std::int64_t count = std::min(static_cast<std::int64_t>(block), taken - first);
    for (std::int64_t j = 0; j < count; ++j) {
      const std::int64_t row = slot.first + (first + j) * stride;
      const double root = std::sqrt(weight * second_derivative(static_cast<std::size_t>(row)));
      const double* const inputs = rows_.row(row);
      for (Eigen::Index i = 0; i + 1 < n; ++i) scaled(i, j) = root * inputs[i];
      scaled(n - 1, j) = root;
    }
    const auto some = scaled.leftCols(count);
    constexpr Eigen::Index most = 600;  // beyond, n^2 numbers a row would cost more than they save
    if (n - 1 <= most) {
      out.selfadjointView<Eigen::Lower>().rankUpdate(some);
    } else {
      out.diagonal() += some.rowwise().squaredNorm();
    }
  }
}

void LastLayer::curvature(std::span<const double> multipliers, Matrix& out) {
  const auto n = static_cast<Eigen::Index>(size());
  out = Matrix::Zero(n, n);
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    if (slots_[k].count > 0) add_curvature(slots_[k], row_weight(k, multipliers), out);
  }
  const bool are_losses = cell_slopes_.empty();
  if (is_linear_ || problem_.constraints.has_one_side() || !are_losses) {
    raise_diagonal(multipliers, out);
  }
  out.diagonal() += one_row_;
}

double LastLayer::row_weight(std::size_t slot, std::span<const double> multipliers) const {
  const double own = slots_[slot].share / static_cast<double>(slots_[slot].count);
  const bool counts = slot > 0 && cell_slopes_.empty();
  const double extra = counts ? multipliers[slot - 1] / static_cast<double>(slots_[slot].count) : 0;
  return std::max(0.05 * own, own + extra);
}

void LastLayer::raise_diagonal(std::span<const double> multipliers, Matrix& out) const {
  Vector sums = Vector::Zero(out.rows());
  for (std::size_t k = 0; k < slots_.size(); ++k) {
    base::stop_point();
    if (slots_[k].count == 0) continue;
    const double weight = row_weight(k, multipliers);
    for (std::int64_t row = slots_[k].first; row < slots_[k].first + slots_[k].count; ++row) {
      const double curved = weight * second_derivative(static_cast<std::size_t>(row));
      const double* const inputs = rows_.row(row);
      for (Eigen::Index j = 0; j + 1 < sums.size(); ++j) sums[j] += curved * inputs[j] * inputs[j];
      sums[sums.size() - 1] += curved;
    }
  }
  out.diagonal() = out.diagonal().cwiseMax(sums);
}

namespace {

/// Shares of label 1: of all rows, and of each cell.
struct Shares {
  double all = 0;
  std::vector<double> cells;
};
Shares shares_of(const Problem& problem) {
  const Part& part = problem.train;
  Shares shares{0, std::vector<double>(part.of_cell.size(), 0.0)};
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    if (!(problem.labels[static_cast<std::size_t>(part.rows[i])] > 0)) continue;
    shares.all += 1;
    if (part.cell[i] >= 0) shares.cells[static_cast<std::size_t>(part.cell[i])] += 1;
  }
  shares.all /= static_cast<double>(part.size());
  for (std::size_t k = 0; k < shares.cells.size(); ++k) {
    shares.cells[k] /= static_cast<double>(part.of_cell[k].size());
  }
  return shares;
}

/// Of all constant scores, the one with the smallest loss.
double best_constant(models::LossKind loss, double share) {
  constexpr double most = 20;  // where there is one label only, the best score has no end
  switch (loss) {
    case models::LossKind::logistic:
      return share <= 0   ? -most
             : share >= 1 ? most
                          : std::clamp(base::log(share / (1 - share)), -most, most);
    case models::LossKind::square:
      return 2 * share - 1;
    case models::LossKind::hinge:
      break;
  }
  return share < 0.5 ? -1 : 1;
}

}  // namespace

ConstantScore best_constant_score(const Problem& problem, double bound,
                                  std::span<const double> offset) {
  const Shares shares = shares_of(problem);
  const double best = best_constant(problem.loss, shares.all);
  std::vector<double> losses(2), cells(shares.cells.size()), values(2),
      gaps(static_cast<std::size_t>(problem.constraints.gaps()));
  // The loss is convex along the way to 0: the farther from there, the better.
  constexpr int tries = 200;
  ConstantScore least{.gap = std::numeric_limits<double>::infinity()};
  for (int k = tries;; --k) {
    const double score = best * k / tries;
    const std::vector scores{score, score}, labels{1.0, -1.0};
    models::loss_values(problem.loss, scores, labels, losses);
    cell_values(problem, scores, labels, values);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      cells[c] = shares.cells[c] * values[0] + (1 - shares.cells[c]) * values[1];
      if (!offset.empty()) cells[c] += offset[c];
    }
    problem.constraints.gaps_of(cells, gaps);
    const double gap = largest_size(gaps);
    const ConstantScore tried{score, shares.all * losses[0] + (1 - shares.all) * losses[1], gap};
    if (gap < least.gap) least = tried;
    if (gap <= bound) return tried;
    if (k == 0) return problem.constraints.has_one_side() ? least : tried;
  }
}

}  // namespace fairfront::training
