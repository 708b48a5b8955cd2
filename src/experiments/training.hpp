/// @file
/// Training of networks and linear scores under bounds on differences of losses or rates between
/// groups.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/supervised.hpp"
#include "experiments/family.hpp"
#include "metrics/measure.hpp"
#include "models/initialisation.hpp"
#include "models/perceptron.hpp"
#include "solvers/training/problem.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::experiments {

/// The [model] section.
struct NetworkOptions {
  std::vector<std::string> hidden{"64", "32"};  ///< units of each hidden layer
  models::Activation activation = models::Activation::relu;
  models::Initialisation initialisation = models::Initialisation::fan_in;
};
[[nodiscard]] base::OptionTable options_of(NetworkOptions& options);

/// The [training] section: what all methods share.
struct TrainingOptions {
  training::Fairness fairness = training::Fairness::loss_gap;
  std::optional<training::RateKind> rate;  ///< bounded in place of losses
  training::RateOf rate_of = training::RateOf::decisions;
  training::BoundOf bound_of = training::BoundOf::gap;
  double rate_width = 0.5;  ///< of the sigmoid whose slope stands for a decision's, > 0
  models::LossKind loss = models::LossKind::logistic;
  training::RunOptions run{};
};
[[nodiscard]] base::OptionTable options_of(TrainingOptions& options);

/// The rows of a part as measures see them.
struct TrainingPart {
  std::string_view name;      ///< train, validation, test, choice
  std::vector<double> label;  ///< 0 or 1, shape (n,)
  std::vector<std::int32_t> group;
};

class TrainingOptima;
struct UnconstrainedModels;
struct GridModels;

struct TrainingProblem {
  std::shared_ptr<const data::SupervisedSet> set;
  std::shared_ptr<const std::vector<double>> labels;  ///< -1 or +1, of all rows of the set
  NetworkOptions network;
  TrainingOptions options;
  training::Problem problem;
  training::Part choice;  ///< rows on which a choice is certified: no solver sees them
  std::array<TrainingPart, data::num_parts> parts;
  std::shared_ptr<TrainingOptima> optima;  ///< grow with what is asked of them
  std::shared_ptr<UnconstrainedModels> unconstrained;
  std::shared_ptr<GridModels> grids;

  [[nodiscard]] const training::Part& rows(data::Part part) const;
  /// Whether the model is a logistic regression, of which the optimum can be found.
  [[nodiscard]] bool is_logistic_regression() const;
  /// The part that decides: validation, or training where there is none.
  [[nodiscard]] data::Part deciding() const;
};

/// The same of the options of a task, where the optimum is found: and that it is not.
[[nodiscard]] base::Condition is_fitted_exactly();
[[nodiscard]] base::Condition is_trained();

/// What is bounded of every row, on a part: losses, or what rows add to rates. Shape (rows,).
[[nodiscard]] std::vector<double> bounded_values(const TrainingProblem& problem,
                                                 const training::Part& part,
                                                 std::span<const double> scores);

/// A cell in words: its group, and its label where it has one.
[[nodiscard]] std::string name_of(const training::Cell& cell, const data::SupervisedSet& set);

/// The family of methods of constrained training.
[[nodiscard]] Family<TrainingProblem> training_family();

}  // namespace fairfront::experiments
