/// @file
/// The nondominated set of every configuration, gathered while tasks end, reduced over the ranks.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "parallel/comm.hpp"
#include "pareto/front.hpp"
#include "results/content.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// One rank's nondominated points per configuration: what it has found itself. Memory for at most
/// twice the front, a task and some hundred points a configuration.
class FrontCollector {
 public:
  FrontCollector(const Plan& plan, const ResultSchema& schema) : plan_{plan}, schema_{schema} {}

  /// Takes the front of one task; a task without one changes nothing. Local.
  void add(std::int64_t task, const results::TaskFront& front);

  /// The merged fronts of an archive whose other columns are complete. One reduction of all
  /// configurations by the nondominated merge. Collective.
  /// @param content  on rank 0; elsewhere not looked at.
  /// @return  on rank 0; empty elsewhere.
  [[nodiscard]] std::vector<results::MergedFront> reduce(const parallel::Comm& world,
                                                         const results::Content& content);

 private:
  const Plan& plan_;
  const ResultSchema& schema_;
  /// Points of one configuration. New ones wait until they are as many as those of the front: each
  /// is then sorted a few times in all, however many tasks there are. Origins are (task, place).
  struct Gathered {
    pareto::Front front;
    pareto::Points waiting;
    void settle();
  };
  std::map<std::int64_t, Gathered> gathered_;  ///< by configuration
};

}  // namespace fairfront::sweep
