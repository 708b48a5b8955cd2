#include "results/yardstick.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/text.hpp"
#include "pareto/front.hpp"
#include "pareto/hypervolume.hpp"
#include "results/measure_cells.hpp"
#include "results/part_roles.hpp"
#include "results/proven_bounds.hpp"

namespace fairfront::results {
namespace {

constexpr std::string_view randomised_form = "randomised_";
constexpr double rounding = 1e-12;  // of errors and gaps

/// The measures that are the gaps of rates, by the names that options have for these.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> gap_of_rate{
    {{"demographic_parity", "independence_gap"},
     {"equal_opportunity", "true_positive_gap"},
     {"predictive_equality", "false_positive_gap"},
     {"equalised_odds", "separation_gap"},
     {"error_rate_parity", "error_gap"}}};

/// "section.option" as the task has it; "" where it has none.
std::string option_of(const Content& content, std::size_t task, const std::string& name) {
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    const std::int32_t place = content.tasks.axis_index[a][task];
    if (content.axes[a].name != name) continue;
    return place < 0 ? "" : content.axes[a].values[static_cast<std::size_t>(place)];
  }
  for (const ConfigEntry& entry : content.config) {
    if (entry.section + "." + entry.key == name) return entry.value;
  }
  return "";
}

/// What a task's method bounds: its own rate, or that of all methods.
std::string rate_of(const Content& content, std::size_t task) {
  const std::string own = option_of(content, task, content.tasks.method[task] + ".rate");
  return own.empty() ? option_of(content, task, "training.rate") : own;
}

/// Its own, or that of all methods; of archives that know no other bounds the gap.
std::string bound_of(const Content& content, std::size_t task) {
  std::string of = option_of(content, task, content.tasks.method[task] + ".bound_of");
  if (of.empty()) of = option_of(content, task, "training.bound_of");
  return of.empty() ? "gap" : of;
}

/// What two methods must have in common, and the measure of it.
struct Bounded {
  std::string rate, of;
  std::string measure{};  ///< without the form; "" where none is known
  bool is_ratio = false;
  bool operator==(const Bounded&) const = default;
};

Bounded bounded_by(const Content& content, std::size_t task) {
  Bounded found{.rate = rate_of(content, task), .of = bound_of(content, task)};
  const auto gap = std::ranges::find(gap_of_rate, found.rate,
                                     &std::pair<std::string_view, std::string_view>::first);
  if (gap == gap_of_rate.end()) return found;
  found.is_ratio = found.of == "ratio";
  found.measure = found.is_ratio              ? "rate_ratio"
                  : found.of == "worst_group" ? "rate_worst_error"
                                              : gap->second;
  return found;
}

/// Whether two tasks have the same replicate: seed and split. A method that draws nothing has none.
bool same_replicate(const Content& content, std::size_t task, std::size_t other) {
  for (std::size_t a = 0; a < content.axes.size(); ++a) {
    if (content.axes[a].name.find('.') != std::string::npos) continue;
    const std::int32_t mine = content.tasks.axis_index[a][task];
    const std::int32_t its = content.tasks.axis_index[a][other];
    if (mine >= 0 && its >= 0 && mine != its) return false;
  }
  return true;
}

/// Of all rows of a part; NaN where it is not known.
double value_at(const Content& content, const std::string& name, const std::string& part,
                std::size_t task) {
  for (const Measure& measure : content.measures) {
    if (measure.what.name != name) continue;
    for (std::size_t cell = 0; cell < count_cells(measure); ++cell) {
      const MeasuredRows rows = rows_of_cell(measure, cell);
      if (rows == MeasuredRows{part}) return measured_at(measure, task, cell).value;
    }
  }
  return std::nan("");
}

/// Those of the tasks that have both.
std::vector<ErrorAndGap> points_of(const Content& content, const std::vector<std::size_t>& tasks,
                                   const std::string& form, const Bounded& bounded,
                                   const std::string& part) {
  std::vector<ErrorAndGap> points;
  for (const std::size_t task : tasks) {
    const double value = value_at(content, form + bounded.measure, part, task);
    const ErrorAndGap point{value_at(content, form + "error", part, task),
                            bounded.is_ratio ? 1 - value : value};
    if (std::isfinite(point.error) && std::isfinite(point.gap)) points.push_back(point);
  }
  return points;
}

double hypervolume_of_points(const std::vector<ErrorAndGap>& points) {
  pareto::Points all(2);
  for (std::size_t i = 0; i < points.size(); ++i) {
    all.add(std::array{points[i].error, points[i].gap}, i);
  }
  return pareto::hypervolume(pareto::Front(all), std::array{1.0, 1.0});
}

/// Adds one replicate.
void add_to(BesideYardstick& sums, const std::vector<ErrorAndGap>& points,
            const std::vector<ErrorAndGap>& yardstick, bool draws) {
  sums.hypervolume += hypervolume_of_points(points);
  sums.yardstick += hypervolume_of_points(yardstick);
  for (const ErrorAndGap& point : points) {
    ++sums.points;
    const std::optional<double> known = yardstick_error(yardstick, point.gap, draws);
    if (!known || !(point.error > *known + rounding)) continue;
    ++sums.worse;
    sums.excess = std::max(sums.excess, point.error - *known);
  }
}

/// Tasks of one replicate along the trade-off.
using Curves = std::map<std::int32_t, std::vector<std::size_t>>;

/// Curves by configuration, in the order of their first tasks.
std::vector<Curves> curves_of(const Content& content) {
  std::map<std::int32_t, std::size_t> place;
  std::vector<Curves> all;
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    if (content.tasks.status[task] != TaskStatus::done) continue;
    const auto [found, is_new] = place.emplace(content.tasks.configuration[task], all.size());
    if (is_new) all.emplace_back();
    all[found->second][content.tasks.curve[task]].push_back(task);
  }
  return all;
}

/// The yardstick's tasks for a task of another method.
std::vector<std::size_t> yardstick_tasks(const Content& content, std::size_t task,
                                         const Bounded& bounded) {
  std::vector<std::size_t> found;
  for (std::size_t other = 0; other < content.tasks.key.size(); ++other) {
    if (content.tasks.method[other] == yardstick_method &&
        content.tasks.status[other] == TaskStatus::done && bounded_by(content, other) == bounded &&
        same_problem(content, task, other) && same_replicate(content, task, other)) {
      found.push_back(other);
    }
  }
  return found;
}

/// One configuration of a method.
std::optional<ComparedFront> compared(const Content& content, const Curves& curves,
                                      bool randomised) {
  const std::size_t first = curves.begin()->second.front();
  const Bounded bounded = bounded_by(content, first);
  if (bounded.measure.empty()) return std::nullopt;
  ComparedFront front{
      .first_task = first, .randomised = randomised, .rate = bounded.rate, .bound_of = bounded.of};
  const std::string form{randomised ? randomised_form : ""};
  const PartRoles roles = part_roles_of(content.measures, fronts_report(content.fronts));
  front.decides.part = roles.decides;
  if (!roles.reported.empty() && roles.reported != roles.decides)
    front.reported.part = roles.reported;
  for (const auto& [curve, tasks] : curves) {
    const auto beside = yardstick_tasks(content, tasks.front(), bounded);
    bool counts = false;
    for (BesideYardstick* part : {&front.decides, &front.reported}) {
      const auto points = points_of(content, tasks, form, bounded, part->part);
      const auto yardstick = points_of(content, beside, "", bounded, part->part);
      if (points.empty() || yardstick.empty()) continue;
      add_to(*part, points, yardstick, !bounded.is_ratio);
      counts = true;
    }
    front.replicates += counts ? 1 : 0;
  }
  if (front.replicates == 0) return std::nullopt;
  for (BesideYardstick* part : {&front.decides, &front.reported}) {
    part->hypervolume /= static_cast<double>(front.replicates);
    part->yardstick /= static_cast<double>(front.replicates);
  }
  return front;
}

std::string text_of_part(const BesideYardstick& part) {
  return fmt::format(
      "on the {} part (at {} of {} points an error that is larger at the same gap, by up to "
      "{:.3g}; "
      "hypervolume {:.4f} against {:.4f})",
      part.part, part.worse, part.points, part.excess, part.hypervolume, part.yardstick);
}

}  // namespace

std::optional<double> yardstick_error(const std::vector<ErrorAndGap>& yardstick, double gap,
                                      bool draws) {
  std::optional<double> least;
  const auto take = [&](double error) { least = least ? std::min(*least, error) : error; };
  for (const ErrorAndGap& low : yardstick) {
    if (low.gap > gap + rounding) continue;
    take(low.error);
    if (!draws) continue;
    for (const ErrorAndGap& high : yardstick) {
      if (high.gap <= gap + rounding) continue;
      const double share = std::max(gap - low.gap, 0.0) / (high.gap - low.gap);
      take(low.error + share * (high.error - low.error));
    }
  }
  return least;
}

std::string bounded_text(const ComparedFront& front) {
  return front.bound_of == "gap" ? front.rate : fmt::format("{}, {}", front.rate, front.bound_of);
}

std::vector<ComparedFront> compared_with_yardstick(const Content& content) {
  std::vector<ComparedFront> all;
  if (content.experiment != "training") return all;
  for (const Curves& curves : curves_of(content)) {
    if (content.tasks.method[curves.begin()->second.front()] == yardstick_method) continue;
    for (const bool randomised : {false, true}) {
      if (auto front = compared(content, curves, randomised)) all.push_back(std::move(*front));
    }
  }
  return all;
}

std::string remark_on(const ComparedFront& front, std::string_view method) {
  std::vector<std::string> parts;
  for (const BesideYardstick* part : {&front.decides, &front.reported}) {
    if (!part->part.empty() && part->is_below()) parts.push_back(text_of_part(*part));
  }
  if (parts.empty()) return "";
  return fmt::format("[{}]{} is below the post-processed unconstrained model in {} {}", method,
                     front.randomised ? ", randomised," : "", bounded_text(front),
                     base::join(parts, " and "));
}

}  // namespace fairfront::results
