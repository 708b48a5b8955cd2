#include "base/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/quotation.hpp"
#include "base/text.hpp"

namespace fairfront::base {
namespace {

std::string format_number(double value) { return format_double(value); }
std::string format_number(std::int64_t value) { return std::to_string(value); }

template <class Number>
std::string rule_text(const Range<Number>& range) {
  const Range<Number> any;
  const bool has_least = range.least != any.least;
  const bool has_most = range.most != any.most;
  if (has_least && has_most) {
    return fmt::format("{}{} and <= {}",
                       range.open_least ? "> " : ">= ", format_number(range.least),
                       format_number(range.most));
  }
  if (has_least) {
    return fmt::format("{}{}", range.open_least ? "> " : ">= ", format_number(range.least));
  }
  return has_most ? fmt::format("<= {}", format_number(range.most)) : std::string{};
}

/// Sums of squares, quotients and products of a few options stay far from the ends of the number
/// range: beyond, results would be 0 or infinite without a word. Published sweeps go down to
/// 2^-512.
constexpr double least_size = 1e-160;
constexpr double most_size = 1e100;
constexpr const char* size_rule = ", and where not 0 of a size from 1e-160 to 1e+100";

bool has_a_size(double value) {
  return value == 0 || (std::abs(value) <= most_size && std::abs(value) >= least_size);
}

template <class Number>
bool inside(const Range<Number>& range, Number value) {
  return value <= range.most && (range.open_least ? value > range.least : value >= range.least);
}

/// Parse, format and check of a number; `kind` names the type in messages.
template <class Number, class Parse>
OptionTable& add_number(OptionTable& table, std::string name, Number& field, Range<Number> range,
                        std::string unit, std::string meaning, std::string kind, Parse parse) {
  const std::string rule = rule_text(range);
  const bool whole = std::is_integral_v<Number>;
  const std::string full_rule = rule.empty()
                                    ? (whole ? "an integer" : "a finite number")
                                    : fmt::format("{} {} {}", whole ? "an" : "a", kind, rule);
  const auto broken = [range, full_rule](Number value) {
    if (!inside(range, value)) return full_rule;
    if constexpr (std::is_floating_point_v<Number>) {
      if (!has_a_size(value)) return std::isfinite(value) ? full_rule + size_rule : full_rule;
    }
    return std::string{};
  };
  auto set = [&field, broken, full_rule, parse](std::string_view text) {
    const auto value = parse(text);
    if (!value) throw std::invalid_argument(full_rule);
    if (const std::string rule = broken(*value); !rule.empty()) throw std::invalid_argument(rule);
    field = *value;
  };
  auto check = [&field, broken] { return broken(field); };
  return table.add_parsed(
      {std::move(name), kind, rule, std::move(unit), std::move(meaning)}, std::move(set),
      [&field] { return format_number(field); }, std::move(check));
}

/// The word that choices have for what is called otherwise elsewhere: independence and separation
/// by Barocas, Hardt, Narayanan (2019). The word itself where there is none.
std::string_view other_word_for(std::string_view text) {
  if (text == "independence" || text == "statistical_parity") return "demographic_parity";
  if (text == "separation" || text == "equalized_odds") return "equalised_odds";
  return text;
}

}  // namespace

namespace detail {

std::string broken_choice(std::string_view text, const std::vector<std::string>& names) {
  if (std::find(names.begin(), names.end(), text) != names.end()) return {};
  return "one of " + join(names, ", ");
}

std::size_t position_of_choice(std::string_view text, const std::vector<std::string>& names) {
  for (const std::string_view word : {text, other_word_for(text)}) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  }
  const auto nearest = nearest_name(text, names);
  throw std::invalid_argument(broken_choice(text, names) +
                              (nearest ? fmt::format(" (did you mean '{}'?)", *nearest) : ""));
}

std::string type_of_choice(const std::vector<std::string>& names) { return join(names, "|"); }

}  // namespace detail

OptionTable& OptionTable::add(std::string name, std::int64_t& field, Range<std::int64_t> range,
                              std::string unit, std::string meaning) {
  return add_number(*this, std::move(name), field, range, std::move(unit), std::move(meaning),
                    "integer", parse_int64);
}

OptionTable& OptionTable::add(std::string name, double& field, Range<double> range,
                              std::string unit, std::string meaning) {
  return add_number(*this, std::move(name), field, range, std::move(unit), std::move(meaning),
                    "number", parse_double);
}

OptionTable& OptionTable::add(std::string name, bool& field, std::string meaning) {
  auto parse = [&field](std::string_view text) {
    const auto value = parse_bool(text);
    if (!value) throw std::invalid_argument("true or false");
    field = *value;
  };
  return add_parsed({std::move(name), "true|false", {}, {}, std::move(meaning)}, std::move(parse),
                    [&field] { return std::string{field ? "true" : "false"}; });
}

OptionTable& OptionTable::add(std::string name, std::string& field, std::string meaning) {
  return add_parsed(
      {std::move(name), "text", {}, {}, std::move(meaning)},
      [&field](std::string_view text) { field = text; }, [&field] { return field; });
}

OptionTable& OptionTable::add(std::string name, std::vector<std::string>& field,
                              std::string meaning) {
  return add_parsed(
      {std::move(name), "list", {}, {}, std::move(meaning), true},
      [&field](std::string_view text) {
        try {
          field = parse_list(text);
        } catch (const std::invalid_argument&) {
          throw std::invalid_argument(
              "a list in which every quotation is closed and ends its item");
        }
      },
      [&field] { return format_list(field); });
}

OptionTable& OptionTable::add_choice(std::string name, std::string& field,
                                     std::vector<std::string> choices, std::string meaning) {
  auto parse = [&field, choices](std::string_view text) {
    field = choices[detail::position_of_choice(text, choices)];
  };
  auto check = [&field, choices] { return detail::broken_choice(field, choices); };
  return add_parsed(
      {std::move(name), detail::type_of_choice(choices), {}, {}, std::move(meaning)},
      std::move(parse), [&field] { return field; }, std::move(check));
}

OptionTable& OptionTable::add_parsed(OptionInfo info, std::function<void(std::string_view)> parse,
                                     std::function<std::string()> format,
                                     std::function<std::string()> check) {
  options_.push_back({std::move(info), std::move(parse), std::move(format), std::move(check)});
  return *this;
}

const OptionTable::Option& OptionTable::find(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [&](const Option& option) { return option.info.name == name; });
  if (found == options_.end()) throw std::out_of_range(fmt::format("{}.{}", owner_, name));
  return *found;
}

OptionInfo& OptionTable::info_of(std::string_view name) {
  const Option& option = find(name);
  return options_[static_cast<std::size_t>(&option - options_.data())].info;
}

OptionTable& OptionTable::assign_role(Role role, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) info_of(name).role = role;
  return *this;
}

OptionTable& OptionTable::formerly(std::string_view name, std::string former) {
  info_of(name).former.push_back(std::move(former));
  return *this;
}

OptionTable& OptionTable::unless_set(std::string_view name, FirstValue value) {
  info_of(name).unless_set = std::move(value);
  return *this;
}

OptionTable& OptionTable::only_if(std::vector<std::string> names, const Condition& condition,
                                  std::string why) {
  std::vector<OnlyIf> all = conditions();
  all.push_back({std::move(names), condition, std::move(why)});
  conditions_ = std::make_shared<const std::vector<OnlyIf>>(std::move(all));
  return *this;
}

const std::vector<OnlyIf>& OptionTable::conditions() const {
  static const std::vector<OnlyIf> none;
  return conditions_ ? *conditions_ : none;
}

void OptionTable::set(std::string_view name, std::string_view text) {
  try {
    find(name).parse(text);
  } catch (const std::invalid_argument& broken) {
    throw InputError(
        fmt::format("{}.{} = '{}', must be {}", owner_, name, excerpt(text), broken.what()));
  }
}

std::string OptionTable::get(std::string_view name) const { return find(name).format(); }

void OptionTable::check() const {
  for (const Option& option : options_) {
    const std::string broken = option.broken_rule ? option.broken_rule() : std::string{};
    if (broken.empty()) continue;
    throw std::invalid_argument(
        fmt::format("{}::{} = {}, must be {}", owner_, option.info.name, option.format(), broken));
  }
}

bool OptionTable::has(std::string_view name) const {
  return std::any_of(options_.begin(), options_.end(),
                     [&](const Option& option) { return option.info.name == name; });
}

std::vector<OptionInfo> OptionTable::infos() const {
  std::vector<OptionInfo> result;
  for (const Option& option : options_) result.push_back(option.info);
  return result;
}

}  // namespace fairfront::base
