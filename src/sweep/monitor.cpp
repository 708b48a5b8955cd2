#include "sweep/monitor.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <stop_token>
#include <utility>

#include "base/error.hpp"
#include "base/system.hpp"
#include "journal/journal.hpp"
#include "sweep/launch.hpp"

namespace fairfront::sweep {
namespace {

constexpr std::chrono::milliseconds look_interval{250};

int looks_in(double seconds) {
  return static_cast<int>(seconds / std::chrono::duration<double>(look_interval).count());
}

double wall_seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

double seconds_to_next_beat(double seconds_taken) {
  constexpr double most_share = 0.05;  // of the time
  constexpr double least = 1, most = 5;
  return std::clamp(seconds_taken / most_share, least, most);
}

Monitor::Monitor(bool active, std::function<base::Folder()> journal, std::int64_t ranks,
                 Progress& progress, std::function<void()> look)
    : journal_{std::move(journal)}, ranks_{ranks}, progress_{progress}, look_{std::move(look)} {
  if (!active) return;
  const base::SignalsBlocked blocked;  // the thread shall have none
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    int looks_left = 0;
    do {
      if (look_) look_();
      progress_.look();
      if (looks_left == 0) {
        looks_left = looks_in(seconds_to_next_beat(wall_seconds_of([&] { beat("running"); })));
      }
      --looks_left;
    } while (!wake.wait_for(lock, stop, look_interval, [&] { return stop.stop_requested(); }));
    if (look_) look_();
    beat(progress_.state().done < progress_.state().total ? "ended" : "writing");
  });
}

Monitor::~Monitor() = default;

void Monitor::beat(const std::string& state) {
  const ProgressState progress = progress_.state();
  journal::Heartbeat heartbeat;
  heartbeat.unix_seconds =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  heartbeat.host = base::host_name();
  heartbeat.process = getpid();
  heartbeat.ranks = ranks_;
  heartbeat.slurm_job = slurm_ids(process_environment);
  heartbeat.done = progress.done - progress.failed;
  heartbeat.failed = progress.failed;
  heartbeat.total = progress.total;
  heartbeat.other_done = progress.other_done;
  heartbeat.other_failed = progress.other_failed;
  heartbeat.ended = progress.done - progress.done_before;
  heartbeat.elapsed = progress.seconds;
  heartbeat.task_seconds = progress.earlier_seconds + progress.ended_seconds;
  for (const EndedTask& task : progress.slowest) {
    heartbeat.slowest_tasks.push_back(task.index);
    heartbeat.slowest_seconds.push_back(task.seconds);
  }
  for (const EndedTask& task : progress.failures) heartbeat.failed_tasks.push_back(task.index);
  if (progress.seconds_left) heartbeat.seconds_left = *progress.seconds_left;
  heartbeat.sureness = name_of(progress.sureness);
  if (!progress.task.empty()) {
    heartbeat.running.push_back(progress.text.empty() ? progress.task
                                                      : progress.task + ": " + progress.text);
  }
  heartbeat.state = state;
  try {
    journal::write_heartbeat(journal_(), heartbeat);
    silent_ = false;
  } catch (const base::Error& error) {
    // A run without a sign of life is better than no run.
    if (!std::exchange(silent_, true)) {
      progress_.warn(
          fmt::format("{}; the run goes on, but `status` does not see it", error.what()));
    }
  }
}

}  // namespace fairfront::sweep
