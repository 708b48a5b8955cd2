#include "metrics/declared_difference.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"
#include "metrics/auc_interval.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::metrics {
namespace {

using Cells = std::vector<bool>;
using FourCells = std::array<Cells, 4>;

[[noreturn]] void fail(const std::string& reason) {
  throw std::invalid_argument(fmt::format("auc(SET, SET) - auc(SET, SET), but {}", reason));
}

/// The parts of a text between a word with blanks around it.
std::vector<std::string_view> split_at(std::string_view text, std::string_view word) {
  const std::string separator = fmt::format(" {} ", word);
  std::vector<std::string_view> parts;
  for (std::size_t at = text.find(separator); at != text.npos; at = text.find(separator)) {
    parts.push_back(base::trim(text.substr(0, at)));
    text.remove_prefix(at + separator.size());
  }
  parts.push_back(base::trim(text));
  return parts;
}

/// Takes "auc(SET, SET)" from the front of a text.
std::array<std::string, 2> take_auc(std::string_view& text) {
  constexpr std::string_view name = "auc";
  if (!text.starts_with(name))
    fail(fmt::format("'{}' does not begin with auc", base::excerpt(text)));
  text = base::trim(text.substr(name.size()));
  const std::size_t end = text.find(')');
  if (!text.starts_with('(') || end == text.npos) fail("auc is not followed by parentheses");
  const std::string_view inside = text.substr(1, end - 1);
  const std::size_t comma = inside.find(',');
  if (comma == inside.npos || inside.find(',', comma + 1) != inside.npos ||
      inside.find('(') != inside.npos) {
    fail(fmt::format("auc({}) has not two sets", base::excerpt(inside)));
  }
  text = base::trim(text.substr(end + 1));
  return {std::string{base::trim(inside.substr(0, comma))},
          std::string{base::trim(inside.substr(comma + 1))}};
}

bool is_full(const Cells& cells) {
  return std::ranges::all_of(cells, [](bool in) { return in; });
}

Cells cells_of(const RowSet& set, std::int64_t groups) {
  Cells cells;
  for (const bool positive : {false, true}) {
    for (std::int32_t g = 0; g < groups; ++g) cells.push_back(set.contains(positive, g));
  }
  return cells;
}

/// Whether two comparisons have the same difference but for its sign, whatever the scores.
bool are_alike(const FourCells& a, const FourCells& b) {
  const FourCells ways[] = {b,
                            {b[2], b[3], b[0], b[1]},  // AUC_2 - AUC_1
                            {b[1], b[0], b[3], b[2]},  // (1 - AUC_1) - (1 - AUC_2)
                            {b[3], b[2], b[1], b[0]}};
  return std::ranges::find(ways, a) != std::end(ways);
}

FourCells four_cells_of(const ComparedRows& rows, std::int64_t groups) {
  return {cells_of(rows.first_above, groups), cells_of(rows.first_below, groups),
          cells_of(rows.second_above, groups), cells_of(rows.second_below, groups)};
}

/// The same pairs twice, or each set against itself: whatever the scores.
bool is_always_equal(const FourCells& cells) {
  return (cells[0] == cells[2] && cells[1] == cells[3]) ||
         (cells[0] == cells[1] && cells[2] == cells[3]);
}

}  // namespace

/// Groups by name, by number, and by the variables of a comparison.
struct DeclaredDifference::Names {
  std::span<const std::string> groups;
  std::int32_t g, h;

  [[nodiscard]] std::int32_t operator()(const std::string& text) const {
    std::vector<std::int32_t> meant;
    const auto named = std::ranges::find(groups, text);
    if (named != groups.end()) meant.push_back(static_cast<std::int32_t>(named - groups.begin()));
    const auto number = base::parse_int64(text);
    if (number && *number >= 0 && *number < std::ssize(groups)) {
      meant.push_back(static_cast<std::int32_t>(*number));
    }
    if (text == "g") meant.push_back(g);
    if (text == "h") meant.push_back(h);
    if (meant.empty()) {
      throw base::InputError(fmt::format(
          "there is no group '{}'; groups 0 .. {} are {}", base::excerpt(text), groups.size() - 1,
          base::join(std::vector<std::string>(groups.begin(), groups.end()), ", ")));
    }
    if (std::ranges::find_if(meant, [&](std::int32_t i) { return i != meant[0]; }) != meant.end()) {
      throw base::InputError(fmt::format(
          "'{}' is the name of one group, and stands for another one too: data.group_map can "
          "rename it",
          text));
    }
    return meant[0];
  }
};

AucSum ComparedRows::difference(std::int64_t groups) const {
  AucSum sum;
  const auto add = [&](double sign, const RowSet& above, const RowSet& below) {
    if (is_full(cells_of(above, groups)) && is_full(cells_of(below, groups))) {
      sum.constant += sign / 2;
    } else {
      sum.terms.push_back({sign, above, below});
    }
  };
  add(1, first_above, first_below);
  add(-1, second_above, second_below);
  return sum;
}

DeclaredDifference::DeclaredDifference(std::string_view text) : text_{base::trim(text)} {
  if (text_.empty()) return;
  std::string_view rest = text_;
  const auto first = take_auc(rest);
  if (!rest.starts_with('-')) fail("no '-' is between the two");
  rest = base::trim(rest.substr(1));
  const auto second = take_auc(rest);
  if (!rest.empty()) fail(fmt::format("'{}' follows", base::excerpt(rest)));
  for (const std::string& set : {first[0], first[1], second[0], second[1]}) {
    sets_.push_back(read_set(set));
  }
  if (has("h") && !has("g")) fail("h, the other group, is there without g");
}

DeclaredDifference::Set DeclaredDifference::read_set(std::string_view text) {
  if (text.empty()) fail("a set is missing; `all` has every row");
  Set set{{}, std::string{text}};
  if (text == "all") {
    set.any_of.emplace_back();
    return set;
  }
  for (const std::string_view alternative : split_at(text, "or")) {
    std::vector<Test>& tests = set.any_of.emplace_back();
    for (const std::string_view test : split_at(alternative, "and")) {
      tests.push_back(read_test(test));
    }
  }
  return set;
}

DeclaredDifference::Test DeclaredDifference::read_test(std::string_view text) {
  const auto broken = [&](std::string_view reason) {
    fail(fmt::format("'{}' {}", base::excerpt(text), reason));
  };
  const std::size_t sign = text.find('=');
  if (sign == text.npos) broken("is no test: label = 1, group != NAME, or all");
  const bool equal = sign == 0 || text[sign - 1] != '!';
  const std::string_view field = base::trim(text.substr(0, equal ? sign : sign - 1));
  std::string_view value = text.substr(sign + 1);
  if (equal && value.starts_with('=')) value.remove_prefix(1);
  value = base::trim(value);
  if (field != "label" && field != "group") broken("tests neither label nor group");
  if (value.empty()) broken("has nothing to compare with");
  if (field == "label" && value != "0" && value != "1")
    broken("must compare the label with 0 or 1");
  return {field == "label", equal, std::string{value}};
}

bool DeclaredDifference::has(std::string_view variable) const {
  for (const Set& set : sets_) {
    for (const auto& tests : set.any_of) {
      for (const Test& test : tests) {
        if (!test.of_label && test.value == variable) return true;
      }
    }
  }
  return false;
}

std::vector<bool> DeclaredDifference::cells_of(const Set& set, const Names& number_of) {
  Cells cells;
  for (const bool positive : {false, true}) {
    for (std::int32_t group = 0; group < std::ssize(number_of.groups); ++group) {
      const auto passes = [&](const Test& test) {
        const bool same =
            test.of_label ? positive == (test.value == "1") : group == number_of(test.value);
        return same == test.equal;
      };
      bool in = false;
      for (const std::vector<Test>& tests : set.any_of) {
        // Every test is looked at, so that no unknown group stays unseen.
        in |= std::ranges::count_if(tests, passes) == std::ssize(tests);
      }
      cells.push_back(in);
    }
  }
  if (std::ranges::none_of(cells, [](bool in) { return in; })) {
    throw base::InputError(fmt::format("no row can be in the set '{}'", set.text));
  }
  return cells;
}

ComparedRows DeclaredDifference::compared(const Names& names) const {
  const auto set = [&](std::size_t i) {
    return RowSet(cells_of(sets_[i], names), fmt::format("row with {}", sets_[i].text));
  };
  return {set(0), set(1), set(2), set(3), has("g") ? names.g : -1, has("h") ? names.h : -1};
}

std::vector<ComparedRows> DeclaredDifference::compared(std::span<const std::string> groups) const {
  const std::int64_t count = std::ssize(groups);
  std::vector<ComparedRows> all;
  std::vector<FourCells> seen;
  const auto add = [&](std::int32_t g, std::int32_t h) {
    ComparedRows rows = compared(Names{groups, g, h});
    FourCells cells = four_cells_of(rows, count);
    if (std::ranges::any_of(seen, [&](const FourCells& one) { return are_alike(one, cells); })) {
      return;
    }
    if (is_always_equal(cells)) throw base::InputError("both AUCs are equal whatever the scores");
    all.push_back(std::move(rows));
    seen.push_back(std::move(cells));
  };
  if (!has("g")) {
    add(-1, -1);
  } else if (count == 2) {
    add(1, 0);
  } else {
    for (std::int32_t g = 0; g < count; ++g) {
      if (!has("h")) add(g, -1);
      for (std::int32_t h = 0; has("h") && h < g; ++h) {
        add(g, h);
        add(h, g);
      }
    }
  }
  return all;
}

std::vector<Measure> difference_measures(const std::string& name, const std::string& what,
                                         std::vector<AucSum> differences) {
  const auto quantity = [](std::string column, std::string definition, base::Direction direction) {
    return base::Quantity{std::move(column), std::move(definition), "probability", direction, ""};
  };
  Measure gap{
      quantity(name + "_auc_gap", "largest absolute value of " + what, base::Direction::minimise),
      Needs::score};
  gap.of = [differences](const Scored& scored) {
    const auto sample = ordered(scored);
    const SortedCells& cells = sample->cells();
    Value largest = defined(0);
    for (const AucSum& difference : differences) {
      const Value value = difference.of(cells);
      if (!value.defined()) return value;
      largest.value = std::max(largest.value, std::abs(value.value));
    }
    return largest;
  };
  gap.interval = [differences](const Scored& scored, double level) {
    return interval_of_largest(scored, differences, level);
  };
  Measure signed_one{quantity(name + "_auc_difference", what, base::Direction::none), Needs::score};
  constexpr const char* several = "a signed difference is that of one comparison";
  signed_one.of = [differences](const Scored& scored) {
    if (differences.size() != 1) return undefined(several);
    return differences[0].of(ordered(scored)->cells());
  };
  signed_one.interval = [differences](const Scored& scored, double level) -> Interval {
    if (differences.size() != 1) return {.undefined_reason = several};
    return interval_of(scored, differences[0], level, -1, 1);
  };
  signed_one.may_resample = true;
  return {std::move(gap), std::move(signed_one)};
}

std::vector<Measure> declared_measures(std::vector<AucSum> differences) {
  return difference_measures("custom", "the difference of AUCs that the config declares",
                             std::move(differences));
}

}  // namespace fairfront::metrics
