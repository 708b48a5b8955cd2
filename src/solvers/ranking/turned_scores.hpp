/// @file
/// The AUCs of all scores between two: of few rows they are step functions with few steps.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "solvers/ranking/pair_loss.hpp"

namespace fairfront::ranking {

/// Scores in one order.
struct Stretch {
  double middle = 0;        ///< of them: (1 - middle) left + middle right
  bool is_negated = false;  ///< the AUCs are those of the negated scores, which rank better
  double auc = 0;           ///< of labels 1 and 0, 1/2 at least
  double difference = 0;    ///< AUC_1 - AUC_2
};

/// On the way from one score to another two rows change their order once at most. So the AUCs of
/// all scores between are counted from one change to the next: they are those that auc_of() has,
/// to the last bit, but for rows whose scores differ by rounding alone.
class TurnedScores {
 public:
  /// @param pairs  those of one comparison.
  TurnedScores(std::span<const std::uint8_t> cells, const PairSets& pairs);

  /// From `left` to `right`, both excluded. O(n log n) for n rows and the pairs that change their
  /// order, which are n^2 / 2 at most.
  /// @param left, right  scores of all rows.
  [[nodiscard]] std::vector<Stretch> between(std::span<const double> left,
                                             std::span<const double> right) const;

 private:
  /// Of each counted AUC: of the labels, AUC_1, AUC_2.
  using HalfWins = std::array<std::int64_t, 3>;
  struct Turn;

  [[nodiscard]] HalfWins half_wins_behind(std::span<const std::int64_t> order,
                                          std::span<const double> left,
                                          std::span<const double> right) const;
  [[nodiscard]] std::vector<Turn> turns(std::vector<std::int64_t> order,
                                        std::span<const double> left,
                                        std::span<const double> right) const;

  std::vector<std::uint8_t> cells_;
  std::array<PairSet, 3> sets_{};
  HalfWins most_half_wins_{};  ///< 0: of a set with itself
  /// Of a row that comes to be above another one, by the cells of both.
  std::vector<std::array<std::int8_t, 3>> changes_;
};

}  // namespace fairfront::ranking
