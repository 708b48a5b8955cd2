/// @file
/// Ranking: a high AUC with little difference of AUCs between groups.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "data/supervised.hpp"
#include "experiments/family.hpp"
#include "metrics/declared_difference.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "models/indicator_rows.hpp"
#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/linear_scores.hpp"
#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::experiments {

/// The [ranking] section: what all methods share.
struct RankingOptions {
  /// Nothing: that which `difference` declares.
  std::optional<ranking::FairnessMetric> metric = ranking::FairnessMetric::group;
  metrics::DeclaredDifference difference{};
  double scale = 0.5;          ///< c1 of the surrogate
  double margin = 1;           ///< c2
  double radius_factor = 1.5;  ///< R over the norm of the exact optimum without constraints
  std::int64_t front_points = 64;
  double confidence = 0.95;    ///< of intervals
  std::int64_t resamples = 0;  ///< of the bootstrap; 0: none
  std::int64_t bootstrap_seed = 1;
};
[[nodiscard]] base::OptionTable options_of(RankingOptions& options);

/// The rows of a part as measures and selection see them.
struct RankingPart {
  std::string_view name;             ///< train, validation, test, choice
  std::vector<std::int64_t> rows{};  ///< of the data set, shape (n,)
  std::vector<double> label{};       ///< 0 or 1
  std::vector<std::int32_t> group{};
  models::IndicatorRows indicators{};  ///< of the rows in their order, or empty
};

struct RankingProblem {
  std::shared_ptr<const data::SupervisedSet> set;
  RankingOptions options;
  std::vector<ranking::Comparison> compared;  ///< by ranking.metric
  std::vector<metrics::AucSum> differences;   ///< the same, to be measured
  ranking::PairSets pairs;                    ///< the same, as pair losses
  ranking::LinearScores training;
  ranking::ExactAuc exact;
  RankingPart train, validation, test;
  RankingPart choice;  ///< rows on which a choice is certified; may be none
  double radius;       ///< R: of the ball of w
  double interval;     ///< I: of a, b and alpha

  [[nodiscard]] std::int64_t groups() const { return set->set.num_groups(); }

  /// w^T (x - mean of the training rows), shape (n,).
  [[nodiscard]] std::vector<double> scores(const RankingPart& part,
                                           std::span<const double> w) const;
};

/// The family of methods of ranking.
[[nodiscard]] Family<RankingProblem> ranking_family();

}  // namespace fairfront::experiments
