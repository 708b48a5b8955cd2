#include "table_proposal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <optional>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/other_names.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "column_roles.hpp"
#include "data/cell_text.hpp"
#include "data/column_fit.hpp"
#include "data/group_columns.hpp"
#include "data/readers/separator.hpp"
#include "proposed_parts.hpp"

namespace fairfront::drivers {
namespace {

constexpr std::int64_t cells_to_fill_from = 10;  // with fewer, training rows may have none
constexpr std::size_t most_names = 50;           // more levels than that say little of any row

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

/// Which columns an option may name, and what to say of the others.
struct Wanted {
  std::string_view option;
  std::function<bool(const ColumnFacts&)> suits;
  std::string_view of_others;
};

/// @throws base::InputError  there is none of that name.
std::size_t place_of(const TableFacts& table, const std::string& name, const Wanted& wanted) {
  const auto found = std::ranges::find(table.columns, name, &ColumnFacts::name);
  if (found != table.columns.end()) {
    return static_cast<std::size_t>(found - table.columns.begin());
  }
  std::vector<std::string> names;
  base::OtherNames others{{}, wanted.of_others};
  for (const ColumnFacts& column : table.columns) {
    if (!column.name.empty()) (wanted.suits(column) ? names : others.names).push_back(column.name);
  }
  throw base::InputError(fmt::format("init: --{} names '{}', which is no column{}", wanted.option,
                                     base::excerpt(name), base::name_hint(name, names, others)));
}

/// By its name, from the last column on, where labels tend to stand; else one of two values; else a
/// number whose name is one of those that people ask for.
std::optional<std::size_t> proposed_label(const Proposal& proposal) {
  const std::vector<ColumnFacts>& columns = proposal.table.columns;
  const auto is_free = [&](std::size_t i) {
    return !columns[i].name.empty() && std::ranges::count(proposal.sensitive, i) == 0 &&
           std::ranges::count(proposal.predictions, i) == 0 && proposal.parts != i &&
           !is_named_prediction(columns[i]);
  };
  const auto last = [&](const auto& suits) -> std::optional<std::size_t> {
    for (std::size_t i = columns.size(); i-- > 0;) {
      if (is_free(i) && suits(columns[i])) return i;
    }
    return std::nullopt;
  };
  const auto suits = [](const ColumnFacts& column) {
    return column.has_two() || column.is_number();
  };
  const auto truth =
      last([&](const ColumnFacts& column) { return is_named_truth(column) && suits(column); });
  if (truth) return truth;
  const auto by_name =
      last([&](const ColumnFacts& column) { return looks_like_label(column) && suits(column); });
  if (by_name) return by_name;
  const auto of_two = last([](const ColumnFacts& column) { return column.has_two(); });
  return of_two ? of_two : last(looks_like_target);
}

/// proba_0 where there is a proba_1: the probability of label 0.
bool is_of_other_class(const std::vector<ColumnFacts>& columns, std::size_t i) {
  std::string other = columns[i].name;
  if (!other.ends_with('0')) return false;
  other.back() = '1';
  return std::ranges::count(columns, other, &ColumnFacts::name) > 0;
}

/// Columns that a model has written, where one is named so or nothing else is there to learn from.
void choose_predictions(Proposal& proposal) {
  const std::vector<ColumnFacts>& columns = proposal.table.columns;
  bool named = false, others = false;
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ColumnFacts& column = columns[i];
    if (proposal.label == i || proposal.parts == i ||
        std::ranges::count(proposal.sensitive, i) > 0) {
      continue;
    }
    const bool named_so = is_named_prediction(column);
    const bool is_read = is_decision_or_number(column) || is_decision_by_value(column);
    if ((named_so && is_read) || may_be_prediction(column)) {
      if (is_of_other_class(columns, i)) continue;
      found.push_back(i);
      named = named || named_so;
    } else {
      others = others || !(named_so || is_named_truth(column) || looks_like_label(column) ||
                           looks_like_number_of_row(column, proposal.table.rows));
    }
  }
  if (named || !others) proposal.predictions = std::move(found);
}

constexpr std::string_view unread_prediction =
    "it looks like what a model says; [predictions] takes numbers, and decisions of two values "
    "about a label of two";

/// Of an audit: what a model says as well, and is not audited.
void tell_other_predictions(Proposal& proposal) {
  const std::vector<ColumnFacts>& columns = proposal.table.columns;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool is_used = proposal.label == i || proposal.parts == i ||
                         std::ranges::count(proposal.sensitive, i) > 0 ||
                         std::ranges::count(proposal.predictions, i) > 0;
    if (is_used || !is_named_prediction(columns[i])) continue;
    proposal.left_out.push_back(fmt::format(
        "{}: {}", base::printable(columns[i].name),
        is_of_other_class(columns, i) ? "it is of the other class" : unread_prediction));
  }
}

/// @param trains  something is to be trained, on rows that the column calls so.
void choose_parts(Proposal& proposal, bool trains) {
  proposal.parts.reset();
  for (std::size_t i = 0; i < proposal.table.columns.size() && !proposal.parts; ++i) {
    if (proposal.label == i || std::ranges::count(proposal.sensitive, i) > 0) continue;
    PartNames names = part_names(proposal.table.columns[i]);
    if (names.test.empty() || (names.train.empty() && (trains || names.validation.empty()))) {
      continue;
    }
    proposal.parts = i;
    proposal.part_names = std::move(names);
  }
}

bool has_parts_without_training(const ColumnFacts& column) {
  const PartNames names = part_names(column);
  return names.train.empty() && !(names.validation.empty() && names.test.empty());
}

void choose_features(Proposal& proposal) {
  for (std::size_t i = 0; i < proposal.table.columns.size(); ++i) {
    const ColumnFacts& column = proposal.table.columns[i];
    if (proposal.label == i || proposal.parts == i ||
        std::ranges::count(proposal.sensitive, i) > 0) {
      continue;
    }
    std::string why;
    if (is_named_prediction(column)) {
      why = unread_prediction;
    } else if (has_parts_without_training(column)) {
      why =
          "it looks like the parts of a split, but no value names training rows, and so it is not "
          "used as one; [split] draws parts of all rows";
    } else if (looks_like_parts(column)) {
      why =
          "it looks like the parts of a split; data.split names it, and [split] what its values "
          "mean";
    } else if (column.name.empty()) {
      why = "it has no name, by which a config could name it";
    } else if (!column.is_utf8) {
      why = "it is not UTF-8: convert the file";
    } else if (column.is_constant()) {
      why = "it has one value at most";
    } else if (std::ranges::count(proposal.same_as_label, i) > 0) {
      why = "it says the same as the label, in every row";
    } else if (column.has_decimal_commas()) {
      why =
          "its numbers have commas, and are names so: write decimals with points, and thousands "
          "without a mark";
    } else if (column.has_numbers_otherwise()) {
      why = fmt::format(
          "its numbers are written as {}, and are names so: write them plainly, without units and "
          "marks between thousands, and leave infinite ones empty",
          base::printable(column.first_otherwise));
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

/// The name that a text stands for: itself where a column is called so, or that in column(NAME).
std::string named_column(const TableFacts& table, const std::string& text) {
  const bool is_name = std::ranges::count(table.columns, text, &ColumnFacts::name) > 0;
  return is_name ? text : data::literal_column(text).value_or(text);
}

constexpr std::string_view not_groups = "other columns, which are no groups";
constexpr std::string_view not_numbers = "other columns, which are not numbers";

/// What --sensitive names, as data.sensitive takes it; a text that is the name of a column is that.
/// @param suits  which columns may be named there.
/// @throws base::InputError  a broken text, no such column, or no numbers to be compared.
GroupSource told_source(const TableFacts& table, const std::string& text,
                        const std::function<bool(const ColumnFacts&)>& suits) {
  GroupSource source{.text = {.text = text, .column = text}, .places = {}};
  if (std::ranges::count(table.columns, text, &ColumnFacts::name) == 0) {
    source.text = data::parse_sensitive(text);
  }
  std::vector<std::string> names = source.text.largest;
  if (source.text.test) names.push_back(source.text.test->column);
  if (source.text.is_column()) names.push_back(source.text.column);
  const bool is_column = source.text.is_column();
  for (const std::string& name : names) {
    source.places.push_back(
        is_column ? place_of(table, name, {"sensitive", suits, not_groups})
                  : place_of(table, name, {"sensitive", &ColumnFacts::is_number, not_numbers}));
    const ColumnFacts& column = table.columns[source.places.back()];
    if (is_column || column.is_number()) continue;
    throw base::InputError(fmt::format(
        "init: --sensitive compares column '{}' in '{}', and its cells are not all numbers: name "
        "the column, whose levels are the groups then; data.group_map joins levels",
        base::excerpt(name), base::excerpt(text)));
  }
  return source;
}

void choose_groups_by_name(Proposal& proposal) {
  for (std::size_t i = 0; i < proposal.table.columns.size(); ++i) {
    const ColumnFacts& column = proposal.table.columns[i];
    if (proposal.label == i || !looks_like_groups(column)) continue;
    proposal.groups_by.push_back({{.text = column.name, .column = column.name}, {i}});
  }
}

/// Predictions that nothing is compared with: without a label all, and decisions without one of
/// two values.
void drop_uncompared(Proposal& proposal) {
  const std::vector<ColumnFacts>& columns = proposal.table.columns;
  std::erase_if(proposal.predictions, [&](std::size_t place) {
    return !proposal.label ||
           (is_decision_by_value(columns[place]) && !columns[*proposal.label].has_two());
  });
}

void choose_label_and_groups(Proposal& proposal, const Call& call) {
  const bool label_told = call.values.count("label") > 0;
  const bool groups_told = call.values.count("sensitive") > 0;
  std::string label;
  std::vector<std::string> groups;
  if (label_told) label = named_column(proposal.table, call.values["label"].as<std::string>());
  if (groups_told) groups = base::parse_list(call.values["sensitive"].as<std::string>());
  if (label_told) {
    const auto suits = [&](const ColumnFacts& column) {
      return may_be_label(column) && std::ranges::count(groups, column.name) == 0;
    };
    proposal.label =
        place_of(proposal.table, label, {"label", suits, "other columns, which are no label"});
  }
  for (const std::string& text : groups) {
    proposal.groups_by.push_back(told_source(proposal.table, text, [&](const ColumnFacts& column) {
      return may_be_groups(column) && !(label_told && column.name == label) &&
             std::ranges::count(groups, column.name) == 0;
    }));
  }
  if (!groups_told) choose_groups_by_name(proposal);
  for (const GroupSource& source : proposal.groups_by) {
    for (const std::size_t place : source.places) {
      if (std::ranges::count(proposal.sensitive, place) == 0) proposal.sensitive.push_back(place);
    }
    if (!proposal.label || std::ranges::count(source.places, *proposal.label) == 0) continue;
    throw base::InputError(fmt::format(
        "init: --label and --sensitive both name '{}': groups that are made of the answer have "
        "no rates to compare",
        base::excerpt(proposal.table.columns[*proposal.label].name)));
  }
  choose_parts(proposal, false);
  choose_predictions(proposal);
  if (!label_told) proposal.label = proposed_label(proposal);
  drop_uncompared(proposal);
  if (proposal.predictions.empty()) choose_parts(proposal, true);
}

/// @throws base::InputError  there are none: no experiment could run.
void require_features(const Proposal& proposal) {
  if (proposal.table.columns.size() == 1) {
    throw base::InputError(fmt::format(
        "{}: the table has one column: --separator says what stands between the cells, or where "
        "there are no more, add columns: a config needs one of groups and others",
        proposal.path));
  }
  if (!proposal.features.empty() || !proposal.predictions.empty()) return;
  std::vector<std::string> taken;
  for (std::size_t i = 0; i < proposal.table.columns.size(); ++i) {
    const bool is_group = std::ranges::count(proposal.sensitive, i) > 0;
    if (proposal.label != i && !is_group && proposal.parts != i) continue;
    const std::string_view use = proposal.label == i ? "the label" : is_group ? "groups" : "parts";
    taken.push_back(fmt::format("{}: {}", base::printable(proposal.table.columns[i].name), use));
  }
  std::ranges::copy(proposal.left_out, std::back_inserter(taken));
  throw base::InputError(
      fmt::format("{}: no column is left to learn from: add columns of features to the table, or "
                  "name others by "
                  "--label and --sensitive ({})",
                  proposal.path, base::join(taken, "; ")));
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

/// @throws base::InputError  all rows are in one group.
void check_several_groups(const Proposal& proposal) {
  if (proposal.groups.size() > 1) return;
  throw base::InputError(fmt::format(
      "{}: all rows that have a value are in one group of {}, and groups are compared: name other "
      "columns by --sensitive",
      proposal.path, base::excerpt(groups_of(proposal))));
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

/// Whether another level of the column is the same number, or may be.
bool is_number_of_others(const ColumnFacts& column, const std::string& level) {
  const auto number = data::cell_number(level);
  if (!number) return false;
  return column.many || std::ranges::any_of(column.levels, [&](const auto& other) {
           return other.first != level && data::cell_number(other.first) == number;
         });
}

/// @throws base::InputError  a level that has to be left out cannot be told by data.where.
void choose_where(Proposal& proposal) {
  for (const RareLevel& rare : proposal.rare) {
    const GroupSource& source = proposal.groups_by[rare.attribute];
    const data::SensitiveText& by = source.text;
    const std::string& column = by.is_column() ? by.column : by.text;
    std::optional<std::string> test;
    if (by.is_column()) {
      const ColumnFacts& facts = proposal.table.columns[source.places.front()];
      test = other_than(column, rare.level, is_number_of_others(facts, rare.level));
    }
    if (!test) {
      throw base::InputError(fmt::format(
          "{}: group '{}' has {} complete rows, too few for one in every part, and data.where "
          "cannot name '{}' of column '{}' to leave it out: rename it in the table, or join it "
          "with another level",
          proposal.path, base::excerpt(rare.group.name), rare.group.complete,
          base::excerpt(rare.level), base::excerpt(column)));
    }
    proposal.where.push_back(*test);
  }
}

/// Those whose cells nothing can take the place of.
std::vector<std::size_t> columns_not_filled(const Proposal& proposal) {
  std::vector<std::size_t> columns = proposal.predictions;
  std::ranges::copy(proposal.sensitive, std::back_inserter(columns));
  if (proposal.label) columns.push_back(*proposal.label);
  return columns;
}

std::vector<std::size_t> columns_used(const Proposal& proposal) {
  std::vector<std::size_t> columns = columns_not_filled(proposal);
  std::ranges::copy(proposal.features, std::back_inserter(columns));
  return columns;
}

std::string names_of(const Proposal& proposal, const std::vector<std::size_t>& columns) {
  std::vector<std::string> names;
  for (const std::size_t place : columns) names.push_back(proposal.table.columns[place].name);
  return base::excerpt(base::format_list(names));
}

/// Groups that have too few rows where those that lack one of the columns are left out.
std::int64_t small_groups(const Proposal& proposal, const std::vector<std::size_t>& needed) {
  if (proposal.sensitive.empty()) return 0;
  return std::ranges::count_if(
      group_sizes(proposal.path, proposal.format, proposal.groups_by, needed),
      [](const GroupSize& group) { return group.complete < rows_for_parts; });
}

/// Features that are nearly empty may have no value in the training rows to fill in from.
void leave_out_rare_features(Proposal& proposal) {
  std::erase_if(proposal.features, [&](std::size_t place) {
    const ColumnFacts& column = proposal.table.columns[place];
    if (column.missing == 0 || column.known >= cells_to_fill_from) return false;
    proposal.left_out.push_back(
        fmt::format("{}: {} of its cells are known", base::printable(column.name), column.known));
    return true;
  });
}

/// Complete rows of each value of a label of two.
std::vector<GroupSize> label_sizes(const Proposal& proposal,
                                   const std::vector<std::size_t>& needed) {
  if (!proposal.label || !proposal.table.columns[*proposal.label].has_two()) return {};
  const std::string& name = proposal.table.columns[*proposal.label].name;
  const GroupSource label{.text = {.text = name, .column = name}, .places = {*proposal.label}};
  return group_sizes(proposal.path, proposal.format, {label}, needed);
}

/// Whether leaving rows out would cost most of those of a value of the label.
bool loses_a_label(const Proposal& proposal, const std::vector<std::size_t>& not_filled) {
  const std::vector<GroupSize> kept = label_sizes(proposal, columns_used(proposal));
  const std::vector<GroupSize> filled = label_sizes(proposal, not_filled);
  for (std::size_t i = 0; i < kept.size(); ++i) {
    if (2 * kept[i].complete < filled[i].complete) return true;
  }
  return false;
}

/// @throws base::InputError  no row of a value of the label has all that cannot be filled in.
void check_labels_left(const Proposal& proposal, const std::vector<std::size_t>& not_filled) {
  for (const GroupSize& value : label_sizes(proposal, not_filled)) {
    if (value.complete > 0) continue;
    throw base::InputError(
        fmt::format("{}: no row whose label '{}' is '{}' has a value in each of the columns {}, "
                    "which cannot be "
                    "filled in: name others by --label and --sensitive",
                    proposal.path, base::excerpt(proposal.table.columns[*proposal.label].name),
                    base::excerpt(value.name), names_of(proposal, not_filled)));
  }
}

/// Fills where leaving rows out would cost most of them, or of those of a value of the label, or a
/// group, as it would in wide tables.
/// @throws base::InputError  every row, or every one of a label, lacks what cannot be filled in.
void choose_missing_rule(Proposal& proposal) {
  const std::vector<std::size_t> not_filled = columns_not_filled(proposal);
  proposal.incomplete = incomplete_rows(proposal.path, proposal.format, columns_used(proposal));
  proposal.unfillable = incomplete_rows(proposal.path, proposal.format, not_filled);
  const std::int64_t rows = proposal.table.rows;
  if (proposal.unfillable == rows) {
    throw base::InputError(fmt::format(
        "{}: no row has a value in each of the columns {}, which cannot be filled in: name others "
        "by --label and --sensitive",
        proposal.path, names_of(proposal, not_filled)));
  }
  check_labels_left(proposal, not_filled);
  proposal.fills =
      2 * (rows - proposal.incomplete) < rows - proposal.unfillable ||
      loses_a_label(proposal, not_filled) ||
      small_groups(proposal, columns_used(proposal)) > small_groups(proposal, not_filled);
  if (proposal.fills) leave_out_rare_features(proposal);
}

void choose_rows(Proposal& proposal) {
  if (proposal.sensitive.empty()) return;
  const std::vector<std::size_t> needed =
      proposal.fills ? columns_not_filled(proposal) : columns_used(proposal);
  proposal.groups = group_sizes(proposal.path, proposal.format, proposal.groups_by, needed);
  check_several_groups(proposal);
  if (!proposal.label) return;
  proposal.rare = rare_levels(proposal.groups, rows_for_parts);
  check_groups(proposal);
  choose_where(proposal);
  fit_parts_to_groups(proposal, needed);
}

/// The value with the higher mean, where the means differ by more than chance would have it.
std::optional<std::string> value_of_higher(const std::map<std::string, Moments>& moments) {
  constexpr double standard_errors = 3;
  if (moments.size() != 2) return std::nullopt;
  const auto& [first, of_first] = *moments.begin();
  const auto& [second, of_second] = *std::next(moments.begin());
  if (of_first.rows < 2 || of_second.rows < 2) return std::nullopt;
  const auto variance_of_mean = [](const Moments& one) {
    const auto rows = static_cast<double>(one.rows);
    return one.squares / (rows * (rows - 1));
  };
  const double difference = of_second.mean - of_first.mean;
  const double error = std::sqrt(variance_of_mean(of_first) + variance_of_mean(of_second));
  if (!(std::abs(difference) > standard_errors * error)) return std::nullopt;
  return difference > 0 ? second : first;
}

/// Which of two values of the label the predictions are of.
void choose_direction(Proposal& proposal) {
  if (proposal.predictions.empty() || !has_two_to_tell(proposal.table.columns[*proposal.label])) {
    return;
  }
  const auto moments =
      moments_by_label(proposal.path, proposal.format, *proposal.label, proposal.predictions);
  for (std::size_t i = 0; i < moments.size() && !proposal.higher; ++i) {
    auto value = value_of_higher(moments[i]);
    if (value) proposal.higher = HigherValue{proposal.predictions[i], *std::move(value)};
  }
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
  if (label.has_numbers_otherwise()) {
    throw base::InputError(fmt::format(
        "init: write the numbers of the label '{}' plainly, without units and marks between "
        "thousands: they are written as {}, and a label must have two values or be a number",
        label.name, base::excerpt(label.first_otherwise)));
  }
  throw base::InputError(fmt::format(
      "init: the label '{}' must have two values or be a number; a comparison in data.label makes "
      "two classes of numbers, and data.positive names those of the values that are label 1",
      label.name));
}

}  // namespace

bool has_two_to_tell(const ColumnFacts& label) {
  if (!label.has_two()) return false;
  return label.levels.begin()->first != "0" || std::next(label.levels.begin())->first != "1";
}

std::string list_text(const std::vector<std::string>& names) {
  std::vector<std::string> items;
  for (const std::string& name : names) items.push_back(base::quoted_if_needed(name, ",|"));
  return items.size() == 1 ? base::quoted_if_needed(items[0], "|") : base::join(items, ", ");
}

std::string groups_of(const Proposal& proposal) {
  std::vector<std::string> texts;
  for (const GroupSource& source : proposal.groups_by) {
    const data::SensitiveText& text = source.text;
    texts.push_back(text.is_column() ? data::column_text(text.column) : text.text);
  }
  return list_text(texts);
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
  if (proposal.predictions.empty()) {
    choose_features(proposal);
  } else {
    tell_other_predictions(proposal);
  }
  choose_missing_rule(proposal);
  require_features(proposal);
  choose_rows(proposal);
  check_label(proposal);
  choose_direction(proposal);
  return proposal;
}

}  // namespace fairfront::drivers
