/// @file
/// A new CSV table on disk (RFC 4180, with line ends of one character).
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/publish.hpp"
#include "base/spool.hpp"
#include "removed_at_signal.hpp"

namespace fairfront::drivers {

/// Whose words the cells are.
enum class Cells {
  of_an_archive,  ///< others may have made it: nothing acts on a terminal or is a formula
  of_a_table,     ///< the user's own: written as they were read
};

/// Rows as text.
class CsvRows {
 public:
  explicit CsvRows(Cells cells) : cells_{cells} {}
  void add(const std::vector<std::string>& cells);
  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  void clear() noexcept { text_.clear(); }

 private:
  Cells cells_;
  std::string text_;
};

/// Made row by row under another name; it has its own when close() has returned, and whoever is
/// interrupted before leaves no half a table there.
class CsvFile {
 public:
  /// @throws base::InputError  the file is there already, or cannot be made.
  explicit CsvFile(std::string path, Cells cells = Cells::of_an_archive);

  /// @throws base::InputError  it cannot be written.
  void row(const std::vector<std::string>& cells);

  /// The path. @throws base::InputError  something was not written.
  const std::string& close();

 private:
  void write_buffer();
  std::string path_;
  base::Draft draft_;
  RemovedAtSignal removed_{draft_.name()};
  CsvRows rows_;
};

/// Names the standard input or output in the place of a file.
constexpr std::string_view standard_stream = "-";

/// When rows go to the standard output.
enum class Release {
  when_made,
  when_complete,  ///< until then they wait on disk: a fault in the last one leaves nothing there
};

/// A new file, or the standard output, for cells of the user's own table.
class CsvTarget {
 public:
  /// @param release  of no meaning for a file, which has its name when it is complete.
  /// @throws base::InputError  as CsvFile does, or no temporary file can be made.
  explicit CsvTarget(const std::string& path, Release release = Release::when_made);
  void row(const std::vector<std::string>& cells);
  void close();
  /// False once nobody reads the standard output any more; see has_reader().
  [[nodiscard]] bool is_wanted() const noexcept;

 private:
  void flush();
  std::optional<CsvFile> file_;
  std::optional<base::Spool> spool_;
  CsvRows rows_{Cells::of_a_table};  ///< of the standard output
};

}  // namespace fairfront::drivers
