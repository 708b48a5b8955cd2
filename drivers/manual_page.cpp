#include <fmt/format.h>

#include <string_view>

#include "build_info.hpp"
#include "command_line.hpp"
#include "describe_program.hpp"

namespace fairfront::drivers {
namespace {

/// Text that roff prints as it is.
std::string roff(std::string_view text) {
  std::string escaped;
  bool line_begins = true;
  for (const char c : text) {
    if (line_begins && (c == '.' || c == '\'')) escaped += "\\&";
    if (c == '\\') escaped += "\\(rs";
    if (c == '-') escaped += "\\-";
    if (c != '\\' && c != '-') escaped += c;
    line_begins = c == '\n';
  }
  return escaped;
}

std::string heading(std::string_view name, std::string_view summary) {
  std::string upper;
  for (const char c : name) upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return fmt::format(".TH {} 1 \"\" \"fairfront {}\" \"User Commands\"\n.SH NAME\n{} \\- {}\n",
                     upper, build_provenance().program_version, roff(name), roff(summary));
}

/// Lines that are to stay as they are.
std::string verbatim(std::string_view text) {
  return fmt::format(".nf\n{}{}.fi\n", roff(text), text.ends_with('\n') ? "" : "\n");
}

std::string options_section(const Command& command) {
  std::string text;
  for (const auto& option : command.options.options()) {
    std::string name = option->format_name();
    if (const std::string value = option->format_parameter(); !value.empty()) name += " " + value;
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\n", roff(name), roff(option->description()));
  }
  return text.empty() ? text : ".SH OPTIONS\n" + text;
}

}  // namespace

std::string manual_page(std::span<const Command> commands) {
  std::string text =
      heading("fairfront", "Pareto fronts of fairness against performance") +
      ".SH SYNOPSIS\n[mpirun \\-n RANKS] \\fBfairfront\\fR COMMAND ...\n.SH COMMANDS\n";
  for (const Command& command : commands) {
    text += fmt::format(".TP\n\\fB{}\\fR\n{}\nSee \\fBfairfront\\-{}\\fR(1).\n", roff(command.name),
                        roff(command.summary), roff(command.name));
  }
  return text + ".SH EXIT STATUS\n" + verbatim(exit_status_text());
}

std::string manual_page(const Command& command) {
  std::string text = heading("fairfront-" + command.name, command.summary);
  text += fmt::format(".SH SYNOPSIS\n\\fB{}\\fR\n", roff(usage(command)));
  text += options_section(command);
  if (!command.details.empty()) text += ".SH DETAILS\n" + verbatim(command.details);
  return text + ".SH SEE ALSO\n\\fBfairfront\\fR(1)\n";
}

}  // namespace fairfront::drivers
