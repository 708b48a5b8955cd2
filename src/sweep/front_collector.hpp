/// @file
/// The nondominated set of every problem, gathered while tasks end, reduced over the ranks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "archive/content.hpp"
#include "archive/task_record.hpp"
#include "parallel/comm.hpp"
#include "pareto/front.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// One rank's nondominated points per problem: what it has found itself, never more.
class FrontCollector {
 public:
  FrontCollector(const Plan& plan, const ResultSchema& schema) : plan_{plan}, schema_{schema} {}

  /// Takes the front of one task; a task without one changes nothing. Local.
  void add(std::int64_t task, const archive::TaskFront& front);

  /// The merged fronts of an archive whose other columns are complete. One reduction per problem
  /// with the nondominated-merge operator. Collective.
  /// @param content  on rank 0; elsewhere not looked at.
  /// @return  on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<archive::MergedFront> reduce(const parallel::Comm& world,
                                                         const archive::Content& content) const;

 private:
  const Plan& plan_;
  const ResultSchema& schema_;
  std::map<std::int64_t, pareto::Front> fronts_;  ///< by problem; origins are (task, place)
};

}  // namespace fairfront::sweep
