/// @file
/// The terminal that a person looks at, also behind a launcher of ranks.
#pragma once

#include <cstddef>
#include <optional>

namespace fairfront::drivers {

/// Columns of the terminal that the standard error ends in; nothing when it ends elsewhere.
///
/// Under mpirun the standard error of a rank is a pipe to the launcher, which passes every byte on
/// to its own. So where it is no terminal itself, that of the nearest ancestor that is a launcher
/// counts: on this host, and unless the launcher was told to mark the lines of ranks or to keep
/// them in files. Linux only, by /proc; where that tells nothing, there is no terminal.
[[nodiscard]] std::optional<std::size_t> terminal_columns();

}  // namespace fairfront::drivers
