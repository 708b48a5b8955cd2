#include "solvers/clustering/centre_groups.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/index.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

constexpr double unbounded = std::numeric_limits<double>::infinity();

}  // namespace

CentreGroups::CentreGroups(const Problem& problem, const Centres& centres,
                           std::span<const double> potentials)
    : problem_{problem}, centres_{centres}, potentials_{potentials} {
  choose_middles(static_cast<std::int64_t>(std::sqrt(static_cast<double>(problem.clusters()))));
  fill();
  bounds_.resize(balls_.size());
}

/// Each the farthest from those before (Gonzalez, 1985).
void CentreGroups::choose_middles(std::int64_t count) {
  std::vector<double> nearest(at(problem_.clusters()), unbounded);
  std::int64_t middle = 0;
  while (std::ssize(balls_) < count) {
    balls_.push_back({.middle = middle,
                      .clusters = {},
                      .allowances = std::vector<double>(at(problem_.groups()), -unbounded)});
    for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
      nearest[at(k)] = std::min(nearest[at(k)], centres_.squared_distance_between(k, middle));
    }
    middle = std::ranges::max_element(nearest) - nearest.begin();
  }
}

/// Every centre goes to the nearest middle; where middles coincide the first has all of them.
void CentreGroups::fill() {
  for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
    std::size_t nearest = 0;
    double least = unbounded;
    for (std::size_t b = 0; b < balls_.size(); ++b) {
      const double square = centres_.squared_distance_between(k, balls_[b].middle);
      if (!(square < least)) continue;
      least = square;
      nearest = b;
    }
    Ball& ball = balls_[nearest];
    ball.clusters.push_back(k);
    ball.radius = std::max(ball.radius, std::sqrt(least));
    for (std::int64_t j = 0; j < problem_.groups(); ++j) {
      double& most = ball.allowances[at(j)];
      most = std::max(most, potentials_[at(j * problem_.clusters() + k)]);
    }
  }
  std::erase_if(balls_, [](const Ball& ball) { return ball.clusters.empty(); });
}

void CentreGroups::look_into(const Ball& ball, const double* x, std::int64_t j, Best& best) {
  comparisons_ += std::ssize(ball.clusters);
  const double* potentials = potentials_.data() + j * problem_.clusters();
  for (const std::int64_t k : ball.clusters) {
    const double value = centres_.squared_distance(k, x) - potentials[k];
    if (value < best.value || (value == best.value && k < best.cluster)) best = {value, k};
  }
}

std::int64_t CentreGroups::least(const double* x, std::int64_t j) {
  constexpr double rounding = 1e-12;  // of what a bound is a difference of
  std::size_t first = 0;
  comparisons_ += std::ssize(balls_);
  for (std::size_t b = 0; b < balls_.size(); ++b) {
    const double distance = std::sqrt(centres_.squared_distance(balls_[b].middle, x));
    const double radius = balls_[b].radius;
    const double off = std::max(0.0, distance - radius);
    const double allowance = balls_[b].allowances[at(j)];
    const double scale = distance * distance + radius * radius + std::abs(allowance);
    bounds_[b] = off * off - allowance - rounding * scale;
    if (bounds_[b] < bounds_[first]) first = b;
  }
  Best best{unbounded, problem_.clusters()};
  look_into(balls_[first], x, j, best);
  for (std::size_t b = 0; b < balls_.size(); ++b) {
    if (b != first && bounds_[b] <= best.value) look_into(balls_[b], x, j, best);
  }
  return best.cluster;
}

}  // namespace fairfront::clustering
