/// @file
/// From a file in memory to a data set: features, groups, label, split. No scaling.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "data/catalogue.hpp"
#include "data/csv.hpp"
#include "data/data_file.hpp"
#include "data/dataset.hpp"

namespace fairfront::data {

/// Which columns become what.
struct TablePlan {
  CsvFormat format;
  std::vector<std::string> features;   ///< at least one, all different
  std::vector<std::string> sensitive;  ///< at least one, all different
  std::string label;                   ///< empty: none
  std::string split;                   ///< empty: none
  std::vector<LevelOrder> level_orders;
  std::string block_column;   ///< see CatalogueEntry; empty: file order
  bool drop_missing = false;  ///< drop rows with a missing cell, else such a cell is an error
};

/// The data set, with the file's part of the provenance: files, sha256, file_rows.
///
/// A label column of numbers is taken as it is; one of names becomes codes, 0 for the first.
/// @throws base::InputError  as read_csv; no row left; a label of numbers and names.
[[nodiscard]] Dataset read_table(const DataFile& file, const TablePlan& plan);

}  // namespace fairfront::data
