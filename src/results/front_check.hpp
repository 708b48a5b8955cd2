/// @file
/// Internal: recomputes what an archive says about its fronts.
#pragma once

#include <string>
#include <vector>

#include "results/content.hpp"

namespace fairfront::results {

/// One line for each kind of error in each group: a point that another point of its task's front
/// dominates; a hypervolume that differs from the recomputed one (two or three objectives) by more
/// than 1e-12 of it, which leaves room for another order of summation; merged fronts that are not
/// exactly those of the points.
/// @param content  keeps the rules of broken_rules.
[[nodiscard]] std::vector<std::string> wrong_fronts(const Content& content);

}  // namespace fairfront::results
