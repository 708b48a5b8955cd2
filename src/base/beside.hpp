/// @file
/// Long calls without stop points, such as a library's decomposition of a large matrix.
#pragma once

#include <chrono>
#include <concepts>
#include <future>
#include <thread>
#include <type_traits>
#include <utility>

#include "base/cpu_time.hpp"
#include "base/stop.hpp"
#include "base/system.hpp"

namespace fairfront::base {

/// Whether a stop_point() of the calling thread asks anyone.
[[nodiscard]] bool has_stop_points() noexcept;

/// What `work` returns: the same bits as those of a plain call, which it is where no stop can come.
/// Else it runs in a thread of its own, and the caller waits at a stop point. Once the caller has
/// left, `work` goes on by itself until it or the process ends: it must own whatever it touches.
/// Some 30 microseconds more than a plain call.
/// @throws Interrupted, or what `work` throws.
template <std::invocable Work>
[[nodiscard]] std::invoke_result_t<Work> beside(Work work) {
  if (!has_stop_points()) return std::move(work)();
  std::promise<double> spent;
  std::future<double> seconds = spent.get_future();
  std::packaged_task<std::invoke_result_t<Work>()> task(std::move(work));
  auto result = task.get_future();
  std::thread thread = quiet_thread([task = std::move(task), spent = std::move(spent)]() mutable {
    task();
    spent.set_value(cpu_seconds());
  });
  try {
    while (seconds.wait_for(std::chrono::milliseconds{20}) != std::future_status::ready) {
      stop_point();
    }
  } catch (...) {
    thread.detach();
    throw;
  }
  thread.join();
  add_cpu_seconds(seconds.get());
  return result.get();
}

}  // namespace fairfront::base
