/// @file
/// Names in messages beside others that are there, but not valid, or that would look the same.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace fairfront::base {

/// Names that are there and yet not valid.
struct OtherNames {
  std::vector<std::string> names;
  std::string_view what;  ///< such as "other columns, which are no label"
};

/// As name_hint() of text.hpp, with the others behind the list of the valid names; the nearest name
/// may be one of them.
[[nodiscard]] std::string name_hint(std::string_view name, std::span<const std::string> valid,
                                    const OtherNames& others);

/// Every name as printable(), but different ones never alike: of those that would be, such as one
/// with a line break and one with a backslash and an n, backslashes are doubled; what is alike even
/// so, as long ones that differ in the middle, is numbered.
[[nodiscard]] std::vector<std::string> printable_apart(std::span<const std::string> names);

}  // namespace fairfront::base
