/// @file
/// Data sets that are drawn.
#pragma once

#include <vector>

#include "data/catalogue/catalogue.hpp"

namespace fairfront::data {

[[nodiscard]] std::vector<CatalogueEntry> synthetic_sets();

}  // namespace fairfront::data
