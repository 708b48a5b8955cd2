/// @file
/// What waits in a std::priority_queue to leave a front.
#pragma once

#include <cstddef>

namespace fairfront::pareto {

/// A point and what the front loses with it; the first of equal ones stands before the others.
struct Candidate {
  double contribution;
  std::size_t position;
  bool operator<(const Candidate& other) const {  // the queue gives the greatest first
    if (contribution != other.contribution) return contribution > other.contribution;
    return position < other.position;
  }
};

}  // namespace fairfront::pareto
