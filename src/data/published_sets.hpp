/// @file
/// The tables behind the catalogue.
#pragma once

#include <string>
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

/// Two of them: Communities and Crime as the raw file, and the same rows as a table with a header,
/// as the regression papers' programs read it.
[[nodiscard]] CatalogueEntry communities();
[[nodiscard]] CatalogueEntry communities_csv();

/// A set that only serves experiments with labels, from its task.
[[nodiscard]] CatalogueEntry labelled_set(std::string name, std::string title, std::string source,
                                          std::string licence, SupervisedTask task);

/// The persons of the American Community Survey with ACSIncome's nine features as numbers, codes
/// too, against white and other, as Kliachkin et al. (2025).
[[nodiscard]] SupervisedTask acs_task(CatalogueFile file, const std::string& marital,
                                      const std::string& race);

/// `names` but for `those`.
[[nodiscard]] std::vector<std::string> without(std::vector<std::string> names,
                                               const std::vector<std::string>& those);

/// Numeric and categorical columns, in one list.
[[nodiscard]] std::vector<std::string> joined(std::vector<std::string> numbers,
                                              const std::vector<std::string>& names);

/// Sets that are drawn.
[[nodiscard]] std::vector<CatalogueEntry> synthetic_sets();

}  // namespace fairfront::data
