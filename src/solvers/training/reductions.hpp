/// @file
/// Fair classification by reduction to weighted classification.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "base/options.hpp"
#include "models/rows.hpp"
#include "solvers/common/control.hpp"
#include "solvers/training/cost_learner.hpp"
#include "solvers/training/rate_constraints.hpp"
#include "solvers/training/rate_limits.hpp"

namespace fairfront::training {

/// How multipliers are looked for.
enum class Search {
  mixture,  ///< by the exponentiated gradient and the best mixture
  grid      ///< all points of a lattice
};

struct ReductionsOptions {
  RateKind rate = RateKind::demographic_parity;
  BoundOf bound_of = BoundOf::gap;
  double bound = 0.05;              ///< of what `bound_of` says, in [0, 1]
  double largest_multiplier = 100;  ///< B: the multipliers' sum is at most this, > 0
  double step = 2;                  ///< of the exponentiated gradient, > 0
  std::int64_t rounds = 50;         ///< at most, each of two fits
  double tolerance = 1e-3;          ///< of the duality gap, > 0
  double l2 = 1e-4;                 ///< of the learner, >= 0
  double learner_tolerance = 1e-6;  ///< of a logistic regression's gradient, > 0
  double learner_step = 0.004;      ///< of Adam, where the learner is a network, > 0
  std::int64_t batch = 32;          ///< rows of such a step
  Search search = Search::mixture;
  std::int64_t grid_size = 41;  ///< points of the lattice at most
  double grid_limit = 0.25;     ///< of the sum of a point's multipliers, > 0
};
[[nodiscard]] base::OptionTable options_of(ReductionsOptions& options);

/// Rows that are learnt from; views what must outlive it.
struct RateProblem {
  models::Rows rows;
  std::span<const double> labels;        ///< -1 or +1, of all rows of the matrix
  std::span<const std::int32_t> groups;  ///< of all rows of the matrix
  std::int64_t num_groups = 0;
};

/// Error, and the rate of every cell.
struct Rates {
  double error = 0;
  std::vector<double> of_cell;  ///< NaN of a cell without rows
};

/// Of expected decisions, each a probability of 1.
/// @param decisions  shape (rows.size(),).
[[nodiscard]] Rates rates_of(const RateProblem& problem, const RateCells& cells,
                             std::span<const double> decisions);

/// What the learner answers to a point of the lattice.
struct GridClassifier {
  std::vector<double> costs;  ///< of a rate of 1 in every cell, in errors: the multipliers by cell
  std::vector<double> w;
  Rates rates;
  std::int64_t evaluations = 0;  ///< that the answer took
};

struct ReductionsResult {
  /// Weights of the learner's model, a score that decides 1 from 0 on.
  std::vector<std::vector<double>> members;
  std::vector<double> shares;  ///< of the members in the randomised classifier
  std::vector<Rates> rates;    ///< of the members
  std::size_t best = 0;        ///< the deterministic one: least error within the bound; where none
                               ///< is within, the fairest
  double error = 0, gap = 0;   ///< of the randomised classifier
  double bounded = 0;          ///< of the same, what the bound is of: NaN where there is no ratio
  /// Of bounds on the worst group's error: the least that a mixture of the members reaches.
  double least_bound = std::numeric_limits<double>::quiet_NaN();
  double lower = 0;  ///< largest over multipliers of the least Lagrangian of a classifier found
  double duality_gap = 0;  ///< error + B excess of the randomised one, less `lower`
  std::int64_t rounds = 0;
  std::int64_t fits = 0;
  /// Of single rows: those of all fits, and one of every row for the decisions of each. Those of
  /// answers that were known count as if they had been found here.
  std::int64_t evaluations = 0;
  bool converged = false;            ///< duality_gap <= tolerance
  std::vector<GridClassifier> grid;  ///< of search = grid, the one without multipliers first
};

/// Exponentiated gradient of Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018), Algorithm 1,
/// for the inequalities of `bound_of` between all pairs of cells of an event (of a gap
/// |rate_a - rate_b| <= bound, of a ratio bound * rate_a <= rate_b), on a learner of weighted
/// labels. In every round the best mixture of all classifiers found is a linear program, the
/// multipliers of which get a best response as well. Ends at the tolerance, or where that program's
/// value has not fallen for ten rounds.
///
/// Both constant decisions are among the classifiers. The learner minimises a surrogate of the
/// weighted error, so that the best response to multipliers is the best of all classifiers found,
/// and `lower` bounds what the learner's answers can reach, not all of its scores. Deterministic.
/// Has checkpoints, behind every fit and within those of a network. Local.
///
/// A learner that is not exact, such as a network, begins every fit but the first, which has no
/// multipliers, from the weights of that one. Its answer may cost more than a classifier that is
/// known: that one is then the answer that the gradient follows.
///
/// With Search::grid the same paper's grid search (section 3.4) takes the place of the gradient:
/// the learner answers every point of a MultiplierLattice, from the weights without multipliers, so
/// that a classifier hangs on its multipliers alone, and the best one and the best mixture are
/// those of its answers. There are no constant decisions among them unless they are answers, and a
/// bound may be out of their reach.
///
/// Gaps and ratios are within any bound in some mixture of the constant decisions. The worst
/// group's error may not be: where no mixture of the members is within, the one returned has the
/// least largest error, and of those the least error.
///
/// @param known  of a grid: all that another call has left of the same rows and options, where only
/// a bound of gaps or of the worst group was another one; they are not fitted again.
/// @throws std::invalid_argument  an option out of range, errors bounded of a rate that is of none,
/// a cell without rows, or a grid of too few points: see require_grid().
/// @throws solvers::Interrupted  `control` wants a stop.
/// @throws base::CheckpointError  `control` has a state to go on from that is of another problem.
[[nodiscard]] ReductionsResult reductions(const RateProblem& problem, CostLearner& learner,
                                          const ReductionsOptions& options,
                                          const solvers::Control& control = {},
                                          std::span<const GridClassifier> known = {});
/// The same with the logistic regression that the options say.
[[nodiscard]] ReductionsResult reductions(const RateProblem& problem,
                                          const ReductionsOptions& options,
                                          const solvers::Control& control = {},
                                          std::span<const GridClassifier> known = {});

/// @throws std::invalid_argument  Search::grid with fewer points than one step to every side has.
void require_grid(const ReductionsOptions& options, std::int64_t groups);

/// Expected decisions of the randomised classifier. @param out  shape (rows.size(),).
/// @throws base::Interrupted
void expected_decisions(const models::Perceptron& model, const models::Rows& rows,
                        std::span<const std::vector<double>> members,
                        std::span<const double> shares, std::span<double> out);

}  // namespace fairfront::training
