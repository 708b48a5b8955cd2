/// @file
/// From a file to a data set: features, groups, label, split. No scaling.
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
  FileKind kind = FileKind::csv;
  CsvFormat format;                    ///< of csv
  std::vector<std::string> features;   ///< at least one, all different
  std::vector<std::string> sensitive;  ///< at least one, all different
  std::string label;                   ///< empty: none
  std::string split;                   ///< empty: none
  std::vector<LevelOrder> level_orders;
  std::vector<LevelOrder> ordinals;  ///< see CatalogueEntry
  std::string block_column;          ///< see CatalogueEntry; empty: file order
  bool drop_missing = false;  ///< drop rows with a missing cell, else such a cell is an error
};

/// The data set, with the file's part of the provenance but its hash: files, file_rows. The file
/// is read as a stream: what stays in memory are the columns of the plan.
///
/// A label column of numbers is taken as it is; one of names becomes codes, 0 for the first.
/// @throws base::InputError  as read_csv and read_arff; no row left; a label of numbers and names.
[[nodiscard]] Dataset read_table(DataFile& file, const TablePlan& plan);

/// The names of all columns of the file.
[[nodiscard]] std::vector<std::string> column_names(DataFile& file, const TablePlan& plan);

}  // namespace fairfront::data
