/// @file
/// What a column of a table is likely to be, by its name and its values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "table_facts.hpp"

namespace fairfront::drivers {

/// Sex, race and the like, of few levels.
[[nodiscard]] bool looks_like_groups(const ColumnFacts& column);

/// "y_true", "actual": what predictions are compared with.
[[nodiscard]] bool is_named_truth(const ColumnFacts& column);

/// By its name: "label", "hired", or "y" of what is no prediction of it.
[[nodiscard]] bool looks_like_label(const ColumnFacts& column);

/// A number that people ask to be predicted, such as a salary.
[[nodiscard]] bool looks_like_target(const ColumnFacts& column);

/// Its name alone says that a model has written it: "y_pred", "y_score", "predicted".
[[nodiscard]] bool is_named_prediction(const ColumnFacts& column);

/// Numbers, or the decisions 0 and 1, or -1 and 1: of two values an audit decides the greater one 1
/// and the other one 0, which it could not of 1 and 2, or of words.
[[nodiscard]] bool is_decision_or_number(const ColumnFacts& column);

/// Two names, or whole numbers that no threshold of an audit decides, such as 1 and 2: decisions
/// once it is said which of them means 1.
[[nodiscard]] bool is_decision_by_value(const ColumnFacts& column);

/// It may be one beside others that are: "score", "probability", "risk", of values in [0, 1].
[[nodiscard]] bool may_be_prediction(const ColumnFacts& column);

/// @param rows  of the table.
[[nodiscard]] bool looks_like_number_of_row(const ColumnFacts& column, std::int64_t rows);

/// By its name, when its levels may not be understood, or by its levels.
[[nodiscard]] bool looks_like_parts(const ColumnFacts& column);

/// Whether the first line, which is to name the columns, looks like a row itself: half of its cells
/// or more occur again below them, or are numbers among those of their column.
[[nodiscard]] bool first_line_looks_like_row(const TableFacts& table);

/// The levels that name a part, as in the options of [split].
struct PartNames {
  std::vector<std::string> train, validation, test;
};
/// Empty where the column does not name the parts of a split.
[[nodiscard]] PartNames part_names(const ColumnFacts& column);

}  // namespace fairfront::drivers
