/// @file
/// Measures of every point of a front, by its own model.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "parallel/comm.hpp"
#include "results/content.hpp"
#include "results/point_measures.hpp"
#include "sweep/experiment.hpp"
#include "sweep/plan.hpp"

namespace fairfront::sweep {

/// A task, done, and a point of its front.
using PlaceOfPoint = std::pair<std::size_t, std::size_t>;

/// All points of these tasks.
[[nodiscard]] std::vector<PlaceOfPoint> all_points(const results::Content& content,
                                                   const std::vector<std::size_t>& tasks);

/// Measures points by the models that the archive has of them, on the rows that their tasks had.
/// Local; the team's rank 0 alone.
/// @param content  of a sweep of this plan and experiment.
/// @param points   those of one task together.
/// @throws base::InputError    the experiment measures no points, a task has no model, or the data
///         are not those of the archive.
/// @throws base::DamagedError  a model that does not fit the archive.
/// @throws base::Interrupted   see base::stop_point().
[[nodiscard]] results::PointMeasures measure_points(const parallel::Comm& team, const Plan& plan,
                                                    const Experiment& experiment,
                                                    const results::Content& content,
                                                    const std::vector<PlaceOfPoint>& points,
                                                    const RunContext& context);

}  // namespace fairfront::sweep
