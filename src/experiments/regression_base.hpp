/// @file
/// What post-processing stands on: predictions of the target and of the groups, by models fitted on
/// the training part or by columns of the table.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/supervised.hpp"
#include "experiments/load.hpp"
#include "models/base_models.hpp"
#include "models/fitted_model.hpp"
#include "solvers/common/recorder.hpp"
#include "sweep/experiment.hpp"

namespace fairfront::experiments {

/// @throws base::InputError  it does not hold.
void require(bool holds, std::string_view rule);

/// The [base] section: what post-processing stands on. Fitted on the training part, or columns.
struct BaseOptions {
  std::string eta;               ///< column; empty: least squares
  std::vector<std::string> tau;  ///< columns, in the order of the groups; empty: logistic
  double ridge = 0;
  double rank_tolerance = 1e-8;
  double deficient_ridge = 1e-14;
  double inverse_penalty = 1;  ///< C; 0: no penalty
  double tolerance = 1e-8;
};
[[nodiscard]] base::OptionTable options_of(BaseOptions& options);

using models::BaseModels;

/// What two base models say of all N rows; made once for data, split, preparation and [base].
struct BasePredictions {
  BaseOptions options;
  std::shared_ptr<const data::SupervisedSet> set;  ///< null where the predictions are columns
  BaseModels models;                               ///< of `set`
  /// Of both fits, after each: largest component of the gradient, and CPU seconds.
  solvers::Trace fits;
  /// Looks at training rows that the fits of the target and of the groups took; 0 of columns.
  std::int64_t target_evaluations = 0, group_evaluations = 0;
  data::Split split;                     ///< `validation` is the unlabelled part
  std::vector<double> label;             ///< shape (N,), the target
  std::vector<std::int32_t> group;       ///< shape (N,)
  std::vector<std::string> group_names;  ///< shape (K,)
  std::vector<double> eta;               ///< shape (N,), in the target's unit
  std::vector<double> tau;               ///< row-major, shape (N, K)
  models::TargetUnit unit;               ///< of the target in its table
  std::vector<data::GroupRule> group_rules;
  data::Provenance provenance;
  std::vector<std::string> warnings;

  [[nodiscard]] std::int64_t groups() const { return std::ssize(group_names); }
  /// What it takes to know, of so many rows, what the base model says of the target; or with that
  /// what it says of the groups. Of columns nothing.
  [[nodiscard]] std::int64_t evaluations_of_target(std::int64_t rows) const;
  [[nodiscard]] std::int64_t evaluations_of_both(std::int64_t rows) const;
};

/// Names of the columns that hold predictions: eta, then tau; empty where models are fitted.
[[nodiscard]] std::vector<std::string> prediction_columns(const BaseOptions& options);

/// @param tau  row-major, shape (N, K).
/// @return  the first row that holds no probabilities of the groups; N: none.
[[nodiscard]] std::size_t first_without_probabilities(std::span<const double> tau,
                                                      std::size_t groups);

/// The rows to which base models are fitted, or those of the columns that hold predictions.
/// @throws base::InputError
[[nodiscard]] sweep::PreparedRows base_rows(const sweep::Task& task,
                                            const sweep::RunContext& context);

/// From the sections [data], [split], [preparation] and [base], through the cache.
/// @throws base::InputError, std::invalid_argument
[[nodiscard]] std::shared_ptr<const BasePredictions> base_predictions(
    const sweep::Task& task, const sweep::RunContext& context);

}  // namespace fairfront::experiments
