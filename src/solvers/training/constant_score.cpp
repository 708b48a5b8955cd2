#include "solvers/training/constant_score.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "base/elementary.hpp"
#include "models/loss.hpp"
#include "solvers/training/cell_values.hpp"

namespace fairfront::training {
namespace {

/// Shares of label 1: of all rows, and of each cell.
struct Shares {
  double all = 0;
  std::vector<double> cells;
};
Shares shares_of(const Problem& problem) {
  const Part& part = problem.train;
  Shares shares{0, std::vector<double>(part.of_cell.size(), 0.0)};
  for (std::size_t i = 0; i < part.rows.size(); ++i) {
    if (!(problem.labels[static_cast<std::size_t>(part.rows[i])] > 0)) continue;
    shares.all += 1;
    if (part.cell[i] >= 0) shares.cells[static_cast<std::size_t>(part.cell[i])] += 1;
  }
  shares.all /= static_cast<double>(part.size());
  for (std::size_t k = 0; k < shares.cells.size(); ++k) {
    shares.cells[k] /= static_cast<double>(part.of_cell[k].size());
  }
  return shares;
}

/// Of all constant scores, the one with the smallest loss.
double best_constant(models::LossKind loss, double share) {
  constexpr double most = 20;  // where there is one label only, the best score has no end
  switch (loss) {
    case models::LossKind::logistic:
      return share <= 0   ? -most
             : share >= 1 ? most
                          : std::clamp(base::log(share / (1 - share)), -most, most);
    case models::LossKind::square:
      return 2 * share - 1;
    case models::LossKind::hinge:
      break;
  }
  return share < 0.5 ? -1 : 1;
}

}  // namespace

ConstantScore best_constant_score(const Problem& problem, double bound,
                                  std::span<const double> offset, EqualRates equal) {
  const Shares shares = shares_of(problem);
  const double best = best_constant(problem.loss, shares.all);
  std::vector<double> losses(2), cells(shares.cells.size()), values(2),
      gaps(static_cast<std::size_t>(problem.constraints.gaps()));
  // The loss is convex along the way to 0: the farther from there, the better.
  constexpr int tries = 200;
  ConstantScore least{.gap = std::numeric_limits<double>::infinity()};
  for (int k = tries;; --k) {
    const double score = best * k / tries;
    const std::vector scores{score, score}, labels{1.0, -1.0};
    models::loss_values(problem.loss, scores, labels, losses);
    cell_values(problem, scores, labels, values);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      cells[c] = shares.cells[c] * values[0] + (1 - shares.cells[c]) * values[1];
      if (!offset.empty()) cells[c] += offset[c];
    }
    problem.constraints.gaps_of(cells, gaps);
    const double gap = equal == EqualRates::keep_ratios
                           ? problem.constraints.largest_gap(cells, gaps)
                           : largest_size(gaps);
    const ConstantScore tried{score, shares.all * losses[0] + (1 - shares.all) * losses[1], gap};
    if (gap < least.gap) least = tried;
    if (gap <= bound) return tried;
    if (k == 0) return problem.constraints.has_one_side() ? least : tried;
  }
}

}  // namespace fairfront::training
