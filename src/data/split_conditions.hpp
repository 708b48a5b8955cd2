/// @file
/// What a config says of parts, as conditions on its options: as far as the program's own catalogue
/// says which data sets have files of their own.
#pragma once

#include "base/condition.hpp"

namespace fairfront::data {

/// Whether [split] or the data set asks for parts; see asks_for_parts().
[[nodiscard]] base::Condition parts_are_asked_for();

/// Where no column and no file says which rows train, so that parts are drawn of all rows.
[[nodiscard]] base::Condition parts_are_drawn_of_all_rows();

}  // namespace fairfront::data
