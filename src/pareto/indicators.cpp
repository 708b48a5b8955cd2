#include "pareto/indicators.hpp"

#include <algorithm>
#include <array>
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

double distance_to_curve(std::span<const double> point, const Points& curve, double longest_step) {
  if (curve.objectives() != 2) {
    throw std::invalid_argument("distance_to_curve: not two objectives");
  }
  double least = distance_to(point, curve);
  double range = 0;
  for (const std::size_t i : {0U, 1U}) {
    double low = curve[0][i];
    double high = low;
    for (std::size_t k = 1; k < curve.size(); ++k) {
      low = std::min(low, curve[k][i]);
      high = std::max(high, curve[k][i]);
    }
    range = std::max(range, high - low);
  }
  for (std::size_t k = 1; k < curve.size(); ++k) {
    const std::array step{curve[k][0] - curve[k - 1][0], curve[k][1] - curve[k - 1][1]};
    const std::array from{point[0] - curve[k - 1][0], point[1] - curve[k - 1][1]};
    const double square = step[0] * step[0] + step[1] * step[1];
    if (square == 0 || square > longest_step * longest_step * range * range) continue;
    const double share = std::clamp((from[0] * step[0] + from[1] * step[1]) / square, 0.0, 1.0);
    const double first = from[0] - share * step[0];
    const double second = from[1] - share * step[1];
    least = std::min(least, std::sqrt(first * first + second * second));
  }
  return least;
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
