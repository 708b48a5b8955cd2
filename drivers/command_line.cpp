#include "command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/errors.hpp>
#include <boost/program_options/parsers.hpp>
#include <boost/program_options/positional_options.hpp>
#include <cstdio>
#include <optional>
#include <sstream>
#include <utility>

#include "base/printable.hpp"
#include "base/simd.hpp"
#include "base/text.hpp"
#include "build_info.hpp"
#include "describe_program.hpp"
#include "output.hpp"
#include "parallel/agree.hpp"
#include "reading_notice.hpp"

namespace fairfront::drivers {
namespace {

namespace options = boost::program_options;

std::vector<Command> all_commands() {
  return {run_command(),    plan_command(),    status_command(), show_command(),
          verify_command(), replay_command(),  diff_command(),   merge_command(),
          export_command(), measure_command(), choose_command(), predict_command(),
          data_command(),   init_command(),    list_command()};
}

const Command& find_command(std::span<const Command> commands, const std::string& name) {
  std::vector<std::string> names{"help"};
  for (const Command& command : commands) {
    if (command.name == name) return command;
    names.push_back(command.name);
  }
  throw base::InputError(fmt::format("there is no command '{}'{}; see 'fairfront --help'",
                                     base::excerpt(name), base::name_hint(name, names)));
}

options::options_description with_arguments(const Command& command,
                                            options::positional_options_description& positions) {
  options::options_description all;
  all.add(command.options);
  for (const Argument& argument : command.arguments) {
    const char* name = argument.name.c_str();
    if (argument.repeated) {
      all.add_options()(name, options::value<std::vector<std::string>>());
    } else {
      all.add_options()(name, options::value<std::string>());
    }
    positions.add(name, argument.repeated ? -1 : 1);
  }
  return all;
}

[[noreturn]] void fail_unknown(const Command& command, const std::string& option) {
  std::vector<std::string> names;
  for (const auto& known : command.options.options()) names.push_back("--" + known->long_name());
  throw base::InputError(fmt::format("{}: there is no option '{}'{}", command.name,
                                     base::excerpt(option), base::name_hint(option, names)));
}

/// What a command line asks for.
struct Request {
  std::optional<Command> command;
  options::variables_map values;
  std::string text;  ///< printed instead of running a command
};

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

/// `help --man [COMMAND]` and `help --completion SHELL`: for the installation.
std::optional<std::string> description_of(std::span<const Command> commands,
                                          const std::vector<std::string>& words) {
  if (words.size() < 2 || words[0] != "help") return std::nullopt;
  if (words[1] == "--man" && words.size() <= 3) {
    return words.size() == 2 ? manual_page(commands)
                             : manual_page(find_command(commands, words[2]));
  }
  if (words[1] != "--completion") return std::nullopt;
  const std::string shell = words.size() == 3 ? words[2] : "";
  if (shell == "bash") return bash_completion(commands);
  if (shell == "zsh") return zsh_completion(commands);
  throw base::InputError("help: --completion takes bash or zsh");
}

Request read_request(const std::vector<std::string>& words) {
  base::check_simd();
  const std::vector<Command> commands = all_commands();
  if (words.empty()) throw base::InputError("no command; see 'fairfront --help'");
  if (words[0] == "--version") return {{}, {}, version_text()};
  if (auto text = description_of(commands, words)) return {{}, {}, std::move(*text)};
  const bool help = words[0] == "help";
  if (asks_for_help(words[0]) || (help && words.size() == 1)) return {{}, {}, help_text(commands)};
  if (help && words[1] == "help") return {{}, {}, help_text(commands)};
  const Command& command = find_command(commands, words[help ? 1 : 0]);
  if (help || std::any_of(words.begin(), words.end(), asks_for_help)) {
    return {{}, {}, help_text(command)};
  }
  return {command, parse(command, {words.begin() + 1, words.end()}), {}};
}

/// Runs `command` on rank 0; every rank returns its exit code. Collective.
base::ExitCode execute_on_root(const Command& command, const Call& call) {
  base::ExitCode code = base::ExitCode::done;
  parallel::agree(call.world, "", [&] {
    if (call.world.is_root()) code = command.execute(call);
  });
  const std::int64_t agreed = parallel::all_reduce_max(call.world, static_cast<int>(code));
  return static_cast<base::ExitCode>(agreed);
}

/// The code of a command whose results are printed must not be 0 when they have not arrived.
/// Collective.
base::ExitCode with_output(const parallel::Comm& world, base::ExitCode code, bool leaves_files) {
  const bool lost = world.is_root() && !flush_output();
  if (parallel::all_reduce_max(world, lost ? 1 : 0) == 0) return code;
  return code == base::ExitCode::done && !leaves_files ? base::ExitCode::bad_input : code;
}

/// A table that is asked for on the standard output is the result, whoever leaves files elsewhere.
bool leaves_files(const Command& command, const Call& call) {
  const bool prints_table =
      call.values.count("csv") > 0 && call.values["csv"].as<std::string>() == "-";
  return command.leaves_files && !prints_table;
}

}  // namespace

std::string usage(const Command& command) {
  std::string text = "fairfront " + command.name;
  for (const Argument& argument : command.arguments) {
    text += argument.required ? " " + argument.name : fmt::format(" [{}]", argument.name);
    if (argument.repeated) text += "...";
  }
  return command.options.options().empty() ? text : text + " [options]";
}

/// What is wrong with the number that an option was given; empty: nothing is.
static std::string flaw_of(const NumberRule& rule, const std::string& text) {
  std::optional<double> number = base::parse_double(text);
  if (rule.whole && !base::parse_int64(text)) number.reset();
  const bool inside = number && (rule.with_ends ? *number >= rule.least && *number <= rule.most
                                                : *number > rule.least && *number < rule.most);
  return inside
             ? ""
             : fmt::format("--{} = '{}', must be {}", rule.option, base::excerpt(text), rule.words);
}

static const NumberRule* rule_of(const Command& command, const std::string& option) {
  const auto found = std::ranges::find(command.numbers, option, &NumberRule::option);
  return found == command.numbers.end() ? nullptr : &*found;
}

static void check_numbers(const Command& command, const std::vector<options::option>& given) {
  for (const options::option& option : given) {
    const NumberRule* const rule = rule_of(command, option.string_key);
    if (rule == nullptr) continue;
    for (const std::string& text : option.value) {
      const std::string flaw = flaw_of(*rule, text);
      if (!flaw.empty()) throw base::InputError(fmt::format("{}: {}", command.name, flaw));
    }
  }
}

/// An option without its value.
[[noreturn]] static void fail_without_value(const Command& command,
                                            const options::error_with_option_name& error) {
  const std::string name = error.get_option_name();
  const NumberRule* const rule = rule_of(command, name.substr(name.find_first_not_of('-')));
  throw base::InputError(fmt::format("{}: {}{}; usage: {}", command.name, error.what(),
                                     rule ? fmt::format(", and must be {}", rule->words) : "",
                                     usage(command)));
}

/// An empty value would be as none, which nobody writes on purpose: a script's variable is not set.
static void refuse_empty(const Command& command, const options::variables_map& values) {
  for (const char* name :
       {"best", "catalogue", "chosen", "data-dir", "group", "keep", "sensitive", "work-dir"}) {
    if (values.count(name) == 0 || !values[name].as<std::string>().empty()) continue;
    const options::option_description& option = command.options.find(name, false);
    throw base::InputError(fmt::format("{}: --{} is empty: give it {}, or leave it out",
                                       command.name, name, option.semantic()->name()));
  }
}

options::variables_map parse(const Command& command, const std::vector<std::string>& words) {
  options::positional_options_description positions;
  const options::options_description all = with_arguments(command, positions);
  options::variables_map values;
  try {
    const auto style =
        options::command_line_style::unix_style & ~options::command_line_style::allow_guessing;
    const auto given =
        options::command_line_parser(words).options(all).positional(positions).style(style).run();
    check_numbers(command, given.options);
    options::store(given, values);
  } catch (const options::unknown_option& unknown) {
    fail_unknown(command, unknown.get_option_name());
  } catch (const options::too_many_positional_options_error&) {
    throw base::InputError(fmt::format("{}: these are more files or names than it takes; usage: {}",
                                       command.name, usage(command)));
  } catch (const options::invalid_command_line_syntax& error) {
    fail_without_value(command, error);
  } catch (const options::error& error) {
    throw base::InputError(
        fmt::format("{}: {}; usage: {}", command.name, error.what(), usage(command)));
  }
  for (const Argument& argument : command.arguments) {
    if (!argument.required || values.count(argument.name) > 0) continue;
    throw base::InputError(
        fmt::format("{}: {} is missing; usage: {}", command.name, argument.name, usage(command)));
  }
  refuse_empty(command, values);
  return values;
}

std::string help_text(std::span<const Command> commands) {
  std::string text =
      "fairfront: Pareto fronts of fairness against performance\n\n"
      "usage: [mpirun -n RANKS] fairfront COMMAND ...\n\ncommands:\n";
  for (const Command& command : commands) {
    text += fmt::format("  {:<8} {}\n", command.name, command.summary);
  }
  return text +
         "\n'fairfront help COMMAND' tells more; 'fairfront --version' describes the build.\n"
         "'fairfront help --man [COMMAND]' is a page for man, 'fairfront help --completion SHELL' "
         "a\n"
         "script for bash or zsh.\n"
         "Exit status: " +
         exit_status_text();
}

std::string exit_status_text() {
  return "0 done, 1 some tasks failed or results differ, 2 bad usage, config or data,\n"
         "3 interrupted and resumable, 4 damaged archive, 5 out of memory or another failure of "
         "the\n"
         "program or the machine, resumable, 6 another run writes there now.\n";
}

std::string help_text(const Command& command) {
  std::ostringstream text;
  text << "usage: " << usage(command) << "\n\n" << command.summary << '\n';
  if (!command.options.options().empty()) text << '\n' << command.options;
  if (!command.details.empty()) text << '\n' << command.details;
  return text.str();
}

bool runs_tasks(const std::vector<std::string>& words) {
  if (words.empty()) return false;
  const std::vector<Command> commands = all_commands();
  const auto command = std::ranges::find(commands, words[0], &Command::name);
  if (command == commands.end()) return false;
  const std::string& option = command->runs_tasks_with;
  return command->collective ||
         (!option.empty() && std::ranges::find(words, "--" + option) != words.end());
}

base::ExitCode execute(const parallel::Comm& world, const std::vector<std::string>& words) {
  std::optional<Request> request;
  parallel::agree(world, "", [&] { request.emplace(read_request(words)); });
  if (!request->command) {
    if (world.is_root()) print_text(request->text);
    return with_output(world, base::ExitCode::done, false);
  }
  const Command& command = *request->command;
  const Call call{world, request->values, "fairfront " + base::join(words, " ")};
  const ReadingNotice notice(world.is_root() && request->values.count("quiet") == 0);
  const base::ExitCode code =
      command.collective ? command.execute(call) : execute_on_root(command, call);
  return with_output(world, code, leaves_files(command, call));
}

}  // namespace fairfront::drivers
