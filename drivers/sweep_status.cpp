#include "sweep_status.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <utility>

#include "archive/archive.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "load_sweep.hpp"
#include "sweep/dataset_of_task.hpp"
#include "sweep/progress.hpp"
#include "sweep/stored_config.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::size_t most_listed = 5;
/// Longer logs of a run that goes on are not read: what it says of itself every second is enough.
constexpr std::int64_t most_bytes_read = 2'000'000;
/// A run writes its sign of life every second; a busy file system may hold it up for long.
constexpr double silent_seconds = 60;

double now_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration<double>(now).count();
}

/// Names of tasks by their keys; just the keys when the program does not know the sweep.
class TaskNames {
 public:
  explicit TaskNames(const results::SweepIdentity& header) : header_{header} {
    try {
      const sweep::StoredConfig stored = sweep::stored_config(header.config, header.axes);
      sweep_.emplace(load_sweep(stored.text, "journal", stored.assignments));
    } catch (const base::InputError&) {
      // A newer or older program made the journal: its tasks have no names here.
    }
  }

  /// Gives tasks their names by the keys of their records.
  void give(std::vector<NamedTask>& tasks) const {
    std::map<std::string, std::vector<NamedTask*>> nameless;  // by key
    for (NamedTask& task : tasks) {
      task.name = base::printable(task.record.key.substr(0, 12));
      nameless[task.record.key].push_back(&task);
    }
    if (sweep_) look_up(std::move(nameless));
  }

  /// @param task  its place in the plan.
  [[nodiscard]] std::string name(std::int64_t task) const {
    if (!sweep_ || task < 0 || task >= sweep_->plan.num_tasks())
      return fmt::format("task {}", task);
    return fmt::format("task {} ({})", task,
                       base::printable(sweep_->plan.label(sweep_->plan.task(task))));
  }

 private:
  void look_up(std::map<std::string, std::vector<NamedTask*>> nameless) const {
    sweep::DatasetOfTask dataset_of(sweep_->plan, header_.datasets);
    const auto is_key = [&](const std::string& key) { return nameless.contains(key); };
    for (const auto find : {&sweep::DatasetOfTask::find_likely, &sweep::DatasetOfTask::find}) {
      sweep::TaskWalk walk(sweep_->plan);
      for (std::int64_t i = 0; i < sweep_->plan.num_tasks() && !nameless.empty(); ++i) {
        const auto place = (dataset_of.*find)(walk.task(i), is_key);
        if (!place) continue;
        const std::string key = sweep_->plan.key_of(walk.task(i), header_.datasets[*place].digest);
        for (NamedTask* task : nameless.at(key)) task->name = name(i);
        nameless.erase(key);
      }
    }
  }

  const results::SweepIdentity& header_;
  std::optional<Sweep> sweep_;
};

std::vector<NamedTask> first_failures(const std::vector<results::TaskRecord>& records,
                                      const TaskNames& names) {
  std::vector<NamedTask> failures;
  for (const results::TaskRecord& record : records) {
    if (failures.size() == most_listed) break;
    if (record.status != results::TaskStatus::failed) continue;
    failures.push_back({record, {}});
  }
  names.give(failures);
  return failures;
}

std::vector<NamedTask> slowest_of(std::vector<results::TaskRecord> records,
                                  const TaskNames& names) {
  const std::size_t count = std::min(most_listed, records.size());
  const auto slower = [](const results::TaskRecord& a, const results::TaskRecord& b) {
    return a.seconds != b.seconds ? a.seconds > b.seconds : a.key < b.key;
  };
  std::partial_sort(records.begin(), records.begin() + static_cast<std::ptrdiff_t>(count),
                    records.end(), slower);
  std::vector<NamedTask> slowest;
  for (std::size_t i = 0; i < count; ++i) {
    slowest.push_back({std::move(records[i]), {}});
  }
  names.give(slowest);
  return slowest;
}

Life life_of(const std::optional<journal::Heartbeat>& beat, double silence) {
  if (!beat) return Life::unknown;
  if (beat->state == "writing") {
    // Nobody says more until the archive is there, and nobody knows how slow its disk is.
    constexpr double patience = 4;
    const double most = silent_seconds + patience * std::max(0.0, beat->seconds_left);
    return silence <= most ? Life::writing : Life::ended;
  }
  if (beat->state != "running") return Life::ended;
  return silence <= silent_seconds ? Life::running : Life::silent;
}

/// That `seconds` are of.
std::int64_t finished_tasks(const JournalStatus& status) {
  return status.done + status.failed + status.others;
}

/// As the last launch has gone, with all that lay between its tasks; or, where nothing of it is
/// known, as if its ranks did nothing but tasks.
std::optional<double> tasks_per_second(const JournalStatus& status) {
  if (!status.beat) return std::nullopt;
  if (status.beat->ended > 0 && status.beat->elapsed > 0) {
    return static_cast<double>(status.beat->ended) / status.beat->elapsed;
  }
  const auto finished = static_cast<double>(finished_tasks(status));
  if (finished == 0 || status.seconds <= 0 || status.beat->ranks < 1) return std::nullopt;
  return static_cast<double>(status.beat->ranks) * finished / status.seconds;
}

/// As the run's schedule reckons while it is alive; else as if the tasks that are left were like
/// those that are done.
void reckon_time_left(JournalStatus& status) {
  if (!status.beat || (status.left == 0 && status.life != Life::writing)) return;
  if (is_alive(status.life) && status.beat->seconds_left >= 0) {
    status.seconds_left = std::max(0.0, status.beat->seconds_left - status.silence);
    status.sureness = status.beat->sureness;
  } else if (const std::optional<double> rate = tasks_per_second(status)) {
    status.seconds_left = static_cast<double>(status.left) / *rate;
    status.sureness = "mean";
  }
}

/// Every task as its record says.
void count_records(JournalStatus& status, const std::string& path) {
  journal::JournalContents journal = journal::read_journal(path, false);
  for (const results::TaskRecord& record : journal.records) {
    ++(record.status == results::TaskStatus::failed ? status.failed : status.done);
    status.seconds += record.seconds;
  }
  status.total = journal.header.tasks;
  if (status.beat && status.beat->total > 0) {
    status.total = status.beat->total;
    status.done -= status.beat->other_done;
    status.failed -= status.beat->other_failed;
  }
  const TaskNames names(journal.header);
  status.failures = first_failures(journal.records, names);
  status.slowest = slowest_of(std::move(journal.records), names);
  status.bytes = journal.bytes;
  status.launches = journal.launches;
  status.warnings = std::move(journal.warnings);
}

void take_heartbeat(JournalStatus& status, const std::string& path, const journal::LogSizes& logs) {
  const journal::Heartbeat& beat = *status.beat;
  status.by_heartbeat = true;
  status.total = beat.total;
  status.done = beat.done;
  status.failed = beat.failed;
  status.seconds = beat.task_seconds;
  const results::SweepIdentity header = journal::read_journal_header(path);
  const TaskNames names(header);
  const auto named = [&](std::int64_t task, double seconds) {
    results::TaskRecord record;
    record.seconds = seconds;
    record.rank = -1;
    return NamedTask{record, names.name(task)};
  };
  for (const std::int64_t task : beat.failed_tasks) status.failures.push_back(named(task, 0));
  const std::size_t slowest = std::min(beat.slowest_tasks.size(), beat.slowest_seconds.size());
  for (std::size_t i = 0; i < slowest; ++i) {
    status.slowest.push_back(named(beat.slowest_tasks[i], beat.slowest_seconds[i]));
  }
  status.bytes = logs.bytes;
  status.launches = logs.launches;
}

JournalStatus journal_status(const std::string& path) {
  JournalStatus status;
  status.beat = journal::read_heartbeat(path);
  // Clocks of two hosts differ: an age below zero is as good as none.
  if (status.beat) status.silence = std::max(0.0, now_seconds() - status.beat->unix_seconds);
  status.life = life_of(status.beat, status.silence);
  const journal::LogSizes logs = journal::log_sizes(path);
  if (is_alive(status.life) && status.beat->total > 0 && logs.bytes > most_bytes_read) {
    take_heartbeat(status, path, logs);
  } else {
    count_records(status, path);
  }
  if (status.beat) status.others = status.beat->other_done + status.beat->other_failed;
  status.left = std::max<std::int64_t>(0, status.total - status.done - status.failed);
  reckon_time_left(status);
  return status;
}

ArchiveStatus archive_status(const std::string& path) {
  archive::Stored stored = archive::read(path);
  const auto count = [&](results::TaskStatus status) {
    return std::ranges::count(stored.content.tasks.status, status);
  };
  return {std::move(stored.status), count(results::TaskStatus::done),
          count(results::TaskStatus::failed), count(results::TaskStatus::missing),
          std::move(stored.digest)};
}

std::string life_text(const JournalStatus& status) {
  if (!status.beat) {
    return "no sign of life: the run has not begun its tasks, or is of another machine";
  }
  const journal::Heartbeat& beat = *status.beat;
  const std::string where = fmt::format(
      "host {}, process {}, {} ranks{}", base::excerpt(beat.host), beat.process, beat.ranks,
      beat.slurm_job.empty() ? "" : ", SLURM " + base::excerpt(beat.slurm_job));
  const std::string age = format_seconds(status.silence);
  if (status.life == Life::ended) return fmt::format("not running since {} ({})", age, where);
  if (status.life == Life::writing)
    return fmt::format("writes its archive since {} ({})", age, where);
  if (status.life == Life::running) return fmt::format("running ({}), seen {} ago", where, age);
  return fmt::format("dead or out of reach: said 'running' {} ago ({})", age, where);
}

bool is_least(const JournalStatus& status) {
  return status.sureness == sweep::name_of(sweep::Sureness::at_least);
}

std::string rate_text(const JournalStatus& status) {
  const std::int64_t finished = finished_tasks(status);
  const std::optional<double> rate = tasks_per_second(status);
  if (finished == 0 || !rate) return "";
  const double mean = status.seconds / static_cast<double>(finished);
  const std::string left = status.seconds_left
                               ? fmt::format("; {} {} left", is_least(status) ? "over" : "about",
                                             format_seconds(*status.seconds_left))
                               : "";
  return fmt::format("rate     {} s per task, {} tasks/s on {} ranks{}\n", format_value(mean),
                     format_value(*rate), status.beat->ranks, left);
}

std::string tasks_text(const JournalStatus& status) {
  std::string text;
  if (status.life == Life::running) {
    for (const std::string& task : status.beat->running) {
      text += fmt::format("running  {}\n", base::printable(task));
    }
  }
  for (const auto& [record, name] : status.failures) {
    const std::string message = record.message.empty() ? "" : ": " + record.message;
    text += fmt::format("failed   {}{}\n", name, base::printable(message));
  }
  const std::int64_t more = status.failed - std::ssize(status.failures);
  if (more > 0) text += fmt::format("         and {} more\n", more);
  for (const auto& [record, name] : status.slowest) {
    const std::string where = record.rank < 0 ? "" : fmt::format(" on rank {}", record.rank);
    text += fmt::format("slowest  {} s{}: {}\n", format_value(record.seconds), where, name);
  }
  return text;
}

std::string journal_text(const std::string& path, const JournalStatus& status) {
  std::string text = fmt::format("{}: {}\n", path, life_text(status));
  const std::string others =
      status.others > 0 ? fmt::format("; {} of other slices", status.others) : "";
  text += fmt::format("tasks    {} done, {} failed, {} to do, of {}{}\n", status.done,
                      status.failed, status.left, status.total, others);
  text += rate_text(status) + tasks_text(status);
  text += fmt::format("journal  {}, {} launch{}\n", format_bytes(static_cast<double>(status.bytes)),
                      status.launches, status.launches == 1 ? "" : "es");
  if (status.by_heartbeat) {
    text += fmt::format(
        "         as the run said {} ago; messages of failed tasks are there when it has ended\n",
        format_seconds(status.silence));
  }
  for (const std::string& warning : status.warnings) {
    text += fmt::format("warning  {}\n", base::printable(warning));
  }
  return text;
}

const char* life_name(Life life) {
  switch (life) {
    case Life::running:
      return "running";
    case Life::writing:
      return "writing";
    case Life::ended:
      return "not running";
    case Life::silent:
      return "no answer";
    case Life::unknown:
      break;
  }
  return "not begun";
}

using Json = nlohmann::ordered_json;

Json tasks_json(const std::vector<NamedTask>& tasks) {
  Json list = Json::array();
  for (const auto& [record, name] : tasks) {
    Json task{{"name", name},
              {"key", nullptr},
              {"seconds", record.seconds},
              {"rank", nullptr},
              {"message", nullptr}};
    if (!record.key.empty()) {
      task["key"] = record.key;
      task["rank"] = record.rank;
      task["message"] = record.message;
    }
    list.push_back(std::move(task));
  }
  return list;
}

Json journal_json(const JournalStatus& status) {
  Json json{{"state", life_name(status.life)},
            {"done", status.done},
            {"failed", status.failed},
            {"to_do", status.left},
            {"total", status.total},
            {"of_other_slices", status.others},
            {"task_seconds", status.seconds},
            {"seconds_left", nullptr},
            {"seconds_left_by", nullptr},
            {"by_heartbeat", status.by_heartbeat},
            {"heartbeat", nullptr}};
  if (status.seconds_left) {
    json["seconds_left"] = *status.seconds_left;
    json["seconds_left_by"] = status.sureness;
  }
  if (status.beat) {
    json["heartbeat"] = {{"seconds_ago", status.silence},       {"host", status.beat->host},
                         {"process", status.beat->process},     {"ranks", status.beat->ranks},
                         {"slurm_job", status.beat->slurm_job}, {"running", status.beat->running}};
  }
  json["failures"] = tasks_json(status.failures);
  json["slowest"] = tasks_json(status.slowest);
  json["launches"] = status.launches;
  json["bytes"] = status.bytes;
  json["warnings"] = status.warnings;
  return json;
}

SweepStatus read_once(const std::string& path, const std::string& journal) {
  // In this order: a run that ends puts its archive there before it removes its journal.
  const bool has_journal = journal::journal_exists(journal);
  const bool has_archive = std::filesystem::exists(path) && !std::filesystem::is_directory(path);
  if (!has_archive && !has_journal) {
    throw base::InputError(fmt::format(
        "there is neither '{}' nor '{}'; name the archive that `fairfront run` writes (-o)", path,
        journal));
  }
  SweepStatus status{path, {}, {}};
  if (has_archive) status.archive = archive_status(path);
  if (has_journal) status.journal = journal_status(journal);
  return status;
}

}  // namespace

std::string format_seconds(double seconds) {
  if (seconds < 120) return fmt::format("{:.0f} s", seconds);
  if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

SweepStatus read_status(const std::string& path) {
  const std::string journal = journal::journal_path(path);
  try {
    return read_once(path, journal);
  } catch (const base::InputError&) {
    if (std::filesystem::exists(journal)) throw;
    return read_once(path, journal);  // the run may have ended while its journal was read
  }
}

std::string state_of(const SweepStatus& status) {
  return status.journal ? life_name(status.journal->life) : status.archive->status;
}

std::string status_text(const SweepStatus& status) {
  std::string text;
  if (status.archive) {
    const ArchiveStatus& archive = *status.archive;
    text += fmt::format("{}: {} archive, {} tasks done, {} failed, {} missing; digest {}\n",
                        status.path, archive.status, archive.done, archive.failed, archive.missing,
                        archive.digest);
  }
  if (status.journal) text += journal_text(journal::journal_path(status.path), *status.journal);
  return text;
}

Json status_json(const SweepStatus& status) {
  Json json{{"path", status.path},
            {"state", state_of(status)},
            {"archive", nullptr},
            {"journal", nullptr}};
  if (status.archive) {
    json["archive"] = {{"status", status.archive->status},
                       {"done", status.archive->done},
                       {"failed", status.archive->failed},
                       {"missing", status.archive->missing},
                       {"digest", status.archive->digest}};
  }
  if (status.journal) json["journal"] = journal_json(*status.journal);
  return json;
}

}  // namespace fairfront::drivers
