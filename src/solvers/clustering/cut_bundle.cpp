#include "solvers/clustering/cut_bundle.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "base/error.hpp"
#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

double members_in_common(const PricedCluster& a, const PricedCluster& b) {
  std::int64_t count = 0;
  for (std::size_t i = 0; i < a.bits.size(); ++i) count += std::popcount(a.bits[i] & b.bits[i]);
  return static_cast<double>(count);
}

double value_at(const PricedCluster& cluster, std::span<const double> potentials) {
  double value = cluster.cost;
  for (const std::int32_t p : cluster.members) value -= potentials[at(p)];
  return value;
}

}  // namespace

CutBundle::CutBundle(std::int64_t clusters, std::int64_t most)
    : clusters_{static_cast<double>(clusters)}, most_{at(most)} {}

bool CutBundle::add(PricedCluster cluster) {
  if (!known_.insert(cluster.bits).second) return false;
  std::vector<double> row;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    row.push_back(members_in_common(cluster, cuts_[i]));
    gram_[i].push_back(row.back());
  }
  row.push_back(static_cast<double>(cluster.members.size()));
  gram_.push_back(std::move(row));
  weights_.push_back(cuts_.empty() ? 1 : 0);
  idle_.push_back(0);
  cuts_.push_back(std::move(cluster));
  return true;
}

void CutBundle::restore(const ClusterPricing& pricing, Kept kept) {
  const std::size_t count = kept.members.size();
  bool fits = count > 0 && kept.weights.size() == count && kept.idle.size() == count;
  for (auto& members : kept.members) {
    fits = fits && add(pricing.kept_cluster(std::move(members)));
  }
  if (!fits) throw base::CheckpointError("a checkpoint has cuts of another problem");
  weights_ = std::move(kept.weights);
  idle_ = std::move(kept.idle);
}

/// @param slope  of the quadratic along every weight; kept up to date.
void CutBundle::balance_weights(std::vector<double>& slope, double curvature, double tolerance) {
  constexpr int most_exchanges = 100'000;
  for (int exchange = 0; exchange < most_exchanges; ++exchange) {
    const auto to = static_cast<std::size_t>(std::ranges::min_element(slope) - slope.begin());
    std::size_t from = to;
    double greatest = slope[to];
    double best_gain = 0;
    for (std::size_t i = 0; i < slope.size(); ++i) {
      if (weights_[i] <= 0 || slope[i] <= slope[to]) continue;
      greatest = std::max(greatest, slope[i]);
      const double bend = shared(to, to) + shared(i, i) - 2 * shared(to, i);  // >= 1: they differ
      const double gain = (slope[i] - slope[to]) * (slope[i] - slope[to]) / bend;
      if (gain <= best_gain) continue;
      best_gain = gain;
      from = i;
    }
    if (greatest - slope[to] <= tolerance) return;
    const double bend = shared(to, to) + shared(from, from) - 2 * shared(to, from);
    const double step = std::min(weights_[from], (slope[from] - slope[to]) / (curvature * bend));
    weights_[to] += step;
    weights_[from] -= step;
    if (weights_[from] < 1e-14) weights_[from] = 0;
    for (std::size_t i = 0; i < slope.size(); ++i) {
      slope[i] += curvature * step * (shared(i, to) - shared(i, from));
    }
  }
}

CutBundle::Step CutBundle::maximise(std::span<const double> centre, double t) {
  const double curvature = t * clusters_ * clusters_;
  std::vector<double> slope(cuts_.size());
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    const double together =
        std::inner_product(weights_.begin(), weights_.end(), gram_[i].begin(), 0.0);
    slope[i] = curvature * together - t * clusters_ * shared(i, i) +
               clusters_ * value_at(cuts_[i], centre);
  }
  double magnitude = 0;
  for (const double potential : centre) magnitude += std::abs(potential);
  balance_weights(slope, curvature, 1e-7 * magnitude);

  Step step{{centre.begin(), centre.end()}, 0};
  for (double& potential : step.potentials) potential += t;
  for (std::size_t i = 0; i < cuts_.size(); ++i) {
    idle_[i] = weights_[i] > 0 ? 0 : idle_[i] + 1;
    if (weights_[i] <= 0) continue;
    for (const std::int32_t p : cuts_[i].members) {
      step.potentials[at(p)] -= t * clusters_ * weights_[i];
    }
  }
  double least = std::numeric_limits<double>::infinity();
  for (const PricedCluster& cut : cuts_) least = std::min(least, value_at(cut, step.potentials));
  step.model =
      std::accumulate(step.potentials.begin(), step.potentials.end(), 0.0) + clusters_ * least;
  return step;
}

void CutBundle::forget() {
  if (cuts_.size() <= most_) return;
  std::vector<std::size_t> kept(cuts_.size());
  std::iota(kept.begin(), kept.end(), std::size_t{0});
  std::ranges::stable_sort(kept, {}, [&](std::size_t i) { return idle_[i]; });
  for (std::size_t i = most_; i < kept.size(); ++i) known_.erase(cuts_[kept[i]].bits);
  kept.resize(most_);
  std::ranges::sort(kept);
  double total = 0;
  for (const std::size_t i : kept) total += weights_[i];
  for (std::size_t place = 0; place < kept.size(); ++place) {
    const std::size_t i = kept[place];
    for (std::size_t other = 0; other < kept.size(); ++other) {
      gram_[i][other] = gram_[i][kept[other]];
    }
    gram_[i].resize(most_);
    if (place == i) continue;
    gram_[place] = std::move(gram_[i]);
    cuts_[place] = std::move(cuts_[i]);
    idle_[place] = idle_[i];
    weights_[place] = weights_[i];
  }
  gram_.resize(most_);
  cuts_.resize(most_);
  idle_.resize(most_);
  weights_.resize(most_);
  for (double& weight : weights_) weight /= total;
}

}  // namespace fairfront::clustering
