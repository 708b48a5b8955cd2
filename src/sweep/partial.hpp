/// @file
/// The results of a run that goes on, or that was cut off, before there is an archive of them.
#pragma once

#include <string>
#include <vector>

#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// What a journal holds so far, in the columns of an archive.
struct PartialContent {
  /// Tasks without a record are missing. Without the facts of a launch, but for the program's
  /// version. The key of a missing task is empty where no other task tells which of several data
  /// sets its problem has.
  results::Content content;
  std::vector<std::string> warnings;  ///< torn tails, damaged records left out
};

/// Reads a journal without locks and changes nothing, so it may be that of a living run. Local.
/// @param plan  as the journal's header has it, see stored_config.
/// @throws base::InputError  no journal there, it cannot be read, or other revisions of the solvers
///         made it, so that no task of the plan has its keys.
[[nodiscard]] PartialContent read_partial(const std::string& journal, const Plan& plan,
                                          const ResultSchema& schema);

}  // namespace fairfront::sweep
