/// @file
/// What a bound on groups' rates of decisions is of, as inequalities that are linear in the rates.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/options.hpp"
#include "solvers/training/rate_constraints.hpp"

namespace fairfront::training {

[[nodiscard]] std::vector<std::pair<std::string, BoundOf>> bound_of_names();
/// The option "bound_of".
void add_bound_of(base::OptionTable& table, BoundOf& field);

struct RateLimit {
  RateKind rate = RateKind::demographic_parity;
  BoundOf of = BoundOf::gap;
  double bound = 0.05;  ///< in [0, 1]
};

/// @param owner  such as "reductions".
/// @throws std::invalid_argument  errors are bounded of a rate that is of none.
void require_errors(const RateLimit& limit, std::string_view owner);

/// larger * rate[a] - smaller * rate[b] <= most.
struct RateInequality {
  std::size_t a = 0, b = 0;
  double larger = 1, smaller = 1;
  double most = 0;

  [[nodiscard]] double excess(std::span<const double> rates) const {
    return larger * rates[a] - smaller * rates[b] - most;
  }
};

/// All of them together are the limit: for every ordered pair of an event's cells, of a gap
/// rate[a] - rate[b] <= bound, of a ratio bound * rate[a] - rate[b] <= 0. The first are those of
/// Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018), section 2, between pairs; the second of
/// L. E. Celis, L. Huang, V. Keswani, N. K. Vishnoi (2019), "Classification with fairness
/// constraints: a meta-algorithm with provable guarantees", rule tau, which for the rate of
/// decisions 1 and 0.8 is the four-fifths rule. Of the worst group every cell's error is at most
/// the bound: bounded group loss, A. Agarwal, M. Dudik, Z. S. Wu (2019), "Fair regression:
/// quantitative definitions and reduction-based algorithms"; its least bound is the minimax group
/// error of E. Diana, W. Gill, M. Kearns, K. Kenthapadi, A. Roth (2021).
[[nodiscard]] std::vector<RateInequality> inequalities_of(const RateLimit& limit,
                                                          const RateCells& cells);

/// Smallest rate over the largest one of an event, the least of all events. An event whose rates
/// are all 0 has none; NaN where no event has one. Shape (cells.size(),).
[[nodiscard]] double smallest_ratio(const RateCells& cells, std::span<const double> rates);

/// Errors of a cell are its rate, or 1 less its rate where that is one of rows with label 1 decided
/// 1. Shape (cells.size(),).
[[nodiscard]] double largest_error(const RateCells& cells, std::span<const double> rates);

/// What the bound is of: the largest gap, or the smallest ratio, which may be NaN, or the largest
/// error.
[[nodiscard]] double bounded_value(BoundOf of, const RateCells& cells,
                                   std::span<const double> rates);
/// Whether such a value is within the bound; where there is no ratio, all rates are 0 and equal.
[[nodiscard]] bool keeps(const RateLimit& limit, double value);
/// What is counted in one order keeps a bound to the last bit, and may miss it in another one.
inline constexpr double bound_rounding = 1e-12;
/// The same to bound_rounding: of what a search that counts otherwise has found.
[[nodiscard]] bool keeps_to_rounding(const RateLimit& limit, double value);
/// The smaller, the fairer.
[[nodiscard]] double unfairness(BoundOf of, double value);

}  // namespace fairfront::training
