#include "experiments/method.hpp"

#include <algorithm>
#include <span>

#include "base/sha256.hpp"
#include "base/text.hpp"

namespace fairfront::experiments {

std::string stream_address(const config::Section& method, const data::Provenance& data) {
  base::Sha256 hash;
  hash.add_text(method.name);
  hash.add_values(std::span(&method.revision, 1));
  hash.add_text(data.digest);
  return hash.finish();
}

std::uint64_t seed_of(const sweep::Task& task) {
  return static_cast<std::uint64_t>(base::parse_int64(task.values.at("seed")).value());
}

void add_to_series(sweep::TaskResult& result, const std::string& name, std::int64_t step,
                   double value, std::optional<double> seconds) {
  results::Trajectory& series = result.series[name];
  series.steps.push_back(step);
  series.values.push_back(value);
  if (seconds) series.seconds.push_back(*seconds);
}

void add_series(sweep::TaskResult& result, const solvers::Trace& trace) {
  if (trace.steps.empty()) return;
  for (std::size_t i = 0; i < trace.names.size(); ++i) {
    result.series[trace.names[i]] = {trace.steps, trace.values[i], trace.seconds};
  }
}

results::TaskFront one_point_front(std::vector<double> point, std::vector<double> reference) {
  double volume = 1;
  for (std::size_t k = 0; k < point.size(); ++k) volume *= std::max(0.0, reference[k] - point[k]);
  return {std::move(point), std::move(reference), volume};
}

}  // namespace fairfront::experiments
