#include "config/option_values.hpp"

#include <fmt/format.h>

#include <optional>
#include <set>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"
#include "config/axis_expression.hpp"

namespace fairfront::config {
namespace {

class Reader {
 public:
  Reader(base::OptionTable& table, const base::OptionInfo& info) : table_{table}, info_{info} {}

  std::vector<std::string> read(std::string_view text) {
    const std::vector<std::string> items = items_of(text);
    if (items.empty()) return {canonical("")};
    for (const std::string& item : items) {
      if (item.empty()) fail(text, "a value is missing beside a separator");
      for (std::string& value : values_of(item)) {
        if (!seen_.insert(value).second) {
          fail(text, fmt::format("the value '{}' occurs twice", base::excerpt(value)));
        }
        values_.push_back(std::move(value));
      }
      if (std::ssize(values_) > max_axis_values) {
        fail(text, fmt::format("more than {} values", max_axis_values));
      }
    }
    return std::move(values_);
  }

 private:
  [[noreturn]] void fail(std::string_view text, const std::string& reason) const {
    const std::string dot = table_.owner().empty() ? "" : ".";
    throw base::InputError(fmt::format("{}{}{} = '{}': {}", table_.owner(), dot, info_.name,
                                       base::excerpt(text), reason));
  }

  std::vector<std::string> items_of(std::string_view text) const {
    try {
      return base::split_items(text, info_.is_list ? '|' : ',');
    } catch (const std::invalid_argument& broken) {
      fail(text, broken.what());
    }
  }

  std::string canonical(std::string_view text) {
    table_.set(info_.name, text);
    return table_.get(info_.name);
  }

  /// A text that the option accepts as it stands is one value, also where it looks like a short
  /// form: a file may be called "range(1, 2)".
  std::vector<std::string> values_of(const std::string& item) {
    // A list may begin with a quoted item, or part of one: then the marks are its own.
    const bool marks_of_item = info_.is_list && (base::split_items(item, ',').size() > 1 ||
                                                 base::begins_with_quoted_part(item));
    if (base::is_quoted(item) && !marks_of_item) {
      return {canonical(text_in_quotes(item))};
    }
    try {
      return {canonical(item)};
    } catch (const base::InputError&) {
      const auto expanded = expand(item);
      if (!expanded) throw;
      std::vector<std::string> values;
      for (const std::string& value : *expanded) values.push_back(canonical(value));
      return values;
    }
  }

  std::string text_in_quotes(const std::string& item) const {
    try {
      return base::unquoted(item);
    } catch (const std::invalid_argument& broken) {
      fail(item, broken.what());
    }
  }

  /// Nothing for an option that takes no numbers, so that its own rule is what the user reads.
  std::optional<std::vector<std::string>> expand(const std::string& item) const {
    if (info_.type != "integer" && info_.type != "number") return std::nullopt;
    try {
      return expand_expression(item);
    } catch (const std::invalid_argument& broken) {
      fail(item, broken.what());
    }
  }

  base::OptionTable& table_;
  const base::OptionInfo& info_;
  std::set<std::string> seen_;
  std::vector<std::string> values_;
};

}  // namespace

std::vector<std::string> read_values(base::OptionTable& table, const base::OptionInfo& info,
                                     std::string_view text) {
  return Reader(table, info).read(text);
}

std::string write_values(const base::OptionInfo& info, std::span<const std::string> values) {
  if (values.size() == 1 && values[0].empty()) return {};
  const std::string_view separator = info.is_list ? "|" : ",";
  std::vector<std::string> items;
  for (const std::string& value : values) items.push_back(base::quoted_if_needed(value, separator));
  return base::join(items, info.is_list ? " | " : ", ");
}

}  // namespace fairfront::config
