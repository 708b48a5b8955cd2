#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "print_plan.hpp"

namespace fairfront::drivers {
namespace {

std::int64_t ranks_of(const Call& call) {
  if (call.values.count("ranks") == 0) return call.world.size();
  const auto ranks = call.values["ranks"].as<std::int64_t>();
  if (ranks >= 1) return ranks;
  throw base::InputError(fmt::format("plan: --ranks = {}, must be >= 1", ranks));
}

base::ExitCode execute_plan(const Call& call) {
  const auto path = call.values["CONFIG"].as<std::string>();
  const Sweep sweep = load_sweep(base::read_file(path), path, overrides_of(call.values));
  print("{}", plan_text(sweep, context_of(call.values), ranks_of(call)));
  return base::ExitCode::done;
}

}  // namespace

Command plan_command() {
  Command command;
  command.name = "plan";
  command.summary = "Show what a config would run: options, axes, tasks, problems. Runs nothing.";
  command.arguments = {{"CONFIG"}};
  command.execute = execute_plan;
  add_sweep_options(command.options);
  command.options.add_options()("ranks",
                                boost::program_options::value<std::int64_t>()->value_name("N"),
                                "forecast for N ranks (default: those it was started on)");
  return command;
}

}  // namespace fairfront::drivers
