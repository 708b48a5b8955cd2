#include "solvers/clustering/clustering.hpp"

#include <array>

#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"

namespace fairfront::clustering {

ClusteringFront front_of(const Problem& problem, std::vector<Clustering> all) {
  pareto::Points points(2);
  for (std::size_t i = 0; i < all.size(); ++i) {
    points.add(std::array{all[i].cost, 0.0 - all[i].balance}, i);
  }
  const pareto::Front front(points);
  ClusteringFront result;
  for (std::size_t i = 0; i < front.size(); ++i) {
    Clustering& member = all[front.origin(i)];
    result.points.push_back(member.cost);
    result.points.push_back(member.balance);
    result.labels.push_back(std::move(member.labels));
  }
  result.reference_cost = problem.total_variance();
  result.hypervolume = pareto::hypervolume(front, {result.reference_cost, 0.0});
  return result;
}

double problem_bytes(const Problem& problem) {
  return static_cast<double>(problem.points()) * static_cast<double>(problem.columns() + 4) *
         sizeof(double);
}

double labels_bytes(const Problem& problem) { return front_bytes(problem, 4); }

double front_bytes(const Problem& problem, std::int64_t clusterings) {
  return static_cast<double>(problem.points() * clusterings) * (problem.clusters() <= 256 ? 1 : 2);
}

}  // namespace fairfront::clustering
