/// @file
/// How long a run may take.
#pragma once

#include <string>

#include "sweep/launch.hpp"

namespace fairfront::sweep {

/// "90" (minutes), "M:S", "H:M:S", "D-H", "D-H:M" or "D-H:M:S", as SLURM writes limits, in seconds.
/// @throws base::InputError  anything else, or 0.
[[nodiscard]] double parse_time_limit(const std::string& text);

/// Seconds from now that a run may use: the given limit, and not beyond the end of the SLURM job
/// (SLURM_JOB_END_TIME) less a margin for writing the archive; infinity without either.
/// @param limit  as parse_time_limit, or empty.
[[nodiscard]] double allowed_seconds(const std::string& limit, const Environment& environment);

}  // namespace fairfront::sweep
