/// @file
/// Methods of the experiment `regression` that solve the problem itself, [dp_exact] and [dp_lp],
/// and how far other methods are from it.
#pragma once

#include <map>
#include <span>
#include <vector>

#include "experiments/regression.hpp"
#include "solvers/common/stages.hpp"
#include "solvers/regression/dual.hpp"

namespace fairfront::experiments {

[[nodiscard]] Method<RegressionProblem> exact_method();
[[nodiscard]] Method<RegressionProblem> linear_program_method();

/// Work of so many exact solves, one after another, and of measuring the result.
[[nodiscard]] sweep::Work newton_work(const RegressionProblem& problem, double stages);

/// Whether a run is compared with the exact optimum.
enum class Compare { automatic, yes, no };
/// Adds the option `compare`.
void add_compare(base::OptionTable& table, Compare& compare);
[[nodiscard]] bool is_compared(const RegressionProblem& problem, Compare compare);

/// The least value of a dual, and what is proven of predictions within its bounds.
struct KnownOptimum {
  double value = 0;
  double loss_lower = 0;
  double loss_upper = 0;
  bool found = false;  ///< the least value; what is proven holds for any multipliers
};
template <solvers::MaybeConst<KnownOptimum> Self, class Visit>
void each_part(Self& self, Visit&& visit) {
  visit(self.value, self.loss_lower, self.loss_upper, self.found);
}

/// The optima of one problem's duals, each solved once: many optimisers are compared with them.
/// What comes back does not depend on what was asked for before.
class KnownOptima {
 public:
  /// @param dual    of the problem; only its epsilon differs from call to call.
  /// @param stages  of a run that wants to know: solving may be the last one of them.
  [[nodiscard]] KnownOptimum get(const regression::DualProblem& dual, solvers::Stages& stages);

 private:
  std::map<std::vector<double>, KnownOptimum> by_epsilon_;
};

/// Adds how far multipliers are from the optimum of their dual, and what no prediction within the
/// bounds can do better.
/// @param w       shape (2 K n,).
/// @param stages  of the run; this is the last one of them.
void add_distance_to_optimum(sweep::TaskResult& result, const RegressionProblem& problem,
                             const regression::DualProblem& dual, std::span<const double> w,
                             solvers::Stages& stages);
/// Of add_distance_to_optimum.
[[nodiscard]] sweep::Columns optimum_columns();

}  // namespace fairfront::experiments
