/// @file
/// Stop points in loops over the rows of long matrices, such as slopes of many gaps in all weights
/// of a wide network.
#pragma once

#include <cstddef>

#include "base/stop.hpp"

namespace fairfront::training {

/// A stop_point() before a pass over `count` numbers, where that takes longer than to ask.
/// @throws base::Interrupted
inline void stop_within(std::size_t count) {
  constexpr std::size_t many = 4096;
  if (count >= many) base::stop_point();
}

}  // namespace fairfront::training
