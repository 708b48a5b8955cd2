/// @file
/// Why numbers of a task are missing, as its remark says it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::experiments {

/// Each reason once, with the numbers that it concerns.
class Remarks {
 public:
  void add(const std::string& reason, const std::string& column);
  /// @param group_names  reasons speak of groups by number, the text by name.
  /// @returns "" without reasons.
  [[nodiscard]] std::string text(const std::vector<std::string>& group_names) const;

 private:
  std::vector<std::pair<std::string, std::vector<std::string>>> reasons_;
};

/// Appends to a task's remark, which may be empty, what may be empty, too.
void append(std::string& remark, const std::string& more);

/// The measures that are undefined on a part for rows that it lacks: not those that are undefined
/// whatever the rows, as a signed difference of three groups.
/// @param learnt  the values on the part that is learnt from.
void add_undefined(Remarks& remarks, std::span<const metrics::Measure> measures,
                   std::span<const metrics::Value> learnt, std::span<const metrics::Value> reported,
                   std::string_view part);

}  // namespace fairfront::experiments
