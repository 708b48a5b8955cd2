/// @file
/// The numbers by which the census files name states.
#pragma once

#include <string_view>

namespace fairfront::data {

/// FIPS code (FIPS 5-2) of a state, of DC or of PR by its two letters, such as 40 for OK.
/// @throws base::InputError  no such state.
[[nodiscard]] int fips_code(std::string_view state);

}  // namespace fairfront::data
