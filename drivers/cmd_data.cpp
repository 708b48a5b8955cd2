#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/printable.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "csv_file.hpp"
#include "data/supervised.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "sweep/experiment.hpp"
#include "sweep/forecast.hpp"
#include "sweep/idle_options.hpp"

namespace fairfront::drivers {
namespace {

sweep::Task chosen_task(const Call& call, const sweep::Plan& plan) {
  const auto task = call.values["task"].as<std::int64_t>();
  if (task >= 0 && task < plan.num_tasks()) return plan.task(task);
  throw base::InputError(
      fmt::format("data: --task = {}, must be in 0 .. {}", task, plan.num_tasks() - 1));
}

/// Why the task reads no data set, though it may have options of one; nothing where it reads one.
std::optional<std::string> why_without_data(const std::vector<config::OptionCondition>& conditions,
                                            const sweep::Task& task) {
  if (!task.values.contains("data.data")) return "its experiment reads no data set";
  return sweep::why_idle(conditions, task, "data.data");
}

/// Why no task reads one.
std::optional<std::string> why_without_data(const Sweep& sweep) {
  const auto conditions = config::conditions_of(sweep.experiment.sections());
  std::optional<std::string> first;
  for (std::int64_t i = 0; i < sweep.plan.num_tasks(); ++i) {
    auto why = why_without_data(conditions, sweep.plan.task(i));
    if (!why) return std::nullopt;
    if (!first) first = std::move(why);
  }
  return first;
}

/// With a column that names each row's part, where there are parts.
void write_rows(const data::Dataset& data, const std::string& path) {
  const bool parts = !data.split.empty();
  CsvTarget file(path);
  std::vector<std::string> header = data.feature_names;
  header.emplace_back("group");
  if (!data.label.empty()) header.emplace_back("label");
  if (parts) header.emplace_back("part");
  file.row(header);
  for (std::int64_t i = 0; i < data.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    std::vector<std::string> cells;
    for (const double value : data.row(i)) cells.push_back(base::format_double(value));
    cells.push_back(data.group_names[static_cast<std::size_t>(data.group[row])]);
    if (!data.label.empty()) cells.push_back(base::format_double(data.label[row]));
    if (parts) cells.push_back(data.split_names[static_cast<std::size_t>(data.split[row])]);
    file.row(cells);
  }
  file.close();
}

/// What is said beside the table, on the standard error where the output has the table.
void tell(const std::string& path, const std::string& text) {
  if (path == standard_stream) return log("{}\n", text);
  print("{}\n", text);
}

void write_data(const data::SupervisedSet& data, const std::string& path) {
  const data::Dataset& set = data.set;
  write_rows(set, path);
  const auto counted = [](std::int64_t count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
  };
  tell(path,
       fmt::format("{}: {}, {}, {}; {}", path == standard_stream ? "standard output" : path,
                   counted(set.rows, "row"), counted(set.columns, "feature"),
                   counted(set.num_groups(), "group"), base::visible(set.provenance.recipe, "")));
  for (const std::string& warning : data.warnings) tell(path, "warning: " + warning);
}

/// @throws base::InputError  with the task's place in the config.
sweep::PreparedRows rows_of(const Sweep& sweep, const sweep::Task& task,
                            const sweep::RunContext& context) {
  try {
    return sweep.experiment.rows(task, context);
  } catch (const base::InputError& error) {
    throw sweep::with_place(sweep.plan, task, error);
  }
}

base::ExitCode execute_data(const Call& call) {
  const auto config = call.values["CONFIG"].as<std::string>();
  const auto path = call.values.count("csv") == 0 ? "" : call.values["csv"].as<std::string>();
  const Sweep sweep = load_sweep(base::read_file(config), config, overrides_of(call.values));
  for (const std::string& warning : sweep.plan.config().warnings) tell(path, "warning: " + warning);
  const sweep::Task task = chosen_task(call, sweep.plan);
  if (const auto why = why_without_data(sweep)) {
    tell(path,
         fmt::format("{} generates its data and needs no file: {}. There are no rows to write.",
                     config, *why));
    return base::ExitCode::done;
  }
  if (path.empty()) throw base::InputError("data: name the table to write by --csv FILE");
  const auto conditions = config::conditions_of(sweep.experiment.sections());
  if (const auto why = why_without_data(conditions, task)) {
    throw base::InputError(
        fmt::format("{}: task {} has no rows to write: {}", config, task.index, *why));
  }
  const sweep::PreparedRows rows = rows_of(sweep, task, context_of(call.values));
  write_data(*rows, path);
  return base::ExitCode::done;
}

}  // namespace

Command data_command() {
  Command command;
  command.name = "data";
  command.summary = "Write a config's data set as the solvers see it: prepared, with groups.";
  command.arguments = {{"CONFIG"}};
  command.details =
      "Row i of the table is row i of every solution (labels) of the task in an archive. Where "
      "the\n"
      "experiment has a section [split], the column 'part' names each row's part.\n";
  command.leaves_files = true;
  command.numbers = {{"task", "a whole number >= 0, as `fairfront plan` counts the tasks"}};
  command.execute = execute_data;
  add_sweep_options(command.options);
  using boost::program_options::value;
  command.options.add_options()(
      "csv", value<std::string>()->value_name("FILE"),
      "The table is written to this file, which is not replaced if it is there; - is the standard "
      "output.")("task", value<std::int64_t>()->value_name("K")->default_value(0),
                 "The data set is that of this task, where it is an axis.");
  return command;
}

}  // namespace fairfront::drivers
