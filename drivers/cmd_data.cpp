#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "csv_file.hpp"
#include "data/load.hpp"
#include "load_sweep.hpp"

namespace fairfront::drivers {
namespace {

sweep::Task chosen_task(const Call& call, const sweep::Plan& plan) {
  const auto task = call.values["task"].as<std::int64_t>();
  if (task >= 0 && task < plan.num_tasks()) return plan.task(task);
  throw base::InputError(
      fmt::format("data: --task = {}, must be in 0 .. {}", task, plan.num_tasks() - 1));
}

void write_rows(const data::Dataset& data, const std::string& path) {
  CsvFile file(path);
  std::vector<std::string> header = data.feature_names;
  header.emplace_back("group");
  if (!data.label.empty()) header.emplace_back("label");
  file.row(header);
  for (std::int64_t i = 0; i < data.rows; ++i) {
    const auto row = static_cast<std::size_t>(i);
    std::vector<std::string> cells;
    for (const double value : data.row(i)) cells.push_back(base::format_double(value));
    cells.push_back(data.group_names[static_cast<std::size_t>(data.group[row])]);
    if (!data.label.empty()) cells.push_back(base::format_double(data.label[row]));
    file.row(cells);
  }
  file.close();
}

base::ExitCode execute_data(const Call& call) {
  if (call.values.count("csv") == 0) throw base::InputError("data: --csv FILE is missing");
  const auto config = call.values["CONFIG"].as<std::string>();
  const Sweep sweep = load_sweep(base::read_file(config), config, overrides_of(call.values));
  const sweep::Task task = chosen_task(call, sweep.plan);
  if (!task.values.contains("data.data")) {
    throw base::InputError(fmt::format("{}: its experiment reads no data set", config));
  }
  const sweep::RunContext context = context_of(call.values);
  const auto data = context.datasets->get(sweep::read_section<data::DataOptions>(task, "data"),
                                          context.data_dir, context.allow_changed_data);
  const auto path = call.values["csv"].as<std::string>();
  write_rows(*data, path);
  fmt::print("{}: {} rows, {} features, {} groups; {}\n", path, data->rows, data->columns,
             data->num_groups(), data->provenance.recipe);
  return base::ExitCode::done;
}

}  // namespace

Command data_command() {
  Command command;
  command.name = "data";
  command.summary = "Write a config's data set as the solvers see it: prepared, with groups.";
  command.arguments = {{"CONFIG"}};
  command.details =
      "Row i of the table is row i of every solution (labels) of the task in an archive.\n";
  command.execute = execute_data;
  add_sweep_options(command.options);
  using boost::program_options::value;
  command.options.add_options()("csv", value<std::string>()->value_name("FILE"),
                                "the table to make; a file is not replaced")(
      "task", value<std::int64_t>()->value_name("K")->default_value(0),
      "of this task, where the data set is an axis");
  return command;
}

}  // namespace fairfront::drivers
