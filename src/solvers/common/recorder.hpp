/// @file
/// Trajectories of a run at stated counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairfront::solvers {

/// About `points` counts from 0 to `last` >= 1, both among them, as evenly spaced as whole numbers
/// can be; none for points = 0. Ascending.
[[nodiscard]] std::vector<std::int64_t> evenly_spaced(std::int64_t last, std::int64_t points);

/// Up to `points` counts from 1 to `last` >= 1, evenly spaced in their logarithm where that gives
/// whole numbers; the last one alone for points = 1. Ascending.
[[nodiscard]] std::vector<std::int64_t> log_spaced(std::int64_t last, std::int64_t points);

/// What a Recorder has taken down.
struct Trace {
  std::vector<std::string> names;           ///< of the series
  std::vector<std::int64_t> steps;          ///< counts of iterations, or of a budget, shape (n,)
  std::vector<std::vector<double>> values;  ///< shape (names, n)
  std::vector<double> seconds;              ///< CPU time at each step; volatile, shape (n,)

  /// @throws std::out_of_range  no such series.
  [[nodiscard]] std::span<const double> of(std::string_view name) const;
};

/// Takes down several series at given counts:
///
///     if (recorder.due(t)) recorder.record(t, {cost, balance});
///
/// Seconds are those of the calling thread, without what passes between due() and record(): the
/// values that are recorded may be dear, and are not the method's work. Allocates when it is made.
class Recorder {
 public:
  /// @param counts  ascending.
  Recorder(std::vector<std::string> names, std::vector<std::int64_t> counts);

  /// Whether a count that was asked for has been reached. If so, the clock stops until record().
  [[nodiscard]] bool due(std::int64_t count) noexcept {
    if (next_ == counts_.size() || count < counts_[next_]) return false;
    pause();
    return true;
  }

  /// @param values  one for each name. Counts asked for up to `count` are done with.
  void record(std::int64_t count, std::span<const double> values);
  void record(std::int64_t count, std::initializer_list<double> values) {
    record(count, std::span<const double>(values.begin(), values.size()));
  }

  /// What is taken down so far.
  [[nodiscard]] const Trace& trace() const noexcept { return trace_; }
  /// Goes on after what an earlier recorder with the same names and counts has taken down; the
  /// seconds go on, too. @throws std::invalid_argument  it has other names, or no whole points.
  void go_on(Trace trace);

  [[nodiscard]] Trace take() && { return std::move(trace_); }

 private:
  void pause() noexcept;

  std::vector<std::int64_t> counts_;
  std::size_t next_ = 0;
  double begin_;        ///< CPU seconds when the run's clock showed 0
  double paused_ = -1;  ///< when the clock was stopped; negative while it runs
  Trace trace_;
};

}  // namespace fairfront::solvers
