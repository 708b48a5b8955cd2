#include "data/readers/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
#include "data/table.hpp"

namespace fairfront::data {
namespace {

constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();

std::optional<double> number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  const auto value = base::parse_double(text);
  return value && std::isfinite(*value) ? value : std::nullopt;
}

/// Reads a text row by row.
class LibsvmReader {
 public:
  /// @param columns  largest index that may occur; 0: any.
  LibsvmReader(TextWindow text, std::int64_t columns)
      : window_{std::move(text)}, at_{window_.begin()}, columns_{columns} {}

  /// Goes to the next row. False at the end of the text.
  bool next() {
    while (const auto line = next_line()) {
      if (read_row(line->substr(0, line->find('#')))) return true;
    }
    if (!any_) throw base::InputError(fmt::format("{}: the file has no rows", window_.file()));
    return false;
  }

  [[nodiscard]] double label() const noexcept { return label_; }
  /// The entries of the row that are not 0: columns, from 0, and values.
  [[nodiscard]] const std::vector<std::int32_t>& indices() const noexcept { return indices_; }
  [[nodiscard]] const std::vector<double>& values() const noexcept { return values_; }
  [[nodiscard]] std::int64_t line() const noexcept { return line_; }
  [[nodiscard]] std::int64_t largest_so_far() const noexcept { return largest_; }

 private:
  std::optional<std::string_view> next_line() {
    const char* end = std::find(at_, window_.end(), '\n');
    while (end == window_.end() && !window_.complete()) {
      window_.extend(at_);
      at_ = window_.begin();
      end = std::find(at_, window_.end(), '\n');
    }
    if (at_ == window_.end()) return std::nullopt;
    const std::string_view line{at_, static_cast<std::size_t>(end - at_)};
    at_ = end == window_.end() ? end : end + 1;
    ++line_;
    return line;
  }

  /// The next word of `rest`, which it is taken from; empty at the end.
  static std::string_view take_word(std::string_view& rest) {
    constexpr std::string_view blanks = " \t\r";
    rest.remove_prefix(std::min(rest.find_first_not_of(blanks), rest.size()));
    const std::string_view word = rest.substr(0, rest.find_first_of(blanks));
    rest.remove_prefix(word.size());
    return word;
  }

  /// False if there is none.
  bool read_row(std::string_view rest) {
    const std::string_view label = take_word(rest);
    if (label.empty()) return false;
    const auto value = number(label);
    if (!value) fail("the label must be a finite number");
    label_ = *value;
    indices_.clear();
    values_.clear();
    std::int64_t before = 0;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      before = read_entry(word, before);
    }
    any_ = true;
    return true;
  }

  /// Reads index:value and returns the index.
  std::int64_t read_entry(std::string_view word, std::int64_t before) {
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos) fail("behind the label there must be index:value alone");
    if (word.substr(0, colon) == "qid") fail("files of rankings, with qid, are not read");
    const auto index = base::parse_int64(word.substr(0, colon));
    const auto value = number(word.substr(colon + 1));
    if (!index || *index < 1 || *index > largest_index) {
      fail(fmt::format("an index must be an integer from 1 to {}", largest_index));
    }
    if (columns_ > 0 && *index > columns_) {
      fail(fmt::format("an index is above {}, the number of features", columns_));
    }
    if (*index == before) fail("an index is there twice");
    if (*index < before) fail("the indices must ascend");
    if (!value) fail("a value must be a finite number");
    if (std::abs(*value) > largest_number) {
      fail("a value must be a number of magnitude up to 1e100, or sums of squares overflow");
    }
    largest_ = std::max(largest_, *index);
    if (*value != 0) {
      indices_.push_back(static_cast<std::int32_t>(*index - 1));
      values_.push_back(*value);
    }
    return *index;
  }

  [[noreturn]] void fail(std::string_view rule) const {
    throw base::InputError(fmt::format("{}: line {}: {}", window_.file(), line_, rule));
  }

  TextWindow window_;
  const char* at_;
  std::int64_t columns_;
  std::int64_t largest_ = 0;
  std::int64_t line_ = 0;
  bool any_ = false;
  double label_ = 0;
  std::vector<std::int32_t> indices_;
  std::vector<double> values_;
};

/// Writes a text's rows as CSV, as many bytes at a time as are asked for.
class CsvWriter {
 public:
  CsvWriter(TextWindow text, std::int64_t columns)
      : reader_{std::move(text), columns}, columns_{columns} {}

  std::size_t read(std::span<char> buffer) {
    if (taken_ == made_.size() && reader_.next()) write_row();
    const std::size_t count = std::min(buffer.size(), made_.size() - taken_);
    std::copy_n(made_.data() + taken_, count, buffer.data());
    taken_ += count;
    return count;
  }

 private:
  void write_row() {
    const std::int64_t skipped = reader_.line() - line_ - 1;
    line_ = reader_.line();
    made_.assign(static_cast<std::size_t>(skipped), '\n');
    made_ += base::format_double(reader_.label());
    taken_ = 0;
    std::int64_t written = 0;
    for (std::size_t entry = 0; entry < reader_.indices().size(); ++entry) {
      write_zeros(written, reader_.indices()[entry]);
      made_ += ',' + base::format_double(reader_.values()[entry]);
      ++written;
    }
    write_zeros(written, columns_);
    made_ += '\n';
  }
  void write_zeros(std::int64_t& written, std::int64_t end) {
    for (; written < end; ++written) made_ += ",0";
  }

  LibsvmReader reader_;
  std::int64_t columns_;
  std::int64_t line_ = 0;  ///< of the last row
  std::string made_;
  std::size_t taken_ = 0;  ///< bytes of it
};

}  // namespace

LibsvmRows read_libsvm(TextWindow text, std::int64_t columns) {
  LibsvmReader reader(std::move(text), columns);
  LibsvmRows rows;
  SparseRows& features = rows.features;
  while (reader.next()) {
    rows.label.push_back(reader.label());
    features.index.insert(features.index.end(), reader.indices().begin(), reader.indices().end());
    features.value.insert(features.value.end(), reader.values().begin(), reader.values().end());
    features.offsets.push_back(std::ssize(features.index));
  }
  features.columns = columns > 0 ? columns : reader.largest_so_far();
  return rows;
}

CsvFormat libsvm_format(std::int64_t columns) {
  CsvFormat format{.header = false, .missing = {}, .names = {libsvm_label}};
  for (std::int64_t column = 1; column <= columns; ++column) {
    format.names.push_back(std::to_string(column));
  }
  return format;
}

TextWindow libsvm_as_csv(TextWindow text, std::int64_t columns) {
  std::string file = text.file();
  auto writer = std::make_shared<CsvWriter>(std::move(text), columns);
  return {[writer](std::span<char> buffer) { return writer->read(buffer); }, std::move(file)};
}

}  // namespace fairfront::data
