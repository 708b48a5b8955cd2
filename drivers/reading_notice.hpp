/// @file
/// A command that waits for a large file says so.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>

#include "data/readers/reading_scope.hpp"

namespace fairfront::drivers {

/// While it lives, the calling thread's reading of a file that takes more than two seconds is told
/// on the standard error, and every 30 s again. A thread of its own does that, which begins with
/// the first file.
class ReadingNotice {
 public:
  /// @param active  false: nothing is told (--quiet, the other ranks).
  explicit ReadingNotice(bool active);
  ~ReadingNotice();
  ReadingNotice(const ReadingNotice&) = delete;
  ReadingNotice& operator=(const ReadingNotice&) = delete;

 private:
  using Clock = std::chrono::steady_clock;

  void note(const std::string& file);
  void watch(const std::stop_token& stop);

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string file_;  ///< empty: none is being read
  Clock::time_point due_;
  std::optional<data::ReadingScope> scope_;
  std::jthread thread_;
};

}  // namespace fairfront::drivers
