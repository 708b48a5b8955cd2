/// @file
/// Contents for tests, and their comparison field by field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "results/content.hpp"

namespace fairfront::results::test {

/// Every part filled at random: texts with blanks and UTF-8, NaN and infinite metrics, ragged and
/// empty rows, solutions of all three types, fronts with two and three objectives whose
/// hypervolumes are right. The same seed gives the same content.
[[nodiscard]] Content random_content(std::uint64_t seed, std::size_t tasks);

/// Where `a` and `b` differ, doubles compared by their bits; empty when they do not.
[[nodiscard]] std::string difference(const Content& a, const Content& b);

}  // namespace fairfront::results::test
