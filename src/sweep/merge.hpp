/// @file
/// One archive of several archives of the same sweep.
#pragma once

#include <span>
#include <string>

#include "archive/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// An archive and its name for messages.
struct NamedContent {
  std::string name;
  archive::Content content;
};

/// The content with every result of the parts, as if one run had computed them all: tasks that
/// several parts have must agree bit for bit. A finished task goes before a failed one, a failed
/// one before a missing one. Without provenance, see merged_provenance.
/// @param plan   the sweep of the first part.
/// @param parts  at least one; emptied.
/// @throws base::InputError  parts of different sweeps, with the first difference; or two results
///         of one task that differ, with archives, task and value.
[[nodiscard]] archive::Content merge(const Plan& plan, const ResultSchema& schema,
                                     std::span<NamedContent> parts);

/// Where the parts come from: their hosts, jobs and ranks, beside the facts of this program.
[[nodiscard]] archive::Provenance merged_provenance(std::span<const NamedContent> parts,
                                                    archive::Provenance here);

}  // namespace fairfront::sweep
