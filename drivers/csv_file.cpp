#include "csv_file.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <span>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/publish.hpp"
#include "base/text.hpp"
#include "output.hpp"

namespace fairfront::drivers {
namespace {

/// A spreadsheet takes what begins so for a formula, and may run it. Its own sign for text comes in
/// front; numbers stay numbers.
std::string inert(std::string text) {
  constexpr std::string_view begins_formula = "=+-@\t";
  const std::size_t first = text.find_first_not_of(' ');  // before which some drop blanks
  const bool formula =
      first != std::string::npos && begins_formula.find(text[first]) != std::string_view::npos;
  if (formula && !base::parse_double(base::trim(text))) text.insert(text.begin(), '\'');
  return text;
}

std::string quoted(const std::string& text) {
  const bool is_plain =
      text.find_first_of(",\"\r\n") == std::string::npos && base::trim(text) == text;
  if (is_plain) return text;
  std::string cell = "\"";
  for (const char letter : text) {
    cell += letter;
    if (letter == '"') cell += letter;
  }
  cell += '"';
  return cell;
}

/// Tables replace nothing: the commands that write them have no --force.
void require_new(const std::string& path) {
  struct stat status {};
  if (::lstat(path.c_str(), &status) == 0) {
    if (S_ISCHR(status.st_mode) || S_ISFIFO(status.st_mode)) {
      throw base::InputError(
          fmt::format("cannot write '{}': it is no file; --csv - writes to standard output", path));
    }
    throw base::InputError(fmt::format("cannot write '{}': it exists; choose another name", path));
  }
  base::check_writable(path, false, base::WayOut::another_name);
}

constexpr std::size_t most_buffered = std::size_t{1} << 16;

}  // namespace

void CsvRows::add(const std::vector<std::string>& cells) {
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (i > 0) text_ += ',';
    const bool is_own = cells_ == Cells::of_a_table;
    text_ += quoted(is_own ? cells[i] : inert(base::visible(cells[i], "\n\t")));
  }
  text_ += '\n';
}

CsvFile::CsvFile(std::string path, Cells cells)
    : path_{(require_new(path), std::move(path))}, draft_{path_}, rows_{cells} {}

void CsvFile::row(const std::vector<std::string>& cells) {
  rows_.add(cells);
  if (rows_.text().size() >= most_buffered) write_buffer();
}

void CsvFile::write_buffer() {
  draft_.write(std::as_bytes(std::span{rows_.text()}));
  rows_.clear();
}

const std::string& CsvFile::close() {
  write_buffer();
  draft_.publish(false);
  return path_;
}

CsvTarget::CsvTarget(const std::string& path, Release release) {
  if (path != standard_stream) {
    file_.emplace(path, Cells::of_a_table);
  } else if (release == Release::when_complete) {
    spool_.emplace();
  }
}

void CsvTarget::row(const std::vector<std::string>& cells) {
  if (file_) return file_->row(cells);
  rows_.add(cells);
  if (rows_.text().size() >= most_buffered) flush();
}

bool CsvTarget::is_wanted() const noexcept { return file_ || spool_ || has_reader(); }

void CsvTarget::close() {
  if (file_) {
    file_->close();
    return;
  }
  flush();
  if (spool_) spool_->read([](std::string_view text) { print_text(text); });
}

void CsvTarget::flush() {
  if (spool_) {
    spool_->add(rows_.text());
  } else {
    print_text(rows_.text());
  }
  rows_.clear();
}

}  // namespace fairfront::drivers
