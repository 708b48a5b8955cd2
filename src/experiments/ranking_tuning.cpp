#include "experiments/ranking_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "config/conditions.hpp"
#include "experiments/measured.hpp"

namespace fairfront::experiments {
namespace {

using sweep::Task;
using sweep::TaskResult;

constexpr double most_step = 1e100;  ///< and 1 / it: well within what `step` allows
constexpr std::string_view rule_of_steps = "different numbers from 1e-100 to 1e+100";

std::vector<double> parse_steps(std::string_view text) {
  std::vector<double> steps;
  for (const std::string& item : base::split_outside_parentheses(text)) {
    const auto step = base::parse_double(item);
    const bool known = step && std::ranges::find(steps, *step) != steps.end();
    const bool suits = step && *step >= 1 / most_step && *step <= most_step;
    if (!suits || known) {
      throw std::invalid_argument(std::string(rule_of_steps));
    }
    steps.push_back(*step);
  }
  return steps;
}

std::string format_steps(const std::vector<double>& steps) {
  std::vector<std::string> texts;
  for (const double step : steps) texts.push_back(base::format_double(step));
  return base::join(texts, ", ");
}

std::vector<double> sorted(std::vector<double> values) {
  std::ranges::sort(values);
  return values;
}

/// To three digits.
double rounded(double value) { return base::parse_double(fmt::format("{:.3g}", value)).value(); }

/// Whether the task takes steps whose length can be tuned.
bool has_steps(const Task& task) {
  if (!task.values.contains(task.method + ".step")) return false;
  return task.method != "score_postprocessing" ||
         task.values.at("score_postprocessing.model") == "network";  // else it is exact
}

/// The task that tries a step.
Task trial_of(const Task& task, double step) {
  Task trial = task;
  trial.values.at("seed") = trial.values.at("split.split_seed") = task.values.at("tuning.seed");
  for (const std::string option : {"kappa", "weight", "bound"}) {
    const auto own = trial.values.find(task.method + "." + option);
    if (own != trial.values.end()) own->second = task.values.at("tuning." + option);
  }
  trial.values.at(task.method + ".step") = base::format_double(step);
  return trial;
}

std::vector<Task> trials_of_steps(const Task& task, const KnownScore& score) {
  if (!has_steps(task)) return {};
  const auto of_step = [&](double step) { return score(trial_of(task, step)); };
  std::vector<Task> trials;
  for (const double step :
       tried_steps(sweep::read_section<TuningOptions>(task, "tuning"), of_step)) {
    trials.push_back(trial_of(task, step));
  }
  return trials;
}

enum class End { least, largest };

/// The value beyond that one; nothing where it would pass what `step` allows.
/// @param steps  ascending, not empty: those of the options.
std::optional<double> beyond(const std::vector<double>& steps, double step, End end) {
  constexpr double of_single = 3;
  const std::size_t last = steps.size() - 1;
  double next = end == End::least ? step / of_single : step * of_single;
  if (last > 0) {
    next =
        end == End::least ? step * (steps[0] / steps[1]) : step * (steps[last] / steps[last - 1]);
  }
  if (next > most_step || next < 1 / most_step) return std::nullopt;
  const double short_one = rounded(next);
  return (short_one < step) == (next < step) && short_one != step ? short_one : next;
}

/// Adds one value beyond each end that is open. False: nothing is to be added.
/// @param steps  ascending, those of the options.
bool widen(std::vector<double>& tried, std::span<const double> scores,
           const std::vector<double>& steps, std::int64_t widenings) {
  const OpenEnds open = open_ends(scores);
  const auto below = std::ranges::find(tried, steps.front()) - tried.begin();
  const auto above = std::ssize(tried) - below - std::ssize(steps);
  std::optional<double> smaller, larger;
  if (open.least && below < widenings) smaller = beyond(steps, tried.front(), End::least);
  if (open.largest && above < widenings) larger = beyond(steps, tried.back(), End::largest);
  if (smaller) tried.insert(tried.begin(), *smaller);
  if (larger) tried.push_back(*larger);
  return smaller || larger;
}

/// Why the grid of steps goes no further than to an end of it.
std::string why_steps_end(const Task& trial, double step) {
  const auto options = sweep::read_section<TuningOptions>(trial, "tuning");
  const std::vector<double> steps = sorted(options.steps);
  if (beyond(steps, step, End::least) && beyond(steps, step, End::largest)) {
    return fmt::format("tuning.widenings = {} allows no further one", options.widenings);
  }
  return fmt::format("tuning.steps must be {}", rule_of_steps);
}

/// The AUC of the best model within the level. Below all of those: the smallest gap.
double score_of_trial(const TaskResult& result) {
  if (result.metrics.at("feasible") == 1) return value_of(result, "best_auc", "validation");
  double gap = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < result.front.points.size(); i += 2) {
    gap = std::min(gap, result.front.points[i]);
  }
  return -gap;
}

void check_trials(const Task& task) {
  if (!has_steps(task) || !task.values.contains(task.method + ".kappa")) return;
  const auto tuning = sweep::read_section<TuningOptions>(task, "tuning");
  const auto shared = sweep::read_section<RankingOptions>(task, "ranking");
  const double least = ranking::Surrogate{shared.scale, shared.margin}.infeasible_kappa();
  if (tuning.steps.empty() || tuning.kappa > least) return;
  throw base::InputError(
      fmt::format("tuning.kappa = {}: no score is feasible up to 2 scale margin^2 - 1 = {}",
                  tuning.kappa, least));
}

}  // namespace

std::vector<double> tried_steps(const TuningOptions& options, const StepScore& score) {
  const std::vector<double> steps = sorted(options.steps);
  std::vector<double> tried = steps;
  if (steps.empty()) return tried;
  std::vector<double> scores;
  do {
    scores.clear();
    for (const double step : tried) {
      const std::optional<double> known = score(step);
      if (!known) return tried;
      scores.push_back(*known);
    }
  } while (widen(tried, scores, steps, options.widenings));
  return tried;
}

base::OptionTable options_of(TuningOptions& options) {
  base::OptionTable table("tuning");
  table.add_parsed(
      {"steps", "list", std::string(rule_of_steps), "",
       "These values of `step` are tried, for every data set, metric, method and model once; the "
       "best one is that of all their tasks, and stands in the column step_used. Best is the "
       "largest AUC on the validation part of a model whose gap there is at most tuning.bound; "
       "where no value has such a model, the smallest gap. Where none is given, `step` of the "
       "methods stands.",
       true},
      [&options](std::string_view text) { options.steps = parse_steps(text); },
      [&options] { return format_steps(options.steps); });
  table.add("widenings", options.widenings, base::between<std::int64_t>(0, 50), "",
            "At most this many values are tried beyond each end. Where the best value is the least "
            "or the largest of those tried, one more beyond it is tried, as far apart by their "
            "quotient as the two of `steps` at that end, until the best lies inside. Where they do "
            "not suffice, step_inside is 0 and the task's message says so.");
  table.add("seed", options.seed, base::at_least<std::int64_t>(0), "",
            "The trials have this `seed` and `split_seed`: the first ones of the sweep.");
  table.add("kappa", options.kappa, base::Range<double>{}, "", "The trials have this `kappa`.");
  table.add("weight", options.weight, base::at_least(0.0), "",
            "The trials of [correlation_penalty] have this `weight`.");
  table.add("bound", options.level, base::between(0.0, 1.0), "probability",
            "The trials have this `bound`.");
  table.formerly("bound", "level");
  table.assign_role(base::Role::tuning, {"steps", "widenings", "seed", "kappa", "weight", "bound"});
  table.only_if({"widenings", "seed", "kappa", "weight", "bound"}, base::given("steps"),
                "tuning.steps is empty");
  return table;
}

Method<RankingProblem> with_tuned_step(Method<RankingProblem> method) {
  add_columns(method.columns,
              tuning_columns("step",
                             "largest AUC on the validation part, over the models of a "
                             "trial with a gap up to tuning.bound; where there are none, "
                             "minus their smallest gap"));
  method.tuning = Tuning{.option = "step",
                         .trials = trials_of_steps,
                         .score = score_of_trial,
                         .why_ended = why_steps_end,
                         .check = check_trials};
  config::add_condition(
      method.section,
      {{"step"}, base::empty("tuning.steps"), "tuning.steps says which ones are tried"});
  for (const std::string option : {"kappa", "weight"}) {
    if (method.section.open()->has(option)) continue;
    config::add_condition(
        method.section,
        {{"tuning." + option}, base::never(), fmt::format("the method has no {}", option)});
  }
  return method;
}

Method<RankingProblem> without_tuning(Method<RankingProblem> method) {
  config::add_condition(method.section, {{"tuning.*"},
                                         base::never(),
                                         fmt::format("[{}] takes no steps that could be tuned",
                                                     method.section.name)});
  return method;
}

}  // namespace fairfront::experiments
