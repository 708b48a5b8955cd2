/// @file
/// Which part of the rows a choice is decided by, tested on and reported on.
#pragma once

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "data/split.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// What the parts of an archive's measures are for. The last one is reported, and what comes before
/// it decides, but for the part that is there for tests: that one does neither. Of a single part
/// all. Without a reported part (fronts that say nothing of one) the last one decides.
///
/// They are those of the whole archive: a measure that has no value on the part that decides, such
/// as a gap between groups one of which has no row there, is not decided by another part.
struct PartRoles {
  std::string decides, tests, reported;  ///< empty: there is none
};

/// Whether the points of any front have values on a reported part; true where there are no fronts.
[[nodiscard]] inline bool fronts_report(const std::vector<FrontGroup>& fronts) {
  return fronts.empty() || std::ranges::any_of(fronts, [](const FrontGroup& front) {
           return std::ranges::any_of(front.report,
                                      [](double value) { return !std::isnan(value); });
         });
}

/// @param measures  one with all parts is among them; empty names where there are none.
/// @param reports   see fronts_report().
[[nodiscard]] inline PartRoles part_roles_of(const std::vector<Measure>& measures, bool reports) {
  const auto most = std::ranges::max_element(
      measures, {}, [](const Measure& measure) { return measure.parts.size(); });
  if (most == measures.end() || most->parts.empty()) return {};
  const std::string for_tests{data::name_of(data::Part::choice)};
  std::vector<std::string> parts = most->parts;
  const bool has_choice = std::erase(parts, for_tests) > 0;
  if (parts.empty()) return {for_tests, for_tests, for_tests};
  PartRoles roles{parts.back(), {}, parts.back()};
  // Beside the part for tests a single one: it decides, and nothing is reported.
  const bool tells_one = has_choice && parts.size() == 1;
  if (most->parts.size() > 1 && (!reports || tells_one)) {
    roles.reported.clear();
  } else if (parts.size() > 1) {
    roles.decides = parts[parts.size() - 2];
  }
  roles.tests = has_choice ? for_tests : roles.reported;
  return roles;
}

}  // namespace fairfront::results
