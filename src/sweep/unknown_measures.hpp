/// @file
/// Measures of an archive that this program does not know, as one of a later version may have.
#pragma once

#include <string>
#include <vector>

#include "results/content.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::sweep {

/// Takes the measures out of the content that the schema has no row for; the others stay.
[[nodiscard]] std::vector<results::Measure> take_unknown_measures(results::Content& content,
                                                                  const ResultSchema& schema);

/// What is said of them: "'a', 'b'".
[[nodiscard]] std::string names_of(const std::vector<results::Measure>& measures);

}  // namespace fairfront::sweep
