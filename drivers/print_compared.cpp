#include "print_compared.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/printable.hpp"
#include "base/quantity.hpp"
#include "base/text.hpp"
#include "print_fronts.hpp"
#include "problem_name.hpp"
#include "results/measure_cells.hpp"
#include "table.hpp"

namespace fairfront::drivers {
namespace {

using results::Content;
using results::Measure;

constexpr std::string_view difference_end = "_less_reference";
constexpr std::string_view test_end = "_less_reference_p";
constexpr std::string_view score_option = "predictions.score";
constexpr std::string_view reference_option = "predictions.reference";

std::string value_at(const Content& content, std::string_view option, std::size_t task) {
  for (std::size_t axis = 0; axis < content.axes.size(); ++axis) {
    if (content.axes[axis].name == option) return axis_value(content, axis, task);
  }
  return {};
}

/// "shifted less plain (task 2)", of what is an axis, else the task's number.
std::string name_of(const Content& content, std::size_t task) {
  const std::string score = value_at(content, score_option, task);
  const std::string reference = value_at(content, reference_option, task);
  const std::string less = reference.empty() ? "" : "less " + reference;
  const std::string both = score + (score.empty() || less.empty() ? "" : " ") + less;
  return both.empty() ? fmt::format("task {}", task) : fmt::format("{} (task {})", both, task);
}

std::string reference_of(const Content& content) {
  for (const results::ConfigEntry& entry : content.config) {
    if (entry.section == "predictions" && entry.key == "reference") {
      return base::printable(entry.value);
    }
  }
  return {};
}

bool has_any(const Content& content, std::size_t task) {
  return std::ranges::any_of(content.measures, [&](const Measure& measure) {
    if (!is_compared(measure)) return false;
    for (std::size_t cell = 0; cell < results::count_cells(measure); ++cell) {
      if (!std::isnan(results::measured_at(measure, task, cell).value)) return true;
    }
    return false;
  });
}

/// Of the intervals, as the config says it.
double confidence_of(const Content& content) {
  for (const results::ConfigEntry& entry : content.config) {
    if (entry.section != "measures" || entry.key != "confidence") continue;
    if (const auto value = base::parse_double(entry.value)) return *value;
  }
  return 0.95;
}

/// What the interval shows, and the test where there is one: ", better", or nothing. The exact test
/// may ask for more than the interval does.
std::string_view shown_by(const results::Measured& difference, base::Direction direction,
                          bool test_agrees) {
  if (!test_agrees) return "";
  const bool below = difference.high < 0;
  const bool above = difference.low > 0;
  if (!below && !above) return "";
  if (direction == base::Direction::none) return ", differs";
  return below == (direction == base::Direction::minimise) ? ", better" : ", worse";
}

/// The p value of the test of the difference, NaN where there is none.
double p_value_of(const Content& content, const Measure& difference, std::size_t task,
                  std::size_t cell) {
  const auto test = std::ranges::find_if(content.measures, [&](const Measure& measure) {
    return measure.what.name == difference.what.name + "_p" && measure.parts == difference.parts &&
           measure.groups == difference.groups;
  });
  if (test == content.measures.end()) return std::nan("");
  return results::measured_at(*test, task, cell).value;
}

std::string cell_text(const Content& content, const Measure& measure, std::size_t task,
                      std::size_t cell) {
  const results::Measured found = results::measured_at(measure, task, cell);
  std::string text = format_value(found.value);
  if (!std::isnan(found.low) && !std::isnan(found.high)) {
    text += fmt::format(" [{}, {}]", format_value(found.low), format_value(found.high));
  }
  const double p = p_value_of(content, measure, task, cell);
  if (!std::isnan(p)) text += fmt::format(", p = {:.2g}", p);
  const bool test_agrees = std::isnan(p) || p <= 1 - confidence_of(content);
  return text + std::string{shown_by(found, measure.what.direction, test_agrees)};
}

/// Of the models of one problem that are measured on other numbers of rows, as cells of theirs are
/// missing: which has how many, on the first part where they differ. Else nothing.
std::string rows_text(const Content& content, std::span<const std::size_t> tasks) {
  const auto rows = std::ranges::find(content.measures, "rows",
                                      [](const Measure& measure) { return measure.what.name; });
  if (rows == content.measures.end()) return {};
  for (std::size_t cell = 0; cell < results::count_cells(*rows); ++cell) {
    const results::MeasuredRows of = results::rows_of_cell(*rows, cell);
    if (of.group != results::MeasuredRows{}.group) continue;
    std::vector<std::string> told;
    std::set<double> counts;
    for (const std::size_t task : tasks) {
      const double count = results::measured_at(*rows, task, cell).value;
      if (std::isnan(count)) continue;
      counts.insert(count);
      told.push_back(fmt::format("{} on {}", name_of(content, task), format_value(count)));
    }
    if (counts.size() < 2) continue;
    return fmt::format(
        "  models are measured on different rows of the part {}, as cells are missing: {}; "
        "differences are of rows that both have\n",
        of.part, base::list_some(told));
  }
  return {};
}

/// The same of every problem with a task that is compared.
std::string rows_of_problems(const Content& content, const std::vector<std::size_t>& compared) {
  std::map<std::string, std::vector<std::size_t>> problems;
  for (const std::size_t task : compared) problems[problem_name(content, task)];
  for (std::size_t task = 0; task < content.tasks.key.size(); ++task) {
    if (content.tasks.method[task] != content.tasks.method[compared.front()]) continue;
    const auto found = problems.find(problem_name(content, task));
    if (found != problems.end()) found->second.push_back(task);
  }
  std::string text;
  for (const auto& [problem, tasks] : problems) text += rows_text(content, tasks);
  return text;
}

}  // namespace

bool is_compared(const Measure& measure) {
  return measure.what.name.ends_with(difference_end) || measure.what.name.ends_with(test_end);
}

std::string compared_text(const Content& content, std::size_t tasks) {
  std::vector<std::size_t> shown;
  for (std::size_t task = 0; task < tasks; ++task) {
    if (has_any(content, task)) shown.push_back(task);
  }
  if (shown.empty()) return {};
  std::vector<std::string> header{"measure", "part"};
  for (const std::size_t task : shown) header.push_back(name_of(content, task));
  Table table(std::move(header));
  for (const Measure& measure : content.measures) {
    if (!measure.what.name.ends_with(difference_end)) continue;
    const std::string name =
        measure.what.name.substr(0, measure.what.name.size() - difference_end.size());
    for (std::size_t cell = 0; cell < results::count_cells(measure); ++cell) {
      const bool any = std::ranges::any_of(shown, [&](std::size_t task) {
        return !std::isnan(results::measured_at(measure, task, cell).value);
      });
      if (!any) continue;
      std::vector<std::string> row{name, results::rows_of_cell(measure, cell).part};
      for (const std::size_t task : shown) row.push_back(cell_text(content, measure, task, cell));
      table.add(std::move(row));
    }
  }
  return fmt::format(
      "\nless those of predictions.reference = {}, with paired intervals; better or worse where 0 "
      "is outside and no p value speaks against it\n{}{}",
      reference_of(content), table.text(), rows_of_problems(content, shown));
}

}  // namespace fairfront::drivers
