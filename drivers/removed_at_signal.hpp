/// @file
/// What an interrupted command leaves behind: nothing.
#pragma once

#include <string>

namespace fairfront::drivers {

/// While it lives, a signal that ends the program (SIGINT, SIGTERM, SIGHUP, SIGPIPE) removes a file
/// first. Signals that are caught or ignored stay so. Of several at once only the first one is
/// removed.
class RemovedAtSignal {
 public:
  explicit RemovedAtSignal(const std::string& path);
  ~RemovedAtSignal();
  RemovedAtSignal(const RemovedAtSignal&) = delete;
  RemovedAtSignal& operator=(const RemovedAtSignal&) = delete;

 private:
  bool is_first_ = false;
};

}  // namespace fairfront::drivers
