#include "solvers/clustering/many_seeds.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/elementary.hpp"
#include "base/index.hpp"
#include "solvers/clustering/centres.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// Points by their nearest seed.
class SeedRegions {
 public:
  explicit SeedRegions(const Problem& problem)
      : problem_{problem},
        seeds_{problem},
        nearest_(at(problem.points()), std::numeric_limits<double>::infinity()),
        regions_(at(problem.clusters())),
        squares_(seeds_.padded()) {}

  [[nodiscard]] std::int64_t count() const noexcept { return count_; }
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }

  /// The first one, which all points are nearest to.
  void begin(std::int64_t point) {
    std::vector<std::int64_t> all(at(problem_.points()));
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      nearest_[at(p)] = squared_distance(p, point);
      all[at(p)] = p;
    }
    comparisons_ += problem_.points();
    seeds_.set(0, problem_.coordinates(point));
    set_members(0, std::move(all));
    count_ = 1;
  }

  /// By how much the sum of the squared distances would fall with this seed.
  [[nodiscard]] double gain(std::int64_t point) {
    double sum = 0;
    each_nearer(point, [&](std::int64_t, std::int64_t p, double square) {
      sum += nearest_[at(p)] - square;
    });
    return sum;
  }

  void add(std::int64_t point) {
    std::vector<std::int64_t> members;
    std::vector<std::int64_t> losers;  // seeds
    each_nearer(point, [&](std::int64_t k, std::int64_t p, double square) {
      if (losers.empty() || losers.back() != k) losers.push_back(k);
      nearest_[at(p)] = square;
      members.push_back(p);
    });
    std::vector<std::int64_t> sorted = members;
    std::ranges::sort(sorted);
    for (const std::int64_t k : losers) {
      auto& before = regions_[at(k)].members;
      std::erase_if(before, [&](std::int64_t p) { return std::ranges::binary_search(sorted, p); });
      set_members(k, std::move(before));
    }
    seeds_.set(count_, problem_.coordinates(point));
    set_members(count_++, std::move(members));
  }

  /// A point drawn with probability proportional to its squared distance.
  [[nodiscard]] std::int64_t draw(base::Stream& stream) const {
    double sum = 0;
    for (const Region& region : regions_) sum += region.weight;
    double share = stream.uniform() * sum;
    std::int64_t last = 0;
    for (const Region& region : regions_) {
      if (region.weight == 0) continue;
      if (share >= region.weight) {
        share -= region.weight;
        last = region.members.back();
        continue;
      }
      for (const std::int64_t p : region.members) {
        if (share < nearest_[at(p)]) return p;
        share -= nearest_[at(p)];
      }
      return region.members.back();
    }
    return last;  // what rounding leaves
  }

  template <class Label>
  [[nodiscard]] std::vector<Label> labels() const {
    std::vector<Label> labels(nearest_.size());
    for (std::size_t k = 0; k < regions_.size(); ++k) {
      for (const std::int64_t p : regions_[k].members) labels[at(p)] = static_cast<Label>(k);
    }
    return labels;
  }

 private:
  struct Region {
    std::vector<std::int64_t> members;
    double weight = 0;    ///< sum of their squared distances
    double farthest = 0;  ///< the greatest of these
  };

  [[nodiscard]] double squared_distance(std::int64_t p, std::int64_t q) const {
    double sum = 0;
    for (std::int64_t i = 0; i < problem_.columns(); ++i) {
      const double difference = problem_.point(p)[i] - problem_.point(q)[i];
      sum += difference * difference;
    }
    return sum;
  }

  /// Calls `use(seed, point, squared distance)` for every point that is nearer to `point` than to
  /// its seed.
  template <class Use>
  void each_nearer(std::int64_t point, Use&& use) {
    seeds_.squared_distances(problem_.point(point), squares_.data());
    for (std::int64_t k = 0; k < count_; ++k) {
      const Region& region = regions_[at(k)];
      const double quarter = 0.25 * squares_[at(k)];
      if (quarter >= region.farthest) continue;
      for (const std::int64_t p : region.members) {
        if (quarter >= nearest_[at(p)]) continue;
        const double square = squared_distance(p, point);
        ++comparisons_;
        if (square < nearest_[at(p)]) use(k, p, square);
      }
    }
  }

  void set_members(std::int64_t k, std::vector<std::int64_t>&& members) {
    Region region;
    region.members = std::move(members);
    for (const std::int64_t p : region.members) {
      region.weight += nearest_[at(p)];
      region.farthest = std::max(region.farthest, nearest_[at(p)]);
    }
    regions_[at(k)] = std::move(region);
  }

  const Problem& problem_;
  Centres seeds_;
  std::int64_t count_ = 0;
  std::int64_t comparisons_ = 0;  ///< of points with seeds, those tried included
  std::vector<double> nearest_;   ///< shape (N,): squared distance to the nearest seed
  std::vector<Region> regions_;   ///< shape (K,)
  std::vector<double> squares_;   ///< shape (padded K,), scratch
};

}  // namespace

template <class Label>
CountedLabels<Label> many_seeds_labels(const Problem& problem, base::Stream& stream,
                                       const Between& between) {
  const int trials = 2 + static_cast<int>(base::log(static_cast<double>(problem.clusters())));
  SeedRegions regions(problem);
  regions.begin(stream.below(static_cast<std::uint32_t>(problem.points())));
  while (regions.count() < problem.clusters()) {
    double most = -1;
    std::int64_t best = 0;
    for (int trial = 0; trial < trials; ++trial) {
      if (between) between();
      const std::int64_t seed = regions.draw(stream);
      const double gain = regions.gain(seed);
      if (!(gain > most)) continue;
      most = gain;
      best = seed;
    }
    regions.add(best);
  }
  auto labels = regions.labels<Label>();
  relabel_points(problem, labels, 0, stream, between);  // where points coincide, for empty clusters
  return {std::move(labels), regions.comparisons()};
}

template CountedLabels<std::uint8_t> many_seeds_labels(const Problem&, base::Stream&,
                                                       const Between&);
template CountedLabels<std::uint16_t> many_seeds_labels(const Problem&, base::Stream&,
                                                        const Between&);

}  // namespace fairfront::clustering
