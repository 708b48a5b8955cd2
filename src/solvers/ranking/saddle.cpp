#include "solvers/ranking/saddle.hpp"

#include <algorithm>
#include <span>

#include "base/elementary.hpp"
#include "base/error.hpp"

namespace fairfront::ranking {
namespace {

double rows_of(const std::array<double, max_cells>& rows, CellSet set) {
  double sum = 0;
  for_each_cell(set, [&](std::size_t c) { sum += rows[c]; });
  return sum;
}

/// Means over the batch of 1, h, h^2 times 1_G/Pr(G).
struct Weighted {
  double weight = 0;
  double sum = 0;
  double squares = 0;
};
Weighted weighted(const CellSums& batch, CellSet set, double factor) {
  Weighted w;
  for_each_cell(set, [&](std::size_t c) {
    w.weight += batch.rows[c];
    w.sum += batch.sum[c];
    w.squares += batch.squares[c];
  });
  return {w.weight * factor, w.sum * factor, w.squares * factor};
}

/// Mean over the batch of (h - centre)^2 1_G/Pr(G).
double spread(const Weighted& w, double centre) {
  return w.squares - 2 * centre * w.sum + centre * centre * w.weight;
}

/// max over |alpha| <= interval of alpha g - c1 alpha^2.
double best_gain(double g, double interval, double scale) {
  const double alpha = std::clamp(g / (2 * scale), -interval, interval);
  return alpha * g - scale * alpha * alpha;
}

}  // namespace

Saddle::Saddle(const PairSets& sets, const Surrogate& loss,
               const std::array<double, max_cells>& rows)
    : pairs{sets},
      surrogate{loss},
      all{sets.front().above | sets.front().below},
      inverse_share(sets.size()),
      target(rows_of_pairs(sets.size())) {
  set_shares(rows);
}

void Saddle::set_shares(const std::array<double, max_cells>& rows) {
  const double of_all = rows_of(rows, all);
  const auto inverse = [&](CellSet set) {
    const double of_set = rows_of(rows, set);
    return of_set > 0 ? of_all / of_set : 0.0;
  };
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    inverse_share[i] = {inverse(pairs[i].above), inverse(pairs[i].below)};
  }
}

void Saddle::evaluate(const CellSums& batch, const PerPair& a, const PerPair& b,
                      Values& values) const {
  const auto [c1, c2] = surrogate;
  const double share = 1 / rows_of(batch.rows, all);
  for (std::size_t j = 0; j < target.size(); ++j) values.f[j] = -target[j];
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Weighted above = weighted(batch, pairs[i].above, inverse_share[i][0] * share);
    const Weighted below = weighted(batch, pairs[i].below, inverse_share[i][1] * share);
    const double difference = above.sum - below.sum;
    values.f[row_of_pair(i)] +=
        c1 * (c2 * c2 - 2 * c2 * difference + spread(above, a[i]) + spread(below, b[i]));
    values.g[i] = 2 * c1 * difference;
  }
}

void Saddle::differentiate(const CellSums& batch, const PerPair& a, const PerPair& b,
                           const PerRow& y, const PerPair& alpha, Slopes& slopes) const {
  const double c1 = surrogate.scale;
  const double c2 = surrogate.margin;
  const double share = 1 / rows_of(batch.rows, all);
  for_each_cell(all, [&](std::size_t c) { slopes.of_score[c] = slopes.constant[c] = 0; });
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const double factor = 2 * c1 * y[row_of_pair(i)];
    const double of_above = factor * inverse_share[i][0] * share;
    const double of_below = factor * inverse_share[i][1] * share;
    const Weighted above = weighted(batch, pairs[i].above, of_above);
    const Weighted below = weighted(batch, pairs[i].below, of_below);
    slopes.a[i] = a[i] * above.weight - above.sum;
    slopes.b[i] = b[i] * below.weight - below.sum;
    for_each_cell(pairs[i].above, [&](std::size_t c) {
      slopes.of_score[c] += of_above;
      slopes.constant[c] += of_above * (alpha[i] - c2 - a[i]);
    });
    for_each_cell(pairs[i].below, [&](std::size_t c) {
      slopes.of_score[c] += of_below;
      slopes.constant[c] += of_below * (c2 - alpha[i] - b[i]);
    });
  }
}

void unpack_values(solvers::Unpacker& unpacker, std::vector<double>& values) {
  const std::size_t size = values.size();
  values = unpacker.array<std::vector<double>>();
  if (values.size() != size) throw base::CheckpointError("a checkpoint is of another problem");
}

DualPoint::DualPoint(double interval, double scale, std::size_t pairs)
    : interval_{interval},
      scale_{scale},
      log_y_(rows_of_pairs(pairs)),
      y_(log_y_.size()),
      gain_(log_y_.size()),
      alpha_(pairs) {
  weigh();
}

void DualPoint::pack(solvers::Packer& packer) const {
  packer.array(std::span(log_y_));
  packer.array(std::span(alpha_));
}

void DualPoint::unpack(solvers::Unpacker& unpacker) {
  unpack_values(unpacker, log_y_);
  unpack_values(unpacker, alpha_);
  weigh();
}

void DualPoint::weigh() {
  const double most = std::ranges::max(log_y_);
  double sum = 0;
  for (std::size_t j = 0; j < y_.size(); ++j) sum += y_[j] = base::exp(log_y_[j] - most);
  for (double& weight : y_) weight /= sum;
}

void DualPoint::ascend(const Saddle::Values& values, double step, double entropy) {
  gain_ = values.f;
  for (std::size_t i = 0; i < alpha_.size(); ++i) {
    const double before = alpha_[i];
    const double best = (values.g[i] + 2 * before / step) / (2 * scale_ + 2 / step);
    alpha_[i] = std::clamp(best, -interval_, interval_);
    const double moved = alpha_[i] - before;
    gain_[row_of_pair(i)] +=
        alpha_[i] * values.g[i] - scale_ * alpha_[i] * alpha_[i] - moved * moved / step;
  }
  for (std::size_t j = 0; j < gain_.size(); ++j) log_y_[j] += gain_[j] * step / entropy;
  const double most = std::ranges::max(log_y_);
  for (double& weight : log_y_) weight -= most;
  weigh();
}

double largest_over_duals(const Saddle::Values& values, double interval, double scale) {
  PerRow largest = values.f;
  for (std::size_t i = 0; i < values.g.size(); ++i) {
    largest[row_of_pair(i)] += best_gain(values.g[i], interval, scale);
  }
  return std::ranges::max(largest);
}

}  // namespace fairfront::ranking
