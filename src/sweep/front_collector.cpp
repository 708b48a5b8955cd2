#include "sweep/front_collector.hpp"

#include <algorithm>
#include <span>
#include <utility>

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
  return pareto::Front(points);
}

}  // namespace

void FrontCollector::add(std::int64_t task, const results::TaskFront& front) {
  if (front.points.empty()) return;
  const std::size_t width = schema_.objectives.size();
  const std::vector<double> values = results::minimised(front.points, schema_.objectives);
  pareto::Points points(width);
  for (std::size_t i = 0; i * width < values.size(); ++i) {
    points.add(std::span{values}.subspan(i * width, width), origin_of(task, i));
  }
  const pareto::Front own(points);
  const auto [place, is_new] = fronts_.try_emplace(plan_.configuration_of(task), own);
  if (!is_new) place->second = merge(place->second, own);
}

std::vector<results::MergedFront> FrontCollector::reduce(const parallel::Comm& world,
                                                         const results::Content& content) const {
  const parallel::FrontMerge operation;
  const pareto::Front none(std::max<std::size_t>(schema_.objectives.size(), 1));
  std::vector<pareto::Front> fronts;
  for (std::int64_t i = 0; i < plan_.num_configurations(); ++i) {
    const auto local = fronts_.find(i);
    fronts.push_back(
        merge_nondominated(world, operation, local == fronts_.end() ? none : local->second));
  }
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
