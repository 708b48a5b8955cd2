// Thinning of fronts with three objectives.
#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <queue>
#include <span>
#include <stdexcept>
#include <vector>

#include "pareto/exclusive_volume.hpp"
#include "pareto/hypervolume.hpp"
#include "pareto/thin_candidate.hpp"

namespace fairfront::pareto {
namespace {

/// The members that are still there and dominate the reference; all others dominate nothing.
class Volumes {
 public:
  Volumes(const Front& front, std::span<const double> reference)
      : front_{front}, reference_{reference} {
    for (std::size_t i = 0; i < front.size(); ++i) {
      if (inside(i)) members_.push_back(solid(i));
    }
    std::ranges::stable_sort(members_, {}, [](const Solid& member) { return member.point[2]; });
  }

  /// What member i alone dominates.
  [[nodiscard]] double contribution(std::size_t i) const {
    return inside(i) ? exclusive_volume(solid(i), members_, reference_) : 0;
  }
  void remove(std::size_t i) {
    std::erase_if(members_, [i](const Solid& member) { return member.position == i; });
  }

 private:
  [[nodiscard]] bool inside(std::size_t i) const {
    return std::ranges::equal(front_[i], reference_, std::less{});
  }
  [[nodiscard]] Solid solid(std::size_t i) const {
    return {{front_[i][0], front_[i][1], front_[i][2]}, i};
  }

  const Front& front_;
  std::span<const double> reference_;
  std::vector<Solid> members_;  ///< ascending by the third objective
};

/// Per objective the first member with its least value.
std::array<std::size_t, 3> extremes(const Front& front) {
  std::array<std::size_t, 3> best{};
  for (std::size_t k = 0; k < best.size(); ++k) {
    for (std::size_t i = 1; i < front.size(); ++i) {
      if (front[i][k] < front[best[k]][k]) best[k] = i;
    }
  }
  return best;
}

Thinned thin_volume(const Front& front, std::size_t budget, std::span<const double> reference) {
  Volumes volumes(front, reference);
  std::vector<bool> gone(front.size(), false);
  std::priority_queue<Candidate> queue;
  Thinned result;
  if (front.size() > budget) {
    const std::array best = extremes(front);
    for (std::size_t i = 0; i < front.size(); ++i) {
      if (std::ranges::find(best, i) == best.end()) queue.push({volumes.contribution(i), i});
    }
  }
  for (std::size_t left = front.size(); left > budget;) {
    Candidate least = queue.top();
    queue.pop();
    // Contributions only grow while others go, so a queued one bounds the true one from below.
    const double now = volumes.contribution(least.position);
    if (now != least.contribution) {
      queue.push({now, least.position});
      continue;
    }
    volumes.remove(least.position);
    gone[least.position] = true;
    result.hypervolume_lost += now;
    --left;
  }
  for (std::size_t i = 0; i < front.size(); ++i) {
    if (!gone[i]) result.kept.push_back(i);
  }
  return result;
}

}  // namespace

Thinned thin(const Front& front, std::size_t budget, std::span<const double> reference) {
  if (!has_thinning(front.objectives()) || reference.size() != front.objectives()) {
    throw std::invalid_argument("thin: needs 2 or 3 objectives and a reference as long");
  }
  if (front.objectives() == 2) return thin(front, budget);
  if (budget < 3) throw std::invalid_argument("thin: budget must be >= 3");
  return thin_volume(front, budget, reference);
}

}  // namespace fairfront::pareto
