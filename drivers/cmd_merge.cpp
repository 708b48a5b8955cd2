#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <ctime>
#include <utility>

#include "archive/archive.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "sweep/launch.hpp"
#include "sweep/merge.hpp"

namespace fairfront::drivers {
namespace {

archive::Provenance provenance_of(const Call& call, std::span<const sweep::NamedContent> parts) {
  archive::Provenance here = build_provenance();
  here.command_line = call.command_line;
  here.created = sweep::format_utc(std::time(nullptr));
  return sweep::merged_provenance(parts, std::move(here));
}

base::ExitCode execute_merge(const Call& call) {
  if (call.values.count("output") == 0) throw base::InputError("merge: --output is missing");
  const auto output = call.values["output"].as<std::string>();
  const bool force = call.values.count("force") > 0;
  archive::check_writable(output, force);
  std::vector<sweep::NamedContent> parts;
  for (const auto& path : call.values["ARCHIVE"].as<std::vector<std::string>>()) {
    parts.push_back({path, archive::read(path).content});
  }
  archive::Provenance provenance = provenance_of(call, parts);
  const Sweep sweep = reopen_sweep(parts.front().content, parts.front().name);
  archive::Content merged = sweep::merge(sweep.plan, sweep.experiment.schema(), parts);
  merged.provenance = std::move(provenance);
  archive::write(output, merged, force);
  const auto missing = std::ranges::count(merged.tasks.status, archive::TaskStatus::missing);
  const auto failed = std::ranges::count(merged.tasks.status, archive::TaskStatus::failed);
  fmt::print("{}: {} archives merged, {} tasks done, {} failed, {} missing; digest {}\n", output,
             parts.size(), std::ssize(merged.tasks.status) - failed - missing, failed, missing,
             archive::results_digest(merged));
  return base::ExitCode::done;
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
  command.execute = execute_merge;
  using boost::program_options::value;
  command.options.add_options()("output,o", value<std::string>()->value_name("FILE"),
                                "the archive to make")("force", "replace an archive");
  return command;
}

}  // namespace fairfront::drivers
