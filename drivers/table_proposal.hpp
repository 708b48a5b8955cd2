/// @file
/// What a config of a table is to be: label, groups and features, by names and values of the
/// columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "column_roles.hpp"
#include "commands.hpp"
#include "rare_groups.hpp"
#include "table_facts.hpp"

namespace fairfront::drivers {

/// Of a group's complete rows: then parts of 60, 20 and 20 % have some.
constexpr std::int64_t rows_for_parts = 4;

/// The value of a label of two where a prediction is higher, beyond chance.
struct HigherValue {
  std::size_t prediction = 0;  ///< its column
  std::string value;
};

/// What the config is to be, by the places of the table's columns.
struct Proposal {
  std::string path;
  TableFormat format;
  TableFacts table;
  std::optional<std::size_t> label;
  std::vector<GroupSource> groups_by;
  std::vector<std::size_t> sensitive;  ///< the columns that these are made of
  std::vector<std::size_t> features;
  std::vector<std::size_t> predictions;  ///< to be audited; then there are no features
  std::optional<std::size_t> parts;      ///< the column that names the parts of the rows
  PartNames part_names{};
  bool stratifies_labels = false;     ///< some group has few rows of a label: parts must have some
  std::string no_thresholds;          ///< why thresholds by group would fail; empty: they would not
  bool few_in_training = false;       ///< some group has few rows that are called so
  std::string remark_of_parts;        ///< a comment above [split], or nothing
  std::vector<std::string> left_out;  ///< columns with the reason
  std::vector<GroupSize> groups;
  std::vector<RareLevel> rare;        ///< rows to leave out, as parts would lack their groups
  std::vector<std::string> where;     ///< the comparisons that leave these out
  std::optional<HigherValue> higher;  ///< of a label other than 0 and 1
  std::vector<std::size_t> same_as_label;
  std::int64_t incomplete = 0;  ///< rows with a missing cell in a column that is used
  std::int64_t unfillable = 0;  ///< of these, rows that no rule can fill: without group or label
  bool fills = false;           ///< data.missing_rule is to fill cells in, not to leave rows out
};

/// @param call  of `init`.
/// @throws base::InputError  the table cannot be read or has no rows; a label or groups that are
/// told
///         cannot be that; nothing is left to learn from; no two groups have rows for every part,
///         or a rare one cannot be left out.
[[nodiscard]] Proposal propose(const Call& call);

/// It has two values, and they are not 0 and 1.
[[nodiscard]] bool has_two_to_tell(const ColumnFacts& label);

/// As the value of an option that takes a list: of one name, its marks are quoted once more.
[[nodiscard]] std::string list_text(const std::vector<std::string>& names);

/// What makes the groups, as data.sensitive takes it.
[[nodiscard]] std::string groups_of(const Proposal& proposal);

}  // namespace fairfront::drivers
