#include "sweep/front_collector.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "parallel/agree.hpp"
#include "parallel/reduce_front.hpp"
#include "results/merged_fronts.hpp"

namespace fairfront::sweep {
namespace {

// Task and place in its front as one number, in the order of the archive's rows.
constexpr unsigned place_bits = 32;

std::uint64_t origin_of(std::int64_t task, std::uint64_t place) {
  return static_cast<std::uint64_t>(task) << place_bits | place;
}

/// The same front with rows of the group's points as origins.
pareto::Front with_rows(const pareto::Front& front, const results::FrontGroup& group) {
  pareto::Points points(front.objectives());
  points.reserve(front.size());
  for (std::size_t i = 0; i < front.size(); ++i) {
    const std::uint64_t origin = front.origin(i);
    const auto first = group.offsets[static_cast<std::size_t>(origin >> place_bits)];
    const std::uint64_t place = origin & ((std::uint64_t{1} << place_bits) - 1);
    points.add(front[i], static_cast<std::uint64_t>(first) + place);
  }
  return pareto::Front::of_ordered(points);  // rows of tasks ascend with the tasks
}

}  // namespace

void FrontCollector::Gathered::settle() {
  front = merge(front, pareto::Front(waiting));
  waiting.clear();
}

void FrontCollector::add(std::int64_t task, const results::TaskFront& front) {
  if (front.points.empty()) return;
  constexpr std::size_t least = 256;  // fewer points are not worth a merge
  const std::size_t width = schema_.objectives.size();
  const std::vector<double> values = results::minimised(front.points, schema_.objectives);
  Gathered& gathered = gathered_
                           .try_emplace(plan_.configuration_of(task),
                                        Gathered{pareto::Front(width), pareto::Points(width)})
                           .first->second;
  for (std::size_t i = 0; i * width < values.size(); ++i) {
    gathered.waiting.add(std::span{values}.subspan(i * width, width), origin_of(task, i));
  }
  if (gathered.waiting.size() >= std::max(gathered.front.size(), least)) gathered.settle();
}

std::vector<results::MergedFront> FrontCollector::reduce(const parallel::Comm& world,
                                                         const results::Content& content) {
  const pareto::Front none(std::max<std::size_t>(schema_.objectives.size(), 1));
  std::vector<pareto::Front> fronts;
  parallel::agree(world, "merging fronts", [&] {
    fronts.assign(static_cast<std::size_t>(plan_.num_configurations()), none);
    for (auto& [configuration, gathered] : gathered_) {
      gathered.settle();
      fronts[static_cast<std::size_t>(configuration)] = std::move(gathered.front);
    }
    gathered_.clear();
  });
  fronts = merge_nondominated_on_root(world, std::move(fronts));
  std::vector<results::MergedFront> merged;
  for (const results::FrontGroup& group : content.fronts) {
    std::vector<pareto::Front> own;
    for (std::size_t i = 0; i < fronts.size(); ++i) {
      const bool mine = plan_.method_of_configuration(static_cast<std::int64_t>(i)) == group.name;
      own.push_back(mine ? with_rows(fronts[i], group) : none);
    }
    merged.push_back(results::merged_front(group, content.tasks, own));
  }
  return merged;
}

}  // namespace fairfront::sweep
