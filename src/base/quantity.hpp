/// @file
/// A number that means something: what a metric, a trajectory or an objective is.
#pragma once

#include <string>

namespace fairfront::base {

/// Which way a quantity is better.
enum class Direction { minimise, maximise, none };

/// Name and meaning of a result. The name is part of a result's identity, the prose is not.
struct Quantity {
  std::string name;
  std::string definition;
  std::string unit;
  Direction direction = Direction::none;
  std::string source;  ///< paper and equation, where there is one
};

}  // namespace fairfront::base
