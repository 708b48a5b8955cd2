/// @file
/// What the program knows about its own command line, for others than a person at a terminal: pages
/// for man(1), completion for shells. All of it follows from the commands, as their help does.
#pragma once

#include <span>
#include <string>

#include "commands.hpp"

namespace fairfront::drivers {

/// fairfront.1: every command with its summary, environment, files, exit status.
[[nodiscard]] std::string manual_page(std::span<const Command> commands);

/// fairfront-COMMAND.1.
[[nodiscard]] std::string manual_page(const Command& command);

/// A script for bash: commands, their options, config keys behind --set, topics and experiments of
/// `list`, configs (*.ini) and archives (*.h5) where a command takes them.
[[nodiscard]] std::string bash_completion(std::span<const Command> commands);

/// The same for zsh, as a file `_fairfront` in its function path.
[[nodiscard]] std::string zsh_completion(std::span<const Command> commands);

}  // namespace fairfront::drivers
