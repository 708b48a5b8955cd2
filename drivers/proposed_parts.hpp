/// @file
/// Whether the parts of a split have rows of every group, and of labels where a method needs them.
#pragma once

#include <cstddef>
#include <vector>

#include "table_proposal.hpp"

namespace fairfront::drivers {

/// Chooses strata and parts that have rows of every group that is kept, and says why where there
/// are none. A column of parts that lacks a group's training rows is not used; where it lacks
/// validation rows of one, these are drawn of the training rows.
/// @param needed  places of what a row that counts as complete has.
/// @throws base::InputError  as facts_of().
void fit_parts_to_groups(Proposal& proposal, const std::vector<std::size_t>& needed);

}  // namespace fairfront::drivers
