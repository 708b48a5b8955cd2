/// @file
/// What the options of a task's own method say.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "results/content.hpp"

namespace fairfront::results {

/// The value that an option of the task's method has for it; empty where there is no such option.
[[nodiscard]] std::string method_option(const Content& content, std::size_t task,
                                        std::string_view key);

}  // namespace fairfront::results
