/// @file
/// Starting clusterings of the list methods.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Called now and then in a long computation; may throw to end it.
using Between = std::function<void()>;

/// How random labels are drawn.
enum class RandomStart {
  softmax,   ///< z ~ N(0, I_K), labels iid from softmax(z): clusters of very unequal size
  by_group,  ///< every group draws its own label distribution, uniform on the simplex
};

/// Random labels. Shape (N,), in the problem's order, no cluster empty: an empty one takes a
/// random point of the largest.
template <class Label>
[[nodiscard]] std::vector<Label> random_labels(const Problem& problem, RandomStart kind,
                                               base::Stream& stream,
                                               const Between& between = nullptr);

/// Gives `count` points random labels: points drawn one by one, or every point when `count` is N.
/// @param labels  shape (N,), values below K. No cluster is left empty, as in random_labels.
template <class Label>
void relabel_points(const Problem& problem, std::vector<Label>& labels, std::int64_t count,
                    base::Stream& stream, const Between& between = nullptr);

/// Labels of the nearest of K seeds chosen by greedy k-means++ with 2 + floor(ln K) trials a seed
/// (Arthur and Vassilvitskii, 2007). Shape (N,); no cluster is empty, as every seed is nearest to
/// itself unless points coincide, and then as in random_labels.
/// O(N K d ln K).
template <class Label>
[[nodiscard]] std::vector<Label> kmeans_plus_plus_labels(const Problem& problem,
                                                         base::Stream& stream,
                                                         const Between& between = nullptr);
/// Of kmeans_plus_plus_labels: every row with the first seed, with those tried for each other one,
/// and with all seeds at the end.
[[nodiscard]] std::int64_t kmeans_plus_plus_comparisons(const Problem& problem);

}  // namespace fairfront::clustering
