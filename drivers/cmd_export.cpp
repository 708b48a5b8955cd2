#include <fmt/format.h>

#include <boost/program_options/value_semantic.hpp>
#include <chrono>
#include <string>
#include <utility>

#include "archive/archive.hpp"
#include "base/publish.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "export_csv.hpp"
#include "output.hpp"
#include "read_stored.hpp"
#include "results/content.hpp"
#include "sweep/launch.hpp"

namespace fairfront::drivers {
namespace {

/// What a journal has not: facts of a launch, and keys of missing tasks whose data nobody has read.
void complete_journal(results::Content& content) {
  results::LaunchFacts facts = build_provenance();
  facts.program_version = content.provenance.program_version;
  facts.created =
      sweep::format_utc(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  content.provenance = std::move(facts);
  constexpr std::size_t digits = 64;
  for (std::string& key : content.tasks.key) {
    if (key.empty()) key.assign(digits, '0');
  }
}

/// As an archive of its own, which other programs can read while the run goes on.
void export_archive(const std::string& file, results::Content content) {
  if (content.provenance.created.empty()) complete_journal(content);
  base::check_writable(file, false, base::WayOut::another_name);
  archive::write(file, content);
  print("{}\n", file);
}

base::ExitCode execute_export(const Call& call) {
  const bool tables = call.values.count("csv") > 0;
  const bool file = call.values.count("hdf5") > 0;
  if (!tables && !file) {
    throw base::InputError("export: name what to write by --csv DIR, --hdf5 FILE or both");
  }
  const auto path = call.values["ARCHIVE"].as<std::string>();
  const results::Content content = read_stored(path, call.values.count("partial") > 0).content;
  if (file) export_archive(call.values["hdf5"].as<std::string>(), content);
  if (!tables) return base::ExitCode::done;
  const auto folder = call.values["csv"].as<std::string>();
  for (const std::string& table : export_csv(content, folder, call.values.count("solutions") > 0)) {
    print("{}\n", table);
  }
  return base::ExitCode::done;
}

}  // namespace

Command export_command() {
  Command command;
  command.name = "export";
  command.summary = "Write an archive as CSV tables, or what a run has done so far as an archive.";
  command.arguments = {{"ARCHIVE"}};
  command.details =
      "The folder gets tasks.csv (a row per task: method, problem, axes, status, model, metrics), "
      "measures.csv (a\n"
      "row per task, measure, part and group: the value and its interval), groups.csv (a row per "
      "task,\n"
      "part and group, a column per measure of the group's rows alone), gaps.csv (a row per task, "
      "part\n"
      "and gap: its value and the groups that make it), fronts-NAME.csv (a row per point),\n"
      "series-NAME.csv (a row per step) and config.csv. Numbers have all their digits.\n";
  command.leaves_files = true;
  command.execute = execute_export;
  using boost::program_options::value;
  command.options.add_options()(
      "csv", value<std::string>()->value_name("DIR"),
      "The tables are written to this folder, which is made if need be; files are not replaced.")(
      "solutions",
      "The tables solutions-NAME.csv are written as well, with a row per value of a solution.")(
      "hdf5", value<std::string>()->value_name("FILE"),
      "An archive with the same results is written to this file, such as of a run that goes on "
      "(with --partial); a file that is there is not replaced.");
  add_partial_option(command.options);
  return command;
}

}  // namespace fairfront::drivers
