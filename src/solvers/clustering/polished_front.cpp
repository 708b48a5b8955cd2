#include "solvers/clustering/polished_front.hpp"

#include <span>

#include "base/index.hpp"
#include "solvers/clustering/comparisons.hpp"

namespace fairfront::clustering {

void PolishedFront::pack(solvers::Packer& packer) const {
  std::vector<Polished> all;
  for (std::int64_t box = 0; box < std::ssize(costs_); ++box) {
    if (costs_[base::at(box)] != none) all.push_back({box, costs_[base::at(box)]});
  }
  packer.array(std::span<const Polished>{all});
  packer.number(work_);
}

bool PolishedFront::unpack(solvers::Unpacker& unpacker) {
  std::int64_t first = 0;
  for (const Polished& polished : unpacker.array<std::vector<Polished>>()) {
    if (polished.box < first || polished.box >= std::ssize(costs_)) return false;
    if (!(polished.cost >= 0)) return false;
    costs_[base::at(polished.box)] = polished.cost;
    first = polished.box + 1;
  }
  work_ = unpacker.number<std::int64_t>();
  return may_be_comparisons(work_);
}

}  // namespace fairfront::clustering
