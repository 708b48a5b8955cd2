/// @file
/// What an archive says twice, or says of a run: does it agree with itself and with its experiment?
/// Needs no data and runs no task.
#pragma once

#include <string>
#include <vector>

#include "results/content.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// Everything in which the archive's tasks are not those of its own config: other methods, other
/// places on the axes, keys that no data set of the archive gives, tasks too few or too many. Empty
/// when every task of the plan has its row.
[[nodiscard]] std::vector<std::string> differences_from_plan(const results::Content& content,
                                                             const Plan& plan);

/// Everything in which the archive is not as this program would write it for the same config, data
/// sets and results of tasks: options, roles of axes, groups of tasks, names, units and texts of
/// columns, whose solution a front's point is, results of tasks that have none.
/// @param content  in which differences_from_plan finds nothing.
/// @param plan     of the config of the archive, which this very program has written.
[[nodiscard]] std::vector<std::string> differences_from_rewriting(const results::Content& content,
                                                                  const Plan& plan,
                                                                  const ResultSchema& schema);

/// Facts about the run that no run can have had: times below 0, times of tasks that did not run,
/// numbers of hosts and ranks that differ, data sets of no task. Ranks of tasks are not compared
/// with the number of ranks: earlier launches of the same run may have had more.
/// @param content  keeps the rules of results::broken_rules.
[[nodiscard]] std::vector<std::string> implausible_facts(const results::Content& content);

}  // namespace fairfront::sweep
