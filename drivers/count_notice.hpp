/// @file
/// A command that goes through many results says how far it has come.
#pragma once

#include <chrono>
#include <cstddef>
#include <string>

namespace fairfront::drivers {

/// Called after each of many; told on the standard error after five seconds, and every ten again.
class CountNotice {
 public:
  /// @param did  what is done with each, such as "tasks are measured".
  explicit CountNotice(std::string did);
  void operator()(std::size_t done, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;

  std::string did_;
  Clock::time_point due_;
};

}  // namespace fairfront::drivers
