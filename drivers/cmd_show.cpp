#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>

#include "archive/archive.hpp"
#include "commands.hpp"
#include "print_archive.hpp"

namespace fairfront::drivers {
namespace {

std::int64_t limit_of(const Call& call, const char* option) {
  const auto limit = call.values[option].as<std::int64_t>();
  if (limit >= 0) return limit;
  throw base::InputError(fmt::format("show: --{} = {}, must be >= 0", option, limit));
}

base::ExitCode execute_show(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const ShowLimits limits{limit_of(call, "tasks"), limit_of(call, "points")};
  fmt::print("{}", archive_text(path, archive::read(path), limits));
  return base::ExitCode::done;
}

}  // namespace

Command show_command() {
  Command command;
  command.name = "show";
  command.summary = "Print what an archive holds: origin, data, axes, metrics, fronts.";
  command.arguments = {{"ARCHIVE"}};
  command.execute = execute_show;
  using boost::program_options::value;
  const ShowLimits defaults;
  command.options.add_options()(
      "points", value<std::int64_t>()->value_name("N")->default_value(defaults.points),
      "at most N evenly chosen points of each front; 0 shows all")(
      "tasks", value<std::int64_t>()->value_name("N")->default_value(defaults.tasks),
      "the metrics and fronts of at most N tasks; 0 shows all");
  return command;
}

}  // namespace fairfront::drivers
