#include <cmath>

#include "solvers/training/cell_values.hpp"
#include "solvers/training/last_layer.hpp"

namespace fairfront::training {
namespace {

/// Where the part t of the way leads. @param out  may be one of the others.
void mix(std::span<const double> from, std::span<const double> to, double t,
         std::span<double> out) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = (1 - t) * from[i] + t * to[i];
}

}  // namespace

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

std::vector<std::vector<double>> LastLayer::gaps_on_line(double last, int count) {
  std::vector<std::vector<double>> gaps;
  for (const LinePoint& point : count_line(last, count)) gaps.push_back(gaps_of(point.cells));
  return gaps;
}

std::vector<LinePoint> LastLayer::count_line(double last, int count) {
  stop_point();
  const double points = count / last;
  const std::size_t of_rate = 1 + static_cast<std::size_t>(count);
  const std::size_t width = pool_ != nullptr ? 2 * of_rate : of_rate;
  std::vector<double> values(labels_.size());
  cell_values(problem_, pieces_.own_of(begin_.scores), pieces_.own_of(labels_),
              pieces_.own_of(values));
  // The rate, and what changes in it from the point before to each.
  const auto sums = pieces_.compute(width, [&](const Piece& piece, std::span<double> out) {
    const auto labels = of(piece, labels_);
    const auto from = of(piece, begin_.scores), to = of(piece, end_.scores);
    if (pool_ != nullptr) {
      out[of_rate] = count_wrong(from, labels);
      add_decision_changes(error_values, labels, from, to, 1, points, out.subspan(of_rate + 1));
    }
    if (piece.slot == 0) return;
    out[0] = sum_of(of(piece, values));
    add_decision_changes(decision_values(problem_), labels, from, to,
                         1 / static_cast<double>(slots_[piece.slot].count), points,
                         out.subspan(1, of_rate - 1));
  });
  std::vector<double> cells = cells_of(means_of_slots(sums, width, 0));
  std::vector<LinePoint> line;
  double wrong = 0;
  for (std::size_t t = 0; t < of_rate; ++t) {
    for (std::size_t p = 0; p < pieces_.all().size(); ++p) {
      const std::size_t slot = pieces_.all()[p].slot;
      if (slot > 0 && t > 0) cells[slot - 1] += sums[p * width + t];
      if (pool_ != nullptr) wrong += sums[p * width + of_rate + t];
    }
    if (t > 0) line.push_back({wrong / static_cast<double>(rows()), cells});
  }
  if (pool_ != nullptr) offer_line(line, last);
  return line;
}

void LastLayer::offer_line(const std::vector<LinePoint>& line, double last) {
  for (std::size_t k = 0; k < line.size(); ++k) {
    std::vector<double> cells = line[k].cells;
    for (std::size_t j = 0; j < offset_.size(); ++j) cells[j] -= offset_[j];
    const double t = last * static_cast<double>(k + 1) / static_cast<double>(line.size());
    pool_->offer(line[k].error, cells, false, [&] {
      std::vector<double> v(v_.size());
      mix(begin_.v, end_.v, t, v);
      return v;
    });
  }
}

bool LastLayer::stretch_line(double change) {
  double squares = 0;
  pieces_.add({&squares, 1}, [&](const Piece& piece, std::span<double> out) {
    const auto from = of(piece, begin_.scores), to = of(piece, end_.scores);
    for (std::size_t i = 0; i < from.size(); ++i) out[0] += (to[i] - from[i]) * (to[i] - from[i]);
  });
  const double size = std::sqrt(squares / static_cast<double>(rows()));
  if (!(size > 0) || !std::isfinite(size)) return false;
  const double t = change / size;
  mix(begin_.v, end_.v, t, end_.v);
  mix(pieces_.own_of(begin_.scores), pieces_.own_of(end_.scores), t, pieces_.own_of(end_.scores));
  return true;
}

LastLayerPoint LastLayer::on_line(double t) {
  stop_point();
  std::vector<double> v(v_.size());
  mix(begin_.v, end_.v, t, v);
  mix(pieces_.own_of(begin_.scores), pieces_.own_of(end_.scores), t, pieces_.own_of(scores_));
  return with_scores(std::move(v), false);
}

}  // namespace fairfront::training
