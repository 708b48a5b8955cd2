/// @file
/// Rank 0's book of a run: which tasks there are, and which of them need not run any more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "archive/journal.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"
#include "sweep/problems.hpp"
#include "sweep/run.hpp"
#include "sweep/schedule.hpp"

namespace fairfront::sweep {

/// The sweep as a journal's header describes it.
[[nodiscard]] archive::JournalHeader header_of(const Plan& plan, const Experiment& experiment,
                                               const std::vector<Problem>& problems,
                                               const std::string& program_version);

/// Opens the journal, or makes it, holds its lock, and compares it with the plan. Local: rank 0
/// only.
class Ledger {
 public:
  /// Without a journal, resuming and extending begin anew: job scripts need not know.
  /// @throws base::InputError  a journal is there and the run is a fresh one; another run writes
  /// it; it
  ///         belongs to another sweep; a wider sweep has lost finished tasks.
  Ledger(const Plan& plan, const Experiment& experiment, const std::vector<Problem>& problems,
         const RunSettings& settings);

  /// Tasks of this run: those of its slice that have no result, in the order of a schedule.
  /// @param coupled  those of coupled methods, or the others.
  [[nodiscard]] std::unique_ptr<Schedule> schedule(bool coupled,
                                                   const ScheduleOptions& options) const;
  [[nodiscard]] std::int64_t waiting(bool coupled) const;

  [[nodiscard]] int launch() const noexcept { return launch_; }
  [[nodiscard]] std::int64_t done() const noexcept { return done_; }
  [[nodiscard]] std::int64_t failed() const noexcept { return failed_; }
  [[nodiscard]] std::int64_t mine() const noexcept { return mine_; }  ///< tasks of the slice
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }

  /// One record per task of the plan, in plan order; `missing` where there is no result.
  [[nodiscard]] std::vector<archive::TaskRecord> collect(const std::string& journal) const;

 private:
  void read_tasks(const Plan& plan, const Experiment& experiment,
                  const std::vector<Problem>& problems, const RunSettings& settings);
  void open(const archive::JournalHeader& header, const RunSettings& settings);
  void mark_finished(const archive::JournalContents& journal, const RunSettings& settings);

  std::unique_ptr<archive::JournalLock> lock_;
  std::vector<std::string> keys_;
  std::unordered_map<std::string, std::int64_t> index_of_;
  std::vector<TaskCost> costs_;
  std::vector<bool> coupled_;
  std::vector<bool> finished_;   ///< has a result, or belongs to another slice
  std::vector<double> seconds_;  ///< of finished tasks, else 0
  std::vector<std::string> warnings_;
  int launch_ = 0;
  std::int64_t mine_ = 0;
  std::int64_t done_ = 0;
  std::int64_t failed_ = 0;
};

}  // namespace fairfront::sweep
