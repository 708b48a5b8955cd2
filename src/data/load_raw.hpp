/// @file
/// From the [data] section to a table.
#pragma once

#include <string>
#include <string_view>

#include "data/catalogue/data_folder.hpp"
#include "data/raw_table.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::data {

/// Reads one or two files, chooses rows and columns, makes groups and label. Local: never
/// communicates. Levels of names, groups and classes are numbered as declared (group_map, the
/// catalogue, an ARFF header), the others in ascending order: of their values if they are numbers,
/// else of their texts; so a row's codes do not depend on other rows' order.
///
/// @param data_dir       folder that holds one sub-folder per data set.
/// @param allow_changed  use files whose SHA-256 differs from the catalogue's.
/// @throws base::DataError  missing file, other hash, wrong column, non-numeric or non-finite cell
///         (row and column named, value not shown), a label that is also a feature, no rows.
/// @param first_choice  task of a set of the catalogue where the options name none; else its first.
/// @throws base::InputError  no such data set or task, options that do not fit it, a draw of more
///         rows than there are.
/// @throws std::invalid_argument  a field of `options` breaks its rule.
[[nodiscard]] RawTable load_raw(const SupervisedOptions& options, const DataFolder& data_dir,
                                bool allow_changed, std::string_view first_choice = {});

/// The same before rows are drawn, and without a digest.
[[nodiscard]] RawTable load_all_rows(const SupervisedOptions& options, const DataFolder& data_dir,
                                     bool allow_changed, std::string_view first_choice = {});

}  // namespace fairfront::data
