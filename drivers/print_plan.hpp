/// @file
/// A plan as text.
#pragma once

#include <cstdint>
#include <string>

#include "load_sweep.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::drivers {

/// Options with their origins, axes, tasks and problems of a sweep. Loads and checks the data.
/// @throws base::InputError  a problem that is not sound.
[[nodiscard]] std::string plan_text(const Sweep& sweep, const sweep::RunContext& context,
                                    std::int64_t ranks);

}  // namespace fairfront::drivers
