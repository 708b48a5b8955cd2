/// @file
/// Groups of a table that have too few rows for one in every part of a split.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table_facts.hpp"

namespace fairfront::drivers {

/// A level without whose rows the groups that are left have enough.
struct RareLevel {
  std::size_t attribute = 0;  ///< which of the columns that make the groups
  std::string level;
  GroupSize group;  ///< the one that has too few
};

/// Of each group that is too small the level that the fewest rows have, from the smallest group on.
/// Nothing where fewer than two groups would be left.
/// @param least  complete rows of a group that is large enough.
[[nodiscard]] std::vector<RareLevel> rare_levels(std::vector<GroupSize> groups, std::int64_t least);

/// The comparison of data.where that leaves the level's rows out; nothing where none says that.
/// @param as_text  other levels are the same number: it must be told apart by its text.
[[nodiscard]] std::optional<std::string> other_than(const std::string& column,
                                                    const std::string& level, bool as_text);

}  // namespace fairfront::drivers
