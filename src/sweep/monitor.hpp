/// @file
/// A sign of life while a run goes on.
#pragma once

#include <cstdint>
#include <string>
#include <thread>

#include "sweep/progress.hpp"

namespace fairfront::sweep {

/// A thread of rank 0 that writes the journal's heartbeat every few seconds. It calls no MPI.
class Monitor {
 public:
  /// @param active  false: does nothing (the other ranks).
  Monitor(bool active, std::string journal, std::int64_t ranks, const Progress& progress);
  ~Monitor();
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;

 private:
  void beat(const std::string& state) const;

  std::string journal_;
  std::int64_t ranks_;
  const Progress& progress_;
  std::jthread thread_;
};

}  // namespace fairfront::sweep
