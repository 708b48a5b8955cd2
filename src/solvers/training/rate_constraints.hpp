/// @file
/// Bounds on differences of groups' rates of decisions, under the names that audits use.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace fairfront::training {

enum class RateKind {
  demographic_parity,   ///< P(decision 1) of a group
  equal_opportunity,    ///< the same of its rows with label 1
  predictive_equality,  ///< of its rows with label 0
  equalised_odds,       ///< both
  error_rate_parity     ///< P(decision differs from the label) of a group
};
/// The kinds by the names that options have for them.
[[nodiscard]] std::vector<std::pair<std::string, RateKind>> rate_names();

/// The measure of single decisions that is the largest difference of two groups' rates.
[[nodiscard]] std::string_view gap_measure_of(RateKind kind) noexcept;

/// Of what the rates are shares: of decisions, 1 where a score is at least 0, or means of
/// probabilities, the sigmoids of scores.
enum class RateOf { decisions, probabilities };

/// What of groups' rates or mean losses is bounded.
enum class BoundOf {
  gap,         ///< largest of a group less the smallest, at most the bound
  ratio,       ///< smallest rate of a group over the largest, at least the bound
  worst_group  ///< largest mean loss of a group, or error on the rows that the rate is of, at most
};

/// Rates that constraints bound.
struct RateBound {
  RateKind kind = RateKind::demographic_parity;
  RateOf of = RateOf::decisions;
  /// Of the sigmoid whose slope stands for that of a decision, in units of the score, > 0.
  double width = 0.5;
  bool operator==(const RateBound&) const = default;
};

/// The rates of a kind are means over cells of rows; every row is in one cell or in none. Only
/// cells of one event (one label, for equalised odds) are compared, every pair of them.
class RateCells {
 public:
  RateCells(RateKind kind, std::int64_t groups) : kind_{kind}, groups_{groups} {}

  [[nodiscard]] std::int64_t events() const noexcept { return events_of(kind_); }
  [[nodiscard]] static std::int64_t events_of(RateKind kind) noexcept {
    return kind == RateKind::equalised_odds ? 2 : 1;
  }
  [[nodiscard]] std::int64_t groups() const noexcept { return groups_; }
  /// events() * groups(), an event's cells side by side.
  [[nodiscard]] std::int64_t size() const noexcept { return events() * groups_; }
  /// -1: in none.
  [[nodiscard]] std::int64_t cell_of(std::int64_t group, bool positive) const noexcept;
  /// How much a decision of 1 adds to what the rate is the mean of, less a decision of 0: -1 or 1.
  [[nodiscard]] double slope(bool positive) const noexcept { return slope_of(kind_, positive); }
  [[nodiscard]] static double slope_of(RateKind kind, bool positive) noexcept {
    return kind == RateKind::error_rate_parity && positive ? -1 : 1;
  }
  /// What a row with decision 0 adds.
  [[nodiscard]] double at_zero(bool positive) const noexcept { return at_zero_of(kind_, positive); }
  [[nodiscard]] static double at_zero_of(RateKind kind, bool positive) noexcept {
    return kind == RateKind::error_rate_parity && positive ? 1 : 0;
  }
  /// Whether the rate of a cell is of right decisions: of rows with label 1 decided 1.
  [[nodiscard]] bool is_of_hits(std::int64_t cell) const noexcept;
  /// Rows that a cell is made of, in words such as "label 1"; empty: all of its group.
  [[nodiscard]] std::string condition(std::int64_t cell) const;

 private:
  RateKind kind_;
  std::int64_t groups_;
};

/// Largest difference of the rates of two cells of an event; at least 0. Shape (cells.size(),).
[[nodiscard]] double largest_gap(const RateCells& cells, std::span<const double> rates);

}  // namespace fairfront::training
