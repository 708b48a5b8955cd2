/// @file
/// Groups that are too few, and groups and labels of too few rows to say much about.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "data/dataset.hpp"
#include "data/raw_table.hpp"

namespace fairfront::data {

/// Names in a message; the others are counted.
inline constexpr std::size_t most_named = 6;

/// What a user should know about groups with less than 1 % of the rows or fewer than
/// `least_members` members: their names and counts, the smallest first. Nothing when there are
/// none.
/// @param least_members  0: the share alone counts.
[[nodiscard]] std::optional<std::string> small_groups_warning(const Dataset& set,
                                                              std::int64_t least_members = 0);

/// The same of groups that are no data set's.
/// @param group  (n,) of every row.
[[nodiscard]] std::optional<std::string> small_groups_warning(
    const std::string& data_set, std::span<const std::int32_t> group,
    std::span<const std::string> group_names, std::int64_t least_members = 0);

/// What a user should know about two labels, one of which has fewer than ten rows. Nothing when
/// both have more, or there are not two.
[[nodiscard]] std::optional<std::string> rare_label_warning(const RawTable& table);
[[nodiscard]] std::optional<std::string> rare_label_warning(const Dataset& set);

/// @param attributes  whose values make the groups.
/// @throws base::InputError  all rows are of one group; names file and columns.
void require_two_groups(const Provenance& data_set, std::span<const Attribute> attributes,
                        std::int64_t groups);

/// What to do where a part lacks rows of a group.
inline constexpr std::string_view small_group_remedy =
    "draw parts by split.stratify = group or group_and_label, join small groups by data.group_map, "
    "or leave them out by data.where";

/// @param cell  such as "group 'a' with label 1".
/// @param part  that decides, and has no row of it.
/// @throws base::InputError  always; says what to do. As refuse_groups_of_numbers(), if that is
/// why.
[[noreturn]] void refuse_lack_of_rows(std::span<const std::string> group_names,
                                      std::string_view cell, std::string_view part);

/// To be asked where groups turn out to be too many or too small.
/// @param group_names  as product_groups() joins them.
/// @throws base::InputError  an attribute is a column of many different numbers, such as an age.
void refuse_groups_of_numbers(std::span<const std::string> group_names);

}  // namespace fairfront::data
