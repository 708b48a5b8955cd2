/// @file
/// What two archives must have in common to hold the same results.
#pragma once

#include <string>

#include "results/content.hpp"

namespace fairfront::results {

/// SHA-256 over config, data digests and results: equal for equal experiments, whatever the
/// number of ranks, hosts or times. 64 hexadecimal digits.
[[nodiscard]] std::string results_digest(const Content& content);

/// Digest over everything, volatile facts included: shows any later edit of the file.
[[nodiscard]] std::string content_digest(const Content& content);

}  // namespace fairfront::results
