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

#include "data/comparison.hpp"
#include "data/table.hpp"

namespace fairfront::data {

/// What messages advise, by the options of whoever asks for the table: those of a config, unless
/// another one says its own.
struct TableAdvice {
  std::string separator = "data.separator";  ///< the option that says what parts the cells
  std::string missing = " (missing_rule = drop leaves such rows out)";  ///< behind the rule
  std::string logarithm = " (preparation.log1p)";                       ///< behind the rule
  std::string missing_texts = "data.missing";  ///< the option that says which texts are missing
};

/// What a reader knows about its file before the first row.
struct TableSource {
  std::string file{};                ///< named in messages
  std::vector<std::string> names{};  ///< of all columns
  std::string named_by{};  ///< what fixes the number of cells, for messages: "header", "first row"
  bool numbered = false;   ///< the names are the columns' numbers, from 1
  bool names_are_cells = false;  ///< of a first row, which may be a person's if there is no header
  std::function<bool(std::string_view cell)> is_missing{};
  TableAdvice advice{};
};

/// What to say of columns to choose from: their names, unless they look like a row of the table.
[[nodiscard]] std::string names_for_message(std::span<const std::string> names);

/// Takes rows one by one. Only the chosen columns are parsed; of the others no more than their
/// number is checked. Messages name file, line, column and rule, and never the cell's value: it
/// may be personal.
class TableReader {
 public:
  /// @param where  rows that do not pass all of these are left out, before anything else is looked
  ///               at; a missing cell passes no test.
  /// @throws base::InputError  no such column or an ambiguous one (with the nearest name).
  TableReader(TableSource source, std::span<const TableColumn> columns,
              std::span<const ColumnTest> where = {});

  /// @param line  of the file, from 1.
  /// @throws base::InputError  another number of cells, a cell that is missing, is no finite
  ///         number or none of its column's levels.
  void read_row(std::span<const std::string_view> cells, std::int64_t line);

  /// Of all columns, also of those that nobody wants.
  [[nodiscard]] const std::vector<std::string>& names() const noexcept { return source_.names; }
  /// The rows since the beginning, or since they were forgotten. Levels are in order of appearance.
  [[nodiscard]] const Table& table() const noexcept { return table_; }
  /// Forgets the rows that were read, but neither their number nor the levels' codes.
  void forget_rows();

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
  struct Filter {
    ColumnTest test;
    std::size_t place;  ///< which cell of the row
  };
  /// Where a name stands among the columns, and how often.
  struct NamePlace {
    std::size_t first = 0;
    std::size_t count = 0;
  };
  using NamePlaces = std::unordered_map<std::string_view, NamePlace>;
  [[nodiscard]] NamePlaces places_of_names() const;
  [[nodiscard]] std::size_t find_column(const std::string& name, const NamePlaces& places) const;
  [[nodiscard]] bool has_header(std::span<const TableColumn> columns,
                                const NamePlaces& places) const;
  [[nodiscard]] bool leaves_out_row() const;
  [[nodiscard]] bool drops_row() const;
  [[nodiscard]] bool keeps_missing(const Wanted& wanted) const;
  void check_width() const;
  [[nodiscard]] double number(const Wanted& wanted) const;
  [[nodiscard]] double ordinal(const Wanted& wanted) const;
  void add_name(const Wanted& wanted);
  std::int32_t code_of_name(const Wanted& wanted, std::string_view cell);
  /// What to do of a cell that is no finite number.
  [[nodiscard]] std::string advice_of_number(const Wanted& wanted) const;
  [[noreturn]] void fail(const Wanted& wanted, std::string_view rule) const;

  TableSource source_;
  bool has_header_;  ///< a column that is wanted was found, by a name that no cell would be
  std::span<const std::string_view> cells_;  ///< the row that is being read
  std::int64_t line_ = 0;
  std::vector<Wanted> wanted_;
  std::vector<Filter> filters_;
  std::vector<LevelCodes> codes_;
  Table table_;
};

}  // namespace fairfront::data
