#include "solvers/clustering/gain_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace fairfront::clustering {

using base::at;

GainBounds::GainBounds(const Problem& problem, double squared_diameter)
    : problem_{problem},
      squared_diameter_{squared_diameter},
      anchors_{problem},
      distances_(anchors_.padded()) {}

bool GainBounds::are_of_use(const Problem& problem) {
  constexpr std::int64_t few_members = 256;
  const std::int64_t clusters = problem.clusters();
  return problem.points() >=
         std::max(few_members * clusters, clusters * clusters * problem.groups());
}

void GainBounds::begin(const Centres& means) {
  anchors_ = means;
  bounds_.assign(at(problem_.clusters() * problem_.groups()) * anchors_.padded(),
                 -std::numeric_limits<double>::infinity());
}

/// Of members of group j in cluster k.
std::size_t GainBounds::row(std::int64_t k, std::int64_t j) const {
  return at(k * problem_.groups() + j) * anchors_.padded();
}

void GainBounds::add(std::int64_t point, std::int64_t k) {
  anchors_.squared_distances(problem_.point(point), distances_.data());
  const double own = distances_[at(k)];
  double* bounds = bounds_.data() + row(k, problem_.group_of(point));
  for (std::size_t l = 0; l < distances_.size(); ++l) {
    const double past = 0.5 * (own - distances_[l]);
    bounds[l] = past > bounds[l] ? past : bounds[l];
  }
}

double GainBounds::moved(const Centres& means, std::int64_t k) const {
  double squares = 0;
  for (std::int64_t i = 0; i < problem_.columns(); ++i) {
    const double by = means.coordinate(k, i) - anchors_.coordinate(k, i);
    squares += by * by;
  }
  return std::sqrt(squares);
}

bool GainBounds::may_gain(const Centres& means, std::int64_t k, std::int64_t l, std::int64_t j,
                          double more) const {
  const double s = moved(means, k) + moved(means, l);
  constexpr double rounding = 1e-9;
  return bounds_[row(k, j) + at(l)] + bounds_[row(l, j) + at(k)] +
             2 * s * std::sqrt(squared_diameter_) + s * s + more + rounding * squared_diameter_ >
         0;
}

}  // namespace fairfront::clustering
