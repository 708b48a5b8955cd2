/// @file
/// The text of a config that is proposed for a table.
#pragma once

#include <string>
#include <string_view>

#include "table_proposal.hpp"

namespace fairfront::drivers {

/// What to do where the first line looks like a row.
inline constexpr std::string_view without_header_text =
    "the first line looks like a row, not like names of columns, and would be lost: write a line "
    "of names above it and ask again, or set data.header = false, and name the columns 1, 2, ...";

/// With comments on what was seen of each column, on small groups, and on what is left out.
[[nodiscard]] std::string config_of(const Proposal& proposal);

}  // namespace fairfront::drivers
