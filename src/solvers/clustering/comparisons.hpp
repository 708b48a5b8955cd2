/// @file
/// What methods of clustering spend: comparisons of rows with clusters.
#pragma once

#include <cstdint>
#include <vector>

#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// A comparison is one look at one row for one cluster: its squared distance to a centre, to a seed
/// that may become one or to a row that it may change places with, a product over its columns in
/// the place of such a distance, or one update of its membership. Counted is what is computed, so
/// clusters that bounds leave out are not; but candidates of a swap count one each, however few
/// distances decide among them, as those may depend on the vector width. Sums, counts, means,
/// costs, sorting and distances among centres take no comparison.
///
/// K comparisons are one evaluation: a row beside all clusters at one set of centres. Rounded up.
[[nodiscard]] inline std::int64_t evaluations_of(const Problem& problem,
                                                 std::int64_t comparisons) noexcept {
  return (comparisons + problem.clusters() - 1) / problem.clusters();
}

/// Whether a state may say so of a run, or of a part of one: more takes longer than anyone waits,
/// and sums of some thousands hold.
[[nodiscard]] inline bool may_be_comparisons(std::int64_t comparisons) noexcept {
  constexpr std::int64_t most = 1'000'000'000'000'000;
  return comparisons >= 0 && comparisons <= most;
}

/// Every row with every cluster, once.
[[nodiscard]] inline std::int64_t comparisons_of_all(const Problem& problem) noexcept {
  return problem.points() * problem.clusters();
}

/// Labels, shape (N,), and the comparisons that it took to find them.
template <class Label>
struct CountedLabels {
  std::vector<Label> labels;
  std::int64_t comparisons = 0;
};

}  // namespace fairfront::clustering
