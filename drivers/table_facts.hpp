/// @file
/// What the columns of a table hold, for a person who has not looked yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "data/group_columns.hpp"

namespace fairfront::drivers {

/// How a table is written.
struct TableFormat {
  char separator = ',';
  std::vector<std::string> missing{"?"};  ///< cells that are missing, beside empty ones
};

struct ColumnFacts {
  std::string name;
  std::int64_t missing = 0;  ///< cells
  std::int64_t numbers = 0;  ///< cells that are finite numbers
  double least = 0;          ///< of these
  double greatest = 0;
  bool whole = true;  ///< so are all of these
  /// Rows by what the cell holds; no more than most_levels are told apart.
  std::map<std::string, std::int64_t> levels;
  bool many = false;  ///< there are more
  /// Cells by the word for "missing" that they hold, such as NA, where the format has it not.
  std::map<std::string, std::int64_t> missing_words;
  std::int64_t decimal_commas = 0;  ///< cells that are numbers once their comma is a point

  static constexpr std::size_t most_levels = 1000;

  std::int64_t otherwise = 0;   ///< cells that are numbers written otherwise,
  std::string first_otherwise;  ///< the first of them
  [[nodiscard]] bool is_constant() const noexcept { return levels.size() < 2; }
  [[nodiscard]] bool has_two() const noexcept { return levels.size() == 2; }
  /// All cells that are not missing are numbers.
  [[nodiscard]] bool is_number() const noexcept { return numbers > 0 && numbers == known; }
  /// So it is but for words for "missing", of which there are some.
  [[nodiscard]] bool is_number_but_for_words() const noexcept;
  /// The same of names: without NA and the like two are left.
  [[nodiscard]] bool has_two_but_for_words() const;
  /// All are numbers, some of them with a decimal comma.
  [[nodiscard]] bool has_decimal_commas() const noexcept {
    return decimal_commas > 0 && numbers + decimal_commas == known;
  }
  /// All are numbers but for words for "missing", some of them written otherwise, such as "50%".
  [[nodiscard]] bool has_numbers_otherwise() const noexcept;
  std::int64_t known = 0;  ///< cells that are not missing
  bool is_utf8 = true;     ///< its name and all of its cells are
};

struct TableFacts {
  std::int64_t rows = 0;
  std::vector<ColumnFacts> columns;
};

/// Of comma, semicolon, tab and bar the one by which the first rows have equally many cells, the
/// one of the most cells; the comma where none has two.
/// @throws base::InputError  no such file.
[[nodiscard]] char separator_of(const std::string& path);

/// Reads the table once; no more of it is in memory than the levels.
/// @throws base::InputError  no such file, no header, names that are not different, a row with
///         another number of cells.
[[nodiscard]] TableFacts facts_of(const std::string& path, const TableFormat& format);

/// What groups are made by: the levels of a column, or what is derived of some.
struct GroupSource {
  data::SensitiveText text;
  std::vector<std::size_t> places;  ///< of its columns, in the order of the text
};

struct GroupSize {
  std::string name;  ///< levels joined by " x "
  std::int64_t rows = 0;
  std::vector<std::string> levels;  ///< one of each source
  std::int64_t complete = 0;        ///< rows without a missing cell in columns that are needed
};

/// Of every combination of levels of the sources that occurs, sorted by name; rows with a missing
/// cell there are in none.
/// @param sources  columns that something is derived of are numbers.
/// @param needed   places of what a row that counts as complete has.
/// @throws base::InputError  as facts_of().
[[nodiscard]] std::vector<GroupSize> group_sizes(const std::string& path, const TableFormat& format,
                                                 const std::vector<GroupSource>& sources,
                                                 const std::vector<std::size_t>& needed);

/// Columns that say what the column `label` says: its values, or, where it has two, other words for
/// them.
/// @param has_two  it has two values.
/// @throws base::InputError  as facts_of().
[[nodiscard]] std::vector<std::size_t> same_columns(const std::string& path,
                                                    const TableFormat& format, std::size_t label,
                                                    bool has_two);

/// Of the numbers of a column in the rows of one label.
struct Moments {
  std::int64_t rows = 0;
  double mean = 0;
  double squares = 0;  ///< sum of the squared distances to the mean
};

/// Moments of each column by the values of `label`; rows where a cell of the two is missing, or is
/// no number, are left out.
/// @throws base::InputError  as facts_of().
[[nodiscard]] std::vector<std::map<std::string, Moments>> moments_by_label(
    const std::string& path, const TableFormat& format, std::size_t label,
    const std::vector<std::size_t>& columns);

/// Rows with a missing cell in one of these columns.
/// @throws base::InputError  as facts_of().
[[nodiscard]] std::int64_t incomplete_rows(const std::string& path, const TableFormat& format,
                                           const std::vector<std::size_t>& columns);

}  // namespace fairfront::drivers
