/// @file
/// What a run with a `delta` is asked to keep, by training.bound_of, and what is said where it does
/// not.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "experiments/training.hpp"
#include "solvers/common/control.hpp"
#include "solvers/training/rate_limits.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// A ratio is part of the constraints: its runs have a problem of their own, a copy in all but
/// these and views of the rows. All others share the problem. Keeps a reference.
class AskedBound {
 public:
  AskedBound(const TrainingProblem& problem, double delta);

  [[nodiscard]] const training::Problem& problem() const { return own_ ? *own_ : shared_; }
  /// What its constraints bound every |d| by.
  [[nodiscard]] double delta() const { return own_ ? 1 : asked_; }
  /// As the option has it.
  [[nodiscard]] double asked() const { return asked_; }
  /// What the measure `gap` may be.
  [[nodiscard]] double most_gap() const { return own_ ? 1 - asked_ : asked_; }
  [[nodiscard]] training::BoundOf of() const { return shared_.constraints.bound_of(); }

 private:
  const training::Problem& shared_;
  double asked_;
  std::optional<training::Problem> own_;
};

/// @throws base::InputError  training.bound_of is of what training.rate or training.fairness is
/// not.
void check_bound_of(const TrainingOptions& options);
/// @param section  of the method.
/// @throws base::InputError  `delta` is no ratio where one is asked for.
void check_delta(const TrainingProblem& problem, const std::string& section, double delta);

/// What is kept of a bound on the worst group, and a remark where a bound with one side is not kept
/// on the training part.
/// @param least_bound  known to be kept by some linear score; NaN: that of the result.
void add_kept_bound(sweep::TaskResult& result, const AskedBound& asked, double least_bound);

/// Measure `rate_ratio` or `rate_worst_error`, by the decisions of a score, where the bound is of
/// these.
/// @param scores_of  a part's rows.
void add_bounded_rates(sweep::TaskResult& result, const TrainingProblem& problem,
                       const std::function<std::vector<double>(data::Part which)>& scores_of);
/// What `delta` bounds of rates.
[[nodiscard]] training::RateLimit bounded_rate(const TrainingOptions& options, double delta);
/// The same of a task with these findings, and what is measured of its draw, if it has one.
[[nodiscard]] results::Measures bounded_rates_of(const TrainingProblem& problem,
                                                 const results::Findings& findings);
/// Of both.
[[nodiscard]] sweep::Columns kept_bound_columns();

}  // namespace fairfront::experiments
