/// @file
/// Selection on the validation part and report on the test part, for the methods of the experiment
/// `ranking`.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "experiments/method.hpp"
#include "experiments/ranking.hpp"
#include "experiments/ranking_results.hpp"
#include "pareto/front.hpp"
#include "solvers/common/control.hpp"
#include "solvers/common/packing.hpp"
#include "solvers/ranking/score_rows.hpp"

namespace fairfront::experiments {

/// The models of a run that no other one beats in both AUC and gap on the validation part. For any
/// level of the gap the best AUC among them is the best of all models seen.
class SelectedModels {
 public:
  SelectedModels(const RankingProblem& problem, ModelScores scores)
      : problem_{problem}, scores_{std::move(scores)} {}

  /// Tries a model on the validation part. @param solution  what makes the model.
  void look(std::span<const double> solution);
  /// @param of_validation  of the model. @param of_test  the same, where it is known already.
  void add(const AucAndGap& of_validation, std::span<const double> solution,
           const std::optional<AucAndGap>& of_test = {});

  /// Front and solutions of a task: at most RankingOptions::front_points. After what was measured:
  /// it is no solution of its own where it is the front's only point.
  void put_into(sweep::TaskResult& result) const;

  /// The model with the best AUC of those with a gap up to `bound`, on both parts. That there is
  /// none is a result, too: `feasible` is 0.
  void put_best(sweep::TaskResult& result, double level) const;

  /// What makes that model; where there is none, the one with the smallest gap. After add() or
  /// look(). Valid until the next one.
  [[nodiscard]] std::span<const double> nearest_to_level(double level) const;

  /// Of both the part that tells of the validation part alone: all that a trial is chosen by.
  [[nodiscard]] sweep::TaskResult of_trial(double level) const;

  void pack(solvers::Packer& packer) const;
  /// @throws base::CheckpointError
  void unpack(solvers::Unpacker& unpacker);

 private:
  struct Model {
    AucAndGap value;
    std::vector<double> solution;
    std::optional<AucAndGap> of_test = {};  ///< none: not measured yet
  };
  [[nodiscard]] AucAndGap on_test(const Model& model) const;
  [[nodiscard]] pareto::Front front() const;  ///< minus AUC and gap, after thinning
  [[nodiscard]] const Model* best_within(double level) const;  ///< null: there is none

  const RankingProblem& problem_;
  ModelScores scores_;
  std::vector<Model> models_;
};

/// Iterates of a solver that are tried as it goes on: what was selected so far is kept with the
/// solver's checkpoints.
class IterateLooks {
 public:
  /// @param every  steps; 0: iterates are not tried. @param control  the task's; both outlive this.
  IterateLooks(SelectedModels& selected, std::int64_t every, const solvers::Control& control);

  [[nodiscard]] const ranking::IterateWatch& watch() const { return watch_; }
  [[nodiscard]] const solvers::Control& control() const { return control_; }

 private:
  ranking::IterateWatch watch_;
  solvers::Control control_;
};

[[nodiscard]] sweep::Columns front_columns();  ///< of SelectedModels::put_into
[[nodiscard]] sweep::Columns best_columns();   ///< of SelectedModels::put_best

/// `bound`: the largest value of the gap on the validation part.
void add_level(base::OptionTable& table, double& level);

}  // namespace fairfront::experiments
