/// @file
/// The tables behind the catalogue.
#pragma once

#include <vector>

#include "data/catalogue.hpp"

namespace fairfront::data {

/// UCI Adult's training file.
[[nodiscard]] CatalogueFile adult_file();

/// Sets whose numeric columns and groups serve experiments without labels; no tasks.
[[nodiscard]] std::vector<CatalogueEntry> published_sets();

/// Adds to one of them what may be learnt from it.
void add_tasks(CatalogueEntry& entry);

/// Sets that only serve experiments with labels.
[[nodiscard]] std::vector<CatalogueEntry> labelled_sets();

/// Sets that are drawn.
[[nodiscard]] std::vector<CatalogueEntry> synthetic_sets();

}  // namespace fairfront::data
