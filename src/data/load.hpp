/// @file
/// From the [data] section of a config to a prepared data set.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/options.hpp"
#include "data/data_folder.hpp"
#include "data/dataset.hpp"

namespace fairfront::data {

/// How columns are scaled before rows are drawn; `catalogue` is what the data set's paper does
/// (csv: none). A constant column becomes 0 under zscore.
enum class Scaling { catalogue, none, zscore };
/// How rows are scaled after that; `unit` divides by the Euclidean norm.
enum class RowNorm { catalogue, none, unit };
/// What becomes of a row with a missing cell in a chosen column.
enum class MissingRule { error, drop };

/// The [data] section. Defaults for features, sensitive and label come from the catalogue.
struct DataOptions {
  std::string data = "syn_unequal_ds2";   ///< name in the catalogue, or "csv", "arff"
  std::string file;                       ///< own: path, relative to cwd or else the data directory
  std::string separator = ",";            ///< csv: one character, or "comma", "tab", "blank"
  std::vector<std::string> missing{"?"};  ///< csv: texts of missing cells; an empty cell is one too
  MissingRule missing_rule = MissingRule::error;
  std::vector<std::string> features;   ///< column names (or 1-based numbers without a header)
  std::vector<std::string> sensitive;  ///< several columns: groups are their product
  std::string label;
  std::string split;
  bool header = true;  ///< csv: the first line holds the column names
  Scaling standardise = Scaling::catalogue;
  RowNorm row_normalise = RowNorm::catalogue;
  std::int64_t subsample = 0;       ///< rows drawn without replacement; 0 keeps all
  std::int64_t subsample_seed = 1;  ///< seed of numpy's legacy generator, as the papers' code
  std::int64_t generator_seed = 1;  ///< synthetic sets only
};

[[nodiscard]] base::OptionTable options_of(DataOptions& options);

/// Loads, prepares and checks. Local: never communicates.
/// @param data_dir       folder that holds one sub-folder per data set.
/// @param allow_changed  use a file whose SHA-256 differs from the catalogue's.
/// @throws base::DataError  missing file, other hash, wrong column, non-numeric or non-finite cell
///         (row and column named, value not shown).
/// @throws base::InputError  a group without members, too few rows, options that do not go
/// together.
/// @throws std::invalid_argument  a field of `options` breaks its rule.
[[nodiscard]] Dataset load(const DataOptions& options, const DataFolder& data_dir,
                           bool allow_changed);

/// Is it the name of a set that is generated, so that no file is read?
[[nodiscard]] bool is_generated(const std::string& data_set);

}  // namespace fairfront::data
