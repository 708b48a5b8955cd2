/// @file
/// When a run will end, reckoned from what its tasks have taken and tell while they run.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "parallel/task_queue.hpp"
#include "sweep/core_load.hpp"
#include "sweep/task_times.hpp"

namespace fairfront::sweep {

/// Seconds until a run ends, and what they hang on.
struct TimeEstimate {
  std::optional<double> seconds;  ///< nothing before any task has told or ended
  bool guessed =
      false;  ///< some by how far tasks have come, or by what those of other classes took
  bool missing = false;  ///< some are left out: nothing is known of their class, whose unit differs
};

/// A run is a list of stages, one after another, in each of which teams take tasks from a list.
/// May be asked and told by several threads.
///
/// Where there are more ranks than cores, each task goes the slower the more of them run, and
/// beside other programs all do. So what tasks take is kept in CPU seconds, as they tell them, and
/// told in seconds of the wall clock: by a clock that goes as fast as tasks do, see CoreLoad. Of
/// tasks that tell no CPU seconds, that clock's stand for them.
class TimeLeft {
 public:
  using Clock = std::function<std::chrono::duration<double>()>;

  /// @param comparable  costs of all methods are of one unit, so that what others take says
  ///                    something of a method of which no task has ended.
  /// @param cores_a_rank  in (0, 1]: less than 1 where there are more ranks than cores.
  explicit TimeLeft(
      bool comparable = true,
      Clock clock = [] { return std::chrono::steady_clock::now().time_since_epoch(); },
      double cores_a_rank = 1)
      : comparable_{comparable}, clock_{std::move(clock)}, cores_a_rank_{cores_a_rank} {}

  /// A stage after all that are expected. @param teams  >= 1.
  void expect(std::int64_t teams, std::span<const TaskCost> waiting);
  /// A stage before all that are expected.
  void expect_first(std::int64_t teams, std::span<const TaskCost> waiting);
  /// The first of them begins.
  void begin_stage();
  /// It has ended, whatever has not been begun.
  void end_stage();

  /// Learns from a task that ran before, such as one in the journal of an earlier run, which is
  /// taken to have had as many ranks on its cores.
  /// @param writing  seconds that its result takes in the end.
  void observe(const TaskCost& cost, double seconds, double writing = 0);
  /// A team has got a task of the stage.
  void begin(std::int64_t task, const TaskCost& cost);
  /// The first one of a task may be of any fraction: it may go on from a checkpoint. A task that
  /// reckons its own end is believed: how its fractions follow one another says nothing then, as
  /// each is a share of another forecast.
  void advance(const parallel::Advance& advance);
  void end(const parallel::Finished& finished);

  /// Of the stage.
  struct Counts {
    std::int64_t waiting;
    std::int64_t running;        ///< begun, and not ended
    double done_of_running = 0;  ///< shares of these that are done, as they tell, summed
  };
  [[nodiscard]] Counts counts() const;
  /// Where at most 2,000 tasks of a stage wait, each goes to the team that is free first. What lay
  /// between two tasks of a team (claims, journal) will go on; so will, where tasks are shorter
  /// than look_ahead_seconds, what they took beyond their rate, as among thousands some always meet
  /// a busy core. A failed task has taken its time, and others of its class may fail as well.
  /// Results must be written when all tasks have ended: as long as was said of each on a quiet
  /// machine, of a task that waits as long as of those of its class on average.
  [[nodiscard]] TimeEstimate estimate() const;

 private:
  /// Tasks of a class and about one size.
  struct Bin {
    std::int64_t count = 0;
    double cost = 0;  ///< summed
    std::int32_t method = 0;
  };
  using Bins = std::map<std::pair<std::int32_t, int>, Bin>;  ///< by class and size
  struct Stage {
    std::int64_t teams;
    Bins waiting;
    std::int64_t count = 0;  ///< of waiting tasks
    std::int64_t total = 0;
    Bins ended{};
    std::int64_t ended_count = 0;
    double ended_seconds = 0;  ///< without what they prepared, on the clock of tasks
    double ended_cpu = 0;      ///< CPU seconds of the same
    double prepared = 0;       ///< seconds
    double at_work = 0;        ///< seconds of teams, up to the last event
  };
  struct Running {
    TaskCost cost;
    double begun;  ///< on the clock of tasks
    double begun_on_wall;
    double told_at;           ///< when it last told its CPU seconds, on the clock of tasks
    double cpu_told = 0;      ///< these,
    double seconds_told = 0;  ///< and seconds of the wall clock, both but for preparing
    double writing = 0;
    std::vector<Mark> marks{};             ///< by its CPU seconds
    std::optional<double> reckoned_end{};  ///< as the task itself reckons, if it does; so, too
    /// CPU seconds up to now.
    /// @param now  on the clock of tasks.
    [[nodiscard]] double used(double now) const { return cpu_told + now - told_at; }
    /// CPU seconds of the whole task, once it has told enough.
    [[nodiscard]] std::optional<double> whole(const TaskCourse& course) const;
    /// CPU seconds that it still needs. @param expected  of the whole task.
    /// @param doubt  of that, see TaskTimes; nothing where no task of its class has ended.
    /// @param used   CPU seconds up to now.
    [[nodiscard]] double left(std::optional<double> expected, std::optional<double> doubt,
                              const TaskCourse& course, double used) const;
  };
  /// What results of tasks of a class take when they are written.
  struct Writing {
    double seconds = 0;
    std::int64_t tasks = 0;
  };
  /// What is known of tasks while the time left is reckoned.
  class Knowledge;

  [[nodiscard]] static Stage make_stage(std::int64_t teams, std::span<const TaskCost> waiting);
  static void add(Bins& bins, const TaskCost& cost, std::int64_t sign);
  void learn(const TaskCost& cost, double seconds);
  void note_cpu(Running& running, double cpu_seconds, double seconds);
  void note_writing(const TaskCost& cost, double seconds);
  [[nodiscard]] const TaskCourse& course_of(std::int32_t task_class) const;
  [[nodiscard]] double writing() const;
  [[nodiscard]] double beside_tasks(const Knowledge& knowledge) const;
  [[nodiscard]] double seconds_of(const Stage& stage, const Knowledge& knowledge) const;
  [[nodiscard]] double slowdown(const Stage& stage, double at_work) const;
  [[nodiscard]] double own_slowdown(const Stage& stage, double at_work) const;
  [[nodiscard]] double end_of_teams(const Stage& stage, const std::vector<double>& left,
                                    std::vector<double> waiting, double beside) const;
  /// Of a team of the running stage.
  [[nodiscard]] double speed() const;
  [[nodiscard]] double teams_at_work(const Stage& stage) const;
  [[nodiscard]] double shared() const;
  [[nodiscard]] double speed_of_late(const Running& running, double fraction) const;
  void settle();
  [[nodiscard]] double wall() const { return clock_().count(); }
  /// On the clock of tasks.
  [[nodiscard]] double now() const { return settled_ + (wall() - settled_on_wall_) * speed(); }

  mutable std::mutex mutex_;
  bool comparable_;
  Clock clock_;
  double cores_a_rank_;
  double settled_ = 0;          ///< the clock of tasks at the last event,
  double settled_on_wall_ = 0;  ///< and that of the wall,
  double shared_ = 0;           ///< and own_slowdown(), summed over all seconds of the wall
  std::list<Stage> stages_;     ///< the first one runs, once it has begun
  std::map<std::int64_t, Running> running_;
  std::map<std::int32_t, TaskTimes> times_;         ///< by class
  std::map<std::int32_t, std::int32_t> method_of_;  ///< by class, of those that tasks have run of
  std::map<std::int32_t, Writing> writing_;         ///< by class, of tasks that have ended
  Rate preparing_;                                  ///< seconds of a task
  CoreLoad load_;
};

}  // namespace fairfront::sweep
