#include <boost/program_options/value_semantic.hpp>

#include "base/text.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "print_plan.hpp"
#include "print_probe.hpp"
#include "run_support.hpp"

namespace fairfront::drivers {
namespace {

std::int64_t ranks_of(const Call& call) {
  if (call.values.count("ranks") == 0) return call.world.size();
  return call.values["ranks"].as<std::int64_t>();
}

base::ExitCode execute_plan(const Call& call) {
  const auto path = call.values["CONFIG"].as<std::string>();
  const Sweep sweep = load_sweep(base::read_file(path), path, overrides_of(call.values));
  const sweep::RunContext context = context_of(call.values);
  const std::int64_t ranks = ranks_of(call);
  const bool probe = call.values.count("probe") > 0;
  if (probe && call.world.size() > 1) {
    throw base::InputError(
        "plan: --probe runs on one rank: start it without a launcher, and say --ranks N");
  }
  print("{}", plan_text(sweep, context, ranks));
  if (!probe) return base::ExitCode::done;
  const base::StopScope scope = stop_at_signals();
  print("{}", probe_text(call.world, sweep, context, ranks));
  return base::ExitCode::done;
}

}  // namespace

Command plan_command() {
  Command command;
  command.name = "plan";
  command.summary = "Show what a config would run: options, axes, tasks, problems.";
  command.details =
      "It runs no task, but with --probe the shortest one of each kind: then it says what all of\n"
      "them will take: core hours, memory, and a time limit to ask a batch system for.\n";
  command.arguments = {{"CONFIG"}};
  command.numbers = {{"ranks", "a whole number >= 1", true, 1}};
  command.runs_tasks_with = "probe";
  command.execute = execute_plan;
  add_sweep_options(command.options);
  command.options.add_options()("ranks",
                                boost::program_options::value<std::int64_t>()->value_name("N"),
                                "The forecast is for N ranks (default: those it was started on).")(
      "probe", "One short task of each kind is run, to say how long the sweep will take.");
  return command;
}

}  // namespace fairfront::drivers
