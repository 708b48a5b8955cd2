/// @file
/// Trained fronts beside what post-processing of the unconstrained model reaches, as text.
#pragma once

#include <string>

#include "results/content.hpp"

namespace fairfront::drivers {

/// A row for every front that can be compared, then what is to be said of those below; nothing
/// where nothing can be compared.
[[nodiscard]] std::string yardstick_text(const results::Content& content);

}  // namespace fairfront::drivers
