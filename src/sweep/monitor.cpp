#include "sweep/monitor.hpp"

#include <unistd.h>

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <utility>

#include "archive/journal.hpp"
#include "base/error.hpp"
#include "sweep/launch.hpp"

namespace fairfront::sweep {
namespace {

constexpr std::chrono::seconds beat_interval{5};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace

Monitor::Monitor(bool active, std::string journal, std::int64_t ranks, const Progress& progress)
    : journal_{std::move(journal)}, ranks_{ranks}, progress_{progress} {
  if (!active) return;
  thread_ = std::jthread([this](const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    do {
      beat("running");
    } while (!wake.wait_for(lock, stop, beat_interval, [&] { return stop.stop_requested(); }));
    beat("ended");
  });
}

Monitor::~Monitor() = default;

void Monitor::beat(const std::string& state) const {
  const ProgressState progress = progress_.state();
  archive::Heartbeat heartbeat;
  heartbeat.unix_seconds =
      std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  heartbeat.host = host_name();
  heartbeat.process = getpid();
  heartbeat.ranks = ranks_;
  heartbeat.slurm_job = slurm_ids(process_environment);
  heartbeat.done = progress.done - progress.failed;
  heartbeat.failed = progress.failed;
  heartbeat.total = progress.total;
  if (!progress.task.empty()) heartbeat.running.push_back(progress.task + ": " + progress.text);
  heartbeat.state = state;
  try {
    archive::write_heartbeat(journal_, heartbeat);
  } catch (const base::Error&) {
    // A run without a sign of life is better than no run; the journal reports a full disk itself.
  }
}

}  // namespace fairfront::sweep
