#include "sweep/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/printable.hpp"

namespace fairfront::sweep {
namespace {

constexpr double log_task_interval = 1;
constexpr std::size_t most_listed = 5;  ///< of the slowest tasks and of the failures
constexpr std::string_view clear_to_end_of_line = "\x1b[K";

std::string format_rate(double tasks_per_second) {
  if (tasks_per_second >= 1) return fmt::format("{:.1f} tasks/s", tasks_per_second);
  if (tasks_per_second * 60 >= 1) return fmt::format("{:.1f} tasks/min", tasks_per_second * 60);
  return fmt::format("{:.1f} tasks/h", tasks_per_second * 3600);
}

std::string_view word_of(Sureness sureness) {
  if (sureness == Sureness::known) return "";
  return sureness == Sureness::guessed ? "about " : "over ";
}

std::string format_end(const ProgressState& state) {
  if (state.done == state.total) {
    constexpr double worth_telling = 2;  // seconds
    const double writing = state.in_flight ? 0 : state.seconds_left.value_or(0);
    return fmt::format(", {} in all{}", format_duration(state.seconds),
                       writing < worth_telling
                           ? ""
                           : fmt::format(", about {} to write", format_duration(writing)));
  }
  if (state.in_flight == 0) return ", stopped";
  if (state.in_flight) {
    return fmt::format(", stopping, {} task{} in flight", *state.in_flight,
                       *state.in_flight == 1 ? "" : "s");
  }
  if (!state.seconds_left || *state.seconds_left <= 0) return "";
  return fmt::format(", {}{} left", word_of(state.sureness), format_duration(*state.seconds_left));
}

void keep_if_slow(std::vector<EndedTask>& slowest, const EndedTask& task) {
  const auto slower = [](const EndedTask& a, const EndedTask& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.index < b.index;
  };
  slowest.insert(std::ranges::upper_bound(slowest, task, slower), task);
  if (slowest.size() > most_listed) slowest.pop_back();
}

}  // namespace

std::string_view name_of(Sureness sureness) {
  constexpr std::array<std::string_view, 3> names{"known", "guessed", "at_least"};
  return names.at(static_cast<std::size_t>(sureness));
}

std::string over_the_last(std::string line, std::size_t columns) {
  // A line as wide as the terminal would wrap and could no longer be rewritten.
  if (line.size() >= columns && columns > 0) line.resize(columns - 1);
  return fmt::format("\r{}{}", line, clear_to_end_of_line);
}

std::string format_duration(double seconds) {
  constexpr double longest = 1e9;
  const auto total = static_cast<std::int64_t>(std::min(std::round(seconds), longest));
  const std::int64_t minutes = total / 60;
  const std::int64_t hours = minutes / 60;
  if (hours >= 48) return fmt::format("{} d {} h", hours / 24, hours % 24);
  if (hours >= 1) return fmt::format("{}:{:02}:{:02}", hours, minutes % 60, total % 60);
  return fmt::format("{}:{:02}", minutes, total % 60);
}

std::string format_progress(const ProgressState& state) {
  const double running = std::max(std::clamp(state.fraction, 0.0, 1.0), state.running);
  const double work = static_cast<double>(state.done) + running;
  const double own_work = work - static_cast<double>(state.done_before);
  const auto total = static_cast<double>(std::max<std::int64_t>(state.total, 1));
  std::string line = fmt::format("{}/{} tasks, {:.0f}%", state.done, state.total,
                                 std::floor(100 * std::min(work / total, 1.0)));
  if (state.failed > 0) line += fmt::format(", {} failed", state.failed);
  const bool has_rate = own_work > 0 && state.seconds > 0;
  if (has_rate) line += ", " + format_rate(own_work / state.seconds);
  if (has_rate || state.done < state.total) line += format_end(state);
  if (!state.text.empty()) line += "; " + state.text;
  if (!state.task.empty()) line += fmt::format(" [{}]", state.task);
  return line;
}

Progress::Progress(ProgressStyle style, Sink sink, std::size_t columns, Clock clock)
    : style_{style}, sink_{std::move(sink)}, columns_{columns}, clock_{std::move(clock)} {}

std::chrono::duration<double> Progress::steady_clock() {
  return std::chrono::steady_clock::now().time_since_epoch();
}

void Progress::warn(std::string_view text) {
  const std::lock_guard lock(mutex_);
  sink_(fmt::format("warning: {}\n", base::visible(text, "\n")));
}

void Progress::begin(std::int64_t total, std::int64_t done, std::int64_t failed) {
  const std::lock_guard lock(mutex_);
  state_ = {};
  state_.total = total;
  state_.done = state_.done_before = done;
  state_.failed = failed;
  begun_ = clock_().count();
  last_line_ = begun_;
  reckoned_end_.reset();
  goes_on_ = true;
}

void Progress::set_earlier(std::int64_t other_done, std::int64_t other_failed, double seconds) {
  const std::lock_guard lock(mutex_);
  state_.other_done = other_done;
  state_.other_failed = other_failed;
  state_.earlier_seconds = seconds;
}

void Progress::begin_task(std::string_view label) {
  const std::lock_guard lock(mutex_);
  state_.task = base::printable(label);
  state_.text.clear();
  state_.fraction = 0;
  show(log_report_interval);
}

void Progress::report(const TaskProgress& task) {
  const std::lock_guard lock(mutex_);
  state_.fraction = task.fraction;
  state_.text = task.text;
  show(log_report_interval);
}

void Progress::end_task(const EndedTask& task) {
  const std::lock_guard lock(mutex_);
  ++state_.done;
  if (state_.done == state_.total) reckoned_end_.reset();  // that of tasks
  state_.fraction = 0;
  state_.ended_seconds += task.seconds;
  if (task.failed) {
    ++state_.failed;
    if (state_.failures.size() < most_listed) state_.failures.push_back(task);
  }
  keep_if_slow(state_.slowest, task);
  unsaid_ = true;
  show(log_task_interval);
}

void Progress::set_running(double tasks) {
  const std::lock_guard lock(mutex_);
  state_.running = tasks;
}

void Progress::look() {
  const std::lock_guard lock(mutex_);
  if (goes_on_) show(log_report_interval);
}

void Progress::estimate(double seconds_left, Sureness sureness) {
  const std::lock_guard lock(mutex_);
  reckoned_end_ = clock_().count() + seconds_left;
  reckoned_sureness_ = sureness;
}

/// What is guessed may be too much, but what is left out is more likely to make it too little.
void Progress::estimate(const TimeEstimate& time_left) {
  if (!time_left.seconds) return;
  Sureness sureness = time_left.guessed ? Sureness::guessed : Sureness::known;
  if (time_left.missing) sureness = Sureness::at_least;
  estimate(*time_left.seconds, sureness);
}

void Progress::stopping(std::int64_t in_flight) {
  const std::lock_guard lock(mutex_);
  const bool first = !state_.in_flight;
  state_.in_flight = in_flight;
  if (first && style_ != ProgressStyle::silent) write_line();
}

void Progress::reckon(ProgressState& state) const {
  const double now = clock_().count();
  state.seconds = now - begun_;
  state.seconds_left.reset();
  state.sureness = Sureness::known;
  if (reckoned_end_) {
    state.seconds_left = std::max(*reckoned_end_ - now, 0.0);
    state.sureness = reckoned_sureness_;
  }
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  goes_on_ = false;
  if (style_ == ProgressStyle::silent) return;
  if (state_.done < state_.total) {  // no time is left to tell of: the run ends here
    state_.in_flight = 0;
    state_.task.clear();
    state_.text.clear();
  }
  if (style_ == ProgressStyle::terminal || unsaid_) write_line();
  if (style_ == ProgressStyle::terminal) sink_("\n");
}

ProgressState Progress::state() const {
  const std::lock_guard lock(mutex_);
  ProgressState state = state_;
  reckon(state);
  return state;
}

void Progress::show(double quiet_seconds) {
  if (style_ == ProgressStyle::silent) return;
  if (style_ == ProgressStyle::terminal) quiet_seconds = terminal_interval;
  if (clock_().count() - last_line_ < quiet_seconds) return;
  write_line();
}

void Progress::write_line() {
  last_line_ = clock_().count();
  reckon(state_);
  unsaid_ = false;
  std::string line = format_progress(state_);
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (style_ == ProgressStyle::log) {
    sink_(line + "\n");
    return;
  }
  sink_(over_the_last(std::move(line), columns_));
}

}  // namespace fairfront::sweep
