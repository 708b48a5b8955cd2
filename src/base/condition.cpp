#include "base/condition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <utility>

#include "base/text.hpp"

namespace fairfront::base {
namespace {

Condition test_of(std::vector<std::string> options, Condition::Test test, std::string phrase) {
  return {Condition::Kind::test, std::move(options), {}, std::move(test), std::move(phrase)};
}

Condition joined(Condition::Kind kind, Condition left, Condition right) {
  Condition both{kind};
  for (Condition* part : {&left, &right}) {
    if (part->kind == kind && part->phrase.empty()) {
      std::ranges::move(part->parts, std::back_inserter(both.parts));
    } else {
      both.parts.push_back(std::move(*part));
    }
  }
  return both;
}

/// A test whether the one value is among these.
Condition among(std::string option, std::vector<std::string> values, bool wanted) {
  Condition condition = test_of(
      {std::move(option)},
      [values, wanted](std::span<const std::string_view> of) {
        return (std::ranges::find(values, of.front()) != values.end()) == wanted;
      },
      (wanted ? "{} = " : "{} is not ") + join(values, " or "));
  condition.is_one_value = wanted && values.size() == 1;
  condition.values = std::move(values);
  return condition;
}

}  // namespace

bool Condition::holds(const std::function<std::string_view(const std::string&)>& value_of) const {
  const auto of_part = [&](const Condition& part) { return part.holds(value_of); };
  if (kind == Kind::all) return std::ranges::all_of(parts, of_part);
  if (kind == Kind::any) return std::ranges::any_of(parts, of_part);
  std::vector<std::string_view> looked_at;
  for (const std::string& option : options) looked_at.push_back(value_of(option));
  return test(looked_at);
}

std::string Condition::text() const {
  if (!phrase.empty()) {
    std::string text = phrase;
    std::size_t at = 0;
    for (const std::string& option : options) {
      at = text.find("{}", at);
      if (at == text.npos) break;
      text.replace(at, 2, option);
      at += option.size();
    }
    return text;
  }
  std::vector<std::string> texts;
  for (const Condition& part : parts) {
    const bool is_nested = part.phrase.empty() && part.kind == Kind::any && kind == Kind::all;
    texts.push_back(is_nested ? fmt::format("({})", part.text()) : part.text());
  }
  return join(texts, kind == Kind::all ? " and " : " or ");
}

std::vector<const Condition*> Condition::tests() const {
  if (kind == Kind::test) return {this};
  std::vector<const Condition*> all;
  for (const Condition& part : parts) std::ranges::copy(part.tests(), std::back_inserter(all));
  return all;
}

Condition Condition::called(std::string words) const {
  Condition other = *this;
  other.phrase = std::move(words);
  return other;
}

Condition Condition::renamed(const std::function<std::string(const std::string&)>& new_name) const {
  Condition other = *this;
  for (std::string& option : other.options) option = new_name(option);
  for (Condition& part : other.parts) part = part.renamed(new_name);
  return other;
}

Condition is(std::string option, std::vector<std::string> values) {
  return among(std::move(option), std::move(values), true);
}

Condition is_not(std::string option, std::vector<std::string> values) {
  return among(std::move(option), std::move(values), false);
}

Condition given(std::string option) {
  return test_of(
      {std::move(option)}, [](auto values) { return !values.front().empty(); }, "{} is given");
}

Condition empty(std::string option) {
  return test_of(
      {std::move(option)}, [](auto values) { return values.front().empty(); }, "{} is empty");
}

Condition above(std::string option, double number) {
  return test_of(
      {std::move(option)},
      [number](auto values) { return parse_double(values.front()).value() > number; },
      "{} > " + format_double(number));
}

Condition where(std::vector<std::string> options, Condition::Test test, std::string phrase) {
  return test_of(std::move(options), std::move(test), std::move(phrase));
}

Condition method_is(std::vector<std::string> methods) {
  Condition condition = is("method", std::move(methods));
  condition.phrase = fmt::format("the method is [{}]", join(condition.values, "] or ["));
  condition.is_one_value = false;
  return condition;
}

Condition never() { return {Condition::Kind::any}; }

Condition operator&&(Condition left, Condition right) {
  return joined(Condition::Kind::all, std::move(left), std::move(right));
}

Condition operator||(Condition left, Condition right) {
  return joined(Condition::Kind::any, std::move(left), std::move(right));
}

}  // namespace fairfront::base
