/// @file
/// The problems of `alternating`, made from a task's sections.
#pragma once

#include <cstdint>

#include "experiments/alternating.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// Of an analytic front: a curve, or a surface.
inline constexpr std::int64_t curve_samples = 2001;
inline constexpr std::int64_t surface_samples = 20'000;  ///< at most

/// A test problem, or that of the rows of [data].
/// @throws base::InputError, base::DataError  as load_optional_parts, or not so many objectives.
[[nodiscard]] Loaded<AlternatingProblem> load_problem(const sweep::Task& task,
                                                      const sweep::RunContext& context,
                                                      std::int64_t objectives);

}  // namespace fairfront::experiments
