#include "solvers/clustering/near_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace fairfront::clustering {

using base::at;

NearClusters::NearClusters(const Problem& problem)
    : clusters_{problem.clusters()},
      columns_{problem.columns()},
      anchors_{problem},
      made_(at(clusters_)),
      made_before_(at(clusters_)),
      lists_(at(clusters_ * length)),
      distances_(at(clusters_ * length)),
      centre_(at(columns_)),
      squares_(anchors_.padded()) {}

bool NearClusters::are_of_use(const Problem& problem) noexcept {
  constexpr std::int64_t few = 4 * length;  // with them a look at all takes no longer
  return problem.clusters() > few;
}

void NearClusters::clear() { std::ranges::fill(made_, char{0}); }

bool NearClusters::is_stale(std::int64_t k, const Centres& centres) const noexcept {
  if (made_[at(k)] == 0) return true;
  double squares = 0;
  for (std::int64_t i = 0; i < columns_; ++i) {
    const double by = centres.coordinate(k, i) - anchors_.coordinate(k, i);
    squares += by * by;
  }
  constexpr double far = 0.25;
  const double reach = far * distances(k).back();
  return squares > reach * reach;
}

std::span<const std::int64_t> NearClusters::update(const Centres& centres) {
  new_.clear();
  for (std::int64_t k = 0; k < clusters_; ++k) {
    if (is_stale(k, centres)) new_.push_back(k);
  }
  for (const std::int64_t k : new_) make(k, centres);
  if (std::ssize(new_) == clusters_) return new_;
  // Lists around a cluster that comes from afar do not have it.
  std::vector<char> is_new(at(clusters_));
  for (const std::int64_t k : new_) is_new[at(k)] = 1;
  const auto moved = std::ssize(new_);
  for (std::int64_t i = 0; i < moved; ++i) {
    for (const std::uint16_t l : of(new_[at(i)])) {
      if (is_new[l] != 0) continue;
      is_new[l] = 1;
      make(l, centres);
      new_.push_back(l);
    }
  }
  return new_;
}

void NearClusters::make(std::int64_t k, const Centres& centres) {
  for (std::int64_t i = 0; i < columns_; ++i) {
    centre_[at(i)] = centres.coordinate(k, i);
    anchors_.set(k, i, centre_[at(i)]);
  }
  centres.squared_distances(centre_.data(), squares_.data());
  squares_[at(k)] = std::numeric_limits<double>::infinity();
  places_.clear();
  // No farther than the last of those that were nearest once.
  double greatest = std::numeric_limits<double>::infinity();
  if (made_before_[at(k)] != 0) {
    greatest = 0;
    for (const std::uint16_t l : of(k)) greatest = std::max(greatest, squares_[l]);
  }
  for (std::int64_t l = 0; l < clusters_; ++l) {
    if (squares_[at(l)] > greatest) continue;
    places_.push_back({squares_[at(l)], static_cast<std::uint16_t>(l)});
    if (std::ssize(places_) < 2 * length) continue;
    keep_nearest();
    greatest = places_.back().square;
  }
  keep_nearest();
  std::ranges::sort(places_, [](const Place& a, const Place& b) { return a < b; });
  for (std::size_t i = 0; i < places_.size(); ++i) {
    lists_[at(k * length) + i] = places_[i].cluster;
    distances_[at(k * length) + i] = std::sqrt(places_[i].square);
  }
  made_[at(k)] = made_before_[at(k)] = 1;
}

/// Leaves `length` places, the greatest last.
void NearClusters::keep_nearest() {
  const auto last = places_.begin() + (length - 1);
  std::nth_element(places_.begin(), last, places_.end());
  places_.resize(at(length));
}

bool NearClusters::lists(std::int64_t k, std::int64_t l) const noexcept {
  return std::ranges::find(of(k), l) != of(k).end();
}

std::int64_t NearClusters::nearest_from(std::int64_t start, const Centres& centres,
                                        const double* x) noexcept {
  std::int64_t best = start;
  double least = centres.squared_distance(start, x);
  std::int64_t looks = 1;
  for (std::int64_t around = -1; around != best;) {
    around = best;
    const double reach = 2 * std::sqrt(least);
    const std::span<const double> distances = this->distances(around);
    for (std::size_t i = 0; i < distances.size() && distances[i] <= reach; ++i) {
      const std::int64_t l = of(around)[i];
      const double square = centres.squared_distance(l, x);
      ++looks;
      if (!(square < least)) continue;
      least = square;
      best = l;
    }
  }
  comparisons_ += looks;
  return best;
}

}  // namespace fairfront::clustering
