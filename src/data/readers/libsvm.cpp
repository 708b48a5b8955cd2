#include "data/readers/libsvm.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
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

class LibsvmReader {
 public:
  LibsvmReader(TextWindow text, std::int64_t columns)
      : window_{std::move(text)}, at_{window_.begin()}, columns_{columns} {}

  LibsvmRows read() {
    while (const auto line = next_line()) read_row(*line);
    if (rows_.label.empty()) {
      throw base::InputError(fmt::format("{}: the file has no rows", window_.file()));
    }
    rows_.features.columns = columns_ > 0 ? columns_ : largest_;
    return std::move(rows_);
  }

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

  void read_row(std::string_view rest) {
    rest = rest.substr(0, rest.find('#'));
    const std::string_view label = take_word(rest);
    if (label.empty()) return;
    const auto value = number(label);
    if (!value) fail("the label must be a finite number");
    std::int64_t before = 0;
    for (auto word = take_word(rest); !word.empty(); word = take_word(rest)) {
      before = read_entry(word, before);
    }
    rows_.label.push_back(*value);
    rows_.features.offsets.push_back(static_cast<std::int64_t>(rows_.features.index.size()));
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
      rows_.features.index.push_back(static_cast<std::int32_t>(*index - 1));
      rows_.features.value.push_back(*value);
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
  LibsvmRows rows_;
};

}  // namespace

LibsvmRows read_libsvm(TextWindow text, std::int64_t columns) {
  return LibsvmReader(std::move(text), columns).read();
}

}  // namespace fairfront::data
