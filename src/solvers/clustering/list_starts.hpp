/// @file
/// The start list of Pareto-front SAfairKM, and clusterings that are balanced from the start.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.hpp"
#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/problem.hpp"
#include "solvers/clustering/starts.hpp"

namespace fairfront::clustering {

/// Whether every level of every attribute has a member for each cluster: if not, the balance of
/// that attribute is 0 in all clusterings.
[[nodiscard]] bool can_be_balanced(const Problem& problem);

/// Random labels, the points of one group after the other dealt to the clusters in turn. Shape
/// (N,), in the problem's order; sizes, and the counts of every group, differ by at most one. So
/// the balance is about the greatest there is, and above 0 where every group has K members.
/// O(N).
template <class Label>
[[nodiscard]] std::vector<Label> dealt_labels(const Problem& problem, base::Stream& stream);

/// The labels of k-means++ seeds, changed by BalancedSearch::repair until the balance is at least
/// `share` of its bound. Shape (N,). Labels that are dealt where that does not end well, where
/// balances are not those of the groups, and where K K counts of pairs or so many rankings of the
/// points were too much (K > 4096).
/// @param share  in [0, 1].
template <class Label>
[[nodiscard]] CountedLabels<Label> balanced_labels(const Problem& problem, double share,
                                                   base::Stream& stream,
                                                   const Between& between = nullptr);

/// Entries by number: first those of the paper, half with random labels and half with k-means++
/// labels, then as many balanced ones as there are of the latter.
struct ListStarts {
  std::int64_t count = 30;  ///< of those of the paper
  RandomStart random_start = RandomStart::softmax;
  [[nodiscard]] std::int64_t balanced() const noexcept { return count - count / 2; }
};

/// Labels of entry `number`, shape (N,), in the problem's order. The balanced ones have shares 1 /
/// balanced(), .., 1 of the greatest balance.
/// @param number  0 .. count + balanced() - 1.
template <class Label>
[[nodiscard]] CountedLabels<Label> list_start(const Problem& problem, const ListStarts& starts,
                                              std::int64_t number, base::Stream& stream,
                                              const Between& between = nullptr);

}  // namespace fairfront::clustering
