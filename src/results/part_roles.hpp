/// @file
/// Which part of the rows a choice is decided by, tested on and reported on.
#pragma once

#include <algorithm>
#include <string>
#include <vector>

#include "data/split.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// What the parts of an archive's measures are for. The last one is reported, and what comes before
/// it decides, but for the part that is there for tests. Of a single part all.
///
/// They are those of the whole archive: a measure that has no value on the part that decides, such
/// as a gap between groups one of which has no row there, is not decided by another part.
struct PartRoles {
  std::string decides, tests, reported;
};

/// @param measures  one with all parts is among them; empty names where there are none.
[[nodiscard]] inline PartRoles part_roles_of(const std::vector<Measure>& measures) {
  const auto most = std::ranges::max_element(
      measures, {}, [](const Measure& measure) { return measure.parts.size(); });
  if (most == measures.end() || most->parts.empty()) return {};
  const std::vector<std::string>& parts = most->parts;
  const std::string tests{data::name_of(data::Part::choice)};
  const bool has_choice = std::ranges::count(parts, tests) > 0;
  PartRoles roles{parts.back(), has_choice ? tests : parts.back(), parts.back()};
  for (std::size_t part = 0; part + 1 < parts.size(); ++part) {
    if (parts[part] != tests) roles.decides = parts[part];
  }
  return roles;
}

}  // namespace fairfront::results
