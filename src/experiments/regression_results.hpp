/// @file
/// What the methods of the experiment `regression` have in common: slack of the constraints,
/// prediction rules, measures of a prediction on both parts.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/method.hpp"
#include "experiments/regression.hpp"
#include "metrics/randomised.hpp"
#include "models/fitted_regression.hpp"
#include "solvers/regression/parity_dual.hpp"

namespace fairfront::experiments {

using models::PredictionRule;

/// Whose methods and measures these are.
inline constexpr const char* regression_paper = "Chzhen, Hebiri, Taturyan (2024)";

/// What methods with constraints on every atom have in common.
struct SlackOptions {
  double epsilon = 0x1p-6;                   ///< |P(Y = q | s) - P(Y = q)| <= epsilon
  std::vector<std::string> epsilon_factors;  ///< by group; empty: 1 for all
  PredictionRule rule = PredictionRule::randomised;
};
/// Adds the fields to the table of a section.
void describe(base::OptionTable& table, SlackOptions& options);
/// Adds the prediction rule alone.
void add_rule(base::OptionTable& table, PredictionRule& rule);
/// @throws base::InputError  factors that are no numbers >= 0, one for each group.
void validate_for(const RegressionProblem& problem, const SlackOptions& options);

/// The slack of every group, shape (K,).
[[nodiscard]] std::vector<double> slack_of(const RegressionProblem& problem,
                                           const SlackOptions& options);

/// The same, for such bounds.
/// @throws base::InputError  no prediction keeps the slack: says from where on one does.
[[nodiscard]] std::vector<double> feasible_slack_of(const RegressionProblem& problem,
                                                    const SlackOptions& options,
                                                    regression::ParityBound bound);

/// The dual on the unlabelled part, which `problem` must outlive.
/// @throws base::InputError  no prediction keeps the slack: says from where on one does.
[[nodiscard]] regression::DualProblem dual_of(const RegressionProblem& problem,
                                              const SlackOptions& options);

/// Fills a row's probabilities of the atoms, shape (n,).
using Distribution =
    std::function<void(const RegressionPart& part, std::int64_t row, std::span<double> pi)>;

/// The text of a fitted model: of the multipliers that are the solution `multipliers`.
[[nodiscard]] std::string soft_model(double beta, PredictionRule rule);

/// Metrics of the family on both parts, the front's point, and the solutions that show how the
/// groups' predictions are distributed.
/// @param atoms  shape (n,), ascending, in the target's unit.
[[nodiscard]] sweep::TaskResult result_of(const RegressionProblem& problem,
                                          std::span<const double> atoms,
                                          const Distribution& distribution, PredictionRule rule,
                                          const Resampling& resampling);

/// What a fitted model reads of a row of a part: its features, or the columns that predict.
[[nodiscard]] std::vector<double> features_of(const RegressionProblem& problem,
                                              const RegressionPart& part, std::int64_t row);

/// Of the rows of a part, shape (rows,), in the target's unit.
using CertainPredictions = std::function<std::vector<double>(const RegressionPart& part)>;

/// The same for predictions without randomness, of any value.
[[nodiscard]] sweep::TaskResult result_of(const RegressionProblem& problem,
                                          const CertainPredictions& predictions,
                                          const Resampling& resampling);

/// The same for multipliers of the dual, with what is known of them: gradient map, excess of the
/// constraints, value, and the multipliers themselves.
/// @param w  shape (2 K n,).
[[nodiscard]] sweep::TaskResult result_of(const RegressionProblem& problem,
                                          const regression::DualProblem& dual,
                                          std::span<const double> w, PredictionRule rule,
                                          const Resampling& resampling);

/// The measures of a task that has left this model.
/// @param key  of the task: the address of the draws of the bootstrap.
[[nodiscard]] results::Measures measures_of(const RegressionProblem& problem,
                                            const sweep::Found& found, const std::string& key);

[[nodiscard]] std::vector<base::Quantity> regression_objectives();
/// Of result_of a prediction.
[[nodiscard]] sweep::Columns regression_columns();
/// Of result_of multipliers, beside them.
[[nodiscard]] sweep::Columns dual_columns();

/// Risk and Kolmogorov-Smirnov distance to all rows of a randomised prediction on a part.
struct RiskAndDistance {
  double risk;
  double distance;
};
[[nodiscard]] RiskAndDistance risk_and_distance(const RegressionProblem& problem,
                                                const RegressionPart& part,
                                                const regression::SoftPrediction& prediction,
                                                std::span<const double> w);

/// Memory of a task, in bytes, and the rows that measuring takes.
[[nodiscard]] double task_bytes(const RegressionProblem& problem);
[[nodiscard]] double measured_rows(const RegressionProblem& problem);

}  // namespace fairfront::experiments
