#include "data/source_columns.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "data/category_numbers.hpp"
#include "data/readers/table_reader.hpp"
#include "data/target.hpp"

namespace fairfront::data {
namespace {

void check_different(std::string_view option, const std::vector<std::string>& names) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : names) {
    if (name.empty()) {
      throw base::InputError(fmt::format("data.{}: a name is missing beside a separator", option));
    }
    if (seen.insert(name).second) continue;
    throw base::InputError(fmt::format("data.{} names '{}' twice", option, base::excerpt(name)));
  }
}

void require_different_names(std::vector<std::string> names) {
  std::ranges::sort(names);
  const auto twice = std::ranges::adjacent_find(names);
  if (twice == names.end()) return;
  throw base::InputError(fmt::format(
      "data.features = *, but the file's header has '{}' more than once", base::excerpt(*twice)));
}

MissingCell of_label(MissingPolicy policy) {
  const bool stops = policy == MissingPolicy::error || policy == MissingPolicy::catalogue;
  return stops ? MissingCell::error : MissingCell::drop;
}

std::optional<ColumnTest> label_test(const std::string& label) {
  if (literal_column(label)) return std::nullopt;
  try {
    return parse_column_test(label);
  } catch (const std::invalid_argument& rule) {
    throw base::InputError(fmt::format("data.label = '{}', must be {}", label, rule.what()));
  }
}

std::vector<double> column_of(const Table& table, std::size_t column) {
  const std::size_t width = table.number_names.size();
  std::vector<double> values;
  values.reserve(static_cast<std::size_t>(table.rows));
  for (std::size_t i = column; i < table.numbers.size(); i += width) {
    values.push_back(table.numbers[i]);
  }
  return values;
}

/// What a user should know of a column that is taken for names although nearly all of its cells are
/// numbers: an infinite one, or a word for a missing cell, makes an indicator of every number.
std::optional<std::string> odd_names_warning(const std::string& name, const Category& category) {
  constexpr std::size_t few_levels = 20;  // codes, such as 1, 2 and X
  constexpr double nearly_all = 0.9;
  if (category.levels.size() <= few_levels) return std::nullopt;
  std::vector<bool> is_number;
  std::int64_t first_line = std::numeric_limits<std::int64_t>::max();
  for (std::size_t level = 0; level < category.levels.size(); ++level) {
    const auto number = base::parse_double(category.levels[level]);
    is_number.push_back(number && std::isfinite(*number));
    if (!is_number.back()) first_line = std::min(first_line, category.first_line[level]);
  }
  std::int64_t known = 0, words = 0;
  for (const std::int32_t code : category.codes) {
    if (code < 0) continue;
    ++known;
    if (!is_number[static_cast<std::size_t>(code)]) ++words;
  }
  const double numbers = static_cast<double>(known - words);
  if (numbers < nearly_all * static_cast<double>(known)) return std::nullopt;
  return fmt::format(
      "column '{}' is taken for names, with an indicator for each of {}, as {} of its {} cells are "
      "no finite numbers, the first in line {}: data.missing may name what they hold, and "
      "data.categorical the columns of names",
      base::excerpt(name), category.levels.size(), words, known, first_line);
}

/// By code, file order inside a level.
std::vector<std::int64_t> rows_by_level(const Category& category) {
  std::vector<std::int64_t> rows(category.codes.size());
  std::iota(rows.begin(), rows.end(), std::int64_t{0});
  std::ranges::stable_sort(rows, std::less{}, [&](std::int64_t row) {
    return category.codes[static_cast<std::size_t>(row)];
  });
  return rows;
}

}  // namespace

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

MissingCell missing_cell_of_feature(MissingPolicy policy) {
  switch (policy) {
    case MissingPolicy::drop:
      return MissingCell::drop;
    case MissingPolicy::mean:
    case MissingPolicy::zero:
      return MissingCell::keep;
    default:
      return MissingCell::error;
  }
}

SourceColumns::SourceColumns(const SupervisedTask& task, std::string split,
                             const std::function<std::vector<std::string>()>& all_names)
    : task_{task}, split_{std::move(split)}, label_test_{label_test(task.label)} {
  check_different("sensitive", task_.sensitive);
  for (const std::string& text : task_.sensitive) {
    sensitive_.push_back({parse_sensitive(text), {}});
  }
  choose_features(all_names);
  check_named(all_names);
  automatic_ = task_.categorical == std::vector<std::string>{"auto"};
  categorical_.insert(task_.categorical.begin(), task_.categorical.end());
  const std::unordered_set<std::string_view> features(features_.begin(), features_.end());
  for (const std::string& name : task_.categorical) {
    if (automatic_ || features.contains(name)) continue;
    throw base::InputError(fmt::format("data.categorical names '{}', which is no feature{}",
                                       base::excerpt(name), base::name_hint(name, features_)));
  }
  want_features();
  want_groups();
  want_label();
  if (!task_.blocks.empty()) {
    blocks_place_ = want({task_.blocks, CellKind::category, MissingCell::drop});
  }
  if (task_.missing_rule != MissingPolicy::drop) return;
  const bool all = task_.required == std::vector<std::string>{"*"};
  for (const std::string& name : all ? all_names() : task_.required) {
    want({name, CellKind::category, MissingCell::drop});
  }
}

void SourceColumns::choose_features(const std::function<std::vector<std::string>()>& all_names) {
  const std::string label = label_column();
  features_ = task_.features;
  if (features_ == std::vector<std::string>{"*"}) {
    features_ = all_names();
    require_different_names(features_);
    std::erase_if(features_, [&](const std::string& name) {
      return is_sensitive(name) || name == label || name == split_;
    });
  }
  check_different("features", features_);
  for (const auto& [option, name] : {std::pair{"label", label}, std::pair{"split", split_}}) {
    if (name.empty() || !contains(features_, name)) continue;
    throw base::InputError(fmt::format(
        "data.features names '{}', which is data.{}: it would give the answer away", name, option));
  }
  if (!label.empty() && is_sensitive(label)) {
    throw base::InputError(
        fmt::format("data.sensitive names '{}', which is data.label: groups that are made of the "
                    "answer have no rates to compare, and would give it away",
                    label));
  }
}

std::string SourceColumns::label_column() const {
  if (label_test_) return label_test_->column;
  return literal_column(task_.label).value_or(task_.label);
}

bool SourceColumns::is_sensitive(const std::string& column) const {
  return std::ranges::any_of(sensitive_, [&](const Attribute& attribute) {
    const SensitiveText& text = attribute.text;
    return (text.is_column() && column == text.column) ||
           (text.test && column == text.test->column) || contains(text.largest, column);
  });
}

void SourceColumns::check_named(const std::function<std::vector<std::string>()>& all_names) const {
  const auto check = [&](std::string_view option, bool named) {
    if (named) return;
    const std::vector<std::string> names = all_names();
    if (names.empty()) {
      throw base::InputError(
          "data.file is empty: its first line must name the columns, and the others hold the rows");
    }
    throw base::InputError(fmt::format("data.{} must name at least one column; the file has: {}",
                                       option, names_for_message(names)));
  };
  check("features", !features_.empty());
  check("sensitive", !sensitive_.empty());
}

/// What a catalogue says of columns that this config does not want is not used; of one that is not
/// there at all it is a slip of the pen.
void SourceColumns::check_catalogue(
    const std::function<std::vector<std::string>()>& all_names) const {
  std::vector<std::pair<std::string, std::string>> named;  // key, column
  for (const LevelOrder& order : task_.level_orders) {
    named.emplace_back("levels." + order.column, order.column);
  }
  for (const LevelOrder& order : task_.ordinals) {
    named.emplace_back("ordinal." + order.column, order.column);
  }
  for (const std::string& name : task_.descending) named.emplace_back("descending", name);
  if (task_.required != std::vector<std::string>{"*"}) {
    for (const std::string& name : task_.required) named.emplace_back("required", name);
  }
  std::erase_if(named, [&](const auto& entry) {  // of wanted columns the reader says it
    return std::ranges::find(wanted_, entry.second, &TableColumn::name) != wanted_.end();
  });
  if (named.empty()) return;
  const std::vector<std::string> names = all_names();
  for (const auto& [key, name] : named) {
    if (contains(names, name)) continue;
    throw base::InputError(fmt::format("the catalogue's {} names '{}', which is no column{}", key,
                                       base::excerpt(name), base::name_hint(name, names)));
  }
}

bool SourceColumns::is_category(const std::string& feature) const {
  return automatic_ || categorical_.contains(feature);
}

SourceColumns::Place SourceColumns::want(TableColumn column) {
  const bool is_number = column.kind != CellKind::category;
  wanted_.push_back(std::move(column));
  return {is_number, is_number ? numbers_++ : categories_++};
}

void SourceColumns::want_features() {
  const MissingCell missing = missing_cell_of_feature(task_.missing_rule);
  for (const std::string& name : features_) {
    const LevelOrder* const order = find_order(task_.ordinals, name);
    if (order != nullptr) {
      feature_places_.push_back(want({name, CellKind::ordinal, missing, order->levels}));
    } else {
      TableColumn column{name, is_category(name) ? CellKind::category : CellKind::number, missing};
      column.advice =
          "; where models learn from columns of names, data.categorical lists these (auto finds "
          "them), decisions that are audited are 0 and 1, or names where predictions.positive says "
          "which of them mean 1, and data.missing says which texts are missing cells";
      feature_places_.push_back(want(std::move(column)));
    }
  }
}

void SourceColumns::want_groups() {
  const MissingCell missing = of_label(task_.missing_rule);
  for (auto& [text, places] : sensitive_) {
    if (text.test) {
      places.push_back(want({text.test->column, CellKind::number, missing}));
    } else if (text.largest.empty()) {
      places.push_back(want({text.column, CellKind::category, missing}));
    }
    for (const std::string& name : text.largest) {
      places.push_back(want({name, CellKind::number, missing}));
    }
  }
}

void SourceColumns::want_label() {
  const MissingCell missing = of_label(task_.missing_rule);
  if (label_test_) {
    label_place_ = want({label_test_->column, CellKind::number, missing});
  } else if (!task_.label.empty()) {
    label_place_ = want({label_column(), CellKind::category, missing});
  }
  if (!split_.empty()) split_place_ = want({split_, CellKind::category, missing});
}

std::vector<std::string> SourceColumns::absent_positive(const Table& table) const {
  if (task_.label.empty() || label_test_) return {};
  std::vector<std::string> absent = task_.positive;
  std::erase_if(absent, [&](const std::string& name) {
    return contains(table.categories[label_place_.index].levels, name);
  });
  return absent;
}

std::string SourceColumns::recipe() const {
  std::string text =
      fmt::format("features {}; categories {}; sensitive {}", base::format_list(features_),
                  task_.categorical.empty() ? "none" : base::format_list(task_.categorical),
                  base::join(task_.sensitive, ", "));
  if (!task_.group_map.empty()) text += fmt::format(" as {}", base::join(task_.group_map, ", "));
  if (!task_.label.empty()) text += "; label " + task_.label;
  if (!task_.label_map.empty()) text += fmt::format(" as {}", base::join(task_.label_map, ", "));
  if (!task_.positive.empty()) text += fmt::format(" is {}", base::join(task_.positive, ", "));
  if (task_.label_divisor != 1) text += " / " + base::format_double(task_.label_divisor);
  if (!task_.where.empty()) text += fmt::format("; rows with {}", base::join(task_.where, ", "));
  if (!split_.empty()) text += "; parts by " + split_;
  return text;
}

/// Levels in an order that does not depend on the order of the rows.
void SourceColumns::order(Category& category, const std::string& column) const {
  if (task_.data != "arff") sort_levels(category);  // ARFF: as the header declares them
  const LevelOrder* const declared = find_order(task_.level_orders, column);
  if (declared == nullptr) return;
  order_levels(category, declared->levels);
  name_levels(category, *declared);
}

RawColumn SourceColumns::feature(std::size_t which, Table& table) const {
  const Place place = feature_places_[which];
  RawColumn column;
  column.name = features_[which];
  if (place.is_number) {
    column.numbers = column_of(table, place.index);
    const LevelOrder* const order = find_order(task_.ordinals, column.name);
    if (order != nullptr) column.names.levels = order->levels;
    return column;
  }
  Category& category = table.categories[place.index];
  if (automatic_) {
    if (auto numbers = as_numbers(category)) {
      column.numbers = *std::move(numbers);
      return column;
    }
  }
  order(category, column.name);
  column.categorical = true;
  column.names = std::move(category);
  return column;
}

void SourceColumns::fill_groups(RawTable& raw, const Table& table) const {
  std::vector<Category> attributes;
  for (const auto& [text, places] : sensitive_) {
    if (text.test) {
      attributes.push_back(category_of_test(*text.test, column_of(table, places[0].index)));
    } else if (!text.largest.empty()) {
      std::vector<std::vector<double>> columns;
      for (const Place& place : places) columns.push_back(column_of(table, place.index));
      attributes.push_back(category_of_largest(text.largest, columns));
    } else {
      order(attributes.emplace_back(table.categories[places[0].index]), text.column);
    }
  }
  const std::vector<Category> made = attributes;
  map_groups(attributes, task_.group_map, raw.warnings);
  set_groups(raw, attributes, task_.sensitive);
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    const SensitiveText& text = sensitive_[i].text;
    // As the table has the names: those of `made` may be a catalogue's.
    const Category& cells =
        text.is_column() ? table.categories[sensitive_[i].places[0].index] : made[i];
    raw.group_rules.push_back(rule_of(text.text, cells, attributes[i], task_.group_map));
  }
}

void SourceColumns::fill_label(RawTable& raw, Table& table, const std::string& file) const {
  if (task_.label.empty()) return;
  raw.label_name = label_test_ ? task_.label : label_column();
  if (label_test_) {
    set_label(raw, column_of(table, label_place_.index), *label_test_);
  } else {
    Category& cells = table.categories[label_place_.index];
    order(cells, raw.label_name);
    set_label(raw, std::move(cells), task_, fmt::format("{}: column '{}'", file, raw.label_name));
  }
  divide_label(raw, task_.label_divisor);
}

void SourceColumns::fill(RawTable& raw, Table table, const std::string& file) const {
  raw.rows = table.rows;
  for (std::size_t i = 0; i < features_.size(); ++i) {
    raw.columns.push_back(feature(i, table));
    const RawColumn& column = raw.columns.back();
    if (!automatic_ || !column.categorical) continue;
    if (auto odd = odd_names_warning(column.name, column.names)) {
      raw.warnings.push_back(*std::move(odd));
    }
  }
  fill_groups(raw, table);
  fill_label(raw, table, file);
  if (!split_.empty()) raw.part_column = std::move(table.categories[split_place_.index]);
  if (task_.blocks.empty()) return;
  Category& blocks = table.categories[blocks_place_.index];
  order(blocks, task_.blocks);
  keep_rows(raw, rows_by_level(blocks));
}

namespace {

/// The values of one feature, by its number.
std::vector<double> feature_values(const SparseRows& sparse, const std::string& number) {
  const auto column = base::parse_int64(number);
  if (!column || *column < 1 || *column > sparse.columns) {
    throw base::InputError(fmt::format(
        "data.sensitive: '{}' must be the number of a feature, 1 to {}", number, sparse.columns));
  }
  std::vector<double> values;
  for (std::int64_t row = 0; row < sparse.rows(); ++row) {
    const auto indices = sparse.indices_of(row);
    const auto found = std::ranges::lower_bound(indices, static_cast<std::int32_t>(*column - 1));
    const bool given = found != indices.end() && *found == *column - 1;
    const auto place = static_cast<std::size_t>(found - indices.begin());
    values.push_back(given ? sparse.values_of(row)[place] : 0.0);
  }
  return values;
}

/// Levels are the values' shortest texts.
Category category_of_values(std::span<const double> values) {
  std::vector<double> distinct(values.begin(), values.end());
  std::ranges::sort(distinct);
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  Category category;
  for (const double value : distinct) category.levels.push_back(base::format_double(value));
  category.first_line.assign(distinct.size(), 0);
  for (const double value : values) {
    const auto place = std::ranges::lower_bound(distinct, value) - distinct.begin();
    category.codes.push_back(static_cast<std::int32_t>(place));
  }
  return category;
}

void check_libsvm(const SupervisedTask& task, const SupervisedOptions& options) {
  const auto refuse = [](bool given, std::string_view option) {
    if (!given) return;
    throw base::InputError(fmt::format(
        "data.{} must be empty: a LIBSVM file is a label and numbered features", option));
  };
  refuse(!options.features.empty(), "features");
  refuse(!options.label.empty(), "label");
  refuse(!task.label_map.empty() || !task.positive.empty(), "label_map and data.positive");
  refuse(!task.where.empty(), "where");
  refuse(!options.split.empty(), "split");
  refuse(!task.categorical.empty(), "categorical");
  if (!task.sensitive.empty()) return;
  throw base::InputError("data.sensitive must be the number of a feature, or a comparison of it");
}

}  // namespace

void fill_from_libsvm(RawTable& raw, LibsvmRows rows, const SupervisedTask& task,
                      const SupervisedOptions& options) {
  check_libsvm(task, options);
  raw.rows = rows.features.rows();
  std::vector<Category> attributes;
  for (const std::string& text : task.sensitive) {
    const SensitiveText sensitive = parse_sensitive(text);
    if (!sensitive.largest.empty()) {
      throw base::InputError("data.sensitive: largest() is not for LIBSVM files");
    }
    attributes.push_back(
        sensitive.test ? category_of_test(*sensitive.test,
                                          feature_values(rows.features, sensitive.test->column))
                       : category_of_values(feature_values(rows.features, sensitive.column)));
  }
  const std::vector<Category> made = attributes;
  map_groups(attributes, task.group_map, raw.warnings);
  set_groups(raw, attributes, task.sensitive);
  for (std::size_t i = 0; i < attributes.size(); ++i) {
    raw.group_rules.push_back(rule_of(task.sensitive[i], made[i], attributes[i], task.group_map));
  }
  raw.label_name = libsvm_label;
  set_label(raw, std::move(rows.label), task.target, raw.provenance.files.front());
  divide_label(raw, task.label_divisor);
  raw.sparse = std::move(rows.features);
}

}  // namespace fairfront::data
