#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <ctime>
#include <filesystem>
#include <utility>

#include "archive/archive.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "results/content.hpp"
#include "results/digest.hpp"
#include "sweep/launch.hpp"
#include "sweep/merge.hpp"

namespace fairfront::drivers {
namespace {

results::LaunchFacts provenance_of(const Call& call, std::span<const sweep::NamedContent> parts) {
  results::LaunchFacts here = build_provenance();
  here.command_line = call.command_line;
  here.created = sweep::format_utc(std::time(nullptr));
  return sweep::merged_provenance(parts, std::move(here));
}

/// Under whatever name.
void require_no_input(const std::string& output, const std::vector<std::string>& inputs) {
  for (const std::string& input : inputs) {
    std::error_code no_such_file;
    if (!std::filesystem::equivalent(output, input, no_such_file)) continue;
    throw base::InputError(fmt::format(
        "merge: the output '{}' is one of the archives to be merged; choose another name", output));
  }
}

base::ExitCode execute_merge(const Call& call) {
  if (call.values.count("output") == 0) {
    throw base::InputError("merge: name the archive to write by --output FILE");
  }
  const auto output = call.values["output"].as<std::string>();
  const bool force = call.values.count("force") > 0;
  archive::check_output(output, force);
  require_no_input(output, call.values["ARCHIVE"].as<std::vector<std::string>>());
  std::vector<sweep::NamedContent> parts;
  for (const auto& path : call.values["ARCHIVE"].as<std::vector<std::string>>()) {
    parts.push_back({path, archive::read(path).content});
  }
  results::LaunchFacts provenance = provenance_of(call, parts);
  const Sweep sweep = reopen_sweep(parts.front().content, parts.front().name);
  results::Content merged = sweep::merge(sweep.plan, sweep.experiment.schema(), parts);
  merged.provenance = std::move(provenance);
  archive::write(output, merged, force);
  const auto missing = std::ranges::count(merged.tasks.status, results::TaskStatus::missing);
  const auto failed = std::ranges::count(merged.tasks.status, results::TaskStatus::failed);
  print("{}: {} archives merged, {} tasks done, {} failed, {} missing; digest {}\n", output,
        parts.size(), std::ssize(merged.tasks.status) - failed - missing, failed, missing,
        results::results_digest(merged));
  return failed > 0 ? base::ExitCode::some_tasks_failed : base::ExitCode::done;
}

}  // namespace

Command merge_command() {
  Command command;
  command.name = "merge";
  command.summary = "Make one archive of archives of the same sweep, such as slices.";
  command.arguments = {{"ARCHIVE", true, true}};
  command.details =
      "A task that several archives have must have the same bits in all of them. Example:\n"
      "  fairfront merge adult.slice-*.h5 -o adult.h5\n";
  command.leaves_files = true;
  command.execute = execute_merge;
  using boost::program_options::value;
  command.options.add_options()("output,o", value<std::string>()->value_name("FILE"),
                                "The archive is written to this file.")(
      "force", "An archive that is there is replaced.");
  return command;
}

}  // namespace fairfront::drivers
