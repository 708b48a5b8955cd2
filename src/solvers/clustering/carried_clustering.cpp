#include "solvers/clustering/carried_clustering.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "base/index.hpp"
#include "solvers/clustering/centre_groups.hpp"
#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/least_two.hpp"
#include "solvers/clustering/lloyd.hpp"
#include "solvers/clustering/near_calibration.hpp"
#include "solvers/clustering/near_clusters.hpp"
#include "solvers/clustering/partition.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Potentials of one group at which the rule gives clusters the counts wanted.
class Calibration {
 public:
  Calibration(const Problem& sample, const Centres& centres, std::int64_t group)
      : sample_{sample},
        centres_{centres},
        begin_{sample.group_begin(group)},
        members_{sample.group_begin(group + 1) - begin_},
        potentials_(at(sample.clusters()), 0.0),
        two_(at(members_)),
        squares_(centres.padded()),
        keys_(at(members_)) {}

  /// @param counts  shape (K,), of the group.
  std::vector<double> run(std::span<const std::int32_t> counts,
                          const std::function<void()>& between) {
    constexpr int most_rounds = 30;
    constexpr int least_rounds = 10;  // the first ones may lead away
    constexpr std::int64_t one_in = 200;
    for (std::int64_t i = 0; i < members_; ++i) look_at(i);
    std::int64_t before = std::numeric_limits<std::int64_t>::max();
    for (int round = 0; round < most_rounds; ++round) {
      const std::int64_t off = misplaced(counts);
      // Where points coincide, counts may be out of reach.
      if (off <= members_ / one_in || (round >= least_rounds && off >= before)) break;
      before = off;
      for (std::int64_t k = 0; k < sample_.clusters(); ++k) {
        if (between) between();
        set_potential(k, counts[at(k)]);
      }
    }
    return potentials_;
  }
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }

 private:
  void look_at(std::int64_t i) {
    centres_.squared_distances(sample_.point(begin_ + i), squares_.data());
    comparisons_ += sample_.clusters();
    LeastTwo& two = two_[at(i)];
    two = {};
    for (std::int64_t k = 0; k < sample_.clusters(); ++k) {
      two.offer(k, squares_[at(k)] - potentials_[at(k)]);
    }
  }

  /// sum_k |n_k - the count wanted|.
  [[nodiscard]] std::int64_t misplaced(std::span<const std::int32_t> counts) const {
    std::vector<std::int64_t> over(counts.size());
    for (const LeastTwo& two : two_) ++over[at(two.first)];
    std::int64_t sum = 0;
    for (std::size_t k = 0; k < counts.size(); ++k) sum += std::abs(over[k] - counts[k]);
    return sum;
  }

  /// The points that need the least L_k to be in cluster k are there then.
  void set_potential(std::int64_t k, std::int64_t count) {
    for (std::int64_t i = 0; i < members_; ++i) {
      const LeastTwo& two = two_[at(i)];
      const double square = centres_.squared_distance(k, sample_.point(begin_ + i));
      keys_[at(i)] = square - (two.first == k ? two.next : two.least);
    }
    comparisons_ += members_;
    potentials_[at(k)] = between_keys(count);
    for (std::int64_t i = 0; i < members_; ++i) update(i, k);
  }

  /// A number with `count` of the keys below it, where they differ.
  [[nodiscard]] double between_keys(std::int64_t count) {
    const auto [least, greatest] = std::ranges::minmax_element(keys_);
    const double beyond = 0.05 * (*greatest - *least);
    if (count == 0) return *least - beyond;
    if (count == members_) return *greatest + beyond;
    const auto middle = keys_.begin() + count;
    std::ranges::nth_element(keys_, middle);
    return 0.5 * (*std::max_element(keys_.begin(), middle) + *middle);
  }

  void update(std::int64_t i, std::int64_t k) {
    LeastTwo& two = two_[at(i)];
    if (two.first == k || two.second == k) return look_at(i);
    ++comparisons_;
    two.offer(k, centres_.squared_distance(k, sample_.point(begin_ + i)) - potentials_[at(k)]);
  }

  const Problem& sample_;
  const Centres& centres_;
  std::int64_t begin_;
  std::int64_t members_;
  std::vector<double> potentials_;  ///< (K,)
  std::vector<LeastTwo> two_;       ///< by least |x - c_k|^2 - L_k, of each member
  std::vector<double> squares_;     ///< scratch
  std::vector<double> keys_;        ///< scratch
  std::int64_t comparisons_ = 0;
};

/// Places on the front that are about evenly spaced.
std::vector<std::size_t> evenly_spaced(const ClusteringFront& front, std::int64_t count) {
  const std::size_t size = front.labels.size();
  const std::span<const double> points{front.points};
  const auto along = [&](std::size_t i) {
    double sum = 0;
    for (std::size_t objective = 0; objective < 2; ++objective) {
      const double range = points[2 * (size - 1) + objective] - points[objective];
      if (range > 0) sum += (points[2 * i + objective] - points[objective]) / range;
    }
    return sum;
  };
  std::vector<std::size_t> chosen;
  const double whole = along(size - 1);
  std::size_t i = 0;
  for (std::int64_t place = 0; place < count; ++place) {
    const double wanted = whole * static_cast<double>(place) /
                          static_cast<double>(std::max<std::int64_t>(count - 1, 1));
    while (i + 1 < size && std::abs(along(i + 1) - wanted) <= std::abs(along(i) - wanted)) ++i;
    if (chosen.empty() || chosen.back() != i) chosen.push_back(i);
  }
  return chosen;
}

/// Gives the rule potentials of every group at which clusters have nearly the partition's counts.
template <class Label>
void find_potentials(const Problem& sample, const Partition<Label>& partition,
                     const Centres& centres, const std::function<void()>& between,
                     CarriedClustering& rule) {
  std::optional<NearClusters> near;
  std::vector<std::uint16_t> homes;
  if (NearClusters::are_of_use(sample)) {
    near.emplace(sample).update(centres);
    for (std::int64_t p = 0; p < sample.points(); ++p) {
      if (between) between();
      homes.push_back(static_cast<std::uint16_t>(
          near->nearest_from(partition.label(p), centres, sample.point(p))));
    }
  }
  if (near) rule.comparisons += near->comparisons();
  std::vector<std::int32_t> counts(at(sample.clusters()));
  for (std::int64_t j = 0; j < sample.groups(); ++j) {
    for (std::int64_t k = 0; k < sample.clusters(); ++k) counts[at(k)] = partition.count(k, j);
    const auto calibrate = [&](auto calibration) {
      const std::vector<double> potentials = calibration.run(counts, between);
      rule.potentials.insert(rule.potentials.end(), potentials.begin(), potentials.end());
      rule.comparisons += calibration.comparisons();
    };
    if (near) {
      calibrate(NearCalibration(sample, centres, *near, homes, j));
    } else {
      calibrate(Calibration(sample, centres, j));
    }
  }
}

template <class Label>
CarriedClustering rule_of(const Problem& sample, const Partition<Label>& partition,
                          const std::function<void()>& between) {
  CarriedClustering rule;
  Centres centres(sample);
  for (std::int64_t k = 0; k < sample.clusters(); ++k) {
    partition.mean(sample, k, centres);
    for (std::int64_t i = 0; i < sample.columns(); ++i) {
      rule.centres.push_back(centres.coordinate(k, i) + sample.mean()[at(i)]);
    }
  }
  find_potentials(sample, partition, centres, between, rule);
  return rule;
}

/// The first cluster with the least |x - c_k|^2 - L_jk of every point x of group j.
template <class Label>
CountedLabels<Label> least_of_all(const Problem& problem, const Centres& centres,
                                  std::span<const double> all_potentials,
                                  const std::function<void()>& between) {
  const auto clusters = at(problem.clusters());
  std::vector<double> squares(centres.padded());
  std::vector<Label> labels(at(problem.points()));
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    if (between) between();
    centres.squared_distances(problem.point(p), squares.data());
    const double* potentials = all_potentials.data() + at(problem.group_of(p)) * clusters;
    std::size_t best = 0;
    double least = infinity;
    for (std::size_t k = 0; k < clusters; ++k) {
      const double value = squares[k] - potentials[k];
      best = value < least ? k : best;
      least = value < least ? value : least;
    }
    labels[at(p)] = static_cast<Label>(best);
  }
  return {std::move(labels), comparisons_of_all(problem)};
}

/// The same, bit for bit.
template <class Label>
CountedLabels<Label> least_of_many(const Problem& problem, const Centres& centres,
                                   std::span<const double> potentials,
                                   const std::function<void()>& between) {
  CentreGroups groups(problem, centres, potentials);
  std::vector<Label> labels(at(problem.points()));
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    if (between) between();
    labels[at(p)] = static_cast<Label>(groups.least(problem.point(p), problem.group_of(p)));
  }
  return {std::move(labels), groups.comparisons()};
}

}  // namespace

ClusteringFront spaced_front(const ClusteringFront& front, std::int64_t count) {
  ClusteringFront spaced;
  for (const std::size_t i : evenly_spaced(front, count)) {
    spaced.points.insert(spaced.points.end(), {front.points[2 * i], front.points[2 * i + 1]});
    spaced.labels.push_back(front.labels[i]);
  }
  return spaced;
}

std::vector<CarriedClustering> carry_front(const Problem& sample, const ClusteringFront& front,
                                           const Problem& problem, Share share,
                                           const std::function<void()>& between) {
  return with_label_type(sample, [&]<class Label>(Label) {
    Partition<Label> partition(sample);
    std::vector<Label> labels(at(sample.points()));
    std::vector<CarriedClustering> all;
    for (std::size_t i = share.first; i < front.labels.size(); i += share.step) {
      const auto& by_row = std::get<std::vector<Label>>(front.labels[i]);
      for (std::int64_t p = 0; p < sample.points(); ++p) labels[at(p)] = by_row[at(sample.row(p))];
      partition.assign(sample, labels);
      all.push_back(rule_of(sample, partition, between));
      const double of_bound = front.points[2 * i + 1] / sample.balance_bound();
      all.back().floor = i == 0 ? 0 : std::min(of_bound, 1.0) * problem.balance_bound();
    }
    return all;
  });
}

template <class Label>
CountedLabels<Label> labels_by_rule(const Problem& problem, const CarriedClustering& rule,
                                    const std::function<void()>& between) {
  Centres centres(problem);
  const std::span<const double> coordinates{rule.centres};
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    centres.set(k, coordinates.subspan(at(k * problem.columns()), at(problem.columns())));
  }
  CountedLabels<Label> found =
      NearClusters::are_of_use(problem)
          ? least_of_many<Label>(problem, centres, rule.potentials, between)
          : least_of_all<Label>(problem, centres, rule.potentials, between);
  Partition<Label> partition(problem);
  partition.assign(problem, found.labels);
  if (!partition.has_empty_cluster()) return found;
  found.comparisons += refill_empty_clusters(problem, centres, partition, between);
  found.labels.assign(partition.labels().begin(), partition.labels().end());
  return found;
}

template CountedLabels<std::uint8_t> labels_by_rule(const Problem&, const CarriedClustering&,
                                                    const std::function<void()>&);
template CountedLabels<std::uint16_t> labels_by_rule(const Problem&, const CarriedClustering&,
                                                     const std::function<void()>&);

}  // namespace fairfront::clustering
