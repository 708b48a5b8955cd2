/// @file
/// The problems of `alternating`, made from a task's sections.
#pragma once

#include <cstdint>

#include "experiments/alternating.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

inline constexpr std::int64_t front_samples = 2001;  ///< of an analytic front

/// A test problem, or that of the rows of [data].
/// @throws base::InputError, base::DataError  as load_optional_parts, or not so many objectives.
[[nodiscard]] Loaded<AlternatingProblem> load_problem(const sweep::Task& task,
                                                      const sweep::RunContext& context,
                                                      std::int64_t objectives);

}  // namespace fairfront::experiments
