/// @file
/// In which order tasks are handed out: longest expected first, learning from the times measured.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <unordered_set>
#include <utility>
#include <vector>

#include "parallel/task_queue.hpp"
#include "sweep/task_times.hpp"

namespace fairfront::sweep {

/// An answer of rank 0 takes some milliseconds while every core computes: less than 1 % of this.
inline constexpr double look_ahead_seconds = 0.5;

/// What is lost of tasks that run at once when they are stopped: they have no checkpoint.
inline constexpr double most_seconds_abreast = 10;

struct ScheduleOptions {
  using Clock = std::function<std::chrono::duration<double>()>;
  /// Reading of `clock` before which every task should have ended that is not resumable.
  double deadline = std::numeric_limits<double>::infinity();
  /// A task is begun if now + safety * expected seconds <= deadline; > 0.
  double safety = 1.25;
  /// Costs of all methods are of one unit, so that the rate over all says something of a class
  /// without an observation.
  bool comparable = true;
  /// Begin with a probe of every class: its shortest task, the middle one of equally short ones, if
  /// that is at most a quarter of the class's work. Then the rates by which long tasks are ordered
  /// are those of their own class. Where costs are not comparable, a method without a probe begins
  /// with its longest task behind the probes: what it takes is known only once it runs.
  bool probe = false;
  Clock clock = [] { return std::chrono::steady_clock::now().time_since_epoch(); };
};

/// A task list that hands out the longest expected task first.
///
/// Expected seconds are unit cost times the rate of the task's class; while no task of a class has
/// been observed, the rate over all classes; while none at all, unit costs alone decide. Ties go
/// to the larger unit cost, then to the smaller index, so the order depends on nothing but costs
/// and reports. Probes, if wanted, go before all others, in the order of their classes, and behind
/// them the first tasks of methods, in the order of these; one that does not fit before the
/// deadline is no probe any more. A claim costs O(log n). Failed tasks teach nothing: they may have
/// ended early.
///
/// Near the deadline the longest task that is resumable or expected to end in time is taken. While
/// no rate is known, tasks that are not resumable are begun in the first half of the time between
/// construction and deadline only. What is left stays for a resumed run.
class Schedule final : public parallel::TaskSource {
 public:
  /// @param costs     of task i of the plan.
  /// @param finished  true for those that need not run; empty: all must run.
  /// @throws std::invalid_argument  a bad cost or option, or sizes that differ.
  explicit Schedule(std::vector<TaskCost> costs, const std::vector<bool>& finished = {},
                    ScheduleOptions options = {});

  std::optional<std::int64_t> next(const parallel::Finished& finished) override;
  /// Equally long ones of the class and of one loop, parallel::most_at_once with the task, or none:
  /// where they would take most_seconds_abreast alone, do not end in time, or few are waiting.
  std::vector<std::int64_t> companions(std::int64_t task, std::int64_t teams) override;
  void report(const parallel::Finished& finished) override { record(finished); }
  void withdraw(const parallel::Finished& finished) override { record(finished); }
  /// For tasks that are expected to take less than look_ahead_seconds, while many are waiting.
  [[nodiscard]] bool may_look_ahead(std::int64_t task, std::int64_t teams) const override;

  /// Learns from a task that ran before, such as one in the journal of an earlier run.
  void observe(std::int64_t task, double seconds);

  /// Nothing more is handed out. May be called by any thread at any time, and in a signal handler.
  void stop() noexcept { stopped_ = true; }
  [[nodiscard]] bool stopped() const noexcept { return stopped_; }

  [[nodiscard]] std::int64_t waiting() const noexcept { return waiting_; }

 private:
  /// Waiting tasks of one rate, in the order in which they are handed out.
  struct Entry {
    double unit_cost;
    std::int64_t task;
    bool operator<(const Entry& other) const {
      return unit_cost != other.unit_cost ? unit_cost > other.unit_cost : task < other.task;
    }
  };
  struct Pool {
    std::set<Entry> entries;
    Rate rate;
    bool resumable = false;
    std::optional<std::pair<double, Entry>> head;  ///< as it stands in heads_
  };
  /// Expected seconds and entry of each pool's first task that fits, longest first.
  struct Longer {
    bool operator()(const std::pair<double, Entry>& a, const std::pair<double, Entry>& b) const {
      return a.first != b.first ? a.first > b.first : a.second < b.second;
    }
  };
  using Heads = std::map<std::pair<double, Entry>, std::int32_t, Longer>;
  using Probes = std::map<std::int32_t, Entry>;

  void choose_probes();
  void choose_first_of_methods();
  [[nodiscard]] std::vector<Entry> alike(const Pool& pool, const TaskCost& cost) const;
  [[nodiscard]] std::optional<std::int64_t> next_probe(Probes& probes);
  void record(const parallel::Finished& finished);
  std::optional<std::int64_t> longest_that_fits();
  void renew_head(std::int32_t index);
  void take(Pool& pool, const Entry& entry);
  void open_pool(std::int32_t task_class);
  [[nodiscard]] double longest_allowed(const Pool& pool) const;
  [[nodiscard]] static std::int32_t shared_pool_of(const TaskCost& cost) {
    return cost.resumable ? unobserved_resumable : unobserved;
  }
  [[nodiscard]] const Rate& rate_of(std::int32_t task_class) const;
  [[nodiscard]] double now() const { return options_.clock().count(); }

  std::vector<TaskCost> costs_;
  ScheduleOptions options_;
  double begin_;
  /// Classes without an observation share two pools, whose rate is that over all.
  static constexpr std::int32_t unobserved = -1;
  static constexpr std::int32_t unobserved_resumable = -2;
  std::map<std::int32_t, Pool> pools_;
  std::map<std::int32_t, std::vector<std::int64_t>> unobserved_tasks_;
  Probes probes_;            ///< by class, of those without an observation
  Probes first_of_methods_;  ///< by method, of those without a probe and an observation
  Heads heads_;
  std::unordered_set<std::int64_t> running_;
  std::int64_t waiting_ = 0;
  std::atomic<bool> stopped_ = false;
};

}  // namespace fairfront::sweep
