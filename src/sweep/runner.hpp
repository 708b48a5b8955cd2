/// @file
/// One rank's part of a run. Internal to the sweep: run() is what others call.
#pragma once

#include <chrono>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "journal/journal.hpp"
#include "parallel/task_queue.hpp"
#include "sweep/attempt.hpp"
#include "sweep/columns_of_tasks.hpp"
#include "sweep/experiment.hpp"
#include "sweep/forecast.hpp"
#include "sweep/front_collector.hpp"
#include "sweep/ledger.hpp"
#include "sweep/phase_clock.hpp"
#include "sweep/progress.hpp"
#include "sweep/run.hpp"
#include "sweep/task_key.hpp"
#include "sweep/time_left.hpp"
#include "sweep/trials.hpp"

namespace fairfront::sweep {

/// Its members stand in run.cpp (phases, journal), run_trials.cpp, run_piece.cpp (a task or a
/// trial, from its checkpoint to its record) and run_end.cpp (from the journal to the archive's
/// columns).
class Runner {
 public:
  Runner(const parallel::Comm& world, const Experiment& experiment, const Plan& plan,
         const RunContext& context, const RunSettings& settings, Progress& progress)
      : world_{world},
        experiment_{experiment},
        plan_{plan},
        context_{context},
        settings_{settings},
        progress_{progress},
        schema_{experiment.schema()},
        fronts_{plan_, schema_} {}

  RunOutcome run();

 private:
  using Clock = std::chrono::steady_clock;

  void prepare();
  void expect_stages(bool one_phase);
  [[nodiscard]] std::int64_t waiting(Together which) const;
  [[nodiscard]] bool is_one_phase() const;
  void run_phase(Together which);
  [[nodiscard]] bool run_trials();
  [[nodiscard]] std::optional<std::vector<PlannedTrial>> plan_trials();
  [[nodiscard]] TrialOutcomes make_planned(const parallel::Comm& alone,
                                           const std::vector<PlannedTrial>& trials);
  [[nodiscard]] bool run_trial(const parallel::Comm& team, std::size_t place,
                               const PlannedTrial& planned, TrialOutcomes& outcomes);
  void run_tasks(const parallel::Comm& team, parallel::TaskQueue& queue);
  using Records = std::vector<results::TaskRecord>;
  [[nodiscard]] std::vector<std::int64_t> next_tasks(const parallel::Comm& team,
                                                     parallel::TaskQueue& queue,
                                                     const std::vector<parallel::Finished>& last);
  [[nodiscard]] std::vector<Task> tasks_of(const std::vector<std::int64_t>& indices) const;
  [[nodiscard]] std::vector<parallel::Finished> run_claimed(const parallel::Comm& team,
                                                            const std::vector<Task>& tasks);
  void begin_to_count();
  [[nodiscard]] double cpu_of_task() const;
  [[nodiscard]] parallel::Finished take(const parallel::Comm& team, std::int64_t index,
                                        const results::TaskRecord& record, double cpu_seconds);
  [[nodiscard]] std::optional<Records> run_abreast(const parallel::Comm& team,
                                                   const std::vector<Task>& tasks);
  [[nodiscard]] std::optional<results::TaskRecord> run_task(const parallel::Comm& team,
                                                            const Task& task);
  [[nodiscard]] results::TaskRecord record_of(const Task& task, TaskResult result,
                                              const std::optional<Failure>& failure) const;
  /// A task or a trial.
  struct Piece {
    std::string key;         ///< of its checkpoint
    std::string name;        ///< for messages
    std::int64_t task = -1;  ///< or place of the trial, that the queue has given
    bool is_trial = false;
  };
  using Work = std::function<Ending(const RunContext&)>;
  [[nodiscard]] std::optional<Ending> run_piece(const parallel::Comm& team, const Piece& piece,
                                                const Work& work);
  [[nodiscard]] Ending try_task(const parallel::Comm& team, const Task& task,
                                const RunContext& context, TaskResult& result) const;
  void warn_of_checkpoint(const Piece& piece, const std::string& reason);
  [[nodiscard]] std::optional<Failure> failure_of_result(const TaskResult& result) const;
  void give_up(const Piece& piece, const Failure& failure);
  [[nodiscard]] RunContext context_of(const parallel::Comm& team, const Piece& piece);
  void advance(std::int64_t task, const TaskProgress& progress);
  void keep(const results::TaskRecord& record);
  void note_restored_log();
  void warn(const std::string& text);
  [[nodiscard]] std::int64_t team_size(std::int64_t tasks) const;
  void save_checkpoint(const std::string& key, const std::string& state);
  [[nodiscard]] std::optional<std::string> load_checkpoint(const std::string& key) const;
  void watch_journal();
  [[nodiscard]] bool stop_wanted() {
    watch_journal();
    return error_ || time_is_up() || signal_has_come();
  }
  [[nodiscard]] bool time_is_up() const {
    return std::chrono::duration<double>(Clock::now() - begin_).count() >= settings_.seconds;
  }
  [[nodiscard]] bool signal_has_come() const {
    return settings_.stop_wanted && settings_.stop_wanted();
  }
  void close_journal();
  [[nodiscard]] std::pair<std::vector<results::TaskRecord>, std::vector<Choice>> read_share(
      std::vector<results::TaskStatus>& status);
  [[nodiscard]] TaskOutcomes collect(std::vector<results::TaskStatus>& status);
  void count(const std::vector<results::TaskStatus>& status, RunOutcome& outcome) const;
  RunOutcome finish();

  const parallel::Comm& world_;
  const Experiment& experiment_;
  const Plan& plan_;
  const RunContext& context_;
  const RunSettings& settings_;
  Progress& progress_;
  const ResultSchema schema_;
  const Clock::time_point begin_ = Clock::now();
  PhaseClock phases_;

  std::vector<PlannedProblem> problems_;  ///< on rank 0
  std::optional<Ledger> ledger_;          ///< on rank 0
  std::unique_ptr<TimeLeft> time_left_;   ///< on rank 0
  double cores_a_rank_ = 1;
  std::vector<std::string> digests_;
  std::shared_ptr<const TrialOutcomes> trials_;
  int launch_ = 0;
  FrontCollector fronts_;  ///< of the tasks that this rank has run
  std::unordered_map<TaskKey, std::int64_t, HashOfKey> own_tasks_;  ///< the same by their keys
  std::optional<journal::JournalWriter> journal_;  ///< on every rank that may be a team's root
  std::exception_ptr error_;  ///< ends the run in order: the journal cannot be written, or a task
                              ///< ended for a reason that is not its own
  parallel::TaskQueue* queue_ = nullptr;  ///< while tasks run
  double prepared_ = 0;                   ///< seconds of the cache before the running task
  Clock::time_point begun_;               ///< the running task
  double cpu_before_ = 0;                 ///< CPU seconds before it, but for those of the cache
  Clock::time_point advance_due_;         ///< when the running task tells next how far it is
  std::int64_t ran_ = 0;
  int times_restored_ = 0;  ///< that were told
};

}  // namespace fairfront::sweep
