/// @file
/// A labelled table as it was read: nothing scaled, nothing encoded, nothing fitted. It is loaded
/// once, and split and prepared many times.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "data/category.hpp"
#include "data/dataset.hpp"
#include "data/group_rules.hpp"
#include "data/sparse_rows.hpp"
#include "data/split.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::data {

/// One feature before it is encoded: numbers or names, either with missing cells.
struct RawColumn {
  std::string name;
  bool categorical = false;
  std::vector<double> numbers;  ///< N finite values, NaN where missing; empty when categorical
  Category names;  ///< N codes, -1 where missing; of numbers at most levels, which are 1, 2, ...
};

/// N rows. Features are columns, or else sparse rows of numbers.
struct RawTable {
  std::int64_t rows = 0;            ///< N >= 1
  std::vector<RawColumn> columns;   ///< in the order in which they are wanted
  SparseRows sparse;                ///< without columns: the features, named "1", "2", ...
  std::vector<std::int32_t> group;  ///< as in Dataset
  std::vector<std::string> group_names;
  std::vector<Attribute> attributes;
  std::vector<GroupRule> group_rules;  ///< of attributes that are columns; or empty
  TargetKind target = TargetKind::none;
  std::string label_name;
  std::vector<double> label;             ///< N finite values, see TargetKind; or empty
  double label_divisor = 1;              ///< what the values of the table were divided by
  std::vector<std::string> class_names;  ///< binary, classes: what 0, 1, ... stand for
  std::vector<std::int32_t> file;        ///< N values: 0 training, 1 test file; empty: one file
  Category part_column;                  ///< the column that names the parts; empty: none
  MissingPolicy missing = MissingPolicy::error;  ///< what prepare() does with missing cells
  std::vector<std::string> missing_cells{"?"};   ///< what they were in the file, beside empty
  /// Of the catalogue; `catalogue` there, and of own files: nothing is done.
  PreparationOptions paper{.log1p = {}};
  std::vector<std::string> warnings;
  Provenance provenance;  ///< digest: of all of the above but the warnings and `paper`
};

/// As split_of of a SplitSource.
[[nodiscard]] Split split_of(const RawTable& raw, const SplitOptions& options, bool trains = true);

/// Keeps `rows`, in that order.
void keep_rows(RawTable& raw, std::span<const std::int64_t> rows);

/// SHA-256 over features, groups, labels, files and parts.
[[nodiscard]] std::string digest_of(const RawTable& raw);

}  // namespace fairfront::data
