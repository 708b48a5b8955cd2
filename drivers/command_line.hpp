/// @file
/// From argv to a call of a subcommand.
#pragma once

#include <boost/program_options/variables_map.hpp>
#include <span>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "commands.hpp"
#include "parallel/comm.hpp"

namespace fairfront::drivers {

/// The values of a subcommand's arguments and options.
/// @throws base::InputError  unknown option with the nearest valid one, missing argument or value.
[[nodiscard]] boost::program_options::variables_map parse(const Command& command,
                                                          const std::vector<std::string>& words);

[[nodiscard]] std::string usage(const Command& command);  ///< one line
[[nodiscard]] std::string exit_status_text();
[[nodiscard]] std::string help_text(std::span<const Command> commands);
[[nodiscard]] std::string help_text(const Command& command);

/// Whether the command runs tasks, for which MPI must be started, also by a process alone.
[[nodiscard]] bool runs_tasks(const std::vector<std::string>& words);

/// Does what the command line says. Collective.
/// @param words  argv without the program's name.
/// @throws parallel::CollectiveError  on every rank; anything else is not agreed.
[[nodiscard]] base::ExitCode execute(const parallel::Comm& world,
                                     const std::vector<std::string>& words);

}  // namespace fairfront::drivers
