#include "metrics/measure.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "metrics/ordered_sample.hpp"

namespace fairfront::metrics {

std::string missing_pair(std::int64_t groups) {
  return groups < 2 ? "one group alone, with no other to compare it with" : "";
}

void validate(const Scored& scored) {
  if (scored.groups < 1) {
    throw std::invalid_argument(
        fmt::format("Scored::groups = {}, must be at least 1", scored.groups));
  }
  if (scored.label.size() != scored.rows() || scored.group.size() != scored.rows()) {
    throw std::invalid_argument(fmt::format("Scored: {} scores, {} labels, {} groups of rows",
                                            scored.rows(), scored.label.size(),
                                            scored.group.size()));
  }
  if (!scored.decided.empty() && scored.decided.size() != scored.rows()) {
    throw std::invalid_argument(fmt::format("Scored: {} scores, {} probabilities of decisions",
                                            scored.rows(), scored.decided.size()));
  }
  for (std::size_t i = 0; i < scored.rows(); ++i) {
    if (std::isnan(scored.score[i])) throw base::InputError(fmt::format("score {} is NaN", i));
    if (std::isnan(scored.label[i])) throw base::InputError(fmt::format("label {} is NaN", i));
    if (scored.group[i] < 0 || scored.group[i] >= scored.groups) {
      throw base::InputError(fmt::format("row {} is in group {}, groups are 0 .. {}", i,
                                         scored.group[i], scored.groups - 1));
    }
  }
  for (std::size_t i = 0; i < scored.decided.size(); ++i) {
    if (scored.decided[i] >= 0 && scored.decided[i] <= 1) continue;
    throw base::InputError(fmt::format("row {} has no probability of a decision in [0, 1]", i));
  }
}

std::vector<Value> evaluate(std::span<const Measure> measures, const Scored& scored) {
  validate(scored);
  const auto sample = ordered(scored);
  std::vector<Value> values;
  values.reserve(measures.size());
  for (const Measure& measure : measures) {
    base::stop_point();
    values.push_back(measure.of(sample->sample()));
  }
  return values;
}

std::vector<Measure> select(std::span<const Measure> measures, std::span<const std::string> names) {
  std::vector<Measure> chosen;
  for (const std::string& name : names) {
    const auto found = std::ranges::find(
        measures, name, [](const Measure& measure) { return std::string_view{measure.what.name}; });
    if (found == measures.end()) {
      std::vector<std::string> valid;
      for (const Measure& measure : measures) valid.push_back(measure.what.name);
      throw base::InputError(
          fmt::format("there is no measure '{}'{}", name, base::name_hint(name, valid)));
    }
    chosen.push_back(*found);
  }
  return chosen;
}

}  // namespace fairfront::metrics
