#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "commands.hpp"
#include "output.hpp"
#include "sweep_status.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

/// Tasks of a run, whether they are still in a journal or already in an archive.
struct TaskCounts {
  std::int64_t done = 0;
  std::int64_t failed = 0;
  std::int64_t left = 0;
};

TaskCounts counts_of(const SweepStatus& status) {
  if (status.journal) return {status.journal->done, status.journal->failed, status.journal->left};
  return {status.archive->done, status.archive->failed, status.archive->missing};
}

std::vector<std::string> row_of(const std::string& name, const std::string& state,
                                const TaskCounts& counts, const std::string& time_left) {
  return {name,
          state,
          std::to_string(counts.done),
          std::to_string(counts.failed),
          std::to_string(counts.left),
          time_left};
}

/// One line each, and their sum.
std::string table_of(const std::vector<SweepStatus>& all) {
  Table table({"archive", "state", "done", "failed", "to do", "time left"});
  TaskCounts sum;
  for (const SweepStatus& status : all) {
    const TaskCounts counts = counts_of(status);
    sum.done += counts.done;
    sum.failed += counts.failed;
    sum.left += counts.left;
    const bool known = status.journal && status.journal->seconds_left;
    table.add(row_of(status.path, state_of(status), counts,
                     known ? format_seconds(*status.journal->seconds_left) : "-"));
  }
  table.add(row_of("all", "", sum, ""));
  return table.text(0);
}

std::string json_of(const std::vector<SweepStatus>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SweepStatus& status : all) list.push_back(status_json(status));
  return list.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

/// Of several, those that cannot be read are told and left out.
struct Statuses {
  std::vector<SweepStatus> all;
  base::ExitCode code = base::ExitCode::done;
};

/// @throws base::Error  the only one cannot be read.
Statuses read_all(const std::vector<std::string>& paths) {
  Statuses found;
  constexpr int most_errors = 10;
  int errors = 0;
  for (const std::string& path : paths) {
    try {
      found.all.push_back(read_status(path));
    } catch (const base::Error& error) {
      // One that has not begun, or is damaged, must not hide the others.
      if (paths.size() == 1) throw;
      if (++errors <= most_errors)
        log("fairfront: error: {}\n", base::printable(error.what(), 300));
      found.code = std::max(found.code, error.exit_code());
    }
  }
  if (errors > most_errors) log("fairfront: error: {} more like these\n", errors - most_errors);
  return found;
}

std::string text_of(const Call& call, const std::vector<SweepStatus>& all, bool only_one) {
  if (call.values.count("json") > 0) return json_of(all);
  if (only_one) return status_text(all.front());
  return all.empty() ? "" : table_of(all);
}

/// Somebody may still work on it.
bool goes_on(const SweepStatus& status) {
  return status.journal &&
         (is_alive(status.journal->life) || status.journal->life == Life::unknown);
}

/// The folder of a journal alone says nothing: a run makes it before what it holds.
bool has_begun(const std::string& path) {
  return std::filesystem::exists(path) || journal::journal_exists(journal::journal_path(path));
}

/// Returns when one of the runs has begun, or nobody will wait for it any longer.
void wait_for_the_first(const std::vector<std::string>& paths,
                        std::chrono::duration<double> pause) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::hours{24};
  if (std::ranges::any_of(paths, has_begun)) return;
  log("no run of '{}' has begun; waiting for it (Ctrl-C ends this)\n",
      base::printable(paths.front(), 300));
  while (std::ranges::none_of(paths, has_begun) && Clock::now() < end) {
    std::this_thread::sleep_for(pause);
  }
}

base::ExitCode execute_status(const Call& call) {
  const auto paths = call.values["ARCHIVE"].as<std::vector<std::string>>();
  const bool watch = call.values.count("watch") > 0;
  const std::chrono::duration<double> pause(watch ? call.values["watch"].as<double>() : 0);
  if (watch) wait_for_the_first(paths, pause);
  std::string shown;
  while (true) {
    const Statuses found = read_all(paths);
    std::string text = text_of(call, found.all, paths.size() == 1);
    if (text != shown) print("{}{}", shown.empty() ? "" : "\n", text);
    shown = std::move(text);
    if (!watch || std::ranges::none_of(found.all, goes_on) || !flush_output()) return found.code;
    std::this_thread::sleep_for(pause);
  }
}

}  // namespace

Command status_command() {
  Command command;
  command.name = "status";
  command.summary =
      "How far runs are, alive or dead: from their journals, without locks, on any node.";
  command.arguments = {{"ARCHIVE", true, true}};
  command.details =
      "ARCHIVE is what a run was given as --output. Of several, one line each and their sum.\n"
      "What runs and the time left are those of the run's last sign of life, one every second\n"
      "(5 s on a slow file system): the line of the run itself is newer by as much.\n"
      "With --json, a list of objects, one for each: what is not known is null.\n";
  command.options.add_options()("json", "Every number is printed as JSON, for programs.")(
      "watch", boost::program_options::value<double>()->value_name("SECONDS"),
      "It is said again every so many seconds where it has changed, until no run goes on. Where "
      "none has begun, it is waited for, a day at most.");
  command.execute = execute_status;
  command.numbers = {{"watch", "between 0.1 and 86400 seconds", false, 0.1, 86'400}};
  return command;
}

}  // namespace fairfront::drivers
