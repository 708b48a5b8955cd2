#include <fmt/format.h>

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.hpp"
#include "config/config.hpp"
#include "describe_program.hpp"
#include "experiments/registry.hpp"

namespace fairfront::drivers {
namespace {

/// "seed=", "clustering.clusters=": every option of every experiment, as --set takes it.
std::vector<std::string> config_keys() {
  std::set<std::string> keys;
  const auto add = [&](const config::Section& section) {
    for (const base::OptionInfo& info : section.open()->infos()) {
      keys.insert(section.name.empty() ? fmt::format("{}=", info.name)
                                       : fmt::format("{}.{}=", section.name, info.name));
    }
  };
  add(config::global_section());
  for (const auto& experiment : experiments::registry()) {
    for (const config::Section& section : experiment->sections()) add(section);
  }
  return {keys.begin(), keys.end()};
}

std::vector<std::string> experiment_names() {
  std::vector<std::string> names;
  for (const auto& experiment : experiments::registry()) names.push_back(experiment->name());
  return names;
}

std::vector<std::string> command_names(std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& command : commands) names.push_back(command.name);
  return names;
}

/// What the first argument of a command is: the pattern of files, or the words to choose from.
std::string pattern_of(const Argument& argument) {
  if (argument.name == "CONFIG") return "*.ini";
  return argument.name == "TOPIC" || argument.name == "EXPERIMENT" ? "" : "*.h5";
}

/// Between single quotes of a shell.
std::string in_quotes(std::string_view text) {
  std::string whole{"'"};
  for (const char c : text) {
    if (c == '\'') whole += "'\\'";  // out of the quotes, itself, and into new ones
    whole += c;
  }
  whole += '\'';
  return whole;
}

std::string bash_case(const Command& command) {
  std::vector<std::string> options{"--help"};
  std::vector<std::string> with_values;
  for (const auto& option : command.options.options()) {
    options.push_back("--" + option->long_name());
    if (option->semantic()->max_tokens() > 0) with_values.push_back("--" + option->long_name());
  }
  return fmt::format(
      "    {})\n      options={}\n      with_values={}\n      pattern={}\n      ;;\n", command.name,
      in_quotes(base::join(options, " ")),
      in_quotes(fmt::format(" {} ", base::join(with_values, " "))),
      in_quotes(command.arguments.empty() ? "" : pattern_of(command.arguments[0])));
}

constexpr std::string_view bash_script =
    R"(# Completion of fairfront for bash, written by `fairfront help --completion bash`.
_fairfront() {
  local cur=$2 command=${COMP_WORDS[1]-} line=${COMP_LINE:0:COMP_POINT}
  local options='' with_values='' pattern='' before=${COMP_WORDS[COMP_CWORD-1]}
  COMPREPLY=()
  if ((COMP_CWORD == 1)); then
    mapfile -t COMPREPLY < <(compgen -W '@commands@ help --help --version' -- "$cur")
    return
  fi
  case $command in
@cases@    help)
      mapfile -t COMPREPLY < <(compgen -W '@commands@' -- "$cur")
      return
      ;;
    *)
      return
      ;;
  esac
  if [[ $before == --set || $line == *' --set '*([![:space:]]) ]]; then
    # Bash ends a word at '=': behind it, what the key may be is for the person to say.
    [[ ${line##* } == *=* ]] && return
    compopt -o nospace
    mapfile -t COMPREPLY < <(compgen -W '@keys@' -- "$cur")
  elif [[ $with_values == *" $before "* ]]; then
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -f -- "$cur")
  elif [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$options" -- "$cur")
  elif [[ $command == list && $COMP_CWORD == 2 ]]; then
    mapfile -t COMPREPLY < <(compgen -W '@topics@' -- "$cur")
  elif [[ $command == list ]]; then
    mapfile -t COMPREPLY < <(compgen -W '@experiments@' -- "$cur")
  else
    compopt -o filenames
    mapfile -t COMPREPLY < <(compgen -d -- "$cur"; compgen -f -X "!$pattern" -- "$cur")
  fi
}
complete -F _fairfront fairfront
)";

constexpr std::string_view zsh_script = R"(#compdef fairfront
# Completion of fairfront for zsh, written by `fairfront help --completion zsh`.
_fairfront_keys() {
  local -a keys
  keys=(@keys@)
  compadd -S '' -- $keys
}

_fairfront() {
  local -a commands
  commands=(
@descriptions@  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  case $words[2] in
@cases@    help)
      _describe command commands
      ;;
  esac
}

_fairfront "$@"
)";

/// `script` with every "@name@" replaced.
std::string filled(std::string_view script,
                   const std::vector<std::pair<std::string, std::string>>& values) {
  std::string text{script};
  for (const auto& [name, value] : values) {
    const std::string mark = fmt::format("@{}@", name);
    for (auto at = text.find(mark); at != text.npos; at = text.find(mark, at + value.size())) {
      text.replace(at, mark.size(), value);
    }
  }
  return text;
}

/// Inside a specification of _arguments: brackets and colons are its own.
std::string zsh_text(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') escaped += '\\';
    escaped += c == '\n' ? ' ' : c;
  }
  return escaped;
}

std::string zsh_action(const Argument& argument) {
  if (argument.name == "TOPIC") return fmt::format("({})", "@topics@");
  if (argument.name == "EXPERIMENT") return fmt::format("({})", "@experiments@");
  return fmt::format("_files -g \"{}\"", pattern_of(argument));
}

std::string zsh_case(const Command& command) {
  std::string text =
      fmt::format("    {})\n      shift words; (( CURRENT-- ))\n      _arguments", command.name);
  for (const auto& option : command.options.options()) {
    const bool repeated = option->long_name() == "set";
    std::string spec = fmt::format("{}--{}", repeated ? "*" : "", option->long_name());
    if (option->semantic()->max_tokens() > 0) spec += "=";
    spec += fmt::format("[{}]", zsh_text(option->description()));
    if (option->semantic()->max_tokens() > 0) {
      spec += fmt::format(":value:{}", repeated ? "_fairfront_keys" : "_files");
    }
    text += " \\\n        " + in_quotes(spec);
  }
  int place = 1;
  for (const Argument& argument : command.arguments) {
    const std::string where = argument.repeated ? "*" : std::to_string(place++);
    text += " \\\n        " +
            in_quotes(fmt::format("{}:{}:{}", where, argument.name, zsh_action(argument)));
  }
  return text + "\n      ;;\n";
}

}  // namespace

std::string bash_completion(std::span<const Command> commands) {
  std::string cases;
  for (const Command& command : commands) cases += bash_case(command);
  return filled(bash_script, {{"cases", cases},
                              {"commands", base::join(command_names(commands), " ")},
                              {"topics", base::join(list_topics(), " ")},
                              {"experiments", base::join(experiment_names(), " ")},
                              {"keys", base::join(config_keys(), " ")}});
}

std::string zsh_completion(std::span<const Command> commands) {
  std::string cases;
  std::string descriptions;
  for (const Command& command : commands) {
    cases += zsh_case(command);
    descriptions += fmt::format("    {}\n", in_quotes(command.name + ":" + command.summary));
  }
  return filled(zsh_script, {{"cases", cases},
                             {"descriptions", descriptions},
                             {"topics", base::join(list_topics(), " ")},
                             {"experiments", base::join(experiment_names(), " ")},
                             {"keys", base::join(config_keys(), " ")}});
}

}  // namespace fairfront::drivers
