#include "solvers/clustering/lloyd.hpp"

#include <optional>
#include <vector>

#include "solvers/clustering/comparisons.hpp"
#include "solvers/clustering/starts.hpp"

namespace fairfront::clustering {
namespace {

/// Puts every point into the cluster of its nearest centre; ties leave it where it is.
template <class Label>
bool reassign(const Problem& problem, Solution<Label>& solution, NearClusters* near,
              const std::function<void()>& between) {
  constexpr std::int64_t points_between = 64;  // each with up to 65,536 centres
  bool changed = false;
  for (std::int64_t p = 0; p < problem.points(); ++p) {
    if (between && p % points_between == 0) between();
    const double* x = problem.point(p);
    const std::int64_t from = solution.partition.label(p);
    const std::int64_t to = near == nullptr ? solution.centres.nearest(x)
                                            : near->nearest_from(from, solution.centres, x);
    if (to == from ||
        !(solution.centres.squared_distance(to, x) < solution.centres.squared_distance(from, x))) {
      continue;
    }
    solution.partition.relabel(problem, p, static_cast<Label>(to));
    changed = true;
  }
  return changed;
}

template <class Label>
LloydResult best_of_runs(const Problem& problem, const LloydOptions& options, base::StreamKey key,
                         const solvers::Control& control) {
  Solution<Label> solution(problem);
  std::optional<Partition<Label>> best;
  LloydResult result;
  solvers::Heartbeat heart(control);
  const auto beat = [&heart] { heart.beat(); };
  for (std::int64_t run = 0; run < options.restarts; ++run) {
    base::Stream stream(key, static_cast<std::uint64_t>(run));
    solution.partition.assign(problem, kmeans_plus_plus_labels<Label>(problem, stream, beat));
    const LloydIterations done = lloyd_iterations(problem, solution, options.iterations, beat);
    result.iterations += done.count;
    result.comparisons += kmeans_plus_plus_comparisons(problem) + done.comparisons;
    control.tell(solvers::progress("run", run + 1, options.restarts));
    if (best && !(solution.partition.cost(problem) < best->cost(problem))) continue;
    best = solution.partition;
    result.fixed_point = done.fixed_point;
  }
  result.clustering = clustering_of(problem, *best);
  return result;
}

}  // namespace

base::OptionTable options_of(LloydOptions& options) {
  base::OptionTable table("lloyd");
  table
      .add("restarts", options.restarts, base::between<std::int64_t>(1, 1'000'000), "runs",
           "This many runs start from different k-means++ seeds; the cheapest is kept.")
      .add("iterations", options.iterations, base::between<std::int64_t>(1, 1'000'000'000), "",
           "A run makes at most this many iterations; it ends when no label changes.");
  return table;
}

template <class Label>
std::int64_t refill_empty_clusters(const Problem& problem, const Centres& centres,
                                   Partition<Label>& partition,
                                   const std::function<void()>& between) {
  std::int64_t comparisons = 0;
  for (std::int64_t k = 0; k < problem.clusters(); ++k) {
    if (partition.size(k) > 0) continue;
    if (between) between();
    comparisons += problem.points();
    std::int64_t farthest = -1;
    double greatest = 0;
    for (std::int64_t p = 0; p < problem.points(); ++p) {
      if (partition.size(partition.label(p)) == 1) continue;
      const double distance = centres.squared_distance(partition.label(p), problem.point(p));
      if (farthest >= 0 && !(distance > greatest)) continue;
      farthest = p;
      greatest = distance;
    }
    partition.relabel(problem, farthest, static_cast<Label>(k));
  }
  return comparisons;
}

template <class Label>
LloydIterations lloyd_iterations(const Problem& problem, Solution<Label>& solution,
                                 std::int64_t most, const std::function<void()>& between,
                                 NearClusters* near) {
  LloydIterations done;
  const std::int64_t nearby_before = near == nullptr ? 0 : near->comparisons();
  while (!done.fixed_point && done.count < most) {
    if (between) between();
    solution.set_exact_centres(problem);
    if (near != nullptr) near->update(solution.centres);
    done.fixed_point = !reassign(problem, solution, near, between);
    done.comparisons +=
        refill_empty_clusters(problem, solution.centres, solution.partition, between);
    ++done.count;
  }
  done.comparisons += near == nullptr ? done.count * comparisons_of_all(problem)
                                      : near->comparisons() - nearby_before;
  return done;
}

LloydResult lloyd(const Problem& problem, const LloydOptions& options, std::uint64_t seed,
                  const std::string& task_key, const solvers::Control& control) {
  base::validate(options);
  const base::StreamKey key(seed, task_key, "lloyd/start");
  return with_label_type(problem, [&]<class Label>(Label) {
    return best_of_runs<Label>(problem, options, key, control);
  });
}

template std::int64_t refill_empty_clusters(const Problem&, const Centres&,
                                            Partition<std::uint8_t>&, const std::function<void()>&);
template std::int64_t refill_empty_clusters(const Problem&, const Centres&,
                                            Partition<std::uint16_t>&,
                                            const std::function<void()>&);
template LloydIterations lloyd_iterations(const Problem&, Solution<std::uint8_t>&, std::int64_t,
                                          const std::function<void()>&, NearClusters*);
template LloydIterations lloyd_iterations(const Problem&, Solution<std::uint16_t>&, std::int64_t,
                                          const std::function<void()>&, NearClusters*);

}  // namespace fairfront::clustering
