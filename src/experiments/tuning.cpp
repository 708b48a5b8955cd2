#include "experiments/tuning.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>

#include "base/text.hpp"

namespace fairfront::experiments {
std::vector<sweep::Task> trials_of(const std::optional<Tuning>& tuning, const sweep::Task& task) {
  if (!tuning) return {};
  std::vector<sweep::Task> trials = tuning->trials(task);
  for (sweep::Task& trial : trials) trial.is_trial = true;
  return trials;
}

double score_of(const Tuning& tuning, const std::function<sweep::TaskResult()>& run) {
  try {
    return tuning.score(run());
  } catch (const std::domain_error&) {  // the value does not suit the method
    return std::numeric_limits<double>::quiet_NaN();
  }
}

std::size_t best_of(const Tuning& tuning, const std::vector<double>& scores) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    if (!best || scores[i] > scores[*best]) best = i;
  }
  if (best) return *best;
  throw std::domain_error(fmt::format(
      "with none of the values that are tried for `{}` the iterates stay finite", tuning.option));
}

sweep::Columns tuning_columns(const std::string& option, const std::string& score_definition) {
  return {
      .metrics = {{option + "_used",
                   fmt::format("the value of `{}` that the trials chose; missing without "
                               "trials",
                               option),
                   "", base::Direction::none, ""},
                  {option + "_inside",
                   fmt::format("1: values of `{}` below and above the chosen one were tried; 0: it "
                               "is at an end, beyond which a better one may lie",
                               option),
                   "", base::Direction::none, ""}},
      .series = {{{"trial_score", score_definition, "", base::Direction::maximise, ""}, "trial"}}};
}

void add_tuning(sweep::TaskResult& result, const Tuning& tuning, const std::string& value,
                const std::vector<double>& scores) {
  result.metrics[tuning.option + "_used"] = base::parse_double(value).value();
  const std::size_t best = best_of(tuning, scores);
  result.metrics[tuning.option + "_inside"] = best > 0 && best + 1 < scores.size() ? 1 : 0;
  results::Trajectory& series = result.series["trial_score"];
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    series.steps.push_back(static_cast<std::int64_t>(i));
    series.values.push_back(scores[i]);
  }
}

}  // namespace fairfront::experiments
