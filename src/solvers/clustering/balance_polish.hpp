/// @file
/// Making a clustering cheaper at the balance that it has.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/problem.hpp"

namespace fairfront::clustering {

/// Shape (J,).
[[nodiscard]] std::vector<std::int64_t> members_of_groups(const Problem& problem);

/// Moves and exchanges of BalancedSearch until none gains, and then, as long as they gain,
///
/// - the cheapest labels at the means of the clusters with the levels (see BalanceLimits) that they
///   have, and with one of them up to four rows higher, lower, or both of two, if there are few
///   clusters. Of given levels groups are transportation problems of their own (Transport), and new
///   means make what is found cheaper still;
/// - where clusters have few rows, means say little of what a row costs. There one member of a
///   group leaves every cluster, and they come back in the cheapest way: what a row costs that
///   comes to the others is known. In clusters with one member of the group these are the cheapest
///   labels for it, whatever the others are.
///
/// The cost never rises and the balance never falls. Deterministic.
template <class Label>
class BalancePolish {
 public:
  /// @param search  of what is polished; must outlive this.
  BalancePolish(const Problem& problem, BalancedSearch<Label>& search)
      : problem_{problem}, search_{search}, means_{problem} {}

  /// Whether a clustering takes so little work that all of a front may be polished.
  [[nodiscard]] static bool is_of_use(const Problem& problem) noexcept;

  /// Whether it is so small that rows are assigned to the means.
  [[nodiscard]] static bool can_assign(const Problem& problem) noexcept;

  /// Labels at a floor that the clustering of the search need not hold, cheap at its means: moves
  /// of single rows find no way to some floors that whole rows reach. Nothing where they reach
  /// none. Leaves the search as it is.
  [[nodiscard]] std::optional<std::vector<Label>> labels_at(double floor);

  /// The clustering of the search. @return whether it has changed.
  bool run();

  /// Of rows with clusters, besides those of the search.
  [[nodiscard]] std::int64_t comparisons() const noexcept { return comparisons_; }
  /// What has been done besides, in about the time of a comparison each.
  [[nodiscard]] std::int64_t other_work() const noexcept { return other_work_; }

 private:
  bool descend(double floor);
  bool assign_to_means(double floor);
  [[nodiscard]] std::vector<Label> labels_at_means(double floor, std::vector<std::int64_t> levels);
  void measure_squares();
  bool reseat();
  bool reseat(std::int64_t group, std::size_t place);
  [[nodiscard]] std::vector<std::vector<std::int64_t>> members_outside_in(std::int64_t group) const;
  void measure_seats(const std::vector<std::int64_t>& rows);
  bool take_if_cheaper(std::vector<Label> labels);
  [[nodiscard]] std::vector<Label> labels() const;

  const Problem& problem_;
  BalancedSearch<Label>& search_;
  Centres means_;
  std::vector<std::int64_t> steps_;  ///< squares of distances, shape (N, K), on a grid
  std::vector<double> seats_;        ///< shape (n, n): what a row costs in another's place
  std::int64_t comparisons_ = 0;
  std::int64_t other_work_ = 0;
};

extern template class BalancePolish<std::uint8_t>;
extern template class BalancePolish<std::uint16_t>;

}  // namespace fairfront::clustering
