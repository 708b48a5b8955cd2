/// @file
/// A column of names: every row's code and the list of the names, and what is done with them.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

namespace fairfront::data {

/// N rows; row i holds the name levels[codes[i]].
struct Category {
  std::vector<std::int32_t> codes;       ///< -1: missing, where missing cells are kept
  std::vector<std::string> levels;       ///< distinct, in order of first appearance when just read
  std::vector<std::int64_t> first_line;  ///< per level: the line of the file that brought it
};

/// Puts `order`'s levels first, in that order, and the others behind, in theirs. Names of `order`
/// that do not occur are left out.
void order_levels(Category& category, std::span<const std::string> order);

/// Sorts the levels: by their values if all are finite numbers, else by their texts.
void sort_levels(Category& category);

/// Renames the levels; those that get the same name become one, at the first one's place.
/// @param name_of  the new name of a level.
void rename_levels(Category& category,
                   const std::function<std::string(const std::string& level)>& name_of);

/// In which order a column's names are numbered.
struct LevelOrder {
  std::string column;
  std::vector<std::string> levels;
  /// What groups are called instead, one per level; levels of one name are one. Or empty.
  std::vector<std::string> names{};
};

/// The order of a column, or null.
[[nodiscard]] const LevelOrder* find_order(std::span<const LevelOrder> orders,
                                           const std::string& column);

/// Calls levels as people do: "female" for 2. Levels without a name keep theirs.
void name_levels(Category& category, const LevelOrder& order);

/// N rows in J groups, every group with at least one member.
struct Grouping {
  std::vector<std::int32_t> group;
  std::vector<std::string> names;
};

/// The product of several columns: one group for each combination that occurs, named
/// "Male x White", in the order of the product (the last column's levels vary fastest).
/// @param columns  at least one, all with N codes.
[[nodiscard]] Grouping product_groups(std::span<const Category> columns);

}  // namespace fairfront::data
