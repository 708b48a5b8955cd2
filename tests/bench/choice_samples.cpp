#include "choice_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "metrics/contrast.hpp"

namespace fairfront::bench {
namespace {

/// The rate of every group with its one-sided limits, as the archive has them.
std::vector<double> cells_of(const Sample& sample, std::size_t point) {
  std::vector<double> cells;
  for (std::size_t g = 0; g < sample.rows.size(); ++g) {
    const metrics::Limits limits = metrics::limits_of(
        metrics::proportion(sample.hits[point][g], sample.rows[g]), 1 - confidence);
    cells.insert(cells.end(), {limits.value, limits.low(), limits.high()});
  }
  return cells;
}

}  // namespace

double gap_of(const Sample& sample, std::size_t point) {
  double least = 1, most = 0;
  for (std::size_t g = 0; g < sample.rows.size(); ++g) {
    const double rate = sample.hits[point][g] / sample.rows[g];
    least = std::min(least, rate);
    most = std::max(most, rate);
  }
  return most - least;
}

results::Measured measured_of(const Sample& sample, std::size_t point) {
  std::vector<metrics::Estimate> rates;
  for (std::size_t g = 0; g < sample.rows.size(); ++g) {
    rates.push_back(metrics::proportion(sample.hits[point][g], sample.rows[g]));
  }
  const metrics::Interval interval =
      metrics::interval_of_largest(metrics::differences(std::move(rates)), 2 * confidence - 1);
  return {gap_of(sample, point), interval.low, interval.high};
}

results::Content content_of(const Sample& decides, const Sample& tests, double rows) {
  using results::Direction;
  results::Content content;
  results::FrontGroup front;
  front.name = "m";
  front.objectives = {{"error", "", "", Direction::minimise, ""},
                      {"gap", "", "", Direction::minimise, ""}};
  front.offsets = {0};
  results::Measure measure;
  measure.what = front.objectives[1];
  measure.parts = {"validation", "choice", "test"};
  measure.groups = {"all"};
  for (std::size_t g = 0; g < tests.rows.size(); ++g) measure.groups.push_back(std::to_string(g));
  const double nan = std::nan("");
  for (std::size_t point = 0; point < front_points; ++point) {
    content.tasks.key.push_back(std::to_string(point));
    content.tasks.method.push_back("m");
    content.tasks.status.push_back(results::TaskStatus::done);
    content.tasks.model.emplace_back();
    const double gap = gap_of(decides, point);
    const results::Measured tested = measured_of(tests, point);
    front.points.insert(front.points.end(), {decides.errors[point] / rows, gap});
    front.report.insert(front.report.end(), {tests.errors[point] / rows, tested.value});
    front.offsets.push_back(static_cast<std::int64_t>(point) + 1);
    std::vector<double>& values = measure.values;
    values.insert(values.end(), {gap, nan, nan});
    std::ranges::copy(cells_of(decides, point), std::back_inserter(values));
    for (int part = 0; part < 2; ++part) {  // the part for tests, and the test part: not looked at
      values.insert(values.end(), {tested.value, tested.low, tested.high});
      std::ranges::copy(cells_of(tests, point), std::back_inserter(values));
    }
  }
  content.fronts.push_back(std::move(front));
  content.measures.push_back(std::move(measure));
  return content;
}

}  // namespace fairfront::bench
