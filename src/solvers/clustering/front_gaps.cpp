#include "solvers/clustering/front_gaps.hpp"

#include <cmath>
#include <span>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// More tries than any run has time for.
constexpr std::int64_t most_tries = 1'000'000'000'000;

}  // namespace

template <class Label>
std::optional<Gap> FrontGaps::most_promising(const BoxArchive<Label>& archive) const {
  const std::vector<std::size_t> front = archive.nondominated();
  std::optional<Gap> best;
  double most = 0;
  for (std::size_t i = 0; i + 1 < front.size(); ++i) {
    const auto& low = archive.entries()[front[i]];
    const auto& high = archive.entries()[front[i + 1]];
    const Gap gap{front[i], front[i + 1], low.cost, high.cost, low.balance, high.balance};
    const double looks = 1 + static_cast<double>(tries_of(gap));
    const double promise = (gap.high_cost - gap.low_cost) * gap.width() / (looks * looks);
    if (!(promise > most)) continue;
    most = promise;
    best = gap;
  }
  return best;
}

std::int64_t FrontGaps::tries_of(const Gap& gap) const {
  const TriedGap& tried = tried_[gap.low];
  const bool same = tried.low_cost == gap.low_cost && tried.high_cost == gap.high_cost;
  return same ? tried.tries : 0;
}

std::int64_t FrontGaps::count_try(const Gap& gap) {
  const std::int64_t before = tries_of(gap);
  tried_[gap.low] = {static_cast<std::int64_t>(gap.low), gap.low_cost, gap.high_cost, before + 1};
  return before;
}

std::vector<TriedGap> FrontGaps::tried() const {
  std::vector<TriedGap> all;
  for (const TriedGap& tried : tried_) {
    if (tried.tries > 0) all.push_back(tried);
  }
  return all;
}

bool FrontGaps::put_back(const std::vector<TriedGap>& all) {
  std::int64_t first = 0;
  for (const TriedGap& tried : all) {
    if (tried.box < first || tried.box >= std::ssize(tried_)) return false;
    if (!std::isfinite(tried.low_cost) || !std::isfinite(tried.high_cost)) return false;
    if (tried.tries < 1 || tried.tries > most_tries) return false;
    tried_[at(tried.box)] = tried;
    first = tried.box + 1;
  }
  return true;
}

template std::optional<Gap> FrontGaps::most_promising(const BoxArchive<std::uint8_t>&) const;
template std::optional<Gap> FrontGaps::most_promising(const BoxArchive<std::uint16_t>&) const;

}  // namespace fairfront::clustering
