/// @file
/// Least squares under a bound on the mean squared error of every group: bounded group loss of A.
/// Agarwal, M. Dudik, S. Wu (2019), "Fair regression: quantitative definitions and reduction-based
/// algorithms", definition 2, solved exactly for linear predictions.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "models/rows.hpp"
#include "solvers/common/control.hpp"

namespace fairfront::regression {

struct GroupLossOptions {
  /// Penalty of |w|^2 in the loss, in units of the columns' standard deviations and the target's
  /// variance, > 0: with it the optimum is unique for any design.
  double ridge = 1e-6;
  /// Proven distance of the loss to the least one at which to end, over the loss; > 0.
  double tolerance = 1e-6;
  std::int64_t max_iterations = 2000;  ///< Newton steps, all together
};
/// @throws std::invalid_argument  a field out of range.
void validate(const GroupLossOptions& options);

/// Rows, their targets, and their groups in 0 .. groups-1, each of which has a row.
struct GroupLossRows {
  models::Rows rows;
  std::span<const double> target;       ///< by row number of the matrix behind `rows`
  std::span<const std::int32_t> group;  ///< likewise
  std::int64_t groups = 0;
};

/// Proven distance over the loss that is a result where rounding ends the method earlier than
/// asked.
inline constexpr double rounding_gap = 1e-6;

struct GroupLossResult {
  std::vector<double> weights;      ///< shape (1 + d,): the intercept first; in the target's unit
  std::vector<double> risks;        ///< shape (K,): mean squared errors, in the target's squared
  std::vector<double> multipliers;  ///< shape (K,), >= 0, of the bounds
  /// The penalised mean squared error of `weights`, or for least_largest() the largest of a group,
  /// and what that of no other weights within the bounds is below: proven by weak duality.
  double upper = 0;
  double lower = 0;
  std::int64_t iterations = 0;
  bool converged = false;  ///< upper - lower is within the tolerance
  /// Not converged, and upper - lower is within rounding_gap of the loss, or within 1e-14 of the
  /// target's variance: good for all that a mean squared error is used for.
  bool rounding = false;
};

/// min over w of risk(w) + ridge |w|^2 with risk_s(w) <= bound for every group s, a convex
/// quadratic program with quadratic constraints, by its dual in the K multipliers: for weights of
/// the groups the best w is that of a weighted least squares. The dual's barrier problems are
/// solved by Newton's method; at each optimum w is strictly feasible and its loss K mu above the
/// dual's value. One pass over the rows, then O(K d^2 + d^3) a step. A column that is constant
/// gets weight 0.
class BoundedGroupLoss {
 public:
  /// @throws std::invalid_argument  no rows, a group without a row, or an option out of range.
  BoundedGroupLoss(const GroupLossRows& rows, const GroupLossOptions& options = {});
  BoundedGroupLoss(BoundedGroupLoss&&) noexcept;
  BoundedGroupLoss& operator=(BoundedGroupLoss&&) noexcept;
  ~BoundedGroupLoss();

  /// Without bounds.
  [[nodiscard]] GroupLossResult unbounded() const;
  /// Minimises the largest risk of a group, penalised.
  /// @throws solvers::Interrupted  the control wants a stop.
  [[nodiscard]] GroupLossResult least_largest(const solvers::Control& control = {}) const;
  /// @param bound     of every group's risk, in the target's unit squared.
  /// @param feasible  what least_largest() has found; its largest risk is below `bound`.
  [[nodiscard]] GroupLossResult within(double bound, const GroupLossResult& feasible,
                                       const solvers::Control& control = {}) const;

 private:
  struct Moments;
  std::unique_ptr<const Moments> moments_;
  GroupLossOptions options_;
};

}  // namespace fairfront::regression
