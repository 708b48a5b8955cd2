/// @file
/// Why numbers of a task are missing, as its remark says it.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/measure.hpp"

namespace fairfront::experiments {

/// Each reason once, with the numbers that it concerns.
class Remarks {
 public:
  void add(const std::string& reason, const std::string& column);
  /// Of the number that a group has by itself, beside which all rows may have one.
  void add_of_group(const std::string& reason, std::size_t group, const std::string& column);
  /// @param group_names  reasons speak of groups by number, the text by name.
  /// @returns "" without reasons.
  [[nodiscard]] std::string text(const std::vector<std::string>& group_names) const;

 private:
  struct Reason {
    std::string text;
    std::vector<std::string> columns{};
    std::size_t group = 0;  ///< whose own columns those are
    std::vector<std::string> of_group{};
    /// The text before the group that it ends with; without, all of it.
    [[nodiscard]] std::string_view stem() const;
    /// Whether the same is said of the own numbers of two groups, and of nothing else.
    [[nodiscard]] bool is_alike(const Reason& other) const;
  };
  std::vector<Reason> reasons_;
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
