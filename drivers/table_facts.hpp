/// @file
/// What the columns of a table hold, for a person who has not looked yet.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace fairfront::drivers {

struct ColumnFacts {
  std::string name;
  std::int64_t missing = 0;  ///< cells that are empty or "?"
  std::int64_t numbers = 0;  ///< cells that are finite numbers
  double least = 0;          ///< of these
  double greatest = 0;
  /// Rows by what the cell holds; no more than most_levels are told apart.
  std::map<std::string, std::int64_t> levels;
  bool many = false;  ///< there are more

  static constexpr std::size_t most_levels = 1000;

  [[nodiscard]] bool is_constant() const noexcept { return levels.size() < 2; }
  [[nodiscard]] bool has_two() const noexcept { return levels.size() == 2; }
  /// All cells that are not missing are numbers.
  [[nodiscard]] bool is_number() const noexcept { return numbers > 0 && numbers == known; }
  std::int64_t known = 0;  ///< cells that are not missing
};

struct TableFacts {
  std::int64_t rows = 0;
  std::vector<ColumnFacts> columns;
};

/// Reads the table once; no more of it is in memory than the levels.
/// @throws base::InputError  no such file, no header, names that are not different, a row with
///         another number of cells.
[[nodiscard]] TableFacts facts_of(const std::string& path, char separator);

struct GroupSize {
  std::string name;  ///< levels joined by " x "
  std::int64_t rows = 0;
};

/// Of every combination of levels of the columns that occurs, sorted by name; rows with a missing
/// cell there are in none.
/// @param columns  places in the table.
/// @throws base::InputError  as facts_of().
[[nodiscard]] std::vector<GroupSize> group_sizes(const std::string& path, char separator,
                                                 const std::vector<std::size_t>& columns);

}  // namespace fairfront::drivers
