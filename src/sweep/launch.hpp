/// @file
/// What the environment of the launch says: singletons, hosts, job ids.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "parallel/comm.hpp"
#include "results/content.hpp"

namespace fairfront::sweep {

/// The value of an environment variable.
using Environment = std::function<std::optional<std::string>(const std::string&)>;

/// This process's environment.
[[nodiscard]] std::optional<std::string> process_environment(const std::string& name);

/// Why a world of one rank is not what the launcher meant, or nothing.
///
/// mpirun and srun tell each process how many they started. If they started several and the world
/// has one rank, program and launcher use different MPI libraries, and every copy would do the
/// whole sweep. Without a launcher, a job of several SLURM tasks means that srun was forgotten.
[[nodiscard]] std::optional<std::string> singleton_complaint(int world_size,
                                                             const Environment& environment);

/// "node1 x4, node2 x2", in order of first appearance.
[[nodiscard]] std::string fold_names(const std::vector<std::string>& names);

/// "job=123 array=120_3 nodes=n[1-2] restarts=1"; empty outside SLURM.
[[nodiscard]] std::string slurm_ids(const Environment& environment);

/// Seconds since 1970 as "2026-01-31T12:34:56Z".
[[nodiscard]] std::string format_utc(std::int64_t seconds);

/// Fills in what only the launch knows: created, hosts, their processors and C libraries, ranks,
/// team size, SLURM. Collective.
/// @param build  the facts about program and build, and the command line.
/// @returns complete on rank 0.
[[nodiscard]] results::LaunchFacts describe_launch(const parallel::Comm& world,
                                                   results::LaunchFacts build);

}  // namespace fairfront::sweep
