/// @file
/// The text of a config that is proposed for a table.
#pragma once

#include <string>

#include "table_proposal.hpp"

namespace fairfront::drivers {

/// With comments on what was seen of each column, on small groups, and on what is left out.
[[nodiscard]] std::string config_of(const Proposal& proposal);

}  // namespace fairfront::drivers
