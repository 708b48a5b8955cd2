/// @file
/// One archive of several archives of the same sweep.
#pragma once

#include <span>
#include <string>

#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// An archive and its name for messages.
struct NamedContent {
  std::string name;
  results::Content content;
};

/// The content with every result of the parts, as if one run had computed them all: tasks that
/// several parts have must agree bit for bit. A finished task goes before a failed one, a failed
/// one before a missing one. Without provenance, see merged_provenance.
/// @param plan   the sweep of the first part.
/// @param parts  at least one; emptied.
/// @throws base::InputError  parts of different sweeps, with the first difference; two results of
///         one task that differ, with archives, task and value; or measures that the schema lacks.
[[nodiscard]] results::Content merge(const Plan& plan, const ResultSchema& schema,
                                     std::span<NamedContent> parts);

/// Where the parts come from: their hosts, jobs and ranks, beside the facts of this program.
[[nodiscard]] results::LaunchFacts merged_provenance(std::span<const NamedContent> parts,
                                                     results::LaunchFacts here);

}  // namespace fairfront::sweep
