#include "data/comparison.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <utility>

#include "base/quotation.hpp"
#include "base/text.hpp"
#include "data/cell_text.hpp"

namespace fairfront::data {
namespace {

constexpr const char* rule =
    "NAME OP CONSTANT or NUMBER < NAME <= NUMBER, with OP one of <, <=, >, >=, ==, != between "
    "blanks and a number behind an order";
constexpr const char* rule_of_quotations =
    "NAME == \"TEXT\" or NAME != \"TEXT\": behind a double quote is a text, with a double quote "
    "behind it and those inside it doubled";

struct Operator {
  std::string_view text;
  Comparison comparison;
};
constexpr std::array operators{
    Operator{" <= ", Comparison::at_most}, Operator{" >= ", Comparison::at_least},
    Operator{" == ", Comparison::equal},   Operator{" != ", Comparison::different},
    Operator{" < ", Comparison::less},     Operator{" > ", Comparison::greater},
};

/// The operands of a text and the operators between them.
struct Pieces {
  std::vector<std::string> operands;
  std::vector<Comparison> comparisons;
};

bool is_order(Comparison comparison) {
  return comparison != Comparison::equal && comparison != Comparison::different;
}

struct FoundOperator {
  std::size_t at = std::string_view::npos;
  const Operator* which = nullptr;
};

FoundOperator first_operator(std::string_view text) {
  FoundOperator first;
  for (const Operator& candidate : operators) {
    const std::size_t at = text.find(candidate.text);
    if (at < first.at) first = {at, &candidate};
  }
  return first;
}

/// Of "column(NAME) OP CONSTANT", where parentheses in the name are in pairs; nothing: it is none.
std::optional<Pieces> pieces_of_literal(std::string_view text) {
  if (!text.starts_with(column_called)) return std::nullopt;
  int open = 0;
  for (std::size_t end = column_called.size(); end < text.size(); ++end) {
    if (text[end] == '(') ++open;
    if (text[end] != ')' || open-- > 0) continue;
    const FoundOperator found = first_operator(text.substr(end + 1));
    if (found.at != 0) continue;
    const auto name = text.substr(column_called.size(), end - column_called.size());
    const auto constant = base::trim(text.substr(end + 1 + found.which->text.size()));
    return Pieces{{std::string{name}, std::string{constant}}, {found.which->comparison}};
  }
  return std::nullopt;
}

Pieces pieces_of(std::string_view text) {
  if (auto literal = pieces_of_literal(text)) return *std::move(literal);
  Pieces pieces;
  while (true) {
    // No range holds == or !=: what is behind them is one constant, whatever it looks like.
    const bool may_go_on = pieces.comparisons.empty() || is_order(pieces.comparisons.back());
    const FoundOperator first = may_go_on ? first_operator(text) : FoundOperator{};
    pieces.operands.emplace_back(base::trim(text.substr(0, first.at)));
    if (first.which == nullptr) return pieces;
    pieces.comparisons.push_back(first.which->comparison);
    text.remove_prefix(first.at + first.which->text.size());
  }
}

/// A constant that is compared as a text, also where it looks like a number.
ColumnTest::Part part_of_quotation(Comparison comparison, const std::string& constant) {
  try {
    std::string text = base::unquoted(constant);
    if (!text.empty()) return {comparison, std::move(text), std::nullopt};
  } catch (const std::invalid_argument&) {  // it is no whole quotation
  }
  throw std::invalid_argument(rule_of_quotations);
}

ColumnTest::Part part_of(Comparison comparison, const std::string& constant) {
  if (base::is_quoted(constant) && !is_order(comparison)) {
    return part_of_quotation(comparison, constant);
  }
  const auto number = cell_number(constant);
  if (constant.empty() || (is_order(comparison) && !number)) throw std::invalid_argument(rule);
  return {comparison, constant, number};
}

/// What is between two operands, seen from the right one: 25 <= age is age >= 25.
Comparison mirrored(Comparison comparison) {
  if (comparison == Comparison::less) return Comparison::greater;
  if (comparison == Comparison::at_most) return Comparison::at_least;
  throw std::invalid_argument(rule);
}

bool holds(Comparison comparison, double value, double constant) {
  switch (comparison) {
    case Comparison::less:
      return value < constant;
    case Comparison::at_most:
      return value <= constant;
    case Comparison::greater:
      return value > constant;
    case Comparison::at_least:
      return value >= constant;
    case Comparison::equal:
      return value == constant;
    case Comparison::different:
      break;
  }
  return value != constant;
}

}  // namespace

std::optional<bool> ColumnTest::passes(std::string_view cell) const {
  for (const Part& part : parts) {
    const auto value = part.number ? cell_number(cell) : std::nullopt;
    if (!value && is_order(part.comparison)) return std::nullopt;
    const bool good = value ? holds(part.comparison, *value, *part.number)
                            : (cell == part.text) == (part.comparison == Comparison::equal);
    if (!good) return false;
  }
  return true;
}

bool ColumnTest::passes(double value) const {
  return std::ranges::all_of(parts, [value](const Part& part) {
    if (!part.number) return part.comparison == Comparison::different;
    return holds(part.comparison, value, *part.number);
  });
}

std::optional<ColumnTest> parse_column_test(std::string_view text) {
  const Pieces pieces = pieces_of(text);
  if (pieces.comparisons.empty()) return std::nullopt;
  ColumnTest test;
  test.text = base::trim(text);
  if (pieces.comparisons.size() == 1) {
    test.column = pieces.operands[0];
    test.parts = {part_of(pieces.comparisons[0], pieces.operands[1])};
  } else if (pieces.comparisons.size() == 2) {
    if (pieces.comparisons[1] != Comparison::less && pieces.comparisons[1] != Comparison::at_most) {
      throw std::invalid_argument(rule);
    }
    test.column = pieces.operands[1];
    test.parts = {part_of(mirrored(pieces.comparisons[0]), pieces.operands[0]),
                  part_of(pieces.comparisons[1], pieces.operands[2])};
  } else {
    throw std::invalid_argument(rule);
  }
  if (test.column.empty()) throw std::invalid_argument(rule);
  return test;
}

}  // namespace fairfront::data
