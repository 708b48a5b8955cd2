/// @file
/// The subcommands of the program; one file each.
#pragma once

#include <boost/program_options/options_description.hpp>
#include <boost/program_options/variables_map.hpp>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "parallel/comm.hpp"

namespace fairfront::drivers {

/// One use of a subcommand.
struct Call {
  const parallel::Comm& world;
  const boost::program_options::variables_map& values;
  std::string command_line;
};

/// A positional argument; `name` is also its key in Call::values.
struct Argument {
  std::string name;
  bool required = true;
  bool repeated = false;  ///< takes all the words that are left, as a std::vector<std::string>
};

/// What the number behind an option must be. It is checked where the command line is read.
struct NumberRule {
  std::string option;
  std::string words;  ///< what stands behind "must be"
  bool whole = true;
  double least = 0;
  double most = std::numeric_limits<double>::max();
  bool with_ends = true;  ///< whether it may be `least` or `most` itself
};

/// What the program knows about a subcommand.
struct Command {
  std::string name;
  std::string summary;  ///< one line
  std::vector<Argument> arguments;
  boost::program_options::options_description options;
  std::vector<NumberRule> numbers{};  ///< a rule for each option that is a number
  std::string details;                ///< more help, below the options
  /// `execute` runs on every rank and is collective; otherwise it runs on rank 0 alone.
  bool collective = false;
  /// The option with which a command that is not collective runs tasks all the same, or empty.
  std::string runs_tasks_with{};
  /// What it prints is only about files that it leaves: when the standard output takes nothing,
  /// that is no failure of the command.
  bool leaves_files = false;
  std::function<base::ExitCode(const Call&)> execute;
};

[[nodiscard]] Command run_command();
[[nodiscard]] Command plan_command();
[[nodiscard]] Command show_command();
[[nodiscard]] Command verify_command();
[[nodiscard]] Command status_command();
[[nodiscard]] Command replay_command();
[[nodiscard]] Command diff_command();
[[nodiscard]] Command merge_command();
[[nodiscard]] Command export_command();
[[nodiscard]] Command measure_command();
[[nodiscard]] Command choose_command();
[[nodiscard]] Command predict_command();
[[nodiscard]] Command data_command();
[[nodiscard]] Command init_command();
[[nodiscard]] Command list_command();

/// What `list` takes as TOPIC.
[[nodiscard]] std::vector<std::string> list_topics();

}  // namespace fairfront::drivers
