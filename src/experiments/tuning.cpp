#include "experiments/tuning.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <stdexcept>
#include <string_view>

#include "base/text.hpp"
#include "experiments/remarks.hpp"

namespace fairfront::experiments {
namespace {

double value_in(const sweep::Task& trial, const Tuning& tuning) {
  return base::parse_double(trial.values.at(trial.method + "." + tuning.option)).value();
}

/// That none is better than the least or the largest of those tried.
std::string text_of_end(const Tuning& tuning, const sweep::Task& trial, std::string_view end,
                        std::string_view beyond) {
  const double value = value_in(trial, tuning);
  return fmt::format(
      "{} = {}, the {} that was tried, is as good as any, so that a {} one may be better: {}",
      tuning.option, base::format_double(value), end, beyond, tuning.why_ended(trial, value));
}

}  // namespace

std::vector<sweep::Task> trials_of(const std::optional<Tuning>& tuning, const sweep::Task& task,
                                   const sweep::TrialOutcomes& known) {
  if (!tuning) return {};
  const auto score = [&](const sweep::Task& trial) -> std::optional<double> {
    const auto found = known.find(sweep::address_of(trial));
    if (found == known.end() || found->second.failure) return std::nullopt;
    return found->second.score;
  };
  std::vector<sweep::Task> trials = tuning->trials(task, score);
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

std::optional<std::size_t> place_of_best(std::span<const double> scores) {
  std::optional<std::size_t> best;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (std::isnan(scores[i])) continue;
    if (!best || scores[i] > scores[*best]) best = i;
  }
  return best;
}

std::size_t best_of(const Tuning& tuning, const std::vector<double>& scores) {
  const std::optional<std::size_t> best = place_of_best(scores);
  if (best) return *best;
  throw std::domain_error(fmt::format(
      "with none of the values that are tried for `{}` the iterates stay finite", tuning.option));
}

OpenEnds open_ends(std::span<const double> scores) {
  const std::optional<std::size_t> best = place_of_best(scores);
  if (!best) return {.least = true};
  std::size_t last = *best;  // of the values that are as good
  while (last + 1 < scores.size() && scores[last + 1] == scores[*best]) ++last;
  const bool alone = last == *best;
  const bool all = *best == 0 && last + 1 == scores.size();
  return {.least = *best == 0 && alone, .largest = last + 1 == scores.size() && (alone || all)};
}

sweep::Columns tuning_columns(const std::string& option, const std::string& score_definition) {
  return {
      .metrics = {{option + "_used",
                   fmt::format("the value of `{}` that the trials chose; missing without "
                               "trials",
                               option),
                   "", base::Direction::none, ""},
                  {option + "_inside",
                   fmt::format("1: values of `{}` below and above the chosen one were tried, or a "
                               "neighbour at that end came to the same; 0: it is at an end, beyond "
                               "which a better one may lie",
                               option),
                   "", base::Direction::none, ""}},
      .series = {
          {{"trial_score", score_definition, "", base::Direction::maximise, ""}, "trial"},
          {{"trial_" + option, fmt::format("the value of `{}` of each trial, ascending", option),
            "", base::Direction::none, ""},
           "trial"}}};
}

void add_tuning(sweep::TaskResult& result, const Tuning& tuning,
                const std::vector<sweep::Task>& tried, const std::vector<double>& scores) {
  const std::size_t best = best_of(tuning, scores);
  result.metrics[tuning.option + "_used"] = value_in(tried[best], tuning);
  const OpenEnds open = open_ends(scores);
  result.metrics[tuning.option + "_inside"] = open.least || open.largest ? 0 : 1;
  if (open.least) append(result.remark, text_of_end(tuning, tried.front(), "smallest", "smaller"));
  if (open.largest) append(result.remark, text_of_end(tuning, tried.back(), "largest", "larger"));
  const auto add = [&](const std::string& series, std::size_t trial, double value) {
    result.series[series].steps.push_back(static_cast<std::int64_t>(trial));
    result.series[series].values.push_back(value);
  };
  for (std::size_t i = 0; i < scores.size(); ++i) {
    add("trial_" + tuning.option, i, value_in(tried[i], tuning));
    if (!std::isnan(scores[i])) add("trial_score", i, scores[i]);
  }
}

}  // namespace fairfront::experiments
