#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <string>
#include <utility>
#include <vector>

#include "archive/archive.hpp"
#include "archive_work.hpp"
#include "base/printable.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "run_support.hpp"
#include "sweep/measure_again.hpp"

namespace fairfront::drivers {
namespace {

/// What was found, by measure and by task.
void print_outcome(const std::string& archive, const sweep::MeasuredAgain& measured) {
  constexpr std::ptrdiff_t most_named = 20;
  for (const auto& [name, values] : measured.added) {
    print("{}: {} values that were not there\n", name, values);
  }
  for (const auto& [name, values] : measured.kept) {
    print("{}: {} values that only a run finds, which stay as they are: `replay` compares them\n",
          name, values);
  }
  for (const std::string& name : measured.unknown) {
    print("{}: a measure that this version does not know, which stays as it is\n",
          base::printable(name));
  }
  const auto named = std::min(most_named, std::ssize(measured.different));
  for (std::ptrdiff_t i = 0; i < named; ++i) {
    print("another value: {}\n", measured.different[static_cast<std::size_t>(i)]);
  }
  if (named < std::ssize(measured.different)) {
    print("... and {} others\n", std::ssize(measured.different) - named);
  }
  print("{}: {} values are the same, {} measures have new ones, {} values are others\n", archive,
        measured.same, measured.added.size(), measured.different.size());
}

base::ExitCode execute_measure(const Call& call) {
  const base::StopScope scope = stop_at_signals();
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const bool writes = call.values.count("output") > 0;
  const std::string output = writes ? call.values["output"].as<std::string>() : "";
  const bool force = call.values.count("force") > 0;
  if (writes) archive::check_output(output, force);
  results::Content content = archive::read(path).content;
  const ArchiveWork work = work_on_archive(call, content, path, "tasks are measured");
  sweep::MeasuredAgain measured = sweep::measure_again(
      call.world, work.sweep.plan, work.sweep.experiment, std::move(content), work.context);
  print_outcome(path, measured);
  if (!measured.different.empty()) {
    if (writes)
      print("{} is not written: what is measured here is not what was measured there\n", output);
    return base::ExitCode::some_tasks_failed;
  }
  if (writes) {
    measured.content.provenance.command_line += "; then " + call.command_line;
    archive::write(output, measured.content, force);
    print("{} is written\n", output);
  }
  return base::ExitCode::done;
}

}  // namespace

Command measure_command() {
  Command command;
  command.name = "measure";
  command.summary = "Measure what an archive's methods found, and add measures that it lacks.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "An older version of the program may have known fewer measures. No method is run again: a\n"
      "measure is a function of what was found and of the data, which must be there. What the\n"
      "archive has keeps its value and the digest of its results; a new archive is written, and "
      "the\n"
      "old one is left as it is. Without --output it only says what would be added. Example:\n"
      "  fairfront measure adult-2025.h5 -o adult-2026.h5 --data-dir data\n"
      "What only a run finds, such as the greatest AUC that a method could have, is named and "
      "stays\n"
      "as it is, as does a measure that this version does not know. Exit status 0 when all other "
      "values that were there are found again, 1 when one "
      "is\n"
      "another: then nothing is written.\n";
  command.leaves_files = true;
  command.execute = execute_measure;
  namespace options = boost::program_options;
  command.options.add_options()("output,o", options::value<std::string>()->value_name("FILE"),
                                "The archive is written to this file.")(
      "force", "An archive that is there is replaced.");
  add_data_options(command.options);
  return command;
}

}  // namespace fairfront::drivers
