/// @file
/// Which of many points to begin from.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <vector>

#include "pareto/front.hpp"

namespace fairfront::alternating {

/// Places of up to `count` points of a front that lie apart: each is the farthest from those
/// before, objectives in units of `ranges`.
template <std::size_t M>
[[nodiscard]] std::vector<std::size_t> spread_places(const pareto::Front& front,
                                                     const std::array<double, M>& ranges,
                                                     std::int64_t count) {
  std::vector<double> squares(front.size(), std::numeric_limits<double>::infinity());
  std::vector<std::size_t> places;
  std::size_t next = 0;
  while (std::ssize(places) < count && squares[next] > 0) {
    places.push_back(next);
    for (std::size_t k = 0; k < front.size(); ++k) {
      double square = 0;
      for (std::size_t i = 0; i < M; ++i) {
        const double distance = (front[k][i] - front[next][i]) / ranges[i];
        square += distance * distance;
      }
      squares[k] = std::min(squares[k], square);
    }
    next = static_cast<std::size_t>(std::max_element(squares.begin(), squares.end()) -
                                    squares.begin());
  }
  return places;
}

}  // namespace fairfront::alternating
