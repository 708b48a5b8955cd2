#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>

#include "archive/archive.hpp"
#include "commands.hpp"
#include "export_csv.hpp"

namespace fairfront::drivers {
namespace {

base::ExitCode execute_export(const Call& call) {
  if (call.values.count("csv") == 0) throw base::InputError("export: --csv DIR is missing");
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const archive::Content content = archive::read(path).content;
  const auto folder = call.values["csv"].as<std::string>();
  for (const std::string& file : export_csv(content, folder, call.values.count("solutions") > 0)) {
    fmt::print("{}\n", file);
  }
  return base::ExitCode::done;
}

}  // namespace

Command export_command() {
  Command command;
  command.name = "export";
  command.summary = "Write an archive as CSV tables.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "Writes tasks.csv (a row per task: method, axes, status, metrics), fronts-NAME.csv (a row "
      "per\n"
      "point), series-NAME.csv (a row per step) and config.csv. Numbers have all their digits.\n";
  command.execute = execute_export;
  using boost::program_options::value;
  command.options.add_options()("csv", value<std::string>()->value_name("DIR"),
                                "folder for the tables, made if need be; files are not replaced")(
      "solutions", "also solutions-NAME.csv, with a row per solution");
  return command;
}

}  // namespace fairfront::drivers
