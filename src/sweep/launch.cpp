#include "sweep/launch.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <ctime>
#include <utility>

#include "base/system.hpp"
#include "base/text.hpp"

namespace fairfront::sweep {
namespace {

std::int64_t number_in(const Environment& environment, const std::string& name) {
  const auto text = environment(name);
  return text ? base::parse_int64(*text).value_or(0) : 0;
}

}  // namespace

std::optional<std::string> process_environment(const std::string& name) {
  const char* value = std::getenv(name.c_str());
  if (value == nullptr) return std::nullopt;
  return value;
}

std::optional<std::string> singleton_complaint(int world_size, const Environment& environment) {
  if (world_size != 1) return std::nullopt;
  // The nearest launcher decides: `mpirun -n 1` in a job of 8 tasks is one rank by intention.
  for (const char* name : {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"}) {
    if (!environment(name)) continue;
    const std::int64_t started = number_in(environment, name);
    if (started <= 1) return std::nullopt;
    return fmt::format(
        "the launcher started {} processes ({}), but each is alone in its MPI world and would do "
        "the whole sweep. Start the program with the launcher of the MPI library it was built "
        "with: its own mpirun, or srun with the right --mpi (see 'srun --mpi=list')",
        started, name);
  }
  const std::int64_t tasks = number_in(environment, "SLURM_NTASKS");
  if (tasks <= 1 || !environment("SLURM_JOB_ID")) return std::nullopt;
  return fmt::format(
      "the SLURM job has {} tasks (SLURM_NTASKS), but the program was started as one process. "
      "Start it with srun or mpirun; for one rank on purpose write 'srun -n 1' or 'mpirun -n 1'",
      tasks);
}

std::string fold_names(const std::vector<std::string>& names) {
  std::vector<std::pair<std::string, int>> counts;
  for (const std::string& name : names) {
    const auto found = std::find_if(counts.begin(), counts.end(),
                                    [&](const auto& known) { return known.first == name; });
    if (found == counts.end()) {
      counts.emplace_back(name, 1);
    } else {
      ++found->second;
    }
  }
  std::vector<std::string> texts;
  texts.reserve(counts.size());
  for (const auto& [name, count] : counts) {
    texts.push_back(count == 1 ? name : fmt::format("{} x{}", name, count));
  }
  return base::join(texts, ", ");
}

std::string slurm_ids(const Environment& environment) {
  const auto job = environment("SLURM_JOB_ID");
  if (!job) return {};
  std::string text = "job=" + *job;
  const auto array = environment("SLURM_ARRAY_JOB_ID");
  const auto element = environment("SLURM_ARRAY_TASK_ID");
  if (array && element) text += fmt::format(" array={}_{}", *array, *element);
  if (const auto nodes = environment("SLURM_JOB_NODELIST")) text += " nodes=" + *nodes;
  if (const auto restarts = environment("SLURM_RESTART_COUNT")) text += " restarts=" + *restarts;
  return text;
}

std::string format_utc(std::int64_t seconds) {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

results::LaunchFacts describe_launch(const parallel::Comm& world, results::LaunchFacts build) {
  build.hosts = fold_names(parallel::gather(world, base::host_name()));
  build.processors = fold_names(parallel::gather(world, base::processor()));
  build.c_libraries = fold_names(parallel::gather(world, base::c_library()));
  build.ranks = world.size();
  build.team_size = world.size();
  build.slurm = slurm_ids(process_environment);
  build.created =
      format_utc(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now()));
  return build;
}

}  // namespace fairfront::sweep
