#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
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

void print_json(const std::vector<SweepStatus>& all) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const SweepStatus& status : all) list.push_back(status_json(status));
  print("{}\n", list.dump(2, ' ', true, nlohmann::ordered_json::error_handler_t::replace));
}

base::ExitCode execute_status(const Call& call) {
  std::vector<SweepStatus> all;
  base::ExitCode code = base::ExitCode::done;
  constexpr int most_errors = 10;
  int errors = 0;
  const auto paths = call.values["ARCHIVE"].as<std::vector<std::string>>();
  for (const std::string& path : paths) {
    try {
      all.push_back(read_status(path));
    } catch (const base::Error& error) {
      // One that has not begun, or is damaged, must not hide the others.
      if (paths.size() == 1) throw;
      if (++errors <= most_errors)
        log("fairfront: error: {}\n", base::printable(error.what(), 300));
      code = std::max(code, error.exit_code());
    }
  }
  if (errors > most_errors) log("fairfront: error: {} more like these\n", errors - most_errors);
  if (call.values.count("json") > 0) {
    print_json(all);
  } else if (paths.size() == 1) {
    print("{}", status_text(all.front()));
  } else if (!all.empty()) {
    print("{}", table_of(all));
  }
  return code;
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
      "With --json, a list of objects, one for each: what is not known is null.\n";
  command.options.add_options()("json", "for programs: JSON with every number");
  command.execute = execute_status;
  return command;
}

}  // namespace fairfront::drivers
