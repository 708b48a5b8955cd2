/// @file
/// What the methods of the experiment `ranking` have in common: measures on all parts, and how far
/// a model is from the constraints and the optimum.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"
#include "models/fitted_model.hpp"
#include "solvers/ranking/score_rows.hpp"

namespace fairfront::experiments {

/// Whose methods and measures these are.
inline constexpr const char* ranking_paper = "Yao, Lin, Yang (2023)";

/// AUC, and the difference of AUCs that the problem's metric is about.
struct AucAndGap {
  double auc;
  double gap;
};
/// A model on the part that decides and on the one that reports.
struct OnBothParts {
  AucAndGap validation, test;
};
/// @param scores  shape (rows of the part,).
[[nodiscard]] AucAndGap auc_and_gap(const RankingProblem& problem, const RankingPart& part,
                                    std::span<const double> scores);

/// From weights to the scores of a part, shape (rows of the part,).
struct ModelScores {
  std::function<std::vector<double>(const RankingPart& part, std::span<const double> w)> of;
  models::ModelText text;  ///< of the same as a fitted model, but for its weights

  [[nodiscard]] std::vector<double> operator()(const RankingPart& part,
                                               std::span<const double> w) const {
    return of(part, w);
  }
};
/// That of RankingProblem::scores.
[[nodiscard]] ModelScores linear_scores(const RankingProblem& problem);

/// A model's scores of a part.
using PartScores = std::function<std::vector<double>(const RankingPart&)>;

/// Every measure of a model on every part, and whom ranking.metric tells apart most; on the test
/// part intervals, by a formula where there is one, and by the bootstrap if it is wanted.
/// @return what a front asks of the same scores.
OnBothParts add_measures(sweep::TaskResult& result, const RankingProblem& problem,
                         const PartScores& scores, const Resampling& resampling);

/// The measures of a task that has left this model.
/// @param key  of the task: the address of the draws of the bootstrap.
[[nodiscard]] results::Measures measures_of(const RankingProblem& problem,
                                            const sweep::Found& found, const std::string& key);

/// Adds to what the task tells its user.
void add_remark(sweep::TaskResult& result, const std::string& remark);

/// Euclidean.
[[nodiscard]] double norm_of(std::span<const double> w);

/// Measures of a model with the weights w, and their norm. @return as add_measures
OnBothParts add_model(sweep::TaskResult& result, const RankingProblem& problem,
                      const ModelScores& scores, std::span<const double> w,
                      const Resampling& resampling);

/// Measures of a linear score, and its surrogate losses on the training part.
/// @return as add_measures
OnBothParts add_linear(sweep::TaskResult& result, const RankingProblem& problem,
                       std::span<const double> w, const Resampling& resampling);

/// Surrogate losses on the training part.
template <ranking::ScoreRows Scores>
void add_losses(sweep::TaskResult& result, const ranking::SurrogateProblem<Scores>& problem,
                std::span<const double> w) {
  const ranking::Losses losses =
      ranking::losses_of(problem.rows.sums(w), problem.pairs, problem.surrogate);
  result.metrics["objective"] = losses.objective;
  result.metrics["excess"] = losses.excess(problem.kappa);
}

/// How far a linear score is from the exact optimum at kappa.
void add_distance_to_optimum(sweep::TaskResult& result, const RankingProblem& problem,
                             std::span<const double> w, double kappa);

/// The same for a method without a kappa, at the least one for which its score is feasible. Nothing
/// for a constant score, which no other one is compared with.
void add_distance_at_own_kappa(sweep::TaskResult& result, const RankingProblem& problem,
                               std::span<const double> w);

[[nodiscard]] std::vector<base::Quantity> ranking_objectives();
[[nodiscard]] sweep::Columns ranking_columns();  ///< of add_measures
/// Of add_measures, and the objective that is no measure by its name.
[[nodiscard]] std::vector<sweep::MeasuredQuantity> measures_of_ranking_points();
[[nodiscard]] sweep::Columns linear_columns();  ///< of add_linear
[[nodiscard]] sweep::Columns loss_columns();    ///< of add_model, add_losses
[[nodiscard]] sweep::Columns optimum_distance_columns();
[[nodiscard]] sweep::Columns own_kappa_columns();  ///< of add_distance_at_own_kappa
[[nodiscard]] sweep::Columns multiplier_columns();

/// Memory of the exact optimum's matrices, and of a task, in bytes.
[[nodiscard]] double bytes_of_moments(const RankingProblem& problem);
[[nodiscard]] double task_bytes(const RankingProblem& problem);

}  // namespace fairfront::experiments
