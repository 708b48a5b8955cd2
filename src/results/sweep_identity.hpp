/// @file
/// Which sweep a task's result belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/dataset.hpp"
#include "results/content.hpp"

namespace fairfront::results {

/// What tasks belong to. Two of them with equal `sweep_digest` are one sweep.
struct SweepIdentity {
  std::string sweep_digest;  ///< SHA-256 over names, numbers, hashes and revisions below: no prose
  std::string experiment;
  std::vector<ConfigEntry> config;  ///< every option; an axis has all its values, joined by ", "
  std::vector<Axis> axes;
  std::vector<data::Provenance> datasets;
  std::vector<std::string> revisions;  ///< "method=revision"
  std::int64_t tasks = 0;              ///< of the plan
  std::string program_version;         ///< version and git revision of the launch that made it
};

/// The value of sweep_digest. The order of the config's entries does not matter.
[[nodiscard]] std::string sweep_digest_of(const SweepIdentity& header);

/// The first thing in which two sweeps differ, as "safairkm_front.iterations: 100 there, 200
/// here"; nothing when they are the same sweep. Looks at the experiment, the config's entries by
/// name, axes, data sets, solver revisions, number of tasks, in this order.
[[nodiscard]] std::optional<std::string> first_difference(const SweepIdentity& there,
                                                          const SweepIdentity& here);

}  // namespace fairfront::results
