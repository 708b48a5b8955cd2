/// @file
/// Fills a table from rows of cells, whatever kind of file they come from.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "data/table.hpp"

namespace fairfront::data {

/// What a reader knows about its file before the first row.
struct TableSource {
  std::string file{};                ///< named in messages
  std::vector<std::string> names{};  ///< of all columns
  std::string named_by{};  ///< what fixes the number of cells, for messages: "header", "first row"
  bool numbered = false;   ///< the names are the columns' numbers, from 1
  std::function<bool(std::string_view cell)> is_missing{};
};

/// Takes rows one by one. Only the chosen columns are parsed; of the others no more than their
/// number is checked. Messages name file, line, column and rule, and never the cell's value: it
/// may be personal.
class TableReader {
 public:
  /// @throws base::InputError  no such column or an ambiguous one (with the nearest name).
  TableReader(TableSource source, std::span<const TableColumn> columns);

  /// @param line  of the file, from 1.
  /// @throws base::InputError  another number of cells, a cell that is missing, is no finite
  ///         number or none of its column's levels.
  void read_row(std::span<const std::string_view> cells, std::int64_t line);

  /// The table; ends the reading.
  [[nodiscard]] Table finish();

 private:
  /// Lets a map of strings be searched by a view.
  struct TextHash : std::hash<std::string_view> {
    using is_transparent = void;
  };
  using LevelCodes = std::unordered_map<std::string, std::int32_t, TextHash, std::equal_to<>>;
  struct Wanted {
    TableColumn column;
    std::size_t place;     ///< which cell of the row
    std::size_t category;  ///< which of the table's categories; unused for numbers
  };
  [[nodiscard]] std::size_t find_column(const std::string& name) const;
  [[nodiscard]] bool drops_row() const;
  void check_width() const;
  [[nodiscard]] double number(const Wanted& wanted) const;
  [[nodiscard]] double ordinal(const Wanted& wanted) const;
  void add_name(const Wanted& wanted);
  [[noreturn]] void fail(const Wanted& wanted, std::string_view rule) const;

  TableSource source_;
  std::span<const std::string_view> cells_;  ///< the row that is being read
  std::int64_t line_ = 0;
  std::vector<Wanted> wanted_;
  std::vector<LevelCodes> codes_;
  Table table_;
};

}  // namespace fairfront::data
