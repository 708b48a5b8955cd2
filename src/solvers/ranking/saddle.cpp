#include "solvers/ranking/saddle.hpp"

#include <algorithm>
#include <numeric>

#include "base/elementary.hpp"

namespace fairfront::ranking {
namespace {

double rows_of(const std::array<double, num_cells>& rows, CellSet set) {
  double sum = 0;
  for (std::size_t c = 0; c < num_cells; ++c) sum += contains(set, c) ? rows[c] : 0;
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
  for (std::size_t c = 0; c < num_cells; ++c) {
    if (!contains(set, c)) continue;
    w.weight += batch.rows[c];
    w.sum += batch.sum[c];
    w.squares += batch.squares[c];
  }
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

double rows_in(const CellSums& batch) {
  return std::accumulate(batch.rows.begin(), batch.rows.end(), 0.0);
}

}  // namespace

Saddle::Saddle(const PairSets& sets, const Surrogate& loss,
               const std::array<double, num_cells>& rows)
    : pairs{sets}, surrogate{loss}, inverse_share{} {
  set_shares(rows);
}

void Saddle::set_shares(const std::array<double, num_cells>& rows) {
  const double all = std::accumulate(rows.begin(), rows.end(), 0.0);
  const auto inverse = [&](CellSet set) {
    const double of_set = rows_of(rows, set);
    return of_set > 0 ? all / of_set : 0.0;
  };
  for (std::size_t i = 0; i < num_pairs; ++i) {
    inverse_share[i] = {inverse(pairs[i].above), inverse(pairs[i].below)};
  }
}

Saddle::Values Saddle::values(const CellSums& batch, const PerPair& a, const PerPair& b) const {
  const auto [c1, c2] = surrogate;
  const double share = 1 / rows_in(batch);
  Values values{{-target[0], -target[1], -target[2]}, {}};
  for (std::size_t i = 0; i < num_pairs; ++i) {
    const Weighted above = weighted(batch, pairs[i].above, inverse_share[i][0] * share);
    const Weighted below = weighted(batch, pairs[i].below, inverse_share[i][1] * share);
    const double difference = above.sum - below.sum;
    values.f[row_of_pair[i]] +=
        c1 * (c2 * c2 - 2 * c2 * difference + spread(above, a[i]) + spread(below, b[i]));
    values.g[i] = 2 * c1 * difference;
  }
  return values;
}

Saddle::Slopes Saddle::slopes(const CellSums& batch, const PerPair& a, const PerPair& b,
                              const PerRow& y, const PerPair& alpha) const {
  const auto [c1, c2] = surrogate;
  const double share = 1 / rows_in(batch);
  Slopes slopes{};
  for (std::size_t i = 0; i < num_pairs; ++i) {
    const double factor = 2 * c1 * y[row_of_pair[i]];
    const double of_above = factor * inverse_share[i][0] * share;
    const double of_below = factor * inverse_share[i][1] * share;
    const Weighted above = weighted(batch, pairs[i].above, of_above);
    const Weighted below = weighted(batch, pairs[i].below, of_below);
    slopes.a[i] = a[i] * above.weight - above.sum;
    slopes.b[i] = b[i] * below.weight - below.sum;
    for (std::size_t c = 0; c < num_cells; ++c) {
      if (contains(pairs[i].above, c)) {
        slopes.of_score[c] += of_above;
        slopes.constant[c] += of_above * (alpha[i] - c2 - a[i]);
      }
      if (contains(pairs[i].below, c)) {
        slopes.of_score[c] += of_below;
        slopes.constant[c] += of_below * (c2 - alpha[i] - b[i]);
      }
    }
  }
  return slopes;
}

void DualPoint::pack(solvers::Packer& packer) const {
  packer.number(log_y_);
  packer.number(alpha_);
}

void DualPoint::unpack(solvers::Unpacker& unpacker) {
  log_y_ = unpacker.number<PerRow>();
  alpha_ = unpacker.number<PerPair>();
}

PerRow DualPoint::y() const {
  const double most = std::ranges::max(log_y_);
  PerRow y;
  double sum = 0;
  for (std::size_t j = 0; j < y.size(); ++j) sum += y[j] = base::exp(log_y_[j] - most);
  for (double& weight : y) weight /= sum;
  return y;
}

void DualPoint::ascend(const Saddle::Values& values, double step, double entropy) {
  PerRow gain = values.f;
  for (std::size_t i = 0; i < num_pairs; ++i) {
    const double before = alpha_[i];
    const double best = (values.g[i] + 2 * before / step) / (2 * scale_ + 2 / step);
    alpha_[i] = std::clamp(best, -interval_, interval_);
    const double moved = alpha_[i] - before;
    gain[row_of_pair[i]] +=
        alpha_[i] * values.g[i] - scale_ * alpha_[i] * alpha_[i] - moved * moved / step;
  }
  for (std::size_t j = 0; j < gain.size(); ++j) log_y_[j] += gain[j] * step / entropy;
  const double most = std::ranges::max(log_y_);
  for (double& weight : log_y_) weight -= most;
}

double largest_over_duals(const Saddle::Values& values, double interval, double scale) {
  PerRow largest = values.f;
  for (std::size_t i = 0; i < num_pairs; ++i) {
    largest[row_of_pair[i]] += best_gain(values.g[i], interval, scale);
  }
  return std::ranges::max(largest);
}

}  // namespace fairfront::ranking
