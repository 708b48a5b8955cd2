/// @file
/// How a row's group follows from the cells of its table, kept for rows that come later.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/comparison.hpp"
#include "data/table.hpp"

namespace fairfront::data {

/// One sensitive attribute: which cell says it, and what its levels are called in the groups.
struct GroupRule {
  std::string text;                  ///< as data.sensitive writes it
  std::vector<std::string> levels;   ///< of the table, or of the comparison or largest()
  std::vector<std::string> names{};  ///< what each of them is called, behind data.group_map
  std::string others{};              ///< what any other level is called; empty: there is none
};

/// The rule by which the rows of `cells` have become those of `attribute`. Levels of no row are
/// left out. @param group_map  as data.group_map: an entry "*:name" is for levels that come later,
/// too.
[[nodiscard]] GroupRule rule_of(const std::string& text, const Category& cells,
                                const Category& attribute,
                                const std::vector<std::string>& group_map);

/// Finds groups, some rows at a time.
class GroupFinder {
 public:
  /// @param groups  names of all groups, by number.
  /// @throws base::InputError  an attribute that is none.
  GroupFinder(std::vector<GroupRule> rules, std::vector<std::string> groups);

  /// What a reader is to read.
  [[nodiscard]] std::vector<TableColumn> wanted() const;

  /// @param table   with the wanted columns at last, numbers and categories in their order. The
  ///                codes of its names may go on from one call to the next, but not change.
  /// @param before  rows of the calls before, for messages.
  /// @return shape (table.rows,), the number of every row's group.
  /// @throws base::InputError  levels that together are no group; names the row.
  [[nodiscard]] std::vector<std::int32_t> groups(const Table& table, std::int64_t before) const;

 private:
  struct Attribute {
    GroupRule rule;
    std::string column;  ///< whose cells are the levels' names, if there is neither of these
    std::optional<ColumnTest> test;
    std::vector<std::string> largest;
    [[nodiscard]] bool of_names() const { return !test && largest.empty(); }
    [[nodiscard]] std::size_t numbers() const;
  };
  /// -1: they are no group's.
  [[nodiscard]] std::int32_t number_of(const std::vector<const std::string*>& names) const;

  std::vector<Attribute> attributes_;
  std::vector<std::string> groups_;
};

}  // namespace fairfront::data
