#include "solvers/training/constant_score.hpp"

#include <algorithm>
#include <array>
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

/// Scores of either sign, by their size: decisions know but the sign, losses want the size as well.
std::vector<double> other_constants() {
  constexpr double most = 20, ratio = 0.92;
  constexpr int sizes = 120;
  std::vector<double> scores;
  double size = most;
  for (int k = 0; k < sizes; ++k, size *= ratio) {
    scores.push_back(-size);
    scores.push_back(size);
  }
  return scores;
}

/// What a constant score makes of the training part.
class Constants {
 public:
  Constants(const Problem& problem, std::span<const double> offset, EqualRates equal)
      : problem_{problem},
        offset_{offset},
        equal_{equal},
        shares_{shares_of(problem)},
        cells_(shares_.cells.size()),
        gaps_(static_cast<std::size_t>(problem.constraints.gaps())) {}

  [[nodiscard]] double share_of_ones() const { return shares_.all; }

  [[nodiscard]] ConstantScore at(double score) {
    const std::array<double, 2> scores{score, score}, labels{1, -1};
    std::array<double, 2> losses{}, values{};
    models::loss_values(problem_.loss, scores, labels, losses);
    cell_values(problem_, scores, labels, values);
    for (std::size_t c = 0; c < cells_.size(); ++c) {
      cells_[c] = shares_.cells[c] * values[0] + (1 - shares_.cells[c]) * values[1];
      if (!offset_.empty()) cells_[c] += offset_[c];
    }
    problem_.constraints.gaps_of(cells_, gaps_);
    const double gap = equal_ == EqualRates::keep_ratios
                           ? problem_.constraints.largest_gap(cells_, gaps_)
                           : largest_size(gaps_);
    return {score, shares_.all * losses[0] + (1 - shares_.all) * losses[1], gap};
  }

 private:
  const Problem& problem_;
  std::span<const double> offset_;
  EqualRates equal_;
  Shares shares_;
  std::vector<double> cells_, gaps_;
};

/// Whether `tried` is to be preferred: within the bound the smaller loss counts, beyond it the gap.
bool is_preferred(const ConstantScore& tried, const ConstantScore& to, double bound) {
  const double of_tried = std::max(tried.gap, bound), of_other = std::max(to.gap, bound);
  return of_tried < of_other || (of_tried == of_other && tried.loss < to.loss);
}

}  // namespace

ConstantScore best_constant_score(const Problem& problem, double bound,
                                  std::span<const double> offset, EqualRates equal) {
  Constants constants(problem, offset, equal);
  const double best = best_constant(problem.loss, constants.share_of_ones());
  // The loss is convex along the way to 0: the farther from there, the better.
  constexpr int tries = 200;
  ConstantScore least{.gap = std::numeric_limits<double>::infinity()};
  for (int k = tries; k >= 0; --k) {
    const ConstantScore tried = constants.at(best * k / tries);
    if (tried.gap <= bound) return tried;
    if (tried.gap < least.gap) least = tried;
  }
  if (!problem.constraints.has_one_side()) return constants.at(0);
  for (const double score : other_constants()) {
    const ConstantScore tried = constants.at(score);
    if (is_preferred(tried, least, bound)) least = tried;
  }
  return least;
}

}  // namespace fairfront::training
