#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <optional>
#include <utility>

#include "archive/archive.hpp"
#include "commands.hpp"
#include "model_files.hpp"
#include "output.hpp"
#include "print_archive.hpp"
#include "read_stored.hpp"
#include "results/digest.hpp"
#include "sweep/stored_config.hpp"

namespace fairfront::drivers {
namespace {

/// The point that a model file is of.
/// @throws base::InputError  it is no model file, or that of another archive.
std::optional<ChosenPoint> chosen_of(const Call& call, const archive::Stored& stored) {
  if (call.values.count("chosen") == 0) return std::nullopt;
  const auto path = call.values["chosen"].as<std::string>();
  require_file(path, "--model of `fairfront choose`");
  const auto file = read_model_file(path);
  if (!file) {
    throw base::InputError(fmt::format(
        "show: '{}' is no model file: --chosen takes what `fairfront choose --model` has made",
        path));
  }
  const results::ModelOrigin& origin = file->origin;
  const auto& keys = stored.content.tasks.key;
  if (origin.archive_digest != results::results_digest(stored.content) ||
      origin.task >= keys.size() || keys[origin.task] != origin.key) {
    throw base::InputError(fmt::format(
        "show: name the archive that the model of '{}' is of: it was chosen from another archive",
        path));
  }
  return ChosenPoint{origin.task, origin.point, path};
}

base::ExitCode execute_show(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const ShowLimits limits{
      call.values["tasks"].as<std::int64_t>(), call.values["points"].as<std::int64_t>(),
      call.values["groups"].as<std::int64_t>(), call.values.count("training") > 0};
  archive::Stored stored = read_stored(path, call.values.count("partial") > 0);
  if (call.values.count("config") > 0) {
    print("{}", sweep::stored_ini(stored.content.config, stored.content.axes));
  } else {
    const auto chosen = chosen_of(call, stored);
    print("{}", archive_text(path, std::move(stored), limits, chosen));
  }
  return base::ExitCode::done;
}

}  // namespace

Command show_command() {
  Command command;
  command.name = "show";
  command.summary =
      "Print what an archive holds: origin, data, axes, metrics, measures by group, fronts.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "Examples:\n"
      "  fairfront show adult.h5 --tasks 0\n"
      "  fairfront show adult.h5 --chosen model.json\n"
      "  fairfront show adult.h5 --config > again.ini && fairfront run again.ini\n"
      "  fairfront show adult.h5 --partial\n";
  command.execute = execute_show;
  for (const char* option : {"points", "tasks", "groups"}) {
    command.numbers.push_back({option, "a whole number >= 0"});
  }
  using boost::program_options::value;
  const ShowLimits defaults;
  command.options.add_options()(
      "points", value<std::int64_t>()->value_name("N")->default_value(defaults.points),
      "At most N evenly chosen points of each front are shown; 0 shows all.")(
      "tasks", value<std::int64_t>()->value_name("N")->default_value(defaults.tasks),
      "Metrics and fronts of at most N tasks are shown; 0 shows all.")(
      "groups", value<std::int64_t>()->value_name("N")->default_value(defaults.groups),
      "Measures by group, and which groups make each gap, are shown of at most N tasks; 0 shows "
      "all.")("training",
              "Measures of the training rows are shown, too, where another part decides.")(
      "chosen", value<std::string>()->value_name("FILE"),
      "The point is marked whose model `fairfront choose --model` has written to this file.")(
      "config",
      "The config is printed instead, with every option, as an INI file that `run` takes.");
  add_partial_option(command.options);
  return command;
}

}  // namespace fairfront::drivers
