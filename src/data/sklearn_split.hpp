/// @file
/// The parts that scikit-learn's train_test_split draws, because the papers' parts come from it.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace fairfront::data {

/// Two lists of rows 0 .. N-1, in the order of the draw.
struct TwoParts {
  std::vector<std::int64_t> train;
  std::vector<std::int64_t> test;
};

/// What sklearn.model_selection.train_test_split(test_size = share, stratify = stratum,
/// random_state = seed) returns: ceil(share N) rows are for the test, where share N is rounded as
/// doubles are: 0.07 of 100 rows are 8. With several strata the sizes
/// in each are what StratifiedShuffleSplit takes, ties of remainders drawn; with one stratum it is
/// a ShuffleSplit, as without `stratify`.
///
/// @param stratum  shape (N,): codes from 0.
/// @param share    in (0, 1).
/// @throws std::invalid_argument  a part would be empty, or a code is below 0.
[[nodiscard]] TwoParts sklearn_split(std::span<const std::int32_t> stratum, double share,
                                     std::uint32_t seed);

}  // namespace fairfront::data
