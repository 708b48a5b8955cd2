/// @file
/// The data sets that are known by name: where they come from, and how their papers prepare them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/category.hpp"
#include "data/dataset.hpp"
#include "data/supervised_options.hpp"

namespace fairfront::data {

/// The public file of a data set.
struct CatalogueFile {
  std::string path;       ///< below the data directory; a twin with or without .gz is as good
  std::string sha256;     ///< of the uncompressed content
  std::int64_t rows = 0;  ///< without the header; 0: not said
  /// Of the download, perhaps of an archive, and which member of that is the file; may be empty.
  std::string address{}, member{}, other_address{}, other_member{};
  std::string derived_by{};     ///< script of jobs/, with options, that makes it of the download
  std::string origin{};         ///< without an address: who has it
  std::string stored_sha256{};  ///< of a .gz as our own store has it; empty when not compressed
  std::string beside{};         ///< the folder of the user's catalogue, where it may be, too
};

/// What is made of the files of a data set, in the words of a config: `data` is csv, arff or
/// libsvm, `file` and `test_file` are named in the catalogue.
struct SupervisedTask : SupervisedOptions {
  SupervisedTask() {
    data = "csv";
    categorical.clear();
  }

  std::string name;                               ///< such as "classification"
  std::string recipe = "all rows in file order";  ///< one sentence: whose preparation
  CatalogueFile published_file;
  std::optional<CatalogueFile> published_test_file{};
  std::string comment;             ///< csv: lines that begin with it are skipped; empty: none are
  std::vector<std::string> names;  ///< csv without a header: of all columns
  std::vector<LevelOrder> ordinals{};  ///< columns of names that stand for 1, 2, ... as features
  std::vector<LevelOrder> level_orders{};
  std::vector<std::string> required{};  ///< columns of no use whose missing cells count like others
  /// Features of numbers by which rows are sorted, greatest first; the first name decides before
  /// the second, and equal rows stay in file order. What draws rows by number depends on it.
  std::vector<std::string> descending{};
  /// Rows are arranged in blocks by this column's level order, file order inside a block, and rows
  /// where it is missing are dropped. Empty: file order.
  std::string blocks{};
  PreparationOptions paper{.log1p = {}};  ///< `catalogue` there means that nothing is done
};

/// One data set: `tasks` say what is made of its files, `generate` makes a synthetic one.
struct CatalogueEntry {
  std::string name;
  std::string title;
  std::string source;  ///< URL or citation
  std::string licence;
  std::string recipe;  ///< generated: one sentence
  /// All columns that are attributes of people to be fair about, those of the tasks among them.
  std::vector<std::string> sensitive_choices;
  std::function<Dataset(std::uint64_t seed)> generate;  ///< fills all but the provenance
  std::vector<SupervisedTask> tasks;                    ///< the first is the default
};

/// All data sets that come with the program, in the order in which they are listed.
[[nodiscard]] std::span<const CatalogueEntry> catalogue();

/// The user's own sets; null: none.
using OwnSets = std::shared_ptr<const std::vector<CatalogueEntry>>;

/// Is it the name of a set that is generated, so that no file is read?
[[nodiscard]] bool is_generated(std::string_view name);

/// @throws base::InputError  no such name, with the nearest valid one ("csv", "arff" and
///         "libsvm" are valid elsewhere).
[[nodiscard]] const CatalogueEntry& catalogue_entry(std::string_view name, const OwnSets& own = {});

}  // namespace fairfront::data
