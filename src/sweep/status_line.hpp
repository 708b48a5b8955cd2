/// @file
/// What one long computation says while it goes on.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

#include "sweep/progress.hpp"

namespace fairfront::sweep {

/// On a terminal one line that is rewritten, at most 10 times a second; in a log a line every 30 s,
/// the first one when 30 s have passed. The line on the terminal ends with this.
class StatusLine {
 public:
  /// @param columns  width of the terminal.
  StatusLine(ProgressStyle style, Progress::Sink sink, std::size_t columns,
             Progress::Clock clock = Progress::steady_clock);
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;
  ~StatusLine();

  /// @param text  is asked for a text without line ends, where one is due.
  void show(const std::function<std::string()>& text);

 private:
  ProgressStyle style_;
  Progress::Sink sink_;
  std::size_t columns_;
  Progress::Clock clock_;
  double last_;
  bool stands_ = false;  ///< a line on the terminal
};

}  // namespace fairfront::sweep
