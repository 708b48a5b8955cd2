/// @file
/// What is known about the program when it is built.
#pragma once

#include <string>

#include "results/content.hpp"

namespace fairfront::drivers {

/// Version, revision, compiler and libraries; the facts of a launch are left empty.
[[nodiscard]] results::LaunchFacts build_provenance();

/// Several lines for `fairfront --version`: of the program, and of the processor it runs on.
[[nodiscard]] std::string version_text();

}  // namespace fairfront::drivers
