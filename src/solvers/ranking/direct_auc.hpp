/// @file
/// The AUC of a linear score under a bound on the difference of two AUCs, searched directly: no
/// surrogate decides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "solvers/common/control.hpp"
#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::ranking {

struct DirectAucOptions {
  std::int64_t starts = 41;      ///< scores that are tried first, each on a curve of its own kind
  std::int64_t rounds = 3;       ///< of the local search, each with a narrower smoothing
  std::int64_t iterations = 40;  ///< of a round, at most
  double width = 0.5;            ///< of the first smoothing, over the spread of the start's scores
};
/// Adds the fields to the table of a section.
void add_options(base::OptionTable& table, DirectAucOptions& options);

struct DirectAucResult {
  std::vector<double> w;
  double auc = 0;                ///< of labels 1 and 0, of the given rows
  double difference = 0;         ///< AUC_1 - AUC_2 there
  double start_auc = 0;          ///< of the best score before the local search
  double least_difference = 1;   ///< |AUC_1 - AUC_2|, of all scores that were tried
  bool feasible = false;         ///< |difference| <= level
  std::int64_t evaluations = 0;  ///< of single rows: those of all scores that were tried
};

/// Maximises the AUC with |AUC_1 - AUC_2| <= level on the given rows. Of few rows and features
/// turned_search() does, by every step of the AUCs; what follows is of more.
///
/// A start is a point of a curve: of the half circle of scores in the plane of A0^+ d0, which knows
/// no fairness, and A0^+ d (two features: of all scores); of the path of the optima of the
/// surrogate under kappa; of a half circle from the best score so far over one without the features
/// that differ most between the groups, or over a random one. Where the difference passes the bound
/// between two points of a curve, bisection finds where; within the bound the AUC is mostly the
/// largest there. Negated scores have the same |difference| for every pair of AUCs, and 1 less the
/// AUC: of the two the better one counts, so that no AUC is below 1/2. What a start tries depends
/// on the starts before it alone.
///
/// L-BFGS goes on with smoothed AUCs, the step function of a pair replaced by a ramp of half-width
/// sigma, and a quadratic penalty: from the best of the first two starts, the score without
/// difference of means and four optima of the surrogate, of which each round leaves the better
/// half; and from the best of 400, 4,000, ... starts. Every round halves sigma, makes the penalty
/// ten times as heavy and the bound tighter by what was missed, and where it ends beyond the bound,
/// bisection goes back to the best score within. Where no start is within the bound, the score of
/// the least difference is first looked around. Of all scores seen the best feasible one by the
/// AUCs themselves is the result; if none is, that with the smallest difference. So more starts and
/// more rounds never give a worse one. A local method: no optimum is proved. O(n log n) for each
/// of its evaluations, each of which a checkpoint keeps. Deterministic. Local: never communicates.
/// @throws std::invalid_argument  an option out of range, a level not in [0, 1].
/// @throws solvers::Interrupted  `control` or the calling thread's StopScope wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] DirectAucResult direct_auc(const LinearScores& rows, const PairSets& pairs,
                                         const ExactAuc& exact, double level,
                                         const DirectAucOptions& options = {},
                                         const solvers::Control& control = {});

/// Rows by ascending score.
struct RowsByScore {
  /// @param order  of all rows.
  RowsByScore(std::span<const double> score, std::span<const std::int64_t> order,
              std::span<const std::uint8_t> cells);

  std::vector<std::int64_t> rows;
  std::vector<double> scores;
  std::vector<std::uint8_t> cells;  ///< empty: of a set of cells
};

/// Mean over all pairs of clamp((h - h' + sigma) / (2 sigma), 0, 1); the AUC for sigma -> 0.
class SmoothAuc {
 public:
  /// @param width  sigma > 0.
  SmoothAuc(const RowsByScore& rows, const PairSet& pair, double width);

  [[nodiscard]] double value() const noexcept { return value_; }
  /// slopes += factor times the gradient. O(n), from what the value has been computed with.
  void add_gradient(double factor, std::span<double> slopes) const;

 private:
  double width_;
  RowsByScore above_, below_;
  std::vector<double> within_;  ///< of each row above: pairs on the ramp
  double pairs_ = 0;            ///< 0: of a set with itself
  double value_ = 0.5;
};

}  // namespace fairfront::ranking
