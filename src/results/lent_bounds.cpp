#include "results/lent_bounds.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "base/text.hpp"
#include "results/measure_cells.hpp"
#include "results/method_option.hpp"
#include "results/proven_bounds.hpp"

namespace fairfront::results {
namespace {

constexpr std::string_view exact_method = "exact_training";

/// A task, its delta and what it has proven.
struct OwnBound {
  std::size_t task;
  double delta, lower;
};

std::vector<OwnBound> own_bounds(const Content& content) {
  const auto proven = std::ranges::find(content.metrics, std::string_view("optimum_lower"),
                                        [](const Metric& column) { return column.what.name; });
  std::vector<OwnBound> bounds;
  if (content.experiment != "training" || proven == content.metrics.end()) return bounds;
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    if (content.tasks.method[task] != exact_method) continue;
    if (content.tasks.status[task] != TaskStatus::done) continue;
    const std::optional<double> delta = base::parse_double(method_option(content, task, "delta"));
    if (delta && std::isfinite(proven->values[task])) {
      bounds.push_back({task, *delta, proven->values[task]});
    }
  }
  return bounds;
}

/// On all rows of the training part; NaN where it was not measured.
double training_loss(const Content& content, std::size_t task) {
  const auto loss = std::ranges::find(content.measures, std::string_view("loss"),
                                      [](const Measure& measure) { return measure.what.name; });
  if (loss == content.measures.end()) return std::numeric_limits<double>::quiet_NaN();
  for (std::size_t cell = 0; cell < count_cells(*loss); ++cell) {
    const MeasuredRows rows = rows_of_cell(*loss, cell);
    if (rows.part == "train" && rows.group == MeasuredRows{}.group) {
      return measured_at(*loss, task, cell).value;
    }
  }
  return std::numeric_limits<double>::quiet_NaN();
}

}  // namespace

std::vector<LentBound> lent_bounds(const Content& content) {
  const std::vector<OwnBound> bounds = own_bounds(content);
  std::vector<LentBound> lent;
  for (const OwnBound& own : bounds) {
    const OwnBound* best = &own;
    for (const OwnBound& other : bounds) {
      const bool holds = other.delta >= own.delta && same_problem(content, own.task, other.task);
      if (holds && other.lower > best->lower) best = &other;
    }
    if (best == &own) continue;
    const double loss = training_loss(content, own.task);
    lent.push_back(
        {own.task, best->task, own.lower, best->lower, loss, (loss - best->lower) / loss});
  }
  return lent;
}

}  // namespace fairfront::results
