/// @file
/// A data set as the solvers see it: numbers, groups, optional labels and split.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace fairfront::data {

/// Where a data set came from; recorded in the archive and part of every task's key.
struct Provenance {
  std::string name;                 ///< catalogue name, or "csv", "arff"
  std::string source;               ///< URL or citation; for own files the file's name
  std::vector<std::string> files;   ///< file names without directories; empty for generators
  std::vector<std::string> sha256;  ///< one per file, of its content (for .gz: uncompressed)
  std::int64_t file_rows = 0;       ///< rows read, before dropping, subsampling
  std::string recipe;               ///< one line: columns, dropped rows, scaling, subsample, seed
  std::string digest;  ///< of shape, prepared values, groups and names, labels, split, and of
                       ///< the attributes when there are several
  std::string fitted;  ///< what all models of the problem share, see models::SharedFit; or empty
};

/// One sensitive attribute of the rows. Groups are the product of all of them.
struct Attribute {
  std::string name;                 ///< such as "sex"
  std::vector<std::int32_t> code;   ///< N values in 0 .. levels.size()-1, every level occurs
  std::vector<std::string> levels;  ///< such as "Male", "Female"
};

/// N rows of d real features, each row in one of J groups.
struct Dataset {
  std::int64_t rows = 0;                   ///< N >= 1
  std::int64_t columns = 0;                ///< d >= 1
  std::vector<double> features;            ///< row-major, shape (N, d), all finite
  std::vector<std::string> feature_names;  ///< d names
  std::vector<std::int32_t> group;         ///< N values in 0 .. J-1, every group occurs
  std::vector<std::string> group_names;    ///< J names, such as "Male" or "White x Female"
  std::vector<Attribute> attributes;       ///< at least one
  std::vector<double> label;               ///< N values, or empty
  std::vector<std::int32_t> split;         ///< N indices into split_names, or empty
  std::vector<std::string> split_names;
  Provenance provenance;

  [[nodiscard]] std::int64_t num_groups() const {
    return static_cast<std::int64_t>(group_names.size());
  }
  [[nodiscard]] std::span<const double> row(std::int64_t i) const {
    return std::span{features}.subspan(static_cast<std::size_t>(i * columns),
                                       static_cast<std::size_t>(columns));
  }
};

}  // namespace fairfront::data
