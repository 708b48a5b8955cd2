/// @file
/// What is known of the points that can be chosen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/choice.hpp"
#include "results/content.hpp"
#include "results/part_roles.hpp"
#include "results/point_measures.hpp"

namespace fairfront::results {

/// A point that can be chosen, and the front that has it.
struct PointPlace {
  const FrontGroup* front = nullptr;
  std::size_t task = 0;
  std::size_t point = 0;     ///< of the task's front
  std::size_t of = 1;        ///< points that this front has
  bool has_measures = true;  ///< in the archive: those of its task are of its model
};

/// What fronts and measures say of points.
class PointValues {
 public:
  /// @param content, points  as of choose(); both must outlive it.
  PointValues(const Content& content, const PointMeasures& points);

  [[nodiscard]] const std::vector<Measure>& measures() const noexcept { return measures_; }
  [[nodiscard]] const PartRoles& roles() const noexcept { return roles_; }
  /// Null: none is called so.
  [[nodiscard]] const Measure* measure_called(const std::string& name) const;
  /// Whether there are rows for nothing but tests.
  [[nodiscard]] bool tests_apart() const;

  [[nodiscard]] std::vector<PointPlace> places_of(const std::vector<std::size_t>& tasks) const;
  /// Of the measures: the point's own, or its task's.
  [[nodiscard]] std::size_t row_of(std::size_t task, std::size_t point) const;
  /// Whether the measures are of it: what an archive has of a task is of one model, which need be
  /// none of its points, see measures_are_of_point().
  [[nodiscard]] bool is_measured(const PointPlace& place) const;
  [[nodiscard]] ChoiceValue of_measure(const PointPlace& place, const Measure& measure) const;
  /// A measure of the point of the same name that says the same of both parts has its intervals,
  /// and what else is measured.
  [[nodiscard]] ChoiceValue of_objective(const PointPlace& place, std::size_t objective) const;

 private:
  const Content& content_;
  const PointMeasures& points_;
  const std::vector<Measure>& measures_;
  PartRoles roles_;
};

}  // namespace fairfront::results
