#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options/value_semantic.hpp>
#include <cctype>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/publish.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "commands.hpp"
#include "data/column_fit.hpp"
#include "data/comparison.hpp"
#include "data/group_columns.hpp"
#include "data/readers/separator.hpp"
#include "output.hpp"
#include "rare_groups.hpp"
#include "table_facts.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::size_t most_names = 50;  // more levels than that say little of any row
constexpr std::size_t most_groups = 10;
constexpr std::int64_t few_rows = 30;       // of a group
constexpr std::int64_t rows_for_parts = 4;  // of a group: then parts of 60, 20 and 20 % have some
constexpr std::int64_t rows_for_chance = 100;  // of a group: then parts have some without strata

/// What the config is to be, by the places of the table's columns.
struct Proposal {
  std::string path;
  TableFormat format;
  TableFacts table;
  std::optional<std::size_t> label;
  std::vector<std::size_t> sensitive, features;
  std::vector<std::string> left_out;  ///< columns with the reason
  std::vector<GroupSize> groups;
  std::vector<RareLevel> rare;  ///< rows to leave out, as parts would lack their groups
  std::vector<std::size_t> same_as_label;
  std::int64_t incomplete = 0;  ///< rows with a missing cell in a column that is used
};

/// "native_country" as "native", "country", in lower case.
std::vector<std::string> words_of(const std::string& name) {
  std::vector<std::string> words(1);
  for (const char letter : name) {
    const auto code = static_cast<unsigned char>(letter);
    if (std::isalnum(code) != 0) {
      words.back() += static_cast<char>(std::tolower(code));
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  if (words.size() > 1 && words.back().empty()) words.pop_back();
  return words;
}

bool has_word(const std::string& name, const std::set<std::string>& known) {
  return std::ranges::any_of(words_of(name),
                             [&](const std::string& word) { return known.contains(word); });
}

bool looks_like_groups(const ColumnFacts& column) {
  static const std::set<std::string> known{
      "sex",        "gender",   "race",        "ethnicity", "ethnic",  "religion", "nationality",
      "disability", "disabled", "orientation", "marital",   "citizen", "group"};
  return has_word(column.name, known) && !column.is_constant() && !column.many &&
         column.levels.size() <= most_groups;
}

bool looks_like_label(const ColumnFacts& column) {
  static const std::set<std::string> known{"label", "target",   "outcome", "class",  "y",
                                           "hired", "approved", "default", "income", "decision"};
  return has_word(column.name, known) && !column.is_constant();
}

bool looks_like_number_of_row(const ColumnFacts& column, std::int64_t rows) {
  static const std::set<std::string> known{"id", "index", "key", "uuid", ""};
  if (column.is_number() && !column.whole) return false;  // a body mass index
  const bool is_named_so = has_word(column.name, known);
  if (column.many) return is_named_so;  // not all of its values were compared
  return std::ssize(column.levels) == rows && (is_named_so || !column.is_number());
}

/// Whether its numbers can be scaled, and added up by their squares.
bool has_squares(const ColumnFacts& column) {
  return data::has_squares(std::max(std::abs(column.least), std::abs(column.greatest)));
}

/// Whether some experiment takes it for its label.
bool may_be_label(const ColumnFacts& column) {
  return column.has_two() || (column.is_number() && !column.is_constant());
}

/// Whether its levels may be groups: not of a number that is another one in most rows.
bool may_be_groups(const ColumnFacts& column) {
  constexpr std::size_t most_numbers = 20;
  if (column.is_constant() || column.many || std::ssize(column.levels) == column.known)
    return false;
  return !column.is_number() || column.levels.size() <= most_numbers;
}

/// @param suits  which columns may be named there: no others are offered.
/// @throws base::InputError  there is none of that name.
std::size_t place_of(const TableFacts& table, const std::string& name, std::string_view option,
                     const std::function<bool(const ColumnFacts&)>& suits) {
  const auto found = std::ranges::find(table.columns, name, &ColumnFacts::name);
  if (found != table.columns.end()) {
    return static_cast<std::size_t>(found - table.columns.begin());
  }
  std::vector<std::string> names;
  for (const ColumnFacts& column : table.columns) {
    if (suits(column)) names.push_back(column.name);
  }
  throw base::InputError(fmt::format("init: --{} names '{}', which is no column{}", option, name,
                                     base::name_hint(name, names)));
}

/// By its name, from the last column on, where labels tend to stand; else one of two values.
std::optional<std::size_t> proposed_label(const Proposal& proposal) {
  const std::vector<ColumnFacts>& columns = proposal.table.columns;
  const auto is_free = [&](std::size_t i) {
    return !columns[i].name.empty() && std::ranges::count(proposal.sensitive, i) == 0;
  };
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (is_free(i) && looks_like_label(columns[i]) &&
        (columns[i].has_two() || columns[i].is_number())) {
      return i;
    }
  }
  for (std::size_t i = columns.size(); i-- > 0;) {
    if (is_free(i) && columns[i].has_two()) return i;
  }
  return std::nullopt;
}

void choose_features(Proposal& proposal) {
  for (std::size_t i = 0; i < proposal.table.columns.size(); ++i) {
    const ColumnFacts& column = proposal.table.columns[i];
    if (proposal.label == i || std::ranges::count(proposal.sensitive, i) > 0) continue;
    std::string_view why;
    if (column.name.empty()) {
      why = "it has no name, by which a config could name it";
    } else if (!column.is_utf8) {
      why = "it is not UTF-8: convert the file";
    } else if (column.is_constant()) {
      why = "it has one value at most";
    } else if (std::ranges::count(proposal.same_as_label, i) > 0) {
      why = "it says the same as the label, in every row";
    } else if (column.has_decimal_commas()) {
      why = "its numbers have decimal commas, and are names so: write them with points";
    } else if (looks_like_number_of_row(column, proposal.table.rows)) {
      why = column.many ? "it looks like the number of a row" : "it is another one in every row";
    } else if (!column.is_number() && (column.many || column.levels.size() > most_names)) {
      why = "it has too many names";
    } else if (column.is_number() && !has_squares(column)) {
      why = "its numbers are too large or too small to be scaled: give them another unit";
    }
    if (why.empty()) {
      proposal.features.push_back(i);
    } else {
      const std::string name =
          column.name.empty() ? fmt::format("column {}", i + 1) : base::printable(column.name);
      proposal.left_out.push_back(fmt::format("{}: {}", name, why));
    }
  }
}

/// The table with what stands for a missing cell in it.
void look_at(Proposal& proposal, const Call& call) {
  if (call.values.count("separator") == 0) {
    proposal.format.separator = separator_of(proposal.path);
  } else {
    const auto separator = call.values["separator"].as<std::string>();
    try {
      proposal.format.separator = data::parse_separator(separator);
    } catch (const std::invalid_argument& rule) {
      throw base::InputError(fmt::format("init: --separator = '{}', must be {}",
                                         base::excerpt(separator), rule.what()));
    }
  }
  proposal.table = facts_of(proposal.path, proposal.format);
  std::set<std::string> words;
  for (const ColumnFacts& column : proposal.table.columns) {
    if (!column.is_number_but_for_words() && !column.has_two_but_for_words()) continue;
    for (const auto& [word, cells] : column.missing_words) words.insert(word);
  }
  if (words.empty()) return;
  std::ranges::copy(words, std::back_inserter(proposal.format.missing));
  proposal.table = facts_of(proposal.path, proposal.format);
}

void choose_label_and_groups(Proposal& proposal, const Call& call) {
  const bool label_told = call.values.count("label") > 0;
  const bool groups_told = call.values.count("sensitive") > 0;
  std::string label;
  std::vector<std::string> groups;
  if (label_told) label = call.values["label"].as<std::string>();
  if (groups_told) groups = base::parse_list(call.values["sensitive"].as<std::string>());
  if (label_told) {
    proposal.label = place_of(proposal.table, label, "label", [&](const ColumnFacts& column) {
      return may_be_label(column) && std::ranges::count(groups, column.name) == 0;
    });
  }
  if (groups_told) {
    for (const std::string& name : groups) {
      proposal.sensitive.push_back(
          place_of(proposal.table, name, "sensitive", [&](const ColumnFacts& column) {
            return may_be_groups(column) && !(label_told && column.name == label) &&
                   std::ranges::count(groups, column.name) == 0;
          }));
      if (proposal.sensitive.back() != proposal.label) continue;
      throw base::InputError(fmt::format(
          "init: --label and --sensitive both name '{}': groups that are made of the answer have "
          "no rates to compare",
          base::excerpt(name)));
    }
  } else {
    for (std::size_t i = 0; i < proposal.table.columns.size(); ++i) {
      if (proposal.label != i && looks_like_groups(proposal.table.columns[i])) {
        proposal.sensitive.push_back(i);
      }
    }
  }
  if (!label_told) proposal.label = proposed_label(proposal);
}

/// @throws base::InputError  there are none: no experiment could run.
void require_features(const Proposal& proposal) {
  if (!proposal.features.empty()) return;
  if (proposal.table.columns.size() == 1) {
    throw base::InputError(
        fmt::format("{}: the table has one column: --separator says what stands between the cells",
                    proposal.path));
  }
  throw base::InputError(fmt::format("{}: no column is left to learn from{}{}", proposal.path,
                                     proposal.left_out.empty() ? "" : "; ",
                                     base::join(proposal.left_out, "; ")));
}

/// `column != level`, where a config says that of these two.
std::optional<std::string> other_than(const std::string& column, const std::string& level) {
  const std::string text = fmt::format("{} != {}", column, level);
  try {
    const auto test = data::parse_column_test(text);
    const bool same = test && test->column == column && test->parts.size() == 1 &&
                      test->parts.front().text == level;
    return same ? std::optional{text} : std::nullopt;
  } catch (const std::invalid_argument&) {
    return std::nullopt;
  }
}

/// What data.where is to be, so that every part has rows of every group.
std::vector<std::string> where_of(const Proposal& proposal) {
  std::vector<std::string> tests;
  for (const RareLevel& rare : proposal.rare) {
    const std::size_t place = proposal.sensitive[rare.attribute];
    const auto test = other_than(proposal.table.columns[place].name, rare.level);
    if (!test) return {};
    tests.push_back(*test);
  }
  return tests;
}

/// As the value of an option that takes a list: of one name, its marks are quoted once more.
std::string list_text(const std::vector<std::string>& names) {
  std::vector<std::string> items;
  for (const std::string& name : names) items.push_back(base::quoted_if_needed(name, ",|"));
  return items.size() == 1 ? base::quoted_if_needed(items[0], "|") : base::join(items, ", ");
}

std::string list_of(const Proposal& proposal, const std::vector<std::size_t>& places) {
  std::vector<std::string> names;
  for (const std::size_t place : places) names.push_back(proposal.table.columns[place].name);
  return list_text(names);
}

std::string groups_of(const Proposal& proposal) {
  std::vector<std::string> texts;
  for (const std::size_t place : proposal.sensitive) {
    texts.push_back(data::column_text(proposal.table.columns[place].name));
  }
  return list_text(texts);
}

/// @throws base::InputError  the label or a column of groups is not UTF-8, as configs are.
void check_names(const Proposal& proposal) {
  std::vector<std::size_t> places = proposal.sensitive;
  if (proposal.label) places.push_back(*proposal.label);
  for (const std::size_t place : places) {
    const ColumnFacts& column = proposal.table.columns[place];
    if (column.is_utf8) continue;
    throw base::InputError(fmt::format(
        "{}: column '{}' is not UTF-8, and a config names label and groups: convert the file",
        proposal.path, base::excerpt(column.name)));
  }
}

/// @throws base::InputError  no two groups have rows for every part, so that no config would run.
void check_groups(const Proposal& proposal) {
  const auto is_small = [](const GroupSize& group) { return group.complete < rows_for_parts; };
  const auto small = std::ranges::count_if(proposal.groups, is_small);
  if (small == 0 || !proposal.rare.empty()) return;
  const GroupSize& smallest = *std::ranges::min_element(proposal.groups, {}, &GroupSize::complete);
  throw base::InputError(fmt::format(
      "{}: {} of the {} groups of {} have less than {} complete rows ({} has {}), too few for one "
      "in every part, and without them no two groups are left: name other columns by --sensitive, "
      "or join their levels in the table",
      proposal.path, small, proposal.groups.size(), groups_of(proposal), rows_for_parts,
      base::excerpt(smallest.name), smallest.complete));
}

void choose_rows(Proposal& proposal) {
  std::vector<std::size_t> used = proposal.features;
  std::ranges::copy(proposal.sensitive, std::back_inserter(used));
  if (proposal.label) used.push_back(*proposal.label);
  proposal.incomplete = incomplete_rows(proposal.path, proposal.format, used);
  if (proposal.sensitive.empty()) return;
  // Where every row lacks a cell, only rows without a label are left out.
  const bool drops = proposal.incomplete < proposal.table.rows;
  if (!drops) used.erase(used.begin(), used.begin() + std::ssize(proposal.features));
  proposal.groups = group_sizes(proposal.path, proposal.format, proposal.sensitive, used);
  if (!proposal.label) return;
  proposal.rare = rare_levels(proposal.groups, rows_for_parts);
  check_groups(proposal);
}

Proposal propose(const Call& call) {
  Proposal proposal;
  proposal.path = call.values["TABLE"].as<std::string>();
  look_at(proposal, call);
  if (proposal.table.rows == 0) {
    throw base::InputError(fmt::format(
        "{}: there are no rows below the names; add one for each person or thing", proposal.path));
  }
  choose_label_and_groups(proposal, call);
  check_names(proposal);
  if (proposal.label) {
    proposal.same_as_label = same_columns(proposal.path, proposal.format, *proposal.label,
                                          proposal.table.columns[*proposal.label].has_two());
  }
  choose_features(proposal);
  require_features(proposal);
  choose_rows(proposal);
  return proposal;
}

// ---- The config

std::string text_of(const ColumnFacts& column) {
  const std::string different = column.many ? fmt::format("more than {}", ColumnFacts::most_levels)
                                            : fmt::format("{}", column.levels.size());
  std::string text = fmt::format("{}: ", base::printable(column.name));
  if (column.known == 0) {
    text += "no cell has a value";
  } else if (column.is_number()) {
    text += fmt::format("numbers, {} to {}, {} different", base::format_double(column.least),
                        base::format_double(column.greatest), different);
  } else {
    text += fmt::format("{} names", different);
    if (column.numbers > 0) text += fmt::format("; {} cells are numbers", column.numbers);
    if (column.decimal_commas > 0) {
      text += fmt::format("; {} cells are numbers with a decimal comma", column.decimal_commas);
    }
  }
  if (column.missing > 0) text += fmt::format("; {} missing cells", column.missing);
  return text;
}

/// What a value says of whether something is the case.
enum class Says { nothing, yes, no };

Says what_says(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  static const std::set<std::string> yes{
      "yes",     "true",    "1",      "positive", "pos",      "pass",    "passed",   "ja",
      "si",      "s\u00ed", "oui",    "sim",      "approved", "granted", "accepted", "admitted",
      "approve", "grant",   "accept", "admit",    "hired",    "good",    "success"};
  static const std::set<std::string> no{"no",       "false",  "0",        "negative", "neg",
                                        "fail",     "failed", "nein",     "nee",      "non",
                                        "n\u00e3o", "denied", "refused",  "rejected", "deny",
                                        "refuse",   "reject", "declined", "bad",      "failure"};
  if (yes.contains(text)) return Says::yes;
  return no.contains(text) ? Says::no : Says::nothing;
}

/// Of words and of pairs of letters, which alone say nothing: f may be female.
Says what_says(const std::string& text, const std::string& other) {
  const Says alone = what_says(text);
  if (alone != Says::nothing) return alone;
  static const std::set<std::pair<std::string, std::string>> pairs{
      {"y", "n"}, {"t", "f"}, {"j", "n"}, {"s", "n"}, {"o", "n"}, {"p", "n"}};
  const auto lower = [](std::string word) {
    std::ranges::transform(word, word.begin(), [](unsigned char c) { return std::tolower(c); });
    return word;
  };
  if (pairs.contains({lower(text), lower(other)})) return Says::yes;
  return pairs.contains({lower(other), lower(text)}) ? Says::no : Says::nothing;
}

/// 0 and 1, or which of two values is the label 1: the one that says yes, else the rarer one.
std::string positive_text(const ColumnFacts& label) {
  if (!label.has_two()) return {};
  const auto first = label.levels.begin();
  const auto second = std::next(first);
  if (first->first == "0" && second->first == "1") return {};
  const Says says_first = what_says(first->first, second->first);
  const Says says_second = what_says(second->first, first->first);
  const bool told = says_first != says_second;
  const bool take_second =
      told ? says_second == Says::yes || says_first == Says::no : second->second <= first->second;
  const std::string& positive = take_second ? second->first : first->first;
  return fmt::format("positive = {}   # the value that means 1: {} of the two\n",
                     list_text({positive}), told ? "it reads like the yes" : "the rarer");
}

/// Lines of a comment, of many the first ones.
/// @param rest  what those are that are not shown.
std::string first_lines(const std::vector<std::string>& lines, std::string_view rest) {
  constexpr std::size_t most_lines = 20;
  const std::size_t shown = lines.size() > most_lines + 1 ? most_lines : lines.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += lines[i];
  if (shown < lines.size()) text += fmt::format("# {} more {}.\n", lines.size() - shown, rest);
  return text;
}

/// Which rows are left out, and why; or that `run` will refuse them.
std::string text_of_rare_groups(const Proposal& proposal) {
  const bool left_out = !where_of(proposal).empty();
  std::vector<std::string> lines;
  for (const RareLevel& rare : proposal.rare) {
    lines.push_back(fmt::format(
        "# Group {} has {} complete rows: too few for one in every part. {}; data.group_map would "
        "join it with another.\n",
        base::printable(rare.group.name), rare.group.complete,
        left_out ? fmt::format("data.where leaves rows with {} out", base::printable(rare.level))
                 : "Leave its rows out of the table"));
  }
  return first_lines(lines, left_out ? "levels are left out so" : "groups have too few");
}

std::string warnings_of(const Proposal& proposal) {
  std::string text;
  if (proposal.sensitive.empty()) {
    text += "# No column looks like groups: name one behind `sensitive`, or init --sensitive.\n";
  }
  std::vector<std::string> small;
  for (const GroupSize& group : proposal.groups) {
    if (group.rows >= few_rows) continue;
    small.push_back(
        fmt::format("# Group {} has {} rows: too few to say much{}. data.group_map joins levels.\n",
                    base::printable(group.name), group.rows,
                    group.rows < rows_for_parts ? ", or for three parts" : ""));
  }
  text += first_lines(small, "groups are as small");
  text += text_of_rare_groups(proposal);
  for (const std::size_t i : proposal.sensitive) {
    if (std::ranges::count(proposal.same_as_label, i) == 0) continue;
    text += fmt::format("# Column {} says the same as the label: groups of it have no rates.\n",
                        base::printable(proposal.table.columns[i].name));
  }
  for (const ColumnFacts& column : proposal.table.columns) {
    if (column.is_number() || column.missing_words.empty()) continue;
    for (const auto& [word, cells] : column.missing_words) {
      text += fmt::format("# {}: {} cells are '{}': list it behind `missing` if it means that.\n",
                          base::printable(column.name), cells, word);
    }
  }
  for (const std::string& reason : proposal.left_out) {
    text += fmt::format("# Left out of the features: {}.\n", reason);
  }
  return text;
}

/// As data.separator takes it: a semicolon begins a comment in a config.
std::string separator_text(char separator) {
  switch (separator) {
    case ';':
      return "semicolon";
    case '\t':
      return "tab";
    case ' ':
      return "blank";
    default:
      return base::quoted_if_needed(std::string_view{&separator, 1}, "");
  }
}

/// Rows are left out, where some are left.
std::string missing_rule_text(const Proposal& proposal) {
  const bool missing = std::ranges::any_of(
      proposal.table.columns, [](const ColumnFacts& column) { return column.missing > 0; });
  if (!missing) return {};
  const std::int64_t rows = proposal.table.rows;
  std::string text;
  if (10 * proposal.incomplete > rows) {
    text = fmt::format(
        "# Warning: {} of {} rows have a missing cell: drop leaves them out, mean fills them in.\n",
        proposal.incomplete, rows);
  }
  return text + (proposal.incomplete < rows
                     ? "missing_rule = drop          # or mean, zero: leaves rows out, or fills\n"
                     : "missing_rule = mean          # or zero: fills in the features\n");
}

std::string data_section(const Proposal& proposal) {
  std::string text =
      fmt::format("[data]\ndata = csv\nfile = {}\n", base::quoted_if_needed(proposal.path, ","));
  if (proposal.format.separator != ',') {
    text += fmt::format("separator = {}\n", separator_text(proposal.format.separator));
  }
  if (proposal.format.missing.size() > 1) {
    text += fmt::format("missing = {}           # these cells are missing, as empty ones are\n",
                        base::format_list(proposal.format.missing));
  }
  text += fmt::format("features = {}\ncategorical = auto           # names become indicators\n",
                      list_of(proposal, proposal.features));
  text += proposal.sensitive.empty()
              ? "sensitive =                  # columns whose levels are the groups\n"
              : fmt::format("sensitive = {}\n", groups_of(proposal));
  std::vector<std::string> sizes;
  for (const GroupSize& group : proposal.groups) {
    sizes.push_back(fmt::format("# group {}: {} rows\n", base::printable(group.name), group.rows));
  }
  text += first_lines(sizes, "groups");
  if (const auto tests = where_of(proposal); !tests.empty()) {
    text += fmt::format("where = {}\n", list_text(tests));
  }
  if (proposal.label) {
    const ColumnFacts& label = proposal.table.columns[*proposal.label];
    text +=
        fmt::format("label = {}\n{}", base::quoted_if_needed(data::column_text(label.name), ","),
                    positive_text(label));
  }
  return text + missing_rule_text(proposal);
}

std::string split_section(const Proposal& proposal) {
  const bool small = std::ranges::any_of(
      proposal.groups, [](const GroupSize& group) { return group.complete < rows_for_chance; });
  return fmt::format(
      "[split]\nvalidation = 0.2\ntest = 0.2\n{}",
      small ? "stratify = group             # every part has rows of every group\n" : "");
}

/// Sections behind [data]: the experiment that suits the label, with its exact method.
std::string sections(std::string_view experiment, const std::string& parts) {
  if (experiment == "clustering") {
    return "[preparation]\nscaling = zscore\n[clustering]\nclusters = 4\n[balance_ladder]\n";
  }
  if (experiment == "regression") {
    return fmt::format(
        "{}[dp_exact]\n"
        "bounded = cumulative           # epsilon bounds the Kolmogorov-Smirnov distance to all "
        "rows\n"
        "epsilon = 0.02, 0.05, 0.1, 0.2\n",
        parts);
  }
  return fmt::format(
      "{}[model]\nhidden =                     # units of hidden layers; none: a linear score\n"
      "[exact_training]\ndelta = 0.02, 0.05, 0.1, 0.2     # bounds on the gap of the groups' "
      "losses\n",
      parts);
}

std::string_view experiment_of(const Proposal& proposal) {
  if (!proposal.label) return "clustering";
  return proposal.table.columns[*proposal.label].has_two() ? "training" : "regression";
}

std::string config_of(const Proposal& proposal) {
  const std::string_view experiment = experiment_of(proposal);
  std::string text = fmt::format("# {}: {} rows, {} columns\n", base::printable(proposal.path),
                                 proposal.table.rows, proposal.table.columns.size());
  for (const ColumnFacts& column : proposal.table.columns) {
    text += fmt::format("#   {}\n", text_of(column));
  }
  text += warnings_of(proposal);
  text +=
      fmt::format("experiment = {}        # fairfront list experiments\nseed = 1\n", experiment);
  return text + data_section(proposal) + sections(experiment, split_section(proposal));
}

/// @throws base::InputError  such a label suits no experiment.
void check_label(const Proposal& proposal) {
  if (!proposal.label) return;
  const ColumnFacts& label = proposal.table.columns[*proposal.label];
  if (!label.has_two() && label.is_number() && !has_squares(label)) {
    throw base::InputError(fmt::format(
        "init: the numbers of the label '{}' are too large or too small to be squared: give them "
        "another unit",
        label.name));
  }
  if (may_be_label(label)) return;
  throw base::InputError(fmt::format(
      "init: the label '{}' must have two values or be a number; a comparison in data.label makes "
      "two classes",
      label.name));
}

base::ExitCode execute_init(const Call& call) {
  const Proposal proposal = propose(call);
  check_label(proposal);
  const std::string text = config_of(proposal);
  if (call.values.count("output") == 0) {
    print_text(text);
    return base::ExitCode::done;
  }
  const auto path = call.values["output"].as<std::string>();
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
      "  fairfront init people.csv --label wage --sensitive sex,region\n";
  command.execute = execute_init;
  using boost::program_options::value;
  command.options.add_options()(
      "output,o", value<std::string>()->value_name("FILE"),
      "The config is written to this file, which must be new; without it, to the standard output.")(
      "label", value<std::string>()->value_name("NAME"),
      "This column is to be predicted; without it, one is proposed by names and values.")(
      "sensitive", value<std::string>()->value_name("A,B"),
      "The levels of these columns are the groups; without it, they are proposed by names.")(
      "separator", value<std::string>()->value_name("C"),
      "This stands between the cells: comma, semicolon, tab, blank (runs of blanks), or one "
      "character; without it, comma, semicolon, tab or bar, by what the first rows have.");
  return command;
}

}  // namespace fairfront::drivers
