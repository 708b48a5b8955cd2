/// @file
/// The claims of an archive's results, proven again from what was found and the data.
#pragma once

#include <cstddef>
#include <vector>

#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// The claims of one task.
struct ProvenTask {
  std::size_t task = 0;
  std::vector<Claim> claims;
};

/// Proves what the done tasks of an archive claim, without trusting the run that found it; tasks
/// that claim nothing are left out. Local.
/// @param content  of a sweep of this plan and experiment.
/// @throws base::InputError    the data are not those of the archive.
/// @throws base::DamagedError  a result that the experiment cannot have given.
/// @throws base::Interrupted   see base::stop_point().
[[nodiscard]] std::vector<ProvenTask> prove_again(const Plan& plan, const Experiment& experiment,
                                                  const results::Content& content,
                                                  const RunContext& context);

}  // namespace fairfront::sweep
