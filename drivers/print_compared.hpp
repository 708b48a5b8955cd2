/// @file
/// What an archive says of two models compared, as text.
#pragma once

#include <cstddef>
#include <string>

#include "results/content.hpp"

namespace fairfront::drivers {

/// Whether it is a difference of two models, or the p value of a test of one.
[[nodiscard]] bool is_compared(const results::Measure& measure);

/// One table of the differences to predictions.reference: a row for each measure and part, a column
/// for each of the first `tasks` tasks that has one; nothing where none has.
[[nodiscard]] std::string compared_text(const results::Content& content, std::size_t tasks);

}  // namespace fairfront::drivers
