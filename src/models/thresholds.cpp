#include "models/thresholds.hpp"

#include <numeric>

namespace fairfront::models {

std::int64_t Thresholds::reached(double value) const noexcept {
  if (!(value >= 0)) return 0;
  if (value >= 1) return count;
  auto k = static_cast<std::int64_t>(value * static_cast<double>(count - 1));
  while (k + 1 < count && threshold(k + 1) <= value) ++k;
  while (k > 0 && threshold(k) > value) --k;
  return k + 1;
}

void add_rounded_score(const Thresholds& thresholds, std::span<const double> weights,
                       double probability, std::span<const double> features,
                       std::span<double> out) {
  const double score = std::inner_product(weights.begin(), weights.end(), features.begin(), 0.0);
  out[static_cast<std::size_t>(thresholds.atom_of(score))] += probability;
}

}  // namespace fairfront::models
