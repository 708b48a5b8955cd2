#include "data/small_groups.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>
#include <vector>

#include "base/error.hpp"
#include "base/printable.hpp"
#include "base/text.hpp"

namespace fairfront::data {
namespace {

constexpr double least_share = 0.01;
constexpr std::int64_t least_of_label = 10;

/// (members, group) of the groups that are too small, the smallest first.
std::vector<std::pair<std::int64_t, std::size_t>> small_groups(std::span<const std::int32_t> groups,
                                                               std::size_t count_of_groups,
                                                               std::int64_t least_members) {
  std::vector<std::pair<std::int64_t, std::size_t>> counts;
  for (std::size_t j = 0; j < count_of_groups; ++j) counts.emplace_back(0, j);
  for (const std::int32_t group : groups) ++counts[static_cast<std::size_t>(group)].first;
  const auto rows = static_cast<double>(groups.size());
  std::erase_if(counts, [&](const auto& count) {
    return count.first >= least_members && static_cast<double>(count.first) >= least_share * rows;
  });
  std::ranges::sort(counts);
  return counts;
}

/// @param greater_label  of the two.
/// @param names          of the smaller and of the greater one.
std::optional<std::string> warning_of_two(const std::string& data_set,
                                          const std::vector<double>& label, double greater_label,
                                          const std::array<std::string, 2>& names) {
  const std::int64_t rows = std::ssize(label);
  const std::int64_t greater = std::ranges::count(label, greater_label);
  const bool is_greater = 2 * greater <= rows;
  const std::int64_t rare = is_greater ? greater : rows - greater;
  if (rare >= least_of_label) return std::nullopt;
  return fmt::format("data set '{}': label {} has {} of {} rows: too few to say much of it",
                     data_set, base::excerpt(names[is_greater ? 1 : 0]), rare, rows);
}

}  // namespace

std::optional<std::string> small_groups_warning(const Dataset& set, std::int64_t least_members) {
  return small_groups_warning(set.provenance.name, set.group, set.group_names, least_members);
}

std::optional<std::string> small_groups_warning(const std::string& data_set,
                                                std::span<const std::int32_t> group,
                                                std::span<const std::string> group_names,
                                                std::int64_t least_members) {
  const auto small = small_groups(group, group_names.size(), least_members);
  if (small.empty()) return std::nullopt;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < std::min(small.size(), most_named); ++i) {
    const auto& [members, place] = small[i];
    texts.push_back(
        fmt::format("'{}' {} ({:.2f} %)", base::excerpt(group_names[place]), members,
                    100.0 * static_cast<double>(members) / static_cast<double>(group.size())));
  }
  if (small.size() > most_named) {
    texts.push_back(fmt::format("and {} more", small.size() - most_named));
  }
  const std::string members_rule =
      least_members > 0 ? fmt::format(" or fewer than {} members", least_members) : "";
  return fmt::format("data set '{}': {} of {} groups have less than 1 % of the {} rows{}: {}",
                     data_set, small.size(), group_names.size(), group.size(), members_rule,
                     base::join(texts, ", "));
}

std::optional<std::string> rare_label_warning(const RawTable& table) {
  if (table.target != TargetKind::binary) return std::nullopt;
  return warning_of_two(
      table.provenance.name, table.label, 1.0,
      {"0, '" + table.class_names[0] + "',", "1, '" + table.class_names[1] + "',"});
}

std::optional<std::string> rare_label_warning(const Dataset& set) {
  if (set.label.empty()) return std::nullopt;
  const double least = std::ranges::min(set.label), most = std::ranges::max(set.label);
  const auto is_end = [least, most](double label) { return label == least || label == most; };
  if (least == most || !std::ranges::all_of(set.label, is_end)) return std::nullopt;
  return warning_of_two(set.provenance.name, set.label, most,
                        {base::format_double(least), base::format_double(most)});
}

void require_two_groups(const Provenance& data_set, std::span<const Attribute> attributes,
                        std::int64_t groups) {
  if (groups >= 2) return;
  std::vector<std::string> columns;
  for (const Attribute& attribute : attributes) columns.push_back(attribute.name);
  throw base::InputError(
      fmt::format("data.sensitive must make at least two groups: in '{}' all rows have the same {}",
                  base::excerpt(data_set.files.empty() ? data_set.name : data_set.files.front()),
                  base::list_some(columns)));
}

void refuse_lack_of_rows(std::span<const std::string> group_names, std::string_view cell,
                         std::string_view part) {
  refuse_groups_of_numbers(group_names);
  throw base::InputError(
      fmt::format("there is no row of {} in the {} part: {}", cell, part, small_group_remedy));
}

void refuse_groups_of_numbers(std::span<const std::string> group_names) {
  constexpr std::size_t most_numbers = 20;
  constexpr std::string_view between = " x ";
  std::vector<std::set<std::string_view>> levels;  // of each attribute
  std::vector<bool> numeric;
  for (const std::string& name : group_names) {
    std::string_view rest = name;
    for (std::size_t i = 0; !rest.empty(); ++i) {
      const std::size_t end = std::min(rest.find(between), rest.size());
      const std::string_view level = rest.substr(0, end);
      rest.remove_prefix(std::min(end + between.size(), rest.size()));
      if (i == levels.size()) {
        levels.emplace_back();
        numeric.push_back(true);
      }
      if (!base::parse_double(level)) numeric[i] = false;
      levels[i].insert(level);
    }
  }
  for (std::size_t i = 0; i < levels.size(); ++i) {
    if (!numeric[i] || levels[i].size() <= most_numbers) continue;
    throw base::InputError(fmt::format(
        "data.sensitive names a column of {} different numbers, and each of them would be a group: "
        "a comparison such as 'NAME > 30' makes two groups of it",
        levels[i].size()));
  }
}

}  // namespace fairfront::data
