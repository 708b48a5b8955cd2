/// @file
/// How sure a weighted sum of the shares of kinds of rows is, where some kinds are rare.
#pragma once

#include <span>

#include "metrics/measure.hpp"

namespace fairfront::metrics {

/// Rows of one kind, and what each of them adds to the sum.
struct WeightedRows {
  double rows = 0;  ///< a whole number >= 0
  double weight = 0;
};

/// Limits of the number of rows expected where `rows` of `of` are seen, each end wrong with about
/// `tail`: where P(more) + P(as many) / 2 is that (the mid-p limits of Lancaster, 1961, for
/// Clopper's and Pearson's, which miss less often than `tail`).
struct CountLimits {
  double low = 0;
  double high = 0;
};
/// O(sqrt(of)). @param rows, of  whole numbers, 0 <= rows <= of, of >= 1; 0 < tail < 1/2.
[[nodiscard]] CountLimits mid_p_limits(double rows, double of, double tail);

/// Around `value`, which moves by sum_k weight_k (n_k - E n_k) with the counts n_k of all kinds:
/// the limits of every count by the method of variance estimates recovery (Zou, Donner, 2008) with
/// the correlations of a multinomial, -sqrt(p_i p_j / ((1 - p_i) (1 - p_j))). Kinds of one weight
/// are one. Of many rows of each kind it is the normal interval; a kind that no row is of still
/// reaches as far as it may be there.
/// @param kinds  of at least one row in all, with weights that the rows' sum to 0.
[[nodiscard]] Interval multinomial_interval(double value, std::span<const WeightedRows> kinds,
                                            double tail);

}  // namespace fairfront::metrics
