#include "pareto/indicators.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "pareto/hypervolume.hpp"

namespace fairfront::pareto {
namespace {

void require_comparable(const Points& found, const Points& reference) {
  if (found.empty() || reference.empty()) {
    throw std::invalid_argument("indicator: a set of points is empty");
  }
  if (found.objectives() != reference.objectives()) {
    throw std::invalid_argument("indicator: the sets differ in their number of objectives");
  }
}

double mean_distance(const Points& from, const Points& to) {
  require_comparable(from, to);
  double sum = 0;
  for (std::size_t i = 0; i < from.size(); ++i) sum += distance_to(from[i], to);
  return sum / static_cast<double>(from.size());
}

}  // namespace

double distance_to(std::span<const double> point, const Points& set) {
  if (set.empty() || set.objectives() != point.size()) {
    throw std::invalid_argument("distance_to: an empty set, or another number of objectives");
  }
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < set.size(); ++i) {
    double square = 0;
    for (std::size_t k = 0; k < point.size(); ++k) {
      square += (point[k] - set[i][k]) * (point[k] - set[i][k]);
    }
    least = std::min(least, square);
  }
  return std::sqrt(least);
}

double generational_distance(const Points& found, const Points& reference) {
  return mean_distance(found, reference);
}

double inverted_generational_distance(const Points& found, const Points& reference) {
  return mean_distance(reference, found);
}

double additive_epsilon(const Points& found, const Points& reference) {
  require_comparable(found, reference);
  double worst = -std::numeric_limits<double>::infinity();
  for (std::size_t r = 0; r < reference.size(); ++r) {
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < found.size(); ++i) {
      double excess = -std::numeric_limits<double>::infinity();
      for (std::size_t k = 0; k < found.objectives(); ++k) {
        excess = std::max(excess, found[i][k] - reference[r][k]);
      }
      least = std::min(least, excess);
    }
    worst = std::max(worst, least);
  }
  return worst;
}

double hypervolume_ratio(const Points& found, const Points& reference,
                         std::array<double, 2> corner) {
  const double whole = hypervolume(Front(reference), corner);
  if (!(whole > 0)) {
    throw std::invalid_argument("hypervolume_ratio: the reference set dominates no area");
  }
  return hypervolume(Front(found), corner) / whole;
}

}  // namespace fairfront::pareto
