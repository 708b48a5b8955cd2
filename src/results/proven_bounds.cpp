#include "results/proven_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>

#include "base/text.hpp"

namespace fairfront::results {
namespace {

constexpr const char* experiment = "clustering";
constexpr const char* method = "lower_bound";
constexpr const char* option = "floor";
constexpr const char* metric = "cost_lower";

/// The method's option as the task has it.
std::optional<double> floor_of(const Content& content, std::size_t task) {
  const std::string name = std::string(method) + "." + option;
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (content.axes[a].name != name || place < 0) continue;
    return base::parse_double(content.axes[a].values[static_cast<std::size_t>(place)]);
  }
  for (const ConfigEntry& entry : content.config) {
    if (entry.section == method && entry.key == option) return base::parse_double(entry.value);
  }
  return std::nullopt;
}

/// Of a section that is no method's. Every method uses the seed on its own.
bool is_shared(const Content& content, const Axis& axis) {
  const auto dot = axis.name.find('.');
  if (dot == std::string::npos) return false;
  const std::string revision = axis.name.substr(0, dot) + "=";
  return std::ranges::none_of(content.revisions, [&](const std::string& of_method) {
    return of_method.starts_with(revision);
  });
}

double first_objective(const FrontGroup& group, std::size_t row) {
  return group.points[row * group.objectives.size()];
}

/// Calls work(row of the group) for the points of a task that reach a floor.
template <class Work>
void for_each_above(const FrontGroup& group, std::size_t task, double floor, Work&& work) {
  const std::size_t width = group.objectives.size();
  const auto last = static_cast<std::size_t>(group.offsets[task + 1]);
  for (auto row = static_cast<std::size_t>(group.offsets[task]); row < last; ++row) {
    if (group.points[row * width + 1] >= floor) work(row);
  }
}

/// The gap of a point of the task.
double gap_of(const FrontGroup& group, std::size_t task, std::size_t row, double lower) {
  const double largest = group.reference[task * group.objectives.size()];
  return relative_gap(first_objective(group, row), lower, largest);
}

}  // namespace

std::vector<ProvenBound> proven_bounds(const Content& content) {
  if (content.experiment != experiment) return {};
  const auto proven = std::ranges::find(content.metrics, std::string_view(metric),
                                        [](const Metric& column) { return column.what.name; });
  if (proven == content.metrics.end()) return {};
  std::vector<ProvenBound> bounds;
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    if (content.tasks.method[task] != method) continue;
    if (content.tasks.status[task] != TaskStatus::done) continue;
    const std::optional<double> floor = floor_of(content, task);
    if (floor && std::isfinite(proven->values[task])) {
      bounds.push_back({task, *floor, proven->values[task]});
    }
  }
  return bounds;
}

bool same_problem(const Content& content, std::size_t task, std::size_t other) {
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::vector<std::int32_t>& places = content.tasks.axis_index[a];
    if (places[task] != places[other] && is_shared(content, content.axes[a])) return false;
  }
  return true;
}

std::vector<ProvenPoint> proven_points(const Content& content, const FrontGroup& group,
                                       std::size_t task, const std::vector<ProvenBound>& bounds) {
  const auto first = static_cast<std::size_t>(group.offsets[task]);
  std::vector<ProvenPoint> points;
  for (const ProvenBound& bound : bounds) {
    if (!same_problem(content, task, bound.task)) continue;
    points.resize(static_cast<std::size_t>(group.offsets[task + 1]) - first);
    for_each_above(group, task, bound.floor, [&](std::size_t row) {
      double& lower = points[row - first].lower;
      lower = std::fmax(lower, bound.lower);
    });
  }
  for (std::size_t i = 0; i < points.size(); ++i) {
    points[i].gap = gap_of(group, task, first + i, points[i].lower);
  }
  return points;
}

double relative_gap(double value, double lower, double largest) {
  if (std::isnan(lower)) return lower;
  return value <= 0x1p-76 * largest ? 0 : (value - lower) / value;
}

std::optional<BestPoint> best_point(const Content& content, const ProvenBound& bound) {
  std::optional<BestPoint> best;
  for (const FrontGroup& group : content.fronts) {
    for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
      if (group.offsets[task] == group.offsets[task + 1]) continue;
      if (!same_problem(content, task, bound.task)) continue;
      for_each_above(group, task, bound.floor, [&](std::size_t row) {
        const double value = first_objective(group, row);
        if (!best || value < best->value) {
          best = {task, value, gap_of(group, task, row, bound.lower)};
        }
      });
    }
  }
  return best;
}

}  // namespace fairfront::results
