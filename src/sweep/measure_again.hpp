/// @file
/// Measures of an archive that a program knows which the one that made it did not.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "parallel/comm.hpp"
#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// An archive's content with what was added to it.
struct MeasuredAgain {
  results::Content content;
  std::int64_t same = 0;                      ///< values that were there, found again
  std::map<std::string, std::int64_t> added;  ///< by measure: values that were not there
  std::vector<std::string> different;         ///< values that are not those that were there
  std::map<std::string, std::int64_t> kept;   ///< by measure: values that were there, and that
                                              ///< nothing here computes but a run
  std::vector<std::string> unknown;  ///< measures that this program does not know: as they were
};

/// Measures the done tasks of an archive again, without running them. Nothing that is there is
/// changed: where a value is different, the old one stays. Local; the team's rank 0 alone.
/// @param content  of a sweep of this plan and experiment.
/// @throws base::InputError    the data are not those of the archive.
/// @throws base::DamagedError  a result that the experiment cannot have given.
/// @throws base::Interrupted   see base::stop_point().
[[nodiscard]] MeasuredAgain measure_again(const parallel::Comm& team, const Plan& plan,
                                          const Experiment& experiment, results::Content content,
                                          const RunContext& context);

}  // namespace fairfront::sweep
