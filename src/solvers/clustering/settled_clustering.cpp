#include "solvers/clustering/settled_clustering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/balanced_assignment.hpp"
#include "solvers/clustering/balanced_search.hpp"
#include "solvers/clustering/centres.hpp"
#include "solvers/clustering/comparisons.hpp"

namespace fairfront::clustering {
namespace {

using base::at;

/// The points of a front next to the floor: the first ones above it, then the last ones below.
std::vector<std::size_t> nearest(const ClusteringFront& front, double floor) {
  constexpr std::size_t most = 10;  // on either side
  std::size_t above = 0;
  while (above < front.labels.size() && front.points[2 * above + 1] < floor) ++above;
  std::vector<std::size_t> order;
  for (std::size_t i = above; i < std::min(above + most, front.labels.size()); ++i) {
    order.push_back(i);
  }
  for (std::size_t i = above; i > above - std::min(above, most); --i) order.push_back(i - 1);
  return order;
}

/// Rows times clusters of which that takes no longer than seconds.
constexpr std::int64_t most_by_counts = 1'000'000;

template <class Label>
class Settling {
 public:
  Settling(const Problem& problem, double floor, const std::function<void()>& between)
      : floor_{floor}, problem_{problem}, search_{problem, between} {}

  void take(const ClusteringFront& front, std::size_t which) {
    search_.assign(labels_of(front, which));
    if (search_.repair(floor_)) keep();
  }

  /// Moves of single rows find no way to some floors. What is asked of the counts of all clusters
  /// at once is found from the means of these ones.
  void take_by_counts(const ClusteringFront& front, std::size_t which) {
    search_.assign(labels_of(front, which));
    const auto labels = assigned_to_means();
    if (!labels) return;
    search_.assign(*labels);
    if (search_.repair(floor_)) keep();
  }

  [[nodiscard]] const std::optional<SettledClustering>& best() const { return best_; }
  /// The same, of which there must be one, with all that it took.
  [[nodiscard]] SettledClustering take_best() {
    best_->comparisons = comparisons_ + search_.comparisons();
    return *std::move(best_);
  }

 private:
  [[nodiscard]] std::vector<Label> labels_of(const ClusteringFront& front,
                                             std::size_t which) const {
    const auto& by_row = std::get<std::vector<Label>>(front.labels[which]);
    std::vector<Label> labels(by_row.size());
    for (std::int64_t p = 0; p < problem_.points(); ++p)
      labels[at(p)] = by_row[at(problem_.row(p))];
    return labels;
  }

  /// The labels of rows next to the means of the clusters, among those at the floor; nothing if
  /// none are found.
  [[nodiscard]] std::optional<std::vector<Label>> assigned_to_means() {
    comparisons_ += comparisons_of_all(problem_);
    Centres means(problem_);
    for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
      search_.partition().mean(problem_, k, means);
    }
    std::vector<double> squares;
    std::vector<std::int32_t> group;
    for (std::int64_t p = 0; p < problem_.points(); ++p) {
      for (std::int64_t k = 0; k < problem_.clusters(); ++k) {
        squares.push_back(means.squared_distance(k, problem_.point(p)));
      }
      group.push_back(static_cast<std::int32_t>(problem_.group_of(p)));
    }
    // As much below the floor as the search takes for rounding.
    const double least = std::max(0.0, floor_ - 1e-9 / static_cast<double>(problem_.points()));
    try {
      const BalancedAssignment found =
          assign_within_balance(squares, group, problem_.groups(), problem_.clusters(),
                                {.balance = least, .max_nodes = 1});
      return std::vector<Label>(found.labels.begin(), found.labels.end());
    } catch (const base::InputError&) {
      return std::nullopt;
    }
  }

  void keep() {
    improve();
    const Partition<Label>& partition = search_.partition();
    const double cost = partition.cost(problem_);
    if (partition.has_empty_cluster() || (best_ && best_->cost <= cost)) return;
    best_ = {cost,
             partition.bottleneck().balance.value(),
             {partition.labels().begin(), partition.labels().end()},
             0};
  }

  void improve() {
    constexpr int most_passes = 100;
    for (int pass = 0; pass < most_passes; ++pass) {
      const bool moved = search_.move_points(floor_);
      if (!search_.exchange_points() && !moved) return;
    }
  }

  double floor_;
  const Problem& problem_;
  BalancedSearch<Label> search_;
  std::optional<SettledClustering> best_;
  std::int64_t comparisons_ = 0;  ///< without those of the search
};

}  // namespace

SettledClustering settle_front(const Problem& problem, const ClusteringFront& front, double floor,
                               const std::function<void()>& between) {
  return with_label_type(problem, [&]<class Label>(Label) {
    Settling<Label> settling(problem, floor, between);
    const std::vector<std::size_t> order = nearest(front, floor);
    for (const std::size_t which : order) settling.take(front, which);
    if (!settling.best() && problem.points() * problem.clusters() <= most_by_counts) {
      for (const std::size_t which : order) settling.take_by_counts(front, which);
    }
    if (!settling.best()) {
      throw base::InputError(
          fmt::format("no clustering with a balance of at least {} was found: {} into {} clusters "
                      "of whole rows may reach none",
                      floor, problem.describe(), problem.clusters()));
    }
    return settling.take_best();
  });
}

}  // namespace fairfront::clustering
