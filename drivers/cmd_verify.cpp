#include <fmt/format.h>

#include "archive/archive.hpp"
#include "commands.hpp"

namespace fairfront::drivers {
namespace {

base::ExitCode execute_verify(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const std::vector<std::string> problems = archive::verify(path);
  if (problems.empty()) {
    fmt::print("{}: sound, digest {}\n", path, archive::read(path).digest);
    return base::ExitCode::done;
  }
  for (const std::string& problem : problems) fmt::print("{}: {}\n", path, problem);
  return base::ExitCode::archive_damaged;
}

}  // namespace

Command verify_command() {
  Command command;
  command.name = "verify";
  command.summary = "Check an archive: checksums, layout, every column, both digests.";
  command.arguments = {{"ARCHIVE"}};
  command.details = "Exit status 0 when the archive is sound, 4 when it is not.\n";
  command.execute = execute_verify;
  return command;
}

}  // namespace fairfront::drivers
