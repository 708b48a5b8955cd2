#include "experiments/ranking_tuning.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <string_view>
#include <utility>

#include "base/error.hpp"
#include "base/text.hpp"
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

/// To three digits.
double rounded(double value) { return base::parse_double(fmt::format("{:.3g}", value)).value(); }

/// Whether the task takes steps whose length can be tuned.
bool has_steps(const Task& task) {
  if (!task.values.contains(task.method + ".step")) return false;
  return task.method != "score_postprocessing" ||
         task.values.at("score_postprocessing.model") == "network";  // else it is exact
}

std::vector<Task> trials_of_steps(const Task& task) {
  if (!has_steps(task)) return {};
  Task trial = task;
  trial.values.at("seed") = trial.values.at("split.split_seed") = task.values.at("tuning.seed");
  for (const std::string option : {"kappa", "weight", "bound"}) {
    const auto own = trial.values.find(task.method + "." + option);
    if (own != trial.values.end()) own->second = task.values.at("tuning." + option);
  }
  std::vector<Task> trials;
  for (const double step : tried_steps(sweep::read_section<TuningOptions>(task, "tuning"))) {
    trial.values.at(task.method + ".step") = base::format_double(step);
    trials.push_back(trial);
  }
  return trials;
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

std::vector<double> tried_steps(const TuningOptions& options) {
  std::vector<double> steps = options.steps;
  if (steps.empty()) return steps;
  std::ranges::sort(steps);
  constexpr double of_single = 3;
  const std::size_t last = steps.size() - 1;
  const double up = last == 0 ? of_single : steps[last] / steps[last - 1];
  const double down = last == 0 ? 1 / of_single : steps[0] / steps[1];
  for (const auto& [end, factor] : {std::pair{steps.back(), up}, std::pair{steps.front(), down}}) {
    double step = end;
    for (std::int64_t i = 0; i < options.widenings; ++i) {
      step *= factor;
      if (step > most_step || step < 1 / most_step) break;
      steps.push_back(step = rounded(step));
    }
  }
  std::ranges::sort(steps);
  steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
  return steps;
}

base::OptionTable options_of(TuningOptions& options) {
  base::OptionTable table("tuning");
  table.add_parsed(
      {"steps", "list", std::string(rule_of_steps), "",
       "Values of `step` that are tried, for every data set, metric, method and model once; the "
       "best one is that of all their tasks, and stands in the column step_used. Best is the "
       "largest AUC on the validation part of a model whose gap there is at most tuning.bound; "
       "where no value has such a model, the smallest gap. None: `step` of the methods stands.",
       true},
      [&options](std::string_view text) { options.steps = parse_steps(text); },
      [&options] { return format_steps(options.steps); });
  table.add("widenings", options.widenings, base::between<std::int64_t>(0, 50), "",
            "So many further values are tried beyond each end of `steps`, as far apart by their "
            "quotients as the two steps at that end: the best one should lie inside. The column "
            "step_inside says whether it does.");
  table.add("seed", options.seed, base::at_least<std::int64_t>(0), "",
            "`seed` and `split_seed` of the trials: the first ones of the sweep.");
  table.add("kappa", options.kappa, base::Range<double>{}, "", "`kappa` of the trials.");
  table.add("weight", options.weight, base::at_least(0.0), "",
            "`weight` of the trials of [correlation_penalty].");
  table.add("bound", options.level, base::between(0.0, 1.0), "probability",
            "`bound` of the trials.");
  table.formerly("bound", "level");
  table.assign_role(base::Role::tuning, {"steps", "widenings", "seed", "kappa", "weight", "bound"});
  return table;
}

Method<RankingProblem> with_tuned_step(Method<RankingProblem> method) {
  add_columns(method.columns,
              tuning_columns("step",
                             "largest AUC on the validation part, over the models of a "
                             "trial with a gap up to tuning.bound; where there are none, "
                             "minus their smallest gap"));
  method.tuning = Tuning{
      .option = "step", .trials = trials_of_steps, .score = score_of_trial, .check = check_trials};
  return method;
}

std::vector<sweep::IdleOption> idle_tuning_options(const Task& task) {
  if (!has_steps(task)) {
    return idle_section(task, "tuning",
                        fmt::format("[{}] takes no steps that could be tuned", task.method));
  }
  std::vector<sweep::IdleOption> idle;
  const auto add = [&](const std::string& name, const char* why) { idle.push_back({name, why}); };
  const auto has = [&](const char* option) {
    return task.values.contains(task.method + "." + option);
  };
  if (task.values.at("tuning.steps").empty()) {
    for (const char* name : {"widenings", "seed", "kappa", "weight", "bound"}) {
      add(std::string("tuning.") + name, "tuning.steps is empty");
    }
    return idle;
  }
  add(task.method + ".step", "tuning.steps says which ones are tried");
  if (!has("kappa")) add("tuning.kappa", "the method has no kappa");
  if (!has("weight")) add("tuning.weight", "the method has no weight");
  return idle;
}

}  // namespace fairfront::experiments
