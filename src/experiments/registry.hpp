/// @file
/// The experiments that the program knows.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// All of them, in the order in which they are listed.
[[nodiscard]] std::span<const std::unique_ptr<const sweep::Experiment>> registry();

/// @throws base::InputError  no such name, with the nearest valid one.
[[nodiscard]] const sweep::Experiment& find(std::string_view name);

}  // namespace fairfront::experiments
