#include "solvers/clustering/settled_clustering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <variant>

#include "base/error.hpp"
#include "base/index.hpp"
#include "solvers/clustering/balanced_search.hpp"

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

template <class Label>
class Settling {
 public:
  Settling(const Problem& problem, double floor, const std::function<void()>& between)
      : floor_{floor}, problem_{problem}, search_{problem, between} {}

  void take(const ClusteringFront& front, std::size_t which) {
    const auto& by_row = std::get<std::vector<Label>>(front.labels[which]);
    std::vector<Label> labels(by_row.size());
    for (std::int64_t p = 0; p < problem_.points(); ++p)
      labels[at(p)] = by_row[at(problem_.row(p))];
    search_.assign(labels);
    if (!search_.repair(floor_)) return;
    improve();
    const Partition<Label>& partition = search_.partition();
    const double cost = partition.cost(problem_);
    if (partition.has_empty_cluster() || (best_ && best_->cost <= cost)) return;
    best_ = {cost,
             partition.bottleneck().balance.value(),
             {partition.labels().begin(), partition.labels().end()}};
  }

  [[nodiscard]] const std::optional<SettledClustering>& best() const { return best_; }

 private:
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
};

}  // namespace

SettledClustering settle_front(const Problem& problem, const ClusteringFront& front, double floor,
                               const std::function<void()>& between) {
  return with_label_type(problem, [&]<class Label>(Label) {
    Settling<Label> settling(problem, floor, between);
    for (const std::size_t which : nearest(front, floor)) settling.take(front, which);
    if (!settling.best()) {
      throw base::InputError(
          fmt::format("no clustering with a balance of at least {} was found: {} into {} clusters "
                      "of whole rows may reach none",
                      floor, problem.describe(), problem.clusters()));
    }
    return *settling.best();
  });
}

}  // namespace fairfront::clustering
