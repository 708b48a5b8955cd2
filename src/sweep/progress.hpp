/// @file
/// What a long run says while it goes on. Formats lines; a sink of the driver prints them.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/experiment.hpp"
#include "sweep/time_left.hpp"

namespace fairfront::sweep {

enum class ProgressStyle {
  terminal,  ///< one line, rewritten in place
  log,       ///< plain lines
  silent,    ///< warnings alone
};

/// A task that a team has ended.
struct EndedTask {
  std::int64_t index = 0;  ///< in the plan
  double seconds = 0;
  bool failed = false;
};

/// What a time left is worth.
enum class Sureness {
  known,     ///< by tasks of every kind that have ended
  guessed,   ///< some kinds by what others took
  at_least,  ///< without tasks of which nothing is known yet
};

[[nodiscard]] std::string_view name_of(Sureness sureness);

/// The state of a run as it is shown.
struct ProgressState {
  std::int64_t total = 0;
  std::int64_t done = 0;  ///< failed tasks included
  std::int64_t failed = 0;
  std::int64_t done_before = 0;  ///< of `done`, by earlier runs: no part of the rate
  std::int64_t other_done = 0;   ///< by earlier runs, and no task of this one, as of another slice
  std::int64_t other_failed = 0;
  double earlier_seconds = 0;         ///< that tasks done by earlier runs took, one after another
  double ended_seconds = 0;           ///< that those ended by this run took
  std::vector<EndedTask> slowest{};   ///< the first few of this run, slowest first
  std::vector<EndedTask> failures{};  ///< the first few of this run
  double fraction = 0;                ///< of the running task, in [0, 1]
  double running = 0;                 ///< those of the running tasks of all ranks, summed
  double seconds = 0;                 ///< since the run began
  /// Until the run ends, as far as anything is known of it.
  std::optional<double> seconds_left{};
  Sureness sureness = Sureness::known;      ///< of seconds_left
  std::optional<std::int64_t> in_flight{};  ///< the run stops, and so many tasks still run
  std::string task;                         ///< label of the running or last task
  std::string text;                         ///< what it said last
};

/// "3/10 tasks, 30%, 1 failed, 2.1 tasks/s, 0:03 left; iteration 12/50 [safairkm_front, seed=4]":
/// what changes stands first, because a terminal cuts the end. "about 0:03 left" where it is a
/// guess, "over 0:03 left" where it is a lower bound, "stopping, 2 tasks in flight" instead when
/// the run stops.
[[nodiscard]] std::string format_progress(const ProgressState& state);

inline constexpr double terminal_interval = 0.1;   ///< seconds between two lines, at least
inline constexpr double log_report_interval = 30;  ///< of what goes on, in seconds

/// A line that is written over the last one of a terminal: cut where it would wrap.
[[nodiscard]] std::string over_the_last(std::string line, std::size_t columns);

/// "0:07", "12:34", "1:02:03", "3 d 4 h".
[[nodiscard]] std::string format_duration(double seconds);

/// Decides which of a run's events become lines.
///
/// On a terminal at most 10 a second, each over the last. In a log one for a task that ended, at
/// most one a second, and one every 30 s while tasks run, whether or not they tell anything; the
/// last task's line is always there.
/// May be called from several threads.
class Progress {
 public:
  using Sink = std::function<void(std::string_view)>;  ///< takes text with its line ends
  using Clock = std::function<std::chrono::duration<double>()>;

  /// @param columns  width of the terminal.
  Progress(ProgressStyle style, Sink sink, std::size_t columns = 80, Clock clock = steady_clock);

  /// A line of its own, for before the run begins.
  void warn(std::string_view text);
  /// @param done, failed  by earlier runs; `done` counts failed tasks, too.
  void begin(std::int64_t total, std::int64_t done = 0, std::int64_t failed = 0);
  /// What earlier runs left, after begin(): results of tasks that are not among `total`, and the
  /// seconds of all that are done.
  void set_earlier(std::int64_t other_done, std::int64_t other_failed, double seconds);
  void begin_task(std::string_view label);
  void report(const TaskProgress& task);
  void end_task(const EndedTask& task);  ///< on any rank
  /// How far the running tasks of all ranks have come, as a number of tasks.
  void set_running(double tasks);
  /// Writes the line that is due, also where no task tells anything: called several times a second.
  void look();
  /// What is reckoned now; between two calls the clock counts down from it.
  void estimate(double seconds_left, Sureness sureness);
  void estimate(const TimeEstimate& time_left);
  /// No task is begun any more. The first call writes a line at once.
  void stopping(std::int64_t in_flight);
  void end();
  [[nodiscard]] ProgressState state() const;

  [[nodiscard]] static std::chrono::duration<double> steady_clock();

 private:
  void reckon(ProgressState& state) const;
  void show(double quiet_seconds);
  void write_line();

  mutable std::mutex mutex_;
  ProgressStyle style_;
  Sink sink_;
  std::size_t columns_;
  Clock clock_;
  ProgressState state_;
  double begun_ = 0;
  double last_line_ = 0;
  std::optional<double> reckoned_end_;  ///< reading of the clock
  Sureness reckoned_sureness_ = Sureness::known;
  bool goes_on_ = false;  ///< between begin() and end()
  bool unsaid_ = false;   ///< a task has ended since the last line
};

}  // namespace fairfront::sweep
