/// @file
/// Options described once. An options struct has one function that lists its fields with rule,
/// unit, meaning and where they matter; parsing, checking, `--help`, `fairfront list` and the
/// archive's config all read that list.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairfront::base {

struct Condition;
struct OnlyIf;

/// What a field accepts: a closed range with optional open ends, or any value.
template <class Number>
struct Range {
  Number least = std::numeric_limits<Number>::lowest();
  Number most = std::numeric_limits<Number>::max();
  bool open_least = false;  ///< `least` itself is not allowed
};
template <class Number>
constexpr Range<Number> at_least(Number least) {
  return {.least = least};
}
template <class Number>
constexpr Range<Number> between(Number least, Number most) {
  return {.least = least, .most = most};
}
template <class Number>
constexpr Range<Number> above(Number bound) {
  return {.least = bound, .open_least = true};
}

/// What an option is for when it has several values: what follows from them.
enum class Role {
  problem,    ///< another problem: data set, number of clusters
  setting,    ///< another way to solve it: iterations, batch size
  trade_off,  ///< along it a front is traced: epsilon, weight, n_a
  replicate,  ///< the same again with other random numbers: seeds
  tuning,     ///< chosen by what it achieves, never by the test part: step sizes, penalties
};

/// What an option is that the config does not set: the first value of another one of its section,
/// where a method takes part; else its default.
struct FirstValue {
  std::string option, method;
};

/// One option as help, archive and messages show it.
struct OptionInfo {
  std::string name;
  std::string type;      ///< integer, number, true|false, text, list, or the choices a|b|c
  std::string rule;      ///< such as ">= 1"; empty when every value of the type is good
  std::string unit;      ///< empty when the option has none
  std::string meaning;   ///< one sentence
  bool is_list = false;  ///< a comma-separated value is one value, not an axis
  /// Nothing: `problem` in a section that all methods share, `setting` in one of a method.
  std::optional<Role> role{};
  /// Names that it had in earlier versions: they are accepted, with a warning.
  std::vector<std::string> former{};
  std::optional<FirstValue> unless_set{};

  /// Whether it has, or had, this name.
  [[nodiscard]] bool is_called(std::string_view text) const {
    return text == name || std::find(former.begin(), former.end(), text) != former.end();
  }
};

/// The fields of one options struct, bound to it by reference: the struct must outlive the table.
class OptionTable {
 public:
  /// @param owner  name used in messages, such as the section of the config.
  explicit OptionTable(std::string owner) : owner_{std::move(owner)} {}

  OptionTable& add(std::string name, std::int64_t& field, Range<std::int64_t> range,
                   std::string unit, std::string meaning);
  OptionTable& add(std::string name, double& field, Range<double> range, std::string unit,
                   std::string meaning);
  OptionTable& add(std::string name, bool& field, std::string meaning);
  OptionTable& add(std::string name, std::string& field, std::string meaning);
  /// A list of texts, separated by commas outside parentheses.
  OptionTable& add(std::string name, std::vector<std::string>& field, std::string meaning);
  /// A text that must be one of `choices`.
  OptionTable& add_choice(std::string name, std::string& field, std::vector<std::string> choices,
                          std::string meaning);
  /// An enumeration, written by the names in `choices`.
  template <class Enum>
  OptionTable& add_choice(std::string name, Enum& field,
                          std::vector<std::pair<std::string, Enum>> choices, std::string meaning);
  /// Any other type: `parse` throws std::invalid_argument with the rule that was broken.
  OptionTable& add_parsed(OptionInfo info, std::function<void(std::string_view)> parse,
                          std::function<std::string()> format,
                          std::function<std::string()> check = nullptr);

  /// Says what the options called `names` are for.
  /// @throws std::out_of_range  no such option.
  OptionTable& assign_role(Role role, std::initializer_list<std::string_view> names);

  /// Says what an option was called in earlier versions.
  /// @throws std::out_of_range  no such option.
  OptionTable& formerly(std::string_view name, std::string former);

  /// Says where the value of an option comes from that a config does not set.
  /// @throws std::out_of_range  no such option.
  OptionTable& unless_set(std::string_view name, FirstValue value);

  /// Says where options matter. Of several conditions on an option all must hold.
  OptionTable& only_if(std::vector<std::string> names, const Condition& condition, std::string why);

  /// Sets one field from text.
  /// @throws InputError naming owner, option, value and rule; std::out_of_range for no such name.
  void set(std::string_view name, std::string_view text);

  /// The field's value as text that `set` reads back to the same value.
  [[nodiscard]] std::string get(std::string_view name) const;

  /// Checks every field's rule, for structs filled by code.
  /// @throws std::invalid_argument "<owner>::<field> = <value>, must be <rule>".
  void check() const;

  [[nodiscard]] bool has(std::string_view name) const;
  [[nodiscard]] std::vector<OptionInfo> infos() const;          ///< in order of declaration
  [[nodiscard]] const std::vector<OnlyIf>& conditions() const;  ///< base/condition.hpp
  [[nodiscard]] const std::string& owner() const noexcept { return owner_; }

 private:
  struct Option {
    OptionInfo info;
    std::function<void(std::string_view)> parse;
    std::function<std::string()> format;
    std::function<std::string()> broken_rule;  ///< empty text when the value is good
  };
  const Option& find(std::string_view name) const;
  OptionInfo& info_of(std::string_view name);

  std::string owner_;
  std::vector<Option> options_;
  std::shared_ptr<const std::vector<OnlyIf>> conditions_;  ///< none: null
};

namespace detail {
/// @throws std::invalid_argument  with the rule, and the nearest name if one is near.
[[nodiscard]] std::size_t position_of_choice(std::string_view text,
                                             const std::vector<std::string>& names);
/// The rule when `text` is none of `names`, else empty.
[[nodiscard]] std::string broken_choice(std::string_view text,
                                        const std::vector<std::string>& names);
[[nodiscard]] std::string type_of_choice(const std::vector<std::string>& names);  ///< "a|b|c"
}  // namespace detail

/// Throws as OptionTable::check does.
template <class Options>
void validate(const Options& options) {
  Options copy = options;
  options_of(copy).check();
}

template <class Enum>
OptionTable& OptionTable::add_choice(std::string name, Enum& field,
                                     std::vector<std::pair<std::string, Enum>> choices,
                                     std::string meaning) {
  std::vector<std::string> names;
  for (const auto& choice : choices) names.push_back(choice.first);
  auto parse = [&field, choices, names](std::string_view text) {
    field = choices[detail::position_of_choice(text, names)].second;
  };
  auto format = [&field, choices]() -> std::string {
    for (const auto& [choice, value] : choices) {
      if (value == field) return choice;
    }
    return "?";
  };
  auto check = [format, names] { return detail::broken_choice(format(), names); };
  return add_parsed({std::move(name), detail::type_of_choice(names), {}, {}, std::move(meaning)},
                    std::move(parse), format, std::move(check));
}

}  // namespace fairfront::base
