/// @file
/// What work costs.
#pragma once

namespace fairfront::base {

/// CPU time of the calling thread, and of others' work that it has been told to add.
[[nodiscard]] double cpu_seconds() noexcept;
void add_cpu_seconds(double seconds) noexcept;

}  // namespace fairfront::base
