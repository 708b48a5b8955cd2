/// @file
/// Linear scores from which a search for large AUCs begins. Internal to direct_auc().
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/ranking/exact_auc.hpp"
#include "solvers/ranking/linear_scores.hpp"

namespace fairfront::ranking {

/// Two scores that are not correlated, of one spread within the labels and the means apart.
struct ScorePlane {
  std::vector<double> first, second;
};

class ScoreStarts {
 public:
  /// @param exact  of one comparison; must outlive this.
  explicit ScoreStarts(const ExactAuc& exact);

  /// Of both; none where they are on a line or one of them is constant.
  [[nodiscard]] std::optional<ScorePlane> plane(const std::vector<double>& from,
                                                const std::vector<double>& by) const;
  /// That of the best surrogate and of what takes most of the difference of means from it, or some
  /// other one.
  [[nodiscard]] std::optional<ScorePlane> plane_of_means() const;

  /// The same whatever the data, but for the rank.
  [[nodiscard]] std::vector<double> any_direction(std::int64_t index) const;
  /// The best surrogate, but no constant score.
  [[nodiscard]] std::vector<double> best_surrogate() const;
  /// The optimum of the surrogate under its constraints, from the narrowest ones at 0 to none at 1.
  [[nodiscard]] std::vector<double> optimum(double at) const;
  /// The best surrogate without some features: those that most of its difference of means is of.
  [[nodiscard]] std::vector<double> without_features(std::int64_t count) const;

 private:
  const ExactAuc& exact_;
  double narrowest_kappa_, void_kappa_;
};

/// The bits of a number behind the binary point, the last one first: 0, 1/2, 1/4, 3/4, 1/8, ..., of
/// which every beginning fills [0, 1) evenly.
[[nodiscard]] double radical_inverse(std::int64_t number);

}  // namespace fairfront::ranking
