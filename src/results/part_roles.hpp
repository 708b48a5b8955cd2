/// @file
/// Which part of the rows a measure of a choice is decided by, tested on and reported on.
#pragma once

#include <algorithm>
#include <cstddef>

#include "data/split.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// What the parts of a measure are for, by their places. The last one is reported, and what comes
/// before it decides, but for the part that is there for tests. Of a single part all.
struct PartRoles {
  std::size_t decides = 0;
  std::size_t tests = 0;
  std::size_t reported = 0;
};

[[nodiscard]] inline PartRoles part_roles_of(const Measure& measure) {
  const std::size_t last = measure.parts.size() - 1;
  const auto found = std::ranges::find(measure.parts, data::name_of(data::Part::choice));
  const bool has_choice = found != measure.parts.end();
  PartRoles roles{last, last, last};
  if (has_choice) roles.tests = static_cast<std::size_t>(found - measure.parts.begin());
  for (std::size_t part = 0; part < last; ++part) {
    if (!has_choice || part != roles.tests) roles.decides = part;
  }
  return roles;
}

}  // namespace fairfront::results
