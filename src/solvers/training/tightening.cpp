#include "solvers/training/tightening.hpp"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "base/stop.hpp"
#include "models/loss.hpp"
#include "solvers/training/confidence.hpp"

namespace fairfront::training {

ScaledOutput::ScaledOutput(const Problem& problem, const Part& part, std::vector<double> scores)
    : problem_{problem},
      part_{part},
      scores_{std::move(scores)},
      scaled_(scores_.size()),
      losses_(scores_.size()) {
  assert(std::ssize(scores_) == part.size());
  for (const std::int64_t row : part.rows) {
    labels_.push_back(problem.labels[static_cast<std::size_t>(row)]);
  }
}

std::span<const double> ScaledOutput::losses(double scale) {
  for (std::size_t i = 0; i < scores_.size(); ++i) scaled_[i] = scale * scores_[i];
  models::loss_values(problem_.loss, scaled_, labels_, losses_);
  return losses_;
}

PartLosses ScaledOutput::at(double scale) {
  const auto of_rows = losses(scale);
  std::vector<double> of_cell(part_.of_cell.size(), 0.0);
  double sum = 0;
  for (std::size_t i = 0; i < of_rows.size(); ++i) {
    sum += of_rows[i];
    if (part_.cell[i] >= 0) of_cell[static_cast<std::size_t>(part_.cell[i])] += of_rows[i];
  }
  for (std::size_t k = 0; k < of_cell.size(); ++k) {
    of_cell[k] /= static_cast<double>(part_.of_cell[k].size());
  }
  PartLosses found{sum / static_cast<double>(of_rows.size()),
                   std::vector<double>(static_cast<std::size_t>(problem_.constraints.gaps()))};
  problem_.constraints.gaps_of(of_cell, found.gaps);
  return found;
}

Tightening tighten(const GapConstraints& constraints, ScaledOutput& train, ScaledOutput& validation,
                   double delta, double confidence) {
  constexpr int scales = 100;
  // The scaled weights are rounded: what is promised of them leaves room for that.
  const double within = (1 - 1e-9) * delta;
  Tightening found;
  double least_loss = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= scales; ++k) {
    base::stop_point();
    const double scale = static_cast<double>(k) / scales;
    const auto bounds =
        gap_bounds(constraints, validation.part(), validation.losses(scale), confidence);
    const double bound = std::ranges::max(bounds);
    ++found.tests;
    found.least_bound = std::min(found.least_bound, bound);
    if (!(bound <= within)) break;
    const PartLosses trained = train.at(scale);
    if (!(trained.gap() <= within && trained.loss < least_loss)) continue;
    least_loss = trained.loss;
    found.scale = scale;
    found.bound = bound;
  }
  return found;
}

}  // namespace fairfront::training
