/// @file
/// What is proven of the least risk under demographic parity, and which bounds nothing can meet.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "solvers/regression/parity_dual.hpp"

namespace fairfront::regression {

/// A gap that exceeds its bound by no more keeps it.
inline constexpr double kept_bound = 1e-10;

/// Bounds below what any prediction can meet; with bounds on atoms the dual then falls without end
/// where all multipliers of the group grow together.
struct Infeasibility {
  std::int64_t group = 0;
  double least_epsilon = 0;  ///< of that group, see least_epsilons()
};
/// How small every group's bound may be: least_epsilon(), or of cumulative bounds |E_n[t_s]|, by
/// which the distribution function of the last atom differs whatever the prediction.
/// @return shape (K,).
[[nodiscard]] std::vector<double> least_epsilons(const PredictedRows& rows, const Grid& grid,
                                                 ParityBound bound);
/// The first group whose bound is infeasible, if any.
[[nodiscard]] std::optional<Infeasibility> infeasibility(const ParityDual& dual);
/// "group 1: epsilon = .. is infeasible, no prediction is below .. on these rows".
[[nodiscard]] std::string describe(const Infeasibility& what, double epsilon);

/// The dual of the linear program (3) at v: no prediction within the bounds has a smaller risk.
/// @param v  shape (dual.size(),).
[[nodiscard]] double lower_bound(const ParityDual& dual, const Eigen::VectorXd& v);

/// What is proven of the unregularised problem, min E r(pi) over all randomised predictions within
/// the bounds, on the rows of the dual.
struct Certificate {
  double lower = 0;   ///< no prediction within the bounds has a smaller risk
  double upper = 0;   ///< risk of the softmax of v, mixed with a prediction inside the bounds
  double share = 0;   ///< of that prediction in the mixture, in [0, 1]
  double risk = 0;    ///< of the softmax alone
  double excess = 0;  ///< by how much the softmax exceeds the bounds at most, >= 0
  [[nodiscard]] double gap() const noexcept { return upper - lower; }
  /// Over `upper`; 0 where that is 0.
  [[nodiscard]] double relative_gap() const noexcept { return upper > 0 ? gap() / upper : 0; }
};
/// What becomes of a softmax that exceeds the bounds: it is moved inside by small changes, where
/// that can be, or mixed with a prediction inside in any case.
enum class Excess { moved, mixed };
/// For any v and beta. `lower` is the dual of the linear program (3) at v. A softmax that exceeds
/// the bounds is moved inside by the smallest changes of its probabilities, or mixed with a
/// prediction inside, the uniform one, or the best constant for cumulative bounds. Bounds count as
/// kept up to 1e-10.
/// @param near  a prediction, shape (N, n), that takes the softmax's place in `upper` where it is
///              better inside the bounds and differs from it by no more than 1e-3 in the mean over
///              rows of the sum over atoms; rows need not add up to 1 exactly. Empty: none.
[[nodiscard]] Certificate certify(const ParityDual& dual, const Eigen::VectorXd& v, double beta,
                                  Excess excess = Excess::moved, std::span<const double> near = {});

}  // namespace fairfront::regression
