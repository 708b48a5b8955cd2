#include <boost/program_options/value_semantic.hpp>
#include <span>
#include <string>

#include "base/printable.hpp"
#include "base/publish.hpp"
#include "column_roles.hpp"
#include "commands.hpp"
#include "csv_file.hpp"
#include "output.hpp"
#include "proposed_config.hpp"
#include "table_proposal.hpp"

namespace fairfront::drivers {
namespace {

base::ExitCode execute_init(const Call& call) {
  const Proposal proposal = propose(call);
  const std::string text = config_of(proposal);
  if (first_line_looks_like_row(proposal.table)) {
    log("fairfront: warning: {}: {}\n", base::printable(proposal.path), without_header_text);
  }
  const std::string path = call.values.count("output") == 0
                               ? std::string(standard_stream)
                               : call.values["output"].as<std::string>();
  if (path == standard_stream) {
    print_text(text);
    return base::ExitCode::done;
  }
  base::check_writable(path, false, base::WayOut::another_name);
  base::publish(path, std::as_bytes(std::span{text}), false);
  log("config '{}': look at it, then fairfront plan {}\n", path, path);
  return base::ExitCode::done;
}

}  // namespace

Command init_command() {
  Command command;
  command.name = "init";
  command.summary = "Look at a table and write a config for it, with comments.";
  command.arguments = {{"TABLE"}};
  command.details =
      "The table is a CSV file with a header. The config says what each column holds, proposes "
      "label,\n"
      "groups and features, says how many rows each group has, and warns of small groups and of\n"
      "columns that are of no use. It is a proposal: look at it before you run it.\n\n"
      "Examples:\n"
      "  fairfront init people.csv -o people.ini\n"
      "  fairfront init people.csv --label wage --sensitive sex,region\n"
      "  fairfront init people.csv --label wage --sensitive 'sex, age >= 40'\n";
  command.execute = execute_init;
  using boost::program_options::value;
  command.options.add_options()(
      "output,o", value<std::string>()->value_name("FILE"),
      "The config is written to this file, which must be new; without it, or as "
      "'-', to the standard output.")(
      "label", value<std::string>()->value_name("NAME"),
      "This column is to be predicted; without it, one is proposed by names and values.")(
      "sensitive", value<std::string>()->value_name("A,B"),
      "The levels of these columns are the groups, or what data.sensitive takes besides: "
      "comparisons such as age >= 40, largest(A, B), and column(NAME), which takes any name; "
      "without it, columns are proposed by names.")(
      "separator", value<std::string>()->value_name("C"),
      "This stands between the cells: comma, semicolon, tab, blank (runs of blanks), or one "
      "character; without it, comma, semicolon, tab or bar, by what the first rows have.");
  return command;
}

}  // namespace fairfront::drivers
