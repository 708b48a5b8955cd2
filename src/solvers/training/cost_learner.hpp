/// @file
/// What answers costs of decisions: the learners of a reduction.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "models/mixed_rows.hpp"
#include "models/perceptron.hpp"
#include "models/rows.hpp"
#include "solvers/common/control.hpp"
#include "solvers/training/problem.hpp"
#include "solvers/training/samples.hpp"
#include "solvers/training/train.hpp"

namespace fairfront::training {

/// Costs of decisions as a classification of rows that weigh differently, by row number of the
/// matrix.
struct WeightedLabels {
  std::span<const double> labels;   ///< -1 or +1: the decision that costs less
  std::span<const double> weights;  ///< what the other one costs more, >= 0, not all of them 0
};

/// What a learner has made of weighted labels.
struct CostFit {
  std::vector<double> w;
  std::int64_t evaluations = 0;  ///< of single rows, as RunOptions::budget counts them
};

/// Fits scores that decide 1 from 0 on to weighted labels.
class CostLearner {
 public:
  virtual ~CostLearner() = default;
  CostLearner(const CostLearner&) = delete;
  CostLearner& operator=(const CostLearner&) = delete;

  /// Says how the weights that it fits are read.
  [[nodiscard]] const models::Perceptron& model() const noexcept { return model_; }
  /// Whether an answer is the optimum of what the learner minimises, wherever it began.
  [[nodiscard]] virtual bool is_exact() const = 0;
  /// @param start   weights to begin from; empty: those of nothing learnt yet.
  /// @param number  of the draws: fits of one number draw the same, of two different ones not.
  /// @param control  of this fit, which goes on from its checkpoint.
  [[nodiscard]] virtual CostFit fit(const WeightedLabels& target, std::span<const double> start,
                                    std::int64_t number, const solvers::Control& control) = 0;

 protected:
  explicit CostLearner(models::Perceptron model) : model_{std::move(model)} {}

 private:
  models::Perceptron model_;
};

/// Weighted logistic regression, to its optimum. Draws nothing.
class LogisticLearner final : public CostLearner {
 public:
  /// @param rows  views what must outlive the learner.
  LogisticLearner(const models::Rows& rows, double l2, double tolerance)
      : CostLearner{{rows.columns(), {}, models::Activation::relu}},
        rows_{rows},
        l2_{l2},
        tolerance_{tolerance} {}

  [[nodiscard]] bool is_exact() const override { return true; }
  [[nodiscard]] CostFit fit(const WeightedLabels& target, std::span<const double> start,
                            std::int64_t number, const solvers::Control& control) override;

 private:
  models::Rows rows_;
  std::optional<models::MixedRows> mixed_;  ///< of rows_, from the first fit on
  double l2_, tolerance_;
};

struct NetworkLearnerOptions {
  double l2 = 1e-4;     ///< half of it times the squared weights is added to the mean loss, >= 0
  double step = 0.004;  ///< of Adam over the first half of a fit; falls to 0
  std::int64_t batch = 32;  ///< rows of a step
};

/// A network, by steps of Adam on the mean of weight * loss, the weights scaled to a mean of 1. The
/// first fit may spend the whole allowance of the run options, each that goes on from other weights
/// a part of it: `later_share`.
class NetworkLearner final : public CostLearner {
 public:
  static constexpr double later_share = 0.25;

  /// @param problem  the training part and the loss are what is learnt from; labels and constraints
  ///                 are not looked at.
  /// @param first    weights that fits begin from where nothing is learnt yet.
  /// @throws std::invalid_argument  run options without a bound.
  NetworkLearner(const Problem& problem, const NetworkLearnerOptions& options, Address address,
                 std::vector<double> first, const RunOptions& run);

  [[nodiscard]] bool is_exact() const override { return false; }
  /// @throws std::domain_error  the run has diverged.
  [[nodiscard]] CostFit fit(const WeightedLabels& target, std::span<const double> start,
                            std::int64_t number, const solvers::Control& control) override;

 private:
  Problem problem_;  ///< whose labels are `labels_`
  NetworkLearnerOptions options_;
  Address address_;
  std::vector<double> first_;
  RunOptions run_;
  std::vector<double> labels_;
};

/// What a fit that goes on from other weights may spend.
[[nodiscard]] RunOptions later_fit(const RunOptions& run);

}  // namespace fairfront::training
