#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "archive/archive.hpp"
#include "archive/journal.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "sweep/reopen.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::size_t shown_tasks = 5;
/// A run writes its sign of life every 5 s; a busy file system may hold it up for longer.
constexpr double silent_seconds = 60;

std::string format_seconds(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

double now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Alive or not, as far as a reader without locks can tell.
std::string life_text(const std::optional<archive::Heartbeat>& beat) {
  if (!beat) return "no sign of life: the run has not begun its tasks, or is of another machine";
  const std::string where =
      fmt::format("host {}, process {}, {} ranks{}", beat->host, beat->process, beat->ranks,
                  beat->slurm_job.empty() ? "" : ", SLURM " + beat->slurm_job);
  // Clocks of two hosts differ: an age below zero is as good as none.
  const double age = std::max(0.0, now_seconds() - beat->unix_seconds);
  if (beat->state != "running")
    return fmt::format("not running since {} ({})", format_seconds(age), where);
  if (age <= silent_seconds)
    return fmt::format("running ({}), seen {} ago", where, format_seconds(age));
  return fmt::format("dead or out of reach: said 'running' {} ago ({})", format_seconds(age),
                     where);
}

struct Counts {
  std::int64_t done = 0;
  std::int64_t failed = 0;
  double seconds = 0;  ///< of all finished tasks
};

Counts count(const std::vector<archive::TaskRecord>& records) {
  Counts counts;
  for (const archive::TaskRecord& record : records) {
    ++(record.status == archive::TaskStatus::failed ? counts.failed : counts.done);
    counts.seconds += record.seconds;
  }
  return counts;
}

/// What the finished tasks say about the others, if they are alike.
std::string rate_text(const Counts& counts, std::int64_t left, std::int64_t ranks) {
  const std::int64_t finished = counts.done + counts.failed;
  if (finished == 0 || counts.seconds <= 0 || ranks < 1) return "";
  const double mean = counts.seconds / static_cast<double>(finished);
  const auto workers = static_cast<double>(ranks);
  return fmt::format("rate     {} s per task, {} tasks/s on {} ranks; about {} left\n",
                     format_value(mean), format_value(workers / mean), ranks,
                     format_seconds(static_cast<double>(left) * mean / workers));
}

/// Names of tasks by their keys; just the keys when the program does not know the sweep.
class TaskNames {
 public:
  explicit TaskNames(const archive::JournalHeader& header) : header_{header} {
    try {
      const sweep::StoredConfig stored = sweep::stored_config(header.config, header.axes);
      sweep_.emplace(load_sweep(stored.text, "journal", stored.assignments));
    } catch (const base::InputError&) {
      // A newer or older program made the journal: its tasks have no names here.
    }
  }

  [[nodiscard]] std::string name(const std::string& key) const {
    if (!sweep_) return key.substr(0, 12);
    for (std::int64_t i = 0; i < sweep_->plan.num_tasks(); ++i) {
      const sweep::Task task = sweep_->plan.task(i);
      const bool found = std::ranges::any_of(header_.datasets, [&](const auto& dataset) {
        return sweep_->plan.key_of(task, dataset.digest) == key;
      });
      if (found) return fmt::format("task {} ({})", i, sweep_->plan.label(task));
    }
    return key.substr(0, 12);
  }

 private:
  const archive::JournalHeader& header_;
  std::optional<Sweep> sweep_;
};

std::string failures_text(const std::vector<archive::TaskRecord>& records, const TaskNames& names) {
  std::string text;
  std::size_t shown = 0;
  std::size_t hidden = 0;
  for (const archive::TaskRecord& record : records) {
    if (record.status != archive::TaskStatus::failed) continue;
    if (shown == shown_tasks) {
      ++hidden;
      continue;
    }
    ++shown;
    text += fmt::format("failed   {}: {}\n", names.name(record.key), record.message);
  }
  return hidden == 0 ? text : text + fmt::format("         and {} more\n", hidden);
}

std::string slowest_text(std::vector<archive::TaskRecord> records, const TaskNames& names) {
  const std::size_t count = std::min(shown_tasks, records.size());
  const auto slower = [](const archive::TaskRecord& a, const archive::TaskRecord& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.key < b.key;
  };
  std::partial_sort(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count),
                    records.end(), slower);
  std::string text;
  for (std::size_t i = 0; i < count; ++i) {
    text += fmt::format("slowest  {} s on rank {}: {}\n", format_value(records[i].seconds),
                        records[i].rank, names.name(records[i].key));
  }
  return text;
}

std::string journal_text(const std::string& path) {
  const archive::JournalContents journal = archive::read_journal(path, false);
  const std::optional<archive::Heartbeat> beat = archive::read_heartbeat(path);
  const TaskNames names(journal.header);
  const Counts counts = count(journal.records);
  const std::int64_t total = beat && beat->total > 0 ? beat->total : journal.header.tasks;
  const std::int64_t left = std::max<std::int64_t>(0, total - counts.done - counts.failed);
  std::string text = fmt::format("{}: {}\n", path, life_text(beat));
  text += fmt::format("tasks    {} done, {} failed, {} to do, of {}\n", counts.done, counts.failed,
                      left, total);
  text += rate_text(counts, left, beat ? beat->ranks : 0);
  if (beat && beat->state == "running") {
    for (const std::string& task : beat->running) text += fmt::format("running  {}\n", task);
  }
  text += failures_text(journal.records, names);
  text += slowest_text(journal.records, names);
  text += fmt::format("journal  {}, {} launches\n",
                      format_bytes(static_cast<double>(journal.bytes)), journal.launches);
  for (const std::string& warning : journal.warnings) text += fmt::format("warning  {}\n", warning);
  return text;
}

std::string archive_status(const std::string& path) {
  const archive::Stored stored = archive::read(path);
  const auto count = [&](archive::TaskStatus status) {
    return std::ranges::count(stored.content.tasks.status, status);
  };
  return fmt::format("{}: {} archive, {} tasks done, {} failed, {} missing; digest {}\n", path,
                     stored.status, count(archive::TaskStatus::done),
                     count(archive::TaskStatus::failed), count(archive::TaskStatus::missing),
                     stored.digest);
}

base::ExitCode execute_status(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const bool has_archive = std::filesystem::exists(path) && !std::filesystem::is_directory(path);
  const std::string journal = archive::journal_path(path);
  const bool has_journal = archive::journal_exists(journal);
  if (!has_archive && !has_journal) {
    throw base::InputError(fmt::format("there is neither '{}' nor '{}'", path, journal));
  }
  if (has_archive) fmt::print("{}", archive_status(path));
  if (has_journal) fmt::print("{}", journal_text(journal));
  return base::ExitCode::done;
}

}  // namespace

Command status_command() {
  Command command;
  command.name = "status";
  command.summary =
      "How far a run is, alive or dead: from its journal, without locks, on any node.";
  command.arguments = {{"ARCHIVE"}};
  command.details = "ARCHIVE is what the run was given as --output.\n";
  command.execute = execute_status;
  return command;
}

}  // namespace fairfront::drivers
