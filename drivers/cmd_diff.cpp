#include <boost/program_options/value_semantic.hpp>
#include <map>
#include <optional>
#include <utility>

#include "archive/archive.hpp"
#include "commands.hpp"
#include "compare_records.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "results/records.hpp"

namespace fairfront::drivers {
namespace {

base::ExitCode execute_diff(const Call& call) {
  const auto tolerance = call.values["rtol"].as<double>();
  const auto path_a = call.values["A"].as<std::string>();
  const auto path_b = call.values["B"].as<std::string>();
  const archive::Stored a = archive::read(path_a);
  const archive::Stored b = archive::read(path_b);
  if (a.digest == b.digest && a.measures_digest == b.measures_digest) {
    print("the same results, digest {}\n", a.digest);
    return base::ExitCode::done;
  }
  const auto sweeps =
      results::first_difference(results::sweep_of(a.content), results::sweep_of(b.content));
  if (sweeps) print("the sweeps differ: {}\n", *sweeps);
  const Sweep sweep = reopen_sweep(a.content, path_a);
  const Comparison result = compare_records(results::records_of(a.content),
                                            results::records_of(b.content), sweep.plan, tolerance);
  print("{}", result.text);
  print("{} tasks equal, {} differ, {} only in '{}', {} only in '{}'\n", result.equal,
        result.different, result.only_there, path_a, result.only_here, path_b);
  const bool same = result.different + result.only_there + result.only_here == 0;
  return same ? base::ExitCode::done : base::ExitCode::some_tasks_failed;
}

}  // namespace

Command diff_command() {
  Command command;
  command.name = "diff";
  command.summary = "Compare the results of two archives, task by task.";
  command.arguments = {{"A"}, {"B"}};
  command.details =
      "Tasks are matched by their keys. Times, hosts and ranks do not count.\n"
      "Exit status 0 when all tasks are the same, 1 when they are not.\n";
  command.execute = execute_diff;
  command.numbers = {{"rtol", "a number >= 0", false}};
  using boost::program_options::value;
  command.options.add_options()(
      "rtol", value<double>()->value_name("R")->default_value(0, "0"),
      "Numbers may differ by R times the larger one; with 0 not by one bit.");
  return command;
}

}  // namespace fairfront::drivers
