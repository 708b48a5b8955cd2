#include "solvers/clustering/near_calibration.hpp"

#include <algorithm>
#include <cstdlib>

#include "base/index.hpp"

namespace fairfront::clustering {

using base::at;

NearCalibration::NearCalibration(const Problem& sample, const Centres& centres,
                                 const NearClusters& near, std::span<const std::uint16_t> homes,
                                 std::int64_t group)
    : sample_{sample},
      centres_{centres},
      near_{near},
      homes_{homes},
      begin_{sample.group_begin(group)},
      residents_(at(sample.clusters())),
      around_(at(sample.clusters())),
      potentials_(at(sample.clusters())),
      two_(at(sample.group_begin(group + 1) - begin_)),
      now_(at(sample.clusters())) {
  for (std::int64_t p = begin_; p < sample.group_begin(group + 1); ++p) {
    residents_[homes[at(p)]].push_back(p);
  }
  for (std::int64_t k = 0; k < sample.clusters(); ++k) {
    around_[at(k)].push_back(k);
    for (const std::uint16_t l : near.of(k)) around_[l].push_back(k);
  }
}

std::vector<double> NearCalibration::run(std::span<const std::int32_t> counts,
                                         const std::function<void()>& between) {
  constexpr int most_rounds = 10;
  constexpr std::int64_t one_in = 200;
  const auto members = std::ssize(two_);
  for (std::int64_t p = begin_; p < begin_ + members; ++p) {
    look_around(p);
    ++now_[at(two_[at(p - begin_)].first)];
  }
  for (int round = 0; round < most_rounds && misplaced(counts) > members / one_in; ++round) {
    for (std::int64_t k = 0; k < sample_.clusters(); ++k) {
      if (between) between();
      if (now_[at(k)] != counts[at(k)]) set_potential(k, counts[at(k)]);
    }
  }
  return potentials_;
}

void NearCalibration::look_at(LeastTwo& two, std::int64_t p, std::int64_t k) {
  ++comparisons_;
  two.offer(k, centres_.squared_distance(k, sample_.point(p)) - potentials_[at(k)]);
}

void NearCalibration::look_around(std::int64_t p) {
  LeastTwo& two = two_[at(p - begin_)];
  two = {};
  look_at(two, p, homes_[at(p)]);
  for (const std::uint16_t l : near_.of(homes_[at(p)])) look_at(two, p, l);
}

std::int64_t NearCalibration::misplaced(std::span<const std::int32_t> counts) const {
  std::int64_t sum = 0;
  for (std::size_t k = 0; k < counts.size(); ++k) sum += std::abs(now_[k] - counts[k]);
  return sum;
}

/// The points that need the least L_k to be in cluster k are there then.
void NearCalibration::set_potential(std::int64_t k, std::int64_t count) {
  keys_.clear();
  for (const std::int64_t home : around_[at(k)]) {
    for (const std::int64_t p : residents_[at(home)]) {
      const LeastTwo& two = two_[at(p - begin_)];
      keys_.push_back(centres_.squared_distance(k, sample_.point(p)) -
                      (two.first == k ? two.next : two.least));
    }
  }
  comparisons_ += std::ssize(keys_);
  if (keys_.empty()) return;
  potentials_[at(k)] = between_keys(count);
  for (const std::int64_t home : around_[at(k)]) {
    for (const std::int64_t p : residents_[at(home)]) {
      LeastTwo& two = two_[at(p - begin_)];
      --now_[at(two.first)];
      if (two.first == k || two.second == k) {
        look_around(p);
      } else {
        look_at(two, p, k);
      }
      ++now_[at(two.first)];
    }
  }
}

/// A number with `count` of the keys below it, where they differ and are so many.
double NearCalibration::between_keys(std::int64_t count) {
  const auto [least, greatest] = std::ranges::minmax_element(keys_);
  const double beyond = 0.05 * (*greatest - *least);
  if (count == 0) return *least - beyond;
  if (count >= std::ssize(keys_)) return *greatest + beyond;
  const auto middle = keys_.begin() + count;
  std::ranges::nth_element(keys_, middle);
  return 0.5 * (*std::max_element(keys_.begin(), middle) + *middle);
}

}  // namespace fairfront::clustering
