/// @file
/// What two archives must have in common to hold the same results.
#pragma once

#include <string>

#include "results/content.hpp"

namespace fairfront::results {

/// SHA-256 over config, data digests and findings: equal for equal experiments, whatever the
/// number of ranks, hosts or times, and whatever is measured of what was found. 64 hexadecimal
/// digits.
[[nodiscard]] std::string results_digest(const Content& content);

/// SHA-256 over what is measured: of two programs that have the same measures, as equal as the
/// findings. 64 hexadecimal digits.
[[nodiscard]] std::string measures_digest(const Content& content);

/// Digest over everything, volatile facts included: shows any later edit of the file.
[[nodiscard]] std::string content_digest(const Content& content);

/// All three; each column is hashed once.
struct Digests {
  std::string results;
  std::string measures;
  std::string content;
  bool operator==(const Digests&) const = default;
};
[[nodiscard]] Digests digests_of(const Content& content);

}  // namespace fairfront::results
