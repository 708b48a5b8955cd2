#include "solvers/training/confidence.hpp"

#include <fmt/format.h>

#include <cassert>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "metrics/interval.hpp"

namespace fairfront::training {
namespace {

/// Of the losses of a cell.
struct LossMoments {
  double rows = 0;
  double mean = 0;
  double squares = 0;  ///< sum of squared deviations, by the updates of Welford (1962)

  void add(double loss) {
    rows += 1;
    const double deviation = loss - mean;
    mean += deviation / rows;
    squares += deviation * (loss - mean);
  }
  /// Squared standard error of the mean.
  [[nodiscard]] double error() const {
    return rows < 2 ? std::numeric_limits<double>::infinity() : squares / (rows - 1) / rows;
  }
};

}  // namespace

std::vector<double> gap_bounds(const GapConstraints& constraints, const Part& part,
                               std::span<const double> losses, double confidence,
                               std::int64_t looks) {
  if (!(confidence > 0 && confidence < 1) || looks < 1) {
    throw std::invalid_argument(fmt::format(
        "gap_bounds: confidence = {} must be in (0, 1), looks = {} >= 1", confidence, looks));
  }
  assert(std::ssize(losses) == part.size());
  std::vector<LossMoments> of_cell(constraints.cells().size());
  for (std::size_t i = 0; i < losses.size(); ++i) {
    if (part.cell[i] >= 0) of_cell[static_cast<std::size_t>(part.cell[i])].add(losses[i]);
  }
  const double errors = static_cast<double>(constraints.gaps()) * static_cast<double>(looks);
  const double z = metrics::normal_quantile(1 - (1 - confidence) / errors);
  std::vector<double> bounds;
  for (std::int64_t i = 0; i < constraints.gaps(); ++i) {
    double gap = 0;
    double error = 0;
    for (std::size_t k = 0; k < of_cell.size(); ++k) {
      const double factor = constraints.factor(i, static_cast<std::int64_t>(k));
      if (factor == 0) continue;
      gap += factor * of_cell[k].mean;
      error += factor * factor * of_cell[k].error();
    }
    bounds.push_back(std::abs(gap) + z * std::sqrt(error));
  }
  return bounds;
}

}  // namespace fairfront::training
