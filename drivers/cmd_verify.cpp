#include <fmt/format.h>

#include <utility>

#include "archive/archive.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "sweep/reopen.hpp"

namespace fairfront::drivers {
namespace {

/// Are the archive's tasks those of its own config? A config that this program does not know, as of
/// a newer one, is no damage: the second value says why nothing was compared.
std::pair<std::vector<std::string>, std::string> compare_with_plan(const archive::Content& content,
                                                                   const std::string& path) {
  try {
    const Sweep sweep = reopen_sweep(content, path);
    if (sweep.plan.revisions() != content.revisions) {
      return {{}, "made by another revision of its solvers"};
    }
    return {sweep::differences_from_plan(content, sweep.plan), ""};
  } catch (const base::InputError& error) {
    return {{}, error.what()};
  }
}

base::ExitCode execute_verify(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  std::vector<std::string> problems = archive::verify(path);
  if (problems.empty()) {
    const archive::Stored stored = archive::read(path);
    const auto [differences, reason] = compare_with_plan(stored.content, path);
    if (differences.empty()) {
      fmt::print("{}: sound, {}, digest {}\n", path, stored.status, stored.digest);
      if (!reason.empty()) fmt::print("tasks not compared with the config: {}\n", reason);
      return base::ExitCode::done;
    }
    problems = differences;
  }
  for (const std::string& problem : problems) fmt::print("{}: {}\n", path, problem);
  return base::ExitCode::archive_damaged;
}

}  // namespace

Command verify_command() {
  Command command;
  command.name = "verify";
  command.summary =
      "Check an archive: checksums, layout, every column, every task of the plan, both digests.";
  command.arguments = {{"ARCHIVE"}};
  command.details = "Exit status 0 when the archive is sound, 4 when it is not.\n";
  command.execute = execute_verify;
  return command;
}

}  // namespace fairfront::drivers
