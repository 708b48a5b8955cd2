/// @file
/// Internal: the rules of the format that types alone do not enforce.
#pragma once

#include <string>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// Every broken rule as "<place in the archive>: <what is wrong>", at most one line per rule and
/// column. Empty when the content can be written. Linear in the size of the content.
[[nodiscard]] std::vector<std::string> broken_rules(const Content& content);

}  // namespace fairfront::results
