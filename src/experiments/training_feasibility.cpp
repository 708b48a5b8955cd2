#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "experiments/measured.hpp"
#include "experiments/training_bounds.hpp"
#include "experiments/training_results.hpp"
#include "solvers/training/full_data.hpp"
#include "solvers/training/kkt_residual.hpp"
#include "solvers/training/rate_limits.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;

/// The smallest training loss of a point of the trajectory within delta; infinite where none is.
double best_feasible_loss(const solvers::Trace& trace, double delta) {
  double least = std::numeric_limits<double>::infinity();
  if (trace.steps.empty()) return least;
  const auto losses = trace.of("loss_train");
  const auto gaps = trace.of("gap_train");
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (gaps[i] <= delta) least = std::min(least, losses[i]);
  }
  return least;
}

/// Of the last fifth of the trajectory by evaluations: mean gap, and share of feasible points.
struct LastFifth {
  double gap = 0;
  double feasible = 0;
  std::int64_t points = 0;
};
LastFifth last_fifth(const solvers::Trace& trace, double delta) {
  LastFifth found;
  if (trace.steps.empty()) return found;
  const auto gaps = trace.of("gap_train");
  for (std::size_t i = 0; i < gaps.size(); ++i) {
    if (5 * trace.steps[i] < 4 * trace.steps.back()) continue;
    found.gap += gaps[i];
    found.feasible += gaps[i] <= delta ? 1 : 0;
    ++found.points;
  }
  return found;
}

}  // namespace

void add_feasibility(TaskResult& result, const training::TrainingResult& found,
                     const AskedBound& asked, const training::Derivatives& at_end) {
  const training::KktResidual kkt =
      training::kkt_residual(at_end, asked.delta(), asked.problem().constraints.has_one_side());
  const double delta = asked.most_gap();
  const double gap = value_of(result, "gap", "train");
  result.metrics["excess"] = gap - delta;
  result.metrics["feasible"] = gap <= delta + training::bound_rounding ? 1 : 0;
  result.metrics["kkt_stationarity"] = kkt.stationarity;
  result.metrics["kkt_violation"] = kkt.violation;
  result.metrics["kkt_complementarity"] = kkt.complementarity;
  double best = best_feasible_loss(found.trace, delta);
  if (gap <= delta) best = std::min(best, value_of(result, "loss", "train"));
  if (std::isfinite(best)) result.metrics["best_feasible_loss"] = best;
  const LastFifth last = last_fifth(found.trace, delta);
  if (last.points == 0) return;
  const auto points = static_cast<double>(last.points);
  result.metrics["gap_last_fifth"] = last.gap / points;
  result.metrics["feasible_last_fifth"] = last.feasible / points;
}

sweep::Columns feasibility_columns() {
  const std::string residual =
      " for the multipliers by which the result is nearest to a KKT point, on the training part";
  return {.metrics = {
              {"excess",
               "gap on the training part less delta, of ratios delta less the smallest: feasible "
               "up to 0",
               "loss", Direction::minimise, ""},
              {"feasible", "1 where the training part is within delta, to 1e-12, else 0", "",
               Direction::maximise, ""},
              {"best_feasible_loss",
               "smallest loss_train of the result and of those points of the trajectory that have "
               "gap_train <= delta, or are within it; none: no value",
               "loss", Direction::minimise, ""},
              {"gap_last_fifth", "mean gap_train over the last fifth of the trajectory", "loss",
               Direction::minimise, ""},
              {"feasible_last_fifth", "share of the points there that have gap_train <= delta",
               "share", Direction::maximise, ""},
              {"kkt_stationarity", "norm of the Lagrangian's gradient" + residual, "loss",
               Direction::minimise, ""},
              {"kkt_violation", "excess, at least 0", "loss", Direction::minimise, ""},
              {"kkt_complementarity", "largest product of multiplier and |constraint|" + residual,
               "loss", Direction::minimise, ""}}};
}

}  // namespace fairfront::experiments
