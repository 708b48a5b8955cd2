#include "proposed_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "base/other_names.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "data/cell_text.hpp"
#include "data/group_columns.hpp"
#include "results/by_group.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t few_of_label = 10;
constexpr std::int64_t rows_for_chance = 100;  // of a group: then parts have some without strata

std::string rows_text(std::int64_t rows, std::string_view word) {
  return fmt::format("{} {}{}", rows, word, rows == 1 ? "" : "s");
}

constexpr std::size_t most_columns_told = 100;  ///< that are told of one by one

std::string list_of(const Proposal& proposal, const std::vector<std::size_t>& places) {
  std::vector<std::string> names;
  for (const std::size_t place : places) names.push_back(proposal.table.columns[place].name);
  return list_text(names);
}

/// @param name  as it is told.
std::string text_of(const ColumnFacts& column, const std::string& name) {
  const std::string different = column.many ? fmt::format("more than {}", ColumnFacts::most_levels)
                                            : fmt::format("{}", column.levels.size());
  std::string text = fmt::format("{}: ", name);
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
    if (column.otherwise > 0) {
      text += fmt::format("; {} cells are numbers written as {}", column.otherwise,
                          base::printable(column.first_otherwise));
    }
  }
  if (column.missing > 0) text += fmt::format("; {} missing cells", column.missing);
  return text;
}

/// What a value says of whether something is the case.
enum class Says { nothing, yes, no };

Says what_says(const std::string& text) {
  static const std::set<std::string> yes{
      "yes",     "true",    "1",      "positive", "pos",      "pass",    "passed",   "ja",
      "si",      "s\u00ed", "oui",    "sim",      "approved", "granted", "accepted", "admitted",
      "approve", "grant",   "accept", "admit",    "hired",    "good",    "success"};
  static const std::set<std::string> no{"no",       "false",  "0",        "negative", "neg",
                                        "fail",     "failed", "nein",     "nee",      "non",
                                        "n\u00e3o", "denied", "refused",  "rejected", "deny",
                                        "refuse",   "reject", "declined", "bad",      "failure"};
  // 1.0 is 1, as everywhere.
  const std::string lower =
      base::in_lower_case(std::string(data::whole_number(text).value_or(text)));
  if (yes.contains(lower)) return Says::yes;
  return no.contains(lower) ? Says::no : Says::nothing;
}

/// Of words and of pairs of letters, which alone say nothing: f may be female.
Says what_says(const std::string& text, const std::string& other) {
  const Says alone = what_says(text);
  // 1 and 2 are but two numbers: 1 says yes beside what says no, such as 0 and -1.
  const bool is_one = data::whole_number(text) == "1";
  if (is_one && what_says(other) != Says::no && data::whole_number(other) != "-1") {
    return Says::nothing;
  }
  if (alone != Says::nothing) return alone;
  static const std::set<std::pair<std::string, std::string>> pairs{
      {"y", "n"}, {"t", "f"}, {"j", "n"}, {"s", "n"}, {"o", "n"}, {"p", "n"}};
  const std::string first = base::in_lower_case(text);
  const std::string second = base::in_lower_case(other);
  if (pairs.contains({first, second})) return Says::yes;
  return pairs.contains({second, first}) ? Says::no : Says::nothing;
}

/// The one of two values that says yes, where the words tell.
std::optional<std::string> positive_word(const ColumnFacts& label) {
  const std::string& first = label.levels.begin()->first;
  const std::string& second = std::next(label.levels.begin())->first;
  const Says says_first = what_says(first, second);
  const Says says_second = what_says(second, first);
  if (says_first == says_second) return std::nullopt;
  return says_second == Says::yes || says_first == Says::no ? second : first;
}

const std::string& rarer_value(const ColumnFacts& label) {
  const auto first = label.levels.begin();
  const auto second = std::next(first);
  return second->second <= first->second ? second->first : first->first;
}

/// The one of two values that means 1, and why it is thought to.
struct Positive {
  std::string value;
  std::string why;
};

/// The one that says yes, else of two numbers the greater one, else the rarer one.
Positive positive_by_word(const ColumnFacts& column) {
  if (const auto word = positive_word(column)) return {*word, "it reads like the yes of the two"};
  if (column.is_number()) {
    const std::string& first = column.levels.begin()->first;
    const std::string& second = std::next(column.levels.begin())->first;
    const bool rises = data::cell_number(first) < data::cell_number(second);
    return {rises ? second : first, "the greater of the two numbers"};
  }
  return {rarer_value(column), "the rarer of the two"};
}

/// Of a label other than 0 and 1: the value where predictions are higher, else by its words.
Positive positive_of_label(const Proposal& proposal) {
  const auto& higher = proposal.higher;
  if (!higher) return positive_by_word(proposal.table.columns[*proposal.label]);
  const std::string by = base::printable(proposal.table.columns[higher->prediction].name);
  return {higher->value, fmt::format("{} is higher there on average", by)};
}

std::string positive_text(const Proposal& proposal) {
  const ColumnFacts& label = proposal.table.columns[*proposal.label];
  if (!has_two_to_tell(label)) return {};
  const Positive positive = positive_of_label(proposal);
  const auto word = positive_word(label);
  std::string text;
  if (word && *word != positive.value) {
    text = fmt::format("# Warning: {} reads like the yes, but {} is lower there on average.\n",
                       base::printable(*word),
                       base::printable(proposal.table.columns[proposal.higher->prediction].name));
  }
  return text + fmt::format("positive = {}   # the value that means 1: {}\n",
                            list_text({positive.value}), positive.why);
}

/// Of decisions in the label's words, the label's; else by their own.
Positive positive_of_decisions(const Proposal& proposal, const ColumnFacts& decisions) {
  const ColumnFacts& label = proposal.table.columns[*proposal.label];
  const bool alike = std::ranges::equal(decisions.levels, label.levels, {},
                                        &std::pair<const std::string, std::int64_t>::first,
                                        &std::pair<const std::string, std::int64_t>::first);
  if (!alike) return positive_by_word(decisions);
  return {positive_of_label(proposal).value, "as that of the label"};
}

/// Which values of columns mean decision 1, where these are not 0 and 1.
std::string decided_text(const Proposal& proposal) {
  std::vector<std::string> values, reasons;
  for (const std::size_t place : proposal.predictions) {
    const ColumnFacts& column = proposal.table.columns[place];
    if (!is_decision_by_value(column)) continue;
    Positive positive = positive_of_decisions(proposal, column);
    reasons.push_back(fmt::format("# {} is 1 where it is {}: {}.\n", base::printable(column.name),
                                  base::printable(positive.value), positive.why));
    if (std::ranges::count(values, positive.value) == 0) {
      values.push_back(std::move(positive.value));
    }
  }
  if (values.empty()) return {};
  return fmt::format("{}positive = {}\n", base::join(reasons, ""), list_text(values));
}

/// Lines of a comment, of many the first ones.
/// @param rest  what those are that are not shown.
std::string first_lines(const std::vector<std::string>& lines, std::string_view rest,
                        std::size_t most_lines = 20) {
  const std::size_t shown = lines.size() > most_lines + 1 ? most_lines : lines.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) text += lines[i];
  if (shown < lines.size()) text += fmt::format("# {} more {}.\n", lines.size() - shown, rest);
  return text;
}

/// Which rows are left out, and why.
std::string text_of_rare_groups(const Proposal& proposal) {
  std::vector<std::string> lines;
  for (const RareLevel& rare : proposal.rare) {
    lines.push_back(fmt::format(
        "# Group {} has {}: too few for one in every part. data.where leaves rows with {} out; "
        "data.group_map would join it with another.\n",
        base::printable(rare.group.name), rows_text(rare.group.complete, "complete row"),
        base::printable(rare.level)));
  }
  return first_lines(lines, "levels are left out so");
}

/// A value of the label that few rows have, and what else might be the label.
std::string text_of_label(const Proposal& proposal) {
  if (!proposal.label) return {};
  std::string text;
  const ColumnFacts& label = proposal.table.columns[*proposal.label];
  for (const auto& [value, rows] : label.levels) {
    if (!label.has_two() || rows >= few_of_label) continue;
    text +=
        fmt::format("# The label {} is {} in {}: too few to say much of it.\n",
                    base::printable(label.name), base::printable(value), rows_text(rows, "row"));
  }
  std::vector<std::string> others;
  for (const std::size_t i : proposal.features) {
    const ColumnFacts& column = proposal.table.columns[i];
    if (column.has_two()) others.push_back(base::printable(column.name));
  }
  if (others.empty()) return text;
  constexpr std::size_t most_others = 5;
  if (others.size() > most_others) others.resize(most_others);
  return text +
         fmt::format("# Other columns of two values, of which one may be meant by --label: {}.\n",
                     base::join(others, ", "));
}

/// Levels of groups, of the label and of names that are one number, written in several ways.
std::string text_of_equal_numbers(const Proposal& proposal) {
  std::vector<std::size_t> places = proposal.sensitive;
  if (proposal.label) places.push_back(*proposal.label);
  for (const std::size_t place : proposal.features) {
    if (!proposal.table.columns[place].is_number()) places.push_back(place);
  }
  std::vector<std::string> lines;
  for (const std::size_t place : places) {
    const ColumnFacts& column = proposal.table.columns[place];
    std::map<double, std::vector<std::string>> levels;
    for (const auto& [level, rows] : column.levels) {
      if (const auto number = data::cell_number(level)) {
        levels[*number].push_back(fmt::format("'{}'", base::printable(level)));
      }
    }
    for (const auto& [number, texts] : levels) {
      if (texts.size() < 2) continue;
      lines.push_back(fmt::format(
          "# Warning: {}: {} are one number written in {} ways, and levels of their own: write "
          "them alike in the table{}.\n",
          base::printable(column.name), base::join(texts, ", "), texts.size(),
          std::ranges::count(proposal.sensitive, place) > 0 ? ", or join them by data.group_map"
                                                            : ""));
    }
  }
  return first_lines(lines, "numbers are written in several ways");
}

std::string warnings_of(const Proposal& proposal) {
  std::string text;
  if (proposal.sensitive.empty()) {
    text += "# No column looks like groups: name one behind `sensitive`, or init --sensitive.\n";
  }
  std::vector<std::string> small;
  for (const GroupSize& group : proposal.groups) {
    if (static_cast<double>(group.rows) >= results::few_rows) continue;
    small.push_back(
        fmt::format("# Group {} has {}: too few to say much{}. data.group_map joins levels.\n",
                    base::printable(group.name), rows_text(group.rows, "row"),
                    group.rows < rows_for_parts ? ", or for three parts" : ""));
  }
  text += first_lines(small, "groups are as small");
  text += text_of_rare_groups(proposal);
  text += text_of_equal_numbers(proposal);
  text += text_of_label(proposal);
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
  std::vector<std::string> left_out;
  for (const std::string& reason : proposal.left_out) {
    left_out.push_back(fmt::format("# Left out of the {}: {}.\n",
                                   proposal.predictions.empty() ? "features" : "audit", reason));
  }
  return text + first_lines(left_out, "columns are left out", most_columns_told);
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

/// Which rule treats missing cells, and how many rows each would leave out.
std::string missing_rule_text(const Proposal& proposal) {
  const bool missing = std::ranges::any_of(
      proposal.table.columns, [](const ColumnFacts& column) { return column.missing > 0; });
  if (!missing) return {};
  const std::int64_t rows = proposal.table.rows;
  const std::string dropped = fmt::format("{} of {} rows", proposal.incomplete, rows);
  if (!proposal.predictions.empty()) {
    return fmt::format(
        "missing_rule = drop          # leaves out {}: predictions are not filled in\n", dropped);
  }
  const std::string filled =
      proposal.unfillable == 0 ? "leave out none"
                               : fmt::format("leave out {}, which have no {}", proposal.unfillable,
                                             proposal.label ? "group or label" : "group");
  if (proposal.fills) {
    return fmt::format(
        "# Warning: {} have a missing cell: drop would leave them out; mean and zero fill features "
        "in, and {}.\nmissing_rule = mean          # or zero\n",
        dropped, filled);
  }
  const std::string warning =
      10 * proposal.incomplete <= rows
          ? ""
          : fmt::format(
                "# Warning: {} have a missing cell: drop leaves them out; mean and zero "
                "fill features in, and {}.\n",
                dropped, filled);
  return fmt::format("{}missing_rule = drop          # leaves out {}; mean and zero {}\n", warning,
                     dropped, filled);
}

/// Comparisons as the value of data.where: marks inside the only one need no others around them
/// unless it holds a comma or the like.
std::string where_text(const std::vector<std::string>& tests) {
  const bool stands_so =
      tests.size() == 1 && tests[0].find_first_of(",|#;\n()") == std::string::npos;
  return stands_so ? tests[0] : list_text(tests);
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
  if (proposal.predictions.empty()) {
    text += fmt::format("features = {}\ncategorical = auto           # names become indicators\n",
                        list_of(proposal, proposal.features));
  }
  text += proposal.sensitive.empty()
              ? "# No column looks like groups of people: --sensitive NAME, or a name here.\n"
                "sensitive =                  # columns whose levels are the groups\n"
              : fmt::format("sensitive = {}\n", groups_of(proposal));
  std::vector<std::string> names, sizes;
  for (const GroupSize& group : proposal.groups) names.push_back(group.name);
  names = base::printable_apart(names);
  for (std::size_t g = 0; g < names.size(); ++g) {
    sizes.push_back(
        fmt::format("# group {}: {}\n", names[g], rows_text(proposal.groups[g].rows, "row")));
  }
  text += first_lines(sizes, "groups");
  if (!proposal.where.empty()) text += fmt::format("where = {}\n", where_text(proposal.where));
  if (proposal.label) {
    const ColumnFacts& label = proposal.table.columns[*proposal.label];
    text +=
        fmt::format("label = {}\n{}", base::quoted_if_needed(data::column_text(label.name), ","),
                    positive_text(proposal));
    // An audit asks where few different numbers may be classes.
    if (!proposal.predictions.empty() && !label.has_two()) {
      text += "target = real                # a number, not classes: risks and correlations\n";
    }
  }
  if (proposal.parts && proposal.label) {
    const std::string& name = proposal.table.columns[*proposal.parts].name;
    text += fmt::format("split = {}\n", base::quoted_if_needed(data::column_text(name), ","));
  }
  return text + missing_rule_text(proposal);
}

/// What the column of parts says; validation rows that it does not name are drawn of training rows.
/// @param small  some groups have few rows.
std::string named_parts_section(const PartNames& names, bool trains, bool small) {
  std::string text = "[split]\nby = column\n";
  const auto add = [&](std::string_view part, const std::vector<std::string>& values) {
    text += fmt::format("{}_values = {}\n", part, list_text(values));
  };
  if (!names.train.empty()) add("train", names.train);
  if (!names.validation.empty()) add("validation", names.validation);
  add("test", names.test);
  if (names.validation.empty() && trains) {
    text += "validation = 0.2             # of the training rows\n";
    if (small) text += "stratify = group             # every part has rows of every group\n";
  }
  return text;
}

std::string split_section(const Proposal& proposal) {
  const bool trains = proposal.predictions.empty();
  const bool small = std::ranges::any_of(
      proposal.groups, [](const GroupSize& group) { return group.complete < rows_for_chance; });
  if (proposal.parts) {
    return proposal.remark_of_parts +
           named_parts_section(proposal.part_names, trains, small || proposal.few_in_training);
  }
  std::string strata;
  if (proposal.stratifies_labels) {
    strata = "stratify = group_and_label   # every part has rows of both labels in every group\n";
  } else if (small) {
    strata = "stratify = group             # every part has rows of every group\n";
  }
  return fmt::format(
      "[split]\n{}{}",
      trains ? "validation = 0.2\ntest = 0.2\n"
             : "validation = 0.4             # rows to choose thresholds on\n"
               "test = 0.6                   # rows to report on: nothing is trained here\n",
      strata);
}

/// Of a linear score: a number has one, and names have one for each level.
std::int64_t weights_of(const Proposal& proposal) {
  std::int64_t weights = 1;
  for (const std::size_t place : proposal.features) {
    const ColumnFacts& column = proposal.table.columns[place];
    weights += column.is_number() ? 1 : std::ssize(column.levels);
  }
  return weights;
}

/// Whether [exact_training] ends within minutes: 22 s of 2,000 rows with 400 weights.
bool may_prove(const Proposal& proposal) {
  constexpr std::int64_t most_weights = 500;
  constexpr double most_work = 3e9;  // rows times squared weights
  const std::int64_t weights = weights_of(proposal);
  const auto count = static_cast<double>(weights);
  return weights <= most_weights &&
         static_cast<double>(proposal.table.rows) * count * count <= most_work;
}

/// The method that proves an optimum, where it comes to an end soon.
std::string training_sections(const Proposal& proposal, const std::string& parts) {
  constexpr std::int64_t of_each_row = 30, least_budget = 400'000;
  const std::string model =
      parts +
      "[model]\nhidden =                     # units of hidden layers; none: a linear score\n";
  const std::string_view delta =
      "delta = 0.02, 0.05, 0.1, 0.2     # bounds on the gap of the groups' losses\n";
  if (may_prove(proposal)) return fmt::format("{}[exact_training]\n{}", model, delta);
  return fmt::format(
      "{}# [exact_training] would prove its optimum, but takes long on {} rows with {} weights:\n"
      "# with fewer features it may stand in the place of [certified_training].\n"
      "[training]\nbudget = {}              # looks at a row, all in all\n[certified_training]\n{}",
      model, proposal.table.rows, weights_of(proposal),
      std::max(least_budget, of_each_row * proposal.table.rows), delta);
}

/// Sections behind [data]: the experiment that suits the label, with its exact method.
std::string sections(const Proposal& proposal, std::string_view experiment,
                     const std::string& parts) {
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
  return training_sections(proposal, parts);
}

std::string thresholds_section(const Proposal& proposal) {
  if (proposal.no_thresholds.empty()) {
    return "[thresholds]                  # the exact front of thresholds by group\n";
  }
  return fmt::format(
      "# [thresholds], the exact front of thresholds by group, needs both labels in every group "
      "of\n"
      "# the validation part: {}.\n",
      proposal.no_thresholds);
}

/// An audit: every measure, and of two labels what thresholds by group reach, where rows are there
/// to choose them on.
std::string audit_sections(const Proposal& proposal) {
  const bool two = proposal.table.columns[*proposal.label].has_two();
  const bool may_choose = !proposal.parts || !proposal.part_names.validation.empty();
  return fmt::format(
      "{}[predictions]\nscore = {}\n{}[measures]                    # with 95 % intervals\n{}",
      split_section(proposal), list_of(proposal, proposal.predictions), decided_text(proposal),
      two && may_choose ? thresholds_section(proposal) : "");
}

/// Which decisions are other numbers than 0 and 1, and how they are read.
std::string text_of_decisions(const Proposal& proposal) {
  std::string text;
  for (const std::size_t place : proposal.predictions) {
    const ColumnFacts& column = proposal.table.columns[place];
    if (!column.has_two() || is_decision_by_value(column)) continue;
    if (column.least == 0 && column.greatest == 1) continue;
    text += fmt::format(
        "# {} holds {} and {}: scores, of which {} is decided 1 by measures.threshold = 0.5.\n",
        base::printable(column.name), base::format_double(column.least),
        base::format_double(column.greatest), base::format_double(column.greatest));
  }
  return text;
}

/// What was seen in the columns.
std::string text_of_columns(const TableFacts& table) {
  std::vector<std::string> names, lines;
  for (const ColumnFacts& column : table.columns) names.push_back(column.name);
  names = base::printable_apart(names);
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i].empty()) names[i] = fmt::format("column {}, which has no name", i + 1);
    lines.push_back(fmt::format("#   {}\n", text_of(table.columns[i], names[i])));
  }
  return first_lines(lines, "columns", most_columns_told);
}

std::string_view experiment_of(const Proposal& proposal) {
  if (!proposal.label) return "clustering";
  if (!proposal.predictions.empty()) return "predictions";
  return proposal.table.columns[*proposal.label].has_two() ? "training" : "regression";
}

}  // namespace

std::string config_of(const Proposal& proposal) {
  const std::string_view experiment = experiment_of(proposal);
  std::string text = fmt::format("# {}: {} rows, {} columns\n", base::printable(proposal.path),
                                 proposal.table.rows, proposal.table.columns.size());
  if (first_line_looks_like_row(proposal.table)) {
    text += fmt::format("# Warning: {}\n", without_header_text);
  }
  text += text_of_columns(proposal.table);
  text += warnings_of(proposal);
  if (!proposal.label) {
    text +=
        "# No column was taken for a label, and so all are clustered; --label NAME proposes a\n"
        "# classifier, or for a column of numbers a regression.\n";
  }
  if (!proposal.predictions.empty()) {
    text +=
        "# Some columns look like what a model says of each row: they are audited. Without them "
        "in\n"
        "# the table a model would be trained.\n";
    if (proposal.table.columns[*proposal.label].has_two()) text += text_of_decisions(proposal);
  }
  text +=
      fmt::format("experiment = {}        # fairfront list experiments\nseed = 1\n", experiment);
  text += data_section(proposal);
  if (!proposal.predictions.empty()) return text + audit_sections(proposal);
  return text + sections(proposal, experiment, split_section(proposal));
}

}  // namespace fairfront::drivers
