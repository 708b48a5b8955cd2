/// @file
/// Groups of people: from columns, comparisons and the largest of several columns.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/category.hpp"
#include "data/comparison.hpp"
#include "data/raw_table.hpp"

namespace fairfront::data {

/// One attribute as a config writes it.
struct SensitiveText {
  std::string text;
  std::string column{};                ///< of a column: its name
  std::optional<ColumnTest> test{};    ///< a comparison
  std::vector<std::string> largest{};  ///< the columns of largest(a, b, ...)
  [[nodiscard]] bool is_column() const { return !test && largest.empty(); }
};

/// The name in "column(NAME)", which is that of a column, also where it looks like a comparison or
/// like largest(); nothing: it is no such text.
[[nodiscard]] std::optional<std::string> literal_column(const std::string& text);

/// A text that stands for the column: its name, or where that means something else, the literal.
[[nodiscard]] std::string column_text(const std::string& name);

/// The names in largest() are a list of the config: one with a comma stands in double quotes.
/// @throws base::InputError  a broken comparison, or largest() of fewer than two columns or with a
///         quotation that does not close.
[[nodiscard]] SensitiveText parse_sensitive(const std::string& text);

/// Rows that pass are "<the comparison>", the others "other", which is numbered first.
[[nodiscard]] Category category_of_test(const ColumnTest& test, std::span<const double> values);

/// The name of the column with the largest value; of equal ones the first.
/// @param columns  one per name, N values each.
[[nodiscard]] Category category_of_largest(std::span<const std::string> names,
                                           std::span<const std::vector<double>> columns);

/// An entry of data.group_map.
struct Renaming {
  std::string level;
  std::string name;
  bool of_others = false;  ///< "*": every other level; a level called * stands in quotes
};

/// @throws base::InputError  an entry without a colon, or without a level or name.
[[nodiscard]] std::vector<Renaming> parsed_group_map(const std::vector<std::string>& group_map);

/// Renames levels by "level:name" and "*:name" and numbers them in the order of the names.
/// Entries whose level does not occur bring a warning.
/// @throws base::InputError  an entry without a colon, or * with several attributes.
void map_groups(std::span<Category> attributes, const std::vector<std::string>& group_map,
                std::vector<std::string>& warnings);

/// Fills attributes and groups.
void set_groups(RawTable& raw, std::span<const Category> attributes,
                const std::vector<std::string>& names);

/// What a recipe says of the groups: "; groups 0 .. 1: female, male". Readers of archives, which
/// hold numbers, find the names by these words.
[[nodiscard]] std::string recipe_of_groups(std::span<const std::string> names);

}  // namespace fairfront::data
