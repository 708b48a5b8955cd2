#include "results/choice_values.hpp"

#include <algorithm>
#include <cmath>

#include "data/split.hpp"
#include "results/measure_cells.hpp"
#include "results/stored_model.hpp"
#include "results/task_record.hpp"

namespace fairfront::results {
namespace {

/// Of all rows of a part.
Measured measured_of_all(const Measure& measure, std::size_t row, const std::string& name) {
  const auto all = std::ranges::find(measure.groups, MeasuredRows{}.group);
  const auto part = std::ranges::find(measure.parts, name);
  if (all == measure.groups.end() || part == measure.parts.end()) return {};
  const auto group = static_cast<std::size_t>(all - measure.groups.begin());
  const auto place = static_cast<std::size_t>(part - measure.parts.begin());
  return measured_at(measure, row, place * measure.groups.size() + group);
}

}  // namespace

PointValues::PointValues(const Content& content, const PointMeasures& points)
    : content_{content},
      points_{points},
      measures_{points.empty() ? content.measures : points.measures},
      roles_{part_roles_of(measures_, fronts_report(content.fronts))} {}

const Measure* PointValues::measure_called(const std::string& name) const {
  const auto found =
      std::ranges::find(measures_, name, [](const Measure& each) { return each.what.name; });
  return found == measures_.end() ? nullptr : &*found;
}

bool PointValues::tests_apart() const {
  return std::ranges::any_of(measures_, [](const Measure& measure) {
    return std::ranges::count(measure.parts, data::name_of(data::Part::choice)) > 0;
  });
}

std::vector<PointPlace> PointValues::places_of(const std::vector<std::size_t>& tasks) const {
  std::vector<PointPlace> places;
  for (const std::size_t task : tasks) {
    for (const FrontGroup& front : content_.fronts) {
      const auto count = static_cast<std::size_t>(front.offsets[task + 1] - front.offsets[task]);
      if (count == 0) continue;
      const bool has_measures = measures_are_of_point(content_, task);
      for (std::size_t point = 0; point < count; ++point) {
        places.push_back({&front, task, point, count, has_measures});
      }
    }
  }
  return places;
}

std::size_t PointValues::row_of(std::size_t task, std::size_t point) const {
  return points_.empty() ? task : points_.row.at({task, point});
}

bool PointValues::is_measured(const PointPlace& place) const {
  return points_.empty() ? place.has_measures : points_.row.contains({place.task, place.point});
}

ChoiceValue PointValues::of_measure(const PointPlace& place, const Measure& measure) const {
  const std::size_t row = row_of(place.task, place.point);
  ChoiceValue value{measured_of_all(measure, row, roles_.decides).value, {}, {}};
  // What decides is no news of other rows.
  if (roles_.reported != roles_.decides) {
    value.reported = measured_of_all(measure, row, roles_.reported);
  }
  if (roles_.tests != roles_.decides) value.tested = measured_of_all(measure, row, roles_.tests);
  return value;
}

ChoiceValue PointValues::of_objective(const PointPlace& place, std::size_t objective) const {
  const FrontGroup& front = *place.front;
  const std::size_t at = (static_cast<std::size_t>(front.offsets[place.task]) + place.point) *
                             front.objectives.size() +
                         objective;
  ChoiceValue value{.decided = front.points[at]};
  if (!front.report.empty()) value.reported.value = front.report[at];
  value.tested = value.reported;
  const Measure* const measure = measure_called(content_.fronts.front().objectives[objective].name);
  if (measure == nullptr || measure->parts.size() < 2 || !is_measured(place)) return value;
  const ChoiceValue measured = of_measure(place, *measure);
  if (measured.decided != value.decided) return value;
  const bool reports = !front.report.empty() && !std::isnan(value.reported.value);
  if (reports && measured.reported.value != value.reported.value) return value;
  return measured;
}

}  // namespace fairfront::results
