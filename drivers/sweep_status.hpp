/// @file
/// How far a run is, as its archive and its journal tell: read without locks, on any node.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "journal/journal.hpp"
#include "results/task_record.hpp"

namespace fairfront::drivers {

/// What an archive says.
struct ArchiveStatus {
  std::string status;  ///< "complete" or "partial"
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t missing = 0;
  std::string digest;
};

/// As far as a reader without locks can tell.
enum class Life {
  unknown,  ///< no sign of life: no task has begun, or the run is of another machine
  running,  ///< seen within the last minute
  writing,  ///< its tasks have ended, and it makes the archive
  ended,    ///< it said so
  silent,   ///< it said "running" too long ago: dead or out of reach
};

/// Whether the run was seen not long ago.
[[nodiscard]] constexpr bool is_alive(Life life) noexcept {
  return life == Life::running || life == Life::writing;
}

/// A task of a journal and its name. By a heartbeat alone key, message and rank (-1) are not known.
struct NamedTask {
  results::TaskRecord record;
  std::string name;  ///< "task 3 (method, seed=4)", or the begin of its key
};

/// What a journal says.
struct JournalStatus {
  Life life = Life::unknown;
  std::optional<journal::Heartbeat> beat;
  double silence = 0;  ///< seconds since the heartbeat, >= 0
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t left = 0;
  std::int64_t total = 0;  ///< of the launch: a slice has its own tasks alone
  std::int64_t others =
      0;               ///< results of tasks that the launch did not ask for, in none of the above
  double seconds = 0;  ///< of all finished tasks together
  /// The logs are long and the run goes on: all of this is what its heartbeat says.
  bool by_heartbeat = false;
  std::optional<double> seconds_left;  ///< as the run reckons, or as the mean of its tasks says
  std::string sureness;                ///< of it, as the run says; "mean" where its tasks do
  std::vector<NamedTask> failures;     ///< the first few
  std::vector<NamedTask> slowest;      ///< the first few, slowest first
  std::int64_t bytes = 0;
  int launches = 0;
  std::vector<std::string> warnings;
};

struct SweepStatus {
  std::string path;
  std::optional<ArchiveStatus> archive;
  std::optional<JournalStatus> journal;
};

/// @param path  of the archive; it may have a journal alone.
/// @throws base::InputError  there is neither.  @throws base::DamagedError  a damaged archive.
[[nodiscard]] SweepStatus read_status(const std::string& path);

/// Several lines.
[[nodiscard]] std::string status_text(const SweepStatus& status);

/// "running", "not running", "no answer", "complete", "partial".
[[nodiscard]] std::string state_of(const SweepStatus& status);

/// "12 s", "5 min", "3.4 h".
[[nodiscard]] std::string format_seconds(double seconds);

/// The same for programs: numbers as numbers, null for what is not known.
[[nodiscard]] nlohmann::ordered_json status_json(const SweepStatus& status);

}  // namespace fairfront::drivers
