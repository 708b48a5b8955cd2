#include "metrics/extremes.hpp"

namespace fairfront::metrics {

Extremes extremes(std::span<const double> of_group) {
  Extremes found{of_group};
  for (std::size_t g = 1; g < of_group.size(); ++g) {
    if (of_group[g] < found.low()) found.lowest = g;
    if (of_group[g] > found.high()) found.highest = g;
  }
  return found;
}

Value larger(Value known, double distance, std::size_t group) {
  if (!(distance > known.value)) return known;
  return defined(distance, {static_cast<std::int32_t>(group), distance});
}

Value larger(Value known, double distance, std::size_t group, std::size_t other) {
  if (!(distance > known.value)) return known;
  return defined(distance, {static_cast<std::int32_t>(group), distance},
                 {static_cast<std::int32_t>(other), distance});
}

}  // namespace fairfront::metrics
