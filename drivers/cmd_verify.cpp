#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "archive/archive.hpp"
#include "archive_work.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "build_info.hpp"
#include "commands.hpp"
#include "load_sweep.hpp"
#include "output.hpp"
#include "results/content.hpp"
#include "run_support.hpp"
#include "sweep/archive_check.hpp"
#include "sweep/prove_again.hpp"
#include "sweep/unknown_measures.hpp"

namespace fairfront::drivers {
namespace {

/// Has this very program written it? What another one meant by a config this one may not know.
bool is_own(const results::LaunchFacts& facts) {
  const results::LaunchFacts here = build_provenance();
  return facts.program_version == here.program_version && facts.git_revision == here.git_revision &&
         facts.git_dirty == here.git_dirty;
}

/// What an archive is beside its own config and the results that it holds.
struct Compared {
  std::vector<std::string> differences{};
  std::string not_compared{};  ///< why less was compared; empty: nothing less was
  std::string unknown{};       ///< measures that this program does not know; may be empty
};

/// What this program does not know of an archive, as of a newer one, is no damage.
Compared compare_with_plan(const results::Content& content, const std::string& path) {
  const bool own = is_own(content.provenance);
  Compared found;
  try {
    const Sweep sweep = reopen_sweep(content, path);
    const sweep::ResultSchema schema = sweep.experiment.schema();
    results::Content known = content;
    found.unknown = sweep::names_of(sweep::take_unknown_measures(known, schema));
    if (!own && sweep.plan.revisions() != content.revisions) {
      found.not_compared = "made by another revision of its solvers";
      return found;
    }
    found.differences = sweep::differences_from_plan(known, sweep.plan);
    if (!own || !found.differences.empty()) return found;
    found.differences = sweep::differences_from_rewriting(known, sweep.plan, schema);
  } catch (const base::InputError& error) {
    if (own) {
      found.differences.push_back(fmt::format("/config: {}", error.what()));
    } else {
      found.not_compared = error.what();
    }
  }
  return found;
}

/// "3 of 5 tasks are missing: 1, 2, 4"; empty when none is.
std::string missing_text(const results::TaskTable& tasks) {
  constexpr std::size_t most = 10;
  std::vector<std::string> missing;
  for (std::size_t i = 0; i < tasks.status.size(); ++i) {
    if (tasks.status[i] == results::TaskStatus::missing) missing.push_back(std::to_string(i));
  }
  if (missing.empty()) return {};
  const std::size_t count = missing.size();
  missing.resize(std::min(count, most));
  return fmt::format("{} of {} tasks are missing: {}{}", count, tasks.status.size(),
                     base::join(missing, ", "), count > most ? ", ..." : "");
}

/// What a sound archive is called, and whether it is all that was asked for.
base::ExitCode report_sound(const Call& call, const std::string& path,
                            const archive::Stored& stored, const Compared& compared) {
  const std::string missing = missing_text(stored.content.tasks);
  print("{}: sound, {}{}, digest {}\n", path, stored.status,
        missing.empty() ? "" : fmt::format(" ({})", missing), stored.digest);
  if (!compared.not_compared.empty()) {
    print("tasks not compared with the config: {}\n", compared.not_compared);
  }
  if (!compared.unknown.empty()) {
    print("measures that this version does not know: {}; their values are as they were written\n",
          base::printable(compared.unknown));
  }
  if (missing.empty() || call.values.count("complete") == 0) return base::ExitCode::done;
  log("fairfront: error: '{}' is not complete, {}; `run --resume` or `merge` adds them\n", path,
      missing);
  return base::ExitCode::interrupted;
}

/// Proves what the tasks claim from the data, and says so. @return whether nothing is refuted.
bool prove(const Call& call, const std::string& path, const results::Content& content) {
  const base::StopScope scope = stop_at_signals();
  const ArchiveWork work = work_on_archive(call, content, path, "tasks are looked at");
  const std::vector<sweep::ProvenTask> tasks =
      sweep::prove_again(work.sweep.plan, work.sweep.experiment, content, work.context);
  std::int64_t proven = 0;
  std::int64_t refuted = 0;
  for (const sweep::ProvenTask& task : tasks) {
    for (const sweep::Claim& claim : task.claims) {
      const bool holds = claim.refuted.empty();
      ++(holds ? proven : refuted);
      print("task {}: {}: {}\n", task.task, claim.text,
            holds ? "proven again" : "not proven: " + claim.refuted);
    }
  }
  if (tasks.empty()) {
    print("{}: no task of experiment '{}' claims what findings and data could prove\n", path,
          base::printable(content.experiment));
  } else {
    print("{}: {} claims proven again from the data, {} not\n", path, proven, refuted);
  }
  return refuted == 0;
}

base::ExitCode execute_verify(const Call& call) {
  const auto path = call.values["ARCHIVE"].as<std::string>();
  std::vector<std::string> problems = archive::verify(path);
  if (problems.empty()) {
    const archive::Stored stored = archive::read(path);
    problems = sweep::implausible_facts(stored.content);
    const Compared compared = compare_with_plan(stored.content, path);
    problems.insert(problems.end(), compared.differences.begin(), compared.differences.end());
    if (problems.empty()) {
      if (call.values.count("deep") > 0 && !prove(call, path, stored.content)) {
        return base::ExitCode::archive_damaged;
      }
      return report_sound(call, path, stored, compared);
    }
    for (std::string& problem : problems) problem = base::printable(problem);
  }
  for (const std::string& problem : problems) print("{}: {}\n", path, problem);
  return base::ExitCode::archive_damaged;
}

}  // namespace

Command verify_command() {
  Command command;
  command.name = "verify";
  command.summary =
      "Check an archive: checksums, layout, every column, every task of the plan, both digests.";
  command.arguments = {{"ARCHIVE"}};
  command.options.add_options()("complete", "A task that is missing, as in a slice, is an error.")(
      "deep", "What the tasks claim is proven as well, from what they found and the data.");
  add_data_options(command.options);
  command.details =
      "Exit status 0 when the archive is sound, 4 when it is not; with --complete, 3 when it is\n"
      "sound but lacks tasks.\n"
      "With --deep, which needs the data and takes as long as their proofs did, claims of tasks "
      "are\n"
      "proven again without trusting the run, and 4 says that one is not: of experiment "
      "clustering\n"
      "that labels have their costs and balances, and that the potentials of [lower_bound] prove "
      "its\n"
      "bound; of [reductions] with search = grid that classifiers have their rates, and that none\n"
      "of them was a better choice. Example:\n"
      "  fairfront verify bounds.h5 --deep --data-dir data\n";
  command.execute = execute_verify;
  return command;
}

}  // namespace fairfront::drivers
