/// @file
/// The data sets that the program knows by name: where they come from, and how their papers
/// prepare them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/category.hpp"
#include "data/csv.hpp"
#include "data/dataset.hpp"
#include "data/load.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::data {

/// The public file of a data set.
struct CatalogueFile {
  std::string path;       ///< below the data directory; a twin with or without .gz is as good
  std::string sha256;     ///< of the uncompressed content
  std::int64_t rows = 0;  ///< without the header
  std::string
      url{};  ///< canonical download, perhaps of an archive that holds the file; may be empty
  std::string stored_sha256{};  ///< of a .gz as our own store has it; empty when not compressed
};

enum class FileKind { csv, arff, libsvm };

/// What may be learnt from a data set, and how its paper prepares it. Texts are as in
/// SupervisedOptions, of which these are the defaults.
struct SupervisedTask {
  std::string name;    ///< such as "classification"
  std::string recipe;  ///< one sentence: whose preparation
  TargetKind target = TargetKind::binary;
  CatalogueFile file;
  std::optional<CatalogueFile> test_file{};
  FileKind kind = FileKind::csv;
  CsvFormat format{};  ///< of csv
  std::vector<LevelOrder> ordinals{};
  std::vector<LevelOrder> level_orders{};
  std::vector<std::string> features{};  ///< none of libsvm: all
  std::vector<std::string> categorical{};
  std::vector<std::string> sensitive{};
  std::vector<std::string> group_map{};
  std::string label{};  ///< none of libsvm: its file says
  std::vector<std::string> label_map{};
  std::vector<std::string> positive{};
  double label_divisor = 1;
  MissingPolicy missing = MissingPolicy::error;
  std::vector<std::string> required{};  ///< columns of no use whose missing cells count like others
  std::vector<std::string> where{};
  /// Features of numbers by which rows are sorted, greatest first; the first name decides before
  /// the second, and equal rows stay in file order. What draws rows by number depends on it.
  std::vector<std::string> descending{};
  std::int64_t columns = 0;  ///< of libsvm
  PaperPreparation paper{};
};

/// One data set: `file` and the columns serve experiments without labels, `tasks` those with
/// labels, `generate` makes a synthetic one.
struct CatalogueEntry {
  std::string name;
  std::string title;
  std::string source;  ///< URL or citation
  std::string licence;
  std::string recipe;  ///< one sentence: which rows, which order
  std::optional<CatalogueFile> file;
  FileKind kind = FileKind::csv;
  CsvFormat format;                  ///< of csv
  std::vector<LevelOrder> ordinals;  ///< columns of names that stand for 1, 2, ... as features
  std::vector<LevelOrder> level_orders;
  /// Rows are arranged in blocks by this column's level order, file order inside a block, and
  /// rows where it is missing are dropped. Empty: file order, nothing dropped.
  std::string block_column;
  std::vector<std::string> features;   ///< default
  std::vector<std::string> sensitive;  ///< default
  /// All columns that are attributes of people to be fair about, the default ones among them.
  std::vector<std::string> sensitive_choices;
  std::string label;  ///< default; empty: none
  Scaling standardise = Scaling::none;
  RowNorm row_normalise = RowNorm::none;
  std::function<Dataset(std::uint64_t seed)> generate;  ///< fills all but the provenance
  std::vector<SupervisedTask> tasks;  ///< what may be learnt; the first is the default
};

/// All data sets, in the order in which they are listed.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// @throws base::InputError  no such name, with the nearest valid one ("csv", "arff" and
///         "libsvm" are valid elsewhere).
[[nodiscard]] const CatalogueEntry& catalogue_entry(std::string_view name);

}  // namespace fairfront::data
