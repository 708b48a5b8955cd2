#include "sweep/progress.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace fairfront::sweep {
namespace {

constexpr double terminal_interval = 0.1;
constexpr double log_task_interval = 1;
constexpr double log_report_interval = 30;
constexpr std::string_view clear_to_end_of_line = "\x1b[K";

std::string format_rate(double tasks_per_second) {
  if (tasks_per_second >= 1) return fmt::format("{:.1f} tasks/s", tasks_per_second);
  if (tasks_per_second * 60 >= 1) return fmt::format("{:.1f} tasks/min", tasks_per_second * 60);
  return fmt::format("{:.1f} tasks/h", tasks_per_second * 3600);
}

}  // namespace

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
  const double work = static_cast<double>(state.done) + std::clamp(state.fraction, 0.0, 1.0);
  const double own_work = work - static_cast<double>(state.done_before);
  const auto total = static_cast<double>(std::max<std::int64_t>(state.total, 1));
  std::string line = fmt::format("{}/{} tasks, {:.0f}%", state.done, state.total,
                                 std::floor(100 * std::min(work / total, 1.0)));
  if (state.failed > 0) line += fmt::format(", {} failed", state.failed);
  if (own_work > 0 && state.seconds > 0) {
    line += ", " + format_rate(own_work / state.seconds);
    const double left = state.seconds / own_work * std::max(total - work, 0.0);
    line += state.done == state.total ? fmt::format(", {} in all", format_duration(state.seconds))
                                      : fmt::format(", {} left", format_duration(left));
  }
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
  if (style_ != ProgressStyle::silent) sink_(fmt::format("warning: {}\n", text));
}

void Progress::begin(std::int64_t total, std::int64_t done, std::int64_t failed) {
  const std::lock_guard lock(mutex_);
  state_ = {};
  state_.total = total;
  state_.done = state_.done_before = done;
  state_.failed = failed;
  begun_ = clock_().count();
  last_line_ = begun_;
}

void Progress::begin_task(std::string label) {
  const std::lock_guard lock(mutex_);
  state_.task = std::move(label);
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

void Progress::end_task(bool failed) {
  const std::lock_guard lock(mutex_);
  ++state_.done;
  state_.fraction = 0;
  if (failed) ++state_.failed;
  unsaid_ = true;
  show(log_task_interval);
}

void Progress::end() {
  const std::lock_guard lock(mutex_);
  if (style_ == ProgressStyle::silent) return;
  if (style_ == ProgressStyle::terminal || unsaid_) write_line();
  if (style_ == ProgressStyle::terminal) sink_("\n");
}

ProgressState Progress::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

void Progress::show(double quiet_seconds) {
  if (style_ == ProgressStyle::silent) return;
  if (style_ == ProgressStyle::terminal) quiet_seconds = terminal_interval;
  if (clock_().count() - last_line_ < quiet_seconds) return;
  write_line();
}

void Progress::write_line() {
  last_line_ = clock_().count();
  state_.seconds = last_line_ - begun_;
  unsaid_ = false;
  std::string line = format_progress(state_);
  std::replace(line.begin(), line.end(), '\n', ' ');
  if (style_ == ProgressStyle::log) {
    sink_(line + "\n");
    return;
  }
  // A line as wide as the terminal would wrap and could no longer be rewritten.
  if (line.size() >= columns_ && columns_ > 0) line.resize(columns_ - 1);
  sink_(fmt::format("\r{}{}", line, clear_to_end_of_line));
}

}  // namespace fairfront::sweep
