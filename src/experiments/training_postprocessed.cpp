#include "experiments/training_postprocessed.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "experiments/training_exact.hpp"
#include "experiments/training_rates.hpp"
#include "experiments/training_results.hpp"

namespace fairfront::experiments {
namespace {

using sweep::TaskResult;
using Problem = TrainingProblem;

/// The thresholds of every group.
std::vector<std::vector<DrawnThreshold>> by_group(const Postprocessed& model) {
  std::vector<std::vector<DrawnThreshold>> groups(model.problem.set->set.group_names.size());
  for (const DrawnThreshold& one : model.draw) {
    groups[static_cast<std::size_t>(one.group)].push_back(one);
  }
  return groups;
}

/// The probability that each row is decided 1.
std::vector<double> expected_decisions(const Postprocessed& model, data::Part which,
                                       std::span<const double> scores) {
  const auto thresholds = by_group(model);
  const TrainingPart& part = model.problem.parts[static_cast<std::size_t>(which)];
  std::vector<double> decisions(scores.size(), 0.0);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    for (const DrawnThreshold& one : thresholds[static_cast<std::size_t>(part.group[i])]) {
      if (scores[i] >= one.threshold) decisions[i] += one.probability;
    }
    decisions[i] = std::min(decisions[i], 1.0);  // probabilities add up to it but for rounding
  }
  return decisions;
}

/// The expected loss of every row's score less the threshold that is drawn of its group, so that 0
/// is that of decisions.
std::vector<double> expected_losses(const Postprocessed& model, data::Part which,
                                    std::span<const double> scores) {
  const auto thresholds = by_group(model);
  const TrainingPart& part = model.problem.parts[static_cast<std::size_t>(which)];
  const std::size_t most =
      std::ranges::max(thresholds, {}, [](const auto& of) { return of.size(); }).size();
  std::vector<double> losses(scores.size(), 0.0);
  std::vector<double> shifted(scores.size());
  for (std::size_t k = 0; k < most; ++k) {
    const auto drawn = [&](std::size_t row) -> const DrawnThreshold* {
      const auto& own = thresholds[static_cast<std::size_t>(part.group[row])];
      return k < own.size() ? &own[k] : nullptr;
    };
    for (std::size_t i = 0; i < scores.size(); ++i) {
      const DrawnThreshold* one = drawn(i);
      shifted[i] = one != nullptr ? scores[i] - one->threshold : 0;
    }
    const std::vector<double> of_threshold = row_losses(model.problem, which, shifted);
    for (std::size_t i = 0; i < losses.size(); ++i) {
      const DrawnThreshold* one = drawn(i);
      if (one != nullptr) losses[i] += one->probability * of_threshold[i];
    }
  }
  return losses;
}

/// What is bounded of every row: its loss, or what its decision adds to a rate, in which that is
/// linear.
std::vector<double> expected_bounded(const Postprocessed& model, data::Part which,
                                     const ExpectedRows& rows) {
  if (!model.problem.problem.constraints.rate()) return rows.losses;
  constexpr double certain = 1e6;  // a score whose decision has the probability 0 or 1
  const training::Part& part = model.problem.rows(which);
  const std::size_t count = rows.decisions.size();
  const auto of_score = [&](double score) {
    return bounded_values(model.problem, part, std::vector<double>(count, score));
  };
  const std::vector<double> zero = of_score(-certain), one = of_score(certain);
  std::vector<double> bounded(count);
  for (std::size_t i = 0; i < count; ++i) {
    bounded[i] = (1 - rows.decisions[i]) * zero[i] + rows.decisions[i] * one[i];
  }
  return bounded;
}

/// What is expected of the rows of every part that has some.
using ExpectedParts = std::map<data::Part, ExpectedRows>;
ExpectedParts expected_parts(const Postprocessed& model) {
  ExpectedParts parts;
  for (const data::Part which :
       {data::Part::train, data::Part::validation, data::Part::choice, data::Part::test}) {
    if (model.problem.rows(which).size() == 0) continue;
    const std::vector<double> scores = scores_of(model.problem, which, model.w, model.control);
    ExpectedRows& rows = parts[which];
    rows.decisions = expected_decisions(model, which, scores);
    rows.losses = expected_losses(model, which, scores);
    rows.bounded = expected_bounded(model, which, rows);
  }
  return parts;
}

/// What stands under two names has the same bits under both.
void same_under_both_names(TaskResult& result, const training::RateLimit& limit) {
  std::map<std::string, std::string> names{{"error", "randomised_error"}};
  for (const auto& [text, kind] : training::rate_names()) {
    const std::string gap{training::gap_measure_of(kind)};
    names[gap] = "randomised_" + gap;
  }
  if (limit.rate == training::RateKind::demographic_parity) {
    names["independence_ratio"] = "randomised_rate_ratio";
  }
  for (const auto& [name, other] : names) {
    const auto measure = result.measured.find(name);
    const auto expected = result.measured.find(other);
    if (measure == result.measured.end() || expected == result.measured.end()) continue;
    for (const auto& [rows, value] : expected->second) {
      const auto at = measure->second.find(rows);
      if (at != measure->second.end()) at->second.value = value.value;
    }
  }
}

}  // namespace

std::vector<double> scores_of(const Problem& problem, data::Part which, std::span<const double> w,
                              const solvers::Control& control) {
  return training::FullData(problem.problem, control, training::any_mean_loss)
      .scores(problem.rows(which), w);
}

void add_measures_of(TaskResult& result, const Postprocessed& model) {
  const ExpectedParts parts = expected_parts(model);
  add_measures(result, model.problem, [&](data::Part which) {
    return part_scores_of(model.problem, which, parts.at(which));
  });
  add_gap_bounds(result, model.problem, std::nullopt,
                 [&](data::Part which) { return parts.at(which).bounded; });
  const DecisionsOf decisions = [&](data::Part which, std::span<double> out) {
    std::ranges::copy(parts.at(which).decisions, out.begin());
  };
  add_rate_gaps(result, model.problem, model.limit, decisions);
  add_randomised_rates(result, model.problem, model.limit, decisions);
  same_under_both_names(result, model.limit);
}

}  // namespace fairfront::experiments
