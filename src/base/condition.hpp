/// @file
/// Where an option matters: a condition on other options, as data. A listing shows it, `plan` finds
/// by it what changes nothing, and a test checks the names in it.
#pragma once

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::base {

/// A test of the values of some options, or several conditions of which all or any must hold.
///
///     is("search", {"grid"})      given("data.split") && above("subsample", 0)
///
/// Options are called by their names in the section that declares the condition; those of other
/// sections by "section.option", and the method of a task by "method".
struct Condition {
  enum class Kind { test, all, any };
  using Test = std::function<bool(std::span<const std::string_view> values)>;

  Kind kind = Kind::all;
  std::vector<std::string> options{};  ///< whose values the test gets, in this order
  std::vector<std::string> values{};   ///< that the test names of its one option
  Test test = nullptr;
  std::string phrase{};  ///< such as "{} = grid"; {} stands for the options, in turn
  bool is_one_value = false;
  std::vector<Condition> parts{};

  /// @param value_of  gives the value of an option, as OptionTable::get writes it.
  [[nodiscard]] bool holds(
      const std::function<std::string_view(const std::string&)>& value_of) const;
  /// Such as "search = grid and (rounds > 1 or tolerance > 0)".
  [[nodiscard]] std::string text() const;
  /// All that a test looks at.
  [[nodiscard]] std::vector<const Condition*> tests() const;
  /// The same with a phrase of its own in place of what its parts say.
  [[nodiscard]] Condition called(std::string words) const;
  /// The same with other names of the options.
  [[nodiscard]] Condition renamed(
      const std::function<std::string(const std::string&)>& new_name) const;
};

/// The option has one of these values.
[[nodiscard]] Condition is(std::string option, std::vector<std::string> values);
[[nodiscard]] Condition is_not(std::string option, std::vector<std::string> values);
/// Its value is a text, or a list, that is not empty.
[[nodiscard]] Condition given(std::string option);
[[nodiscard]] Condition empty(std::string option);
/// Its value is a number above that one.
[[nodiscard]] Condition above(std::string option, double number);
[[nodiscard]] Condition where(std::vector<std::string> options, Condition::Test test,
                              std::string phrase);
/// The task is one of these methods.
[[nodiscard]] Condition method_is(std::vector<std::string> methods);
/// No value of any option makes it hold.
[[nodiscard]] Condition never();

[[nodiscard]] Condition operator&&(Condition left, Condition right);
[[nodiscard]] Condition operator||(Condition left, Condition right);

/// Options that matter only where a condition holds.
struct OnlyIf {
  /// Of the section that declares it; "section.option" or "seed", where a method makes them void
  /// for its tasks; or "section.*", all options of that section.
  std::vector<std::string> options;
  Condition condition;
  /// Why they change nothing elsewhere, such as "data.subsample = 0 draws no rows"; {} stands for
  /// the value of the first option of the condition.
  std::string why;
};

}  // namespace fairfront::base
