#include "rare_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/quotation.hpp"
#include "data/comparison.hpp"

namespace fairfront::drivers {
namespace {

std::int64_t rows_of_level(const std::vector<GroupSize>& groups, std::size_t attribute,
                           const std::string& level) {
  std::int64_t rows = 0;
  for (const GroupSize& group : groups) {
    if (group.levels[attribute] == level) rows += group.rows;
  }
  return rows;
}

std::size_t rarest_attribute(const std::vector<GroupSize>& groups, const GroupSize& group) {
  std::vector<std::size_t> attributes(group.levels.size());
  std::iota(attributes.begin(), attributes.end(), std::size_t{0});
  return *std::ranges::min_element(attributes, {}, [&](std::size_t attribute) {
    return rows_of_level(groups, attribute, group.levels[attribute]);
  });
}

}  // namespace

std::vector<RareLevel> rare_levels(std::vector<GroupSize> groups, std::int64_t least) {
  std::vector<RareLevel> found;
  while (groups.size() >= 2) {
    const auto smallest = std::ranges::min_element(groups, {}, &GroupSize::complete);
    if (smallest->complete >= least) return found;
    const std::size_t attribute = rarest_attribute(groups, *smallest);
    found.push_back({attribute, smallest->levels[attribute], *smallest});
    std::erase_if(groups, [&](const GroupSize& group) {
      return group.levels[attribute] == found.back().level;
    });
  }
  return {};
}

std::optional<std::string> other_than(const std::string& column, const std::string& level,
                                      bool as_text) {
  // Its own first letter is special, so that it stands in quotes.
  std::vector<std::string> constants{base::quoted_if_needed(level, level.substr(0, 1))};
  if (!as_text) constants.insert(constants.begin(), level);
  for (const std::string& name : {column, fmt::format("{}{})", data::column_called, column)}) {
    for (const std::string& constant : constants) {
      const std::string text = fmt::format("{} != {}", name, constant);
      try {
        const auto test = data::parse_column_test(text);
        const bool same = test && test->column == column && test->parts.size() == 1 &&
                          test->parts.front().text == level;
        if (same) return text;
      } catch (const std::invalid_argument&) {  // it reads as something else
      }
    }
  }
  return std::nullopt;
}

}  // namespace fairfront::drivers
