/// @file
/// Rank 0's book of a run: which tasks there are, and which of them need not run any more.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "journal/journal.hpp"
#include "parallel/comm.hpp"
#include "results/sweep_identity.hpp"
#include "results/task_record.hpp"
#include "sweep/experiment.hpp"
#include "sweep/forecast.hpp"
#include "sweep/plan.hpp"
#include "sweep/run.hpp"
#include "sweep/schedule.hpp"
#include "sweep/task_key.hpp"
#include "sweep/time_left.hpp"

namespace fairfront::sweep {

/// The sweep as a journal's header describes it.
[[nodiscard]] results::SweepIdentity header_of(const Plan& plan,
                                               const std::vector<PlannedProblem>& problems,
                                               const std::string& program_version);

/// The key of every task of the plan, in plan order on rank 0; nothing elsewhere. Each rank makes
/// those of a slice. Collective.
/// @param digests  of the data of every problem.
[[nodiscard]] std::vector<TaskKey> make_keys(const parallel::Comm& world, const Plan& plan,
                                             const std::vector<std::string>& digests);

/// @throws base::DamagedError  an archive could not hold the record. A journal may have been
/// changed
///         by anyone: a record that only the archive would refuse, in the end, would keep every
///         launch from its end.
void require_storable(const ResultSchema& schema, const results::TaskRecord& record);

/// What a rank tells of a record that it has found in a log.
struct FoundRecord {
  std::int64_t task = -1;  ///< that it is of, where the rank knows: it has run the task itself
  TaskKey key;             ///< where it does not
  results::TaskStatus status = results::TaskStatus::missing;
};

/// What rank 0 answers.
struct Choice {
  std::int64_t task = -1;        ///< whose result the record is; -1: it is none
  std::int64_t from_before = 0;  ///< 1: the task had it before this run began
};

/// Which records are the results of a sweep's tasks.
struct Choices {
  std::vector<std::vector<Choice>> of_logs;  ///< one for each record of each log
  std::vector<results::TaskStatus> status;   ///< of every task
};

/// Which tasks run together.
enum class Together {
  coupled,  ///< those of coupled methods that several ranks may share
  alone,    ///< the others
  all,
};

/// Opens the journal, or makes it, holds its lock, and compares it with the plan. Local: rank 0
/// only.
class Ledger {
 public:
  /// Without a journal, resuming and extending begin with the earlier results, if there are any,
  /// and else anew: job scripts need not know.
  /// A fresh run with `replace_journal` moves a journal that is there aside, makes its own, and
  /// then removes the old one: what cannot be begun costs no finished task.
  /// @throws base::InputError  a journal is there and the run is a fresh one; another run writes
  ///         it; it, or the earlier results, belong to another sweep; a wider sweep has lost
  ///         finished tasks.
  /// @param keys  of all tasks, see make_keys().
  Ledger(const Plan& plan, const Experiment& experiment,
         const std::vector<PlannedProblem>& problems, std::vector<TaskKey> keys,
         const RunSettings& settings);

  /// Tasks of this run: the selected ones that have no result, in the order of a schedule.
  [[nodiscard]] std::unique_ptr<Schedule> schedule(Together which,
                                                   const ScheduleOptions& options) const;
  [[nodiscard]] std::int64_t waiting(Together which) const;
  /// Without stages: what earlier tasks have taken, and so many ranks will for their results.
  [[nodiscard]] std::unique_ptr<TimeLeft> time_left(int ranks, double cores_a_rank,
                                                    TimeLeft::Clock clock) const;
  [[nodiscard]] const TaskCost& cost(std::int64_t task) const {
    return costs_[static_cast<std::size_t>(task)];
  }
  /// The same tasks, the longest by forecast first.
  [[nodiscard]] std::vector<std::int64_t> waiting_tasks(Together which) const;

  [[nodiscard]] int launch() const noexcept { return launch_; }
  [[nodiscard]] std::int64_t done() const noexcept { return done_; }
  [[nodiscard]] std::int64_t failed() const noexcept { return failed_; }
  [[nodiscard]] std::int64_t selected() const noexcept { return num_selected_; }
  /// Results of tasks that are not selected, as of another slice.
  [[nodiscard]] std::int64_t other_done() const noexcept { return other_done_; }
  [[nodiscard]] std::int64_t other_failed() const noexcept { return other_failed_; }
  /// That the tasks done before this run took, one after another.
  [[nodiscard]] double earlier_seconds() const;
  [[nodiscard]] bool is_selected(std::int64_t task) const {
    return selected_[static_cast<std::size_t>(task)];
  }
  /// The task had a result before this run began, selected or not.
  [[nodiscard]] bool had_result(std::int64_t task) const {
    return had_result_[static_cast<std::size_t>(task)];
  }
  [[nodiscard]] const std::vector<std::string>& warnings() const noexcept { return warnings_; }
  [[nodiscard]] std::shared_ptr<journal::JournalLock> lock() const noexcept { return lock_; }

  /// The folder of the journal, and with it the lock, was deleted and made again.
  /// @throws base::InputError  another run has begun there.
  void lock_again(const base::Folder& journal);

  /// A task of this run has ended.
  void mark_ran(std::int64_t task) { ran_[static_cast<std::size_t>(task)] = true; }

  /// Of all records of a task the first `done` one, so that what was once reported stays, else the
  /// last failed one. A failure that was to be retried, but was not, is no result.
  /// @param logs  every log's records, by launch and rank.
  [[nodiscard]] Choices choose(const std::vector<std::vector<FoundRecord>>& logs);
  /// Its text.
  [[nodiscard]] std::string key(std::int64_t task) const {
    return keys_[static_cast<std::size_t>(task)].text();
  }

 private:
  void read_tasks(const Plan& plan, const Experiment& experiment,
                  const std::vector<PlannedProblem>& problems, const RunSettings& settings);
  void open(const results::SweepIdentity& header, const RunSettings& settings);
  void begin_journal(const results::SweepIdentity& header, const RunSettings& settings);
  void replace_journal(const results::SweepIdentity& header, const RunSettings& settings);
  void continue_journal(const results::SweepIdentity& header, const RunSettings& settings);
  [[nodiscard]] std::vector<results::TaskRecord> earlier_records(
      const results::SweepIdentity& header, const RunSettings& settings);
  /// Of the task with this key; -1: the plan has none.
  [[nodiscard]] std::int64_t find(const TaskKey& key);
  /// @throws base::InputError  no task of the plan has this key.
  [[nodiscard]] std::size_t index_of(const std::string& key);
  void import(std::vector<results::TaskRecord> records, const RunSettings& settings);
  [[nodiscard]] bool is_waiting(std::size_t task, Together which) const {
    return !had_result_[task] && selected_[task] &&
           (which == Together::all || coupled_[task] == (which == Together::coupled));
  }
  [[nodiscard]] bool adds_to_journal(const results::TaskRecord& record);
  void mark_finished(const std::vector<results::TaskRecord>& records, const RunSettings& settings);

  ResultSchema schema_;
  std::shared_ptr<journal::JournalLock> lock_;
  std::vector<TaskKey> keys_;
  std::unordered_map<TaskKey, std::int64_t, HashOfKey> index_of_;  ///< empty until find() is asked
  std::vector<TaskCost> costs_;
  bool comparable_ = true;  ///< all in one unit
  std::vector<bool> coupled_;
  std::vector<bool> selected_;
  std::vector<bool> had_result_;  ///< before this run, and will not be retried
  std::vector<bool> was_done_;    ///< before this run
  std::vector<bool> ran_;         ///< by this run
  std::vector<double> seconds_;   ///< of finished tasks, else 0
  std::vector<double> bytes_;     ///< of results in the journal that are archived in the end
  std::vector<std::string> warnings_;
  int launch_ = 0;
  std::int64_t num_selected_ = 0;
  std::int64_t done_ = 0;
  std::int64_t failed_ = 0;
  std::int64_t other_done_ = 0;
  std::int64_t other_failed_ = 0;
};

}  // namespace fairfront::sweep
