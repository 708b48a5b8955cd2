/// @file
/// A sign of life while a run goes on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <thread>

#include "base/folder.hpp"
#include "sweep/progress.hpp"

namespace fairfront::sweep {

/// From one heartbeat to the next: a second, so that `status` is hardly older than the line of the
/// run; up to five where a file system is slow to take one.
/// @param seconds_taken  by the last one.
[[nodiscard]] double seconds_to_next_beat(double seconds_taken);

/// A thread of rank 0 that looks at the run several times a second, has the progress lines written
/// that are due, and writes the journal's heartbeat every second, or every few where the file
/// system is slow. It calls no MPI.
class Monitor {
 public:
  /// @param active  false: does nothing (the other ranks).
  /// @param journal  called by the thread: the folder as it is known now, or an InputError.
  /// @param look  called several times a second, by the thread; must not throw. May be empty.
  Monitor(bool active, std::function<base::Folder()> journal, std::int64_t ranks,
          Progress& progress, std::function<void()> look = {});
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

 private:
  void beat(const std::string& state);

  std::function<base::Folder()> journal_;
  std::int64_t ranks_;
  Progress& progress_;
  std::function<void()> look_;
  bool silent_ = false;  ///< the last heartbeat could not be written; of the thread alone
  std::jthread thread_;
};

}  // namespace fairfront::sweep
