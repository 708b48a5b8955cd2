#include "experiments/regression_barycenter.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/regression_results.hpp"
#include "models/transport.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using models::Ties;
using models::Transport;
using models::TransportOptions;
using models::TransportStep;

constexpr const char* barycenter_paper = "Chzhen, Denis, Hebiri, Oneto, Pontil (2020)";

/// Over what several sensitive attributes are made fair.
enum class Attributes { together, one_after_other };

struct BarycenterOptions {
  TransportOptions transport{};
  Attributes attributes = Attributes::together;
};

base::OptionTable options_of(BarycenterOptions& options) {
  base::OptionTable table("barycenter");
  table.add(
      "epsilon", options.transport.epsilon, base::between(0.0, 1.0), "share",
      "This share of every group's 2-Wasserstein distance to the barycentre is left: 0 predicts "
      "the barycentre, 1 what the base model predicts, and what lies between them the geodesic.");
  table.add_choice<Attributes>(
      "attributes", options.attributes,
      {{"together", Attributes::together}, {"one_after_other", Attributes::one_after_other}},
      "With together, the groups, which are the combinations of several sensitive attributes, move "
      "to one barycentre; with one_after_other, the levels of the first attribute move to theirs, "
      "then those of the second of what comes out, and so on (Hu, Ratz, Charpentier, 2024), which "
      "needs fewer rows and leaves combinations unequal.");
  table.add_choice<Ties>(
      "ties", options.transport.ties, {{"drawn", Ties::drawn}, {"middle", Ties::middle}},
      "With drawn, a prediction has a drawn rank among equal ones of its group, by a random number "
      "that seed and features alone determine; with middle, it has the middle one, by which equal "
      "predictions of a group stay equal.");
  table.assign_role(base::Role::trade_off, {"epsilon"});
  table.only_if({"seed"}, base::is("ties", {"drawn"}), "barycenter.ties = {} draws nothing");
  return table;
}

/// The level of each attribute that a group's name is made of; empty: it is not.
std::vector<std::size_t> levels_in(std::string_view name,
                                   const std::vector<std::vector<std::string>>& levels,
                                   std::size_t attribute = 0) {
  constexpr std::string_view between = " x ";
  for (std::size_t l = 0; l < levels[attribute].size(); ++l) {
    const std::string& level = levels[attribute][l];
    if (!name.starts_with(level)) continue;
    std::string_view rest = name.substr(level.size());
    if (attribute + 1 == levels.size()) {
      if (rest.empty()) return {l};
      continue;
    }
    if (!rest.starts_with(between)) continue;
    std::vector<std::size_t> found = levels_in(rest.substr(between.size()), levels, attribute + 1);
    if (found.empty()) continue;
    found.insert(found.begin(), l);
    return found;
  }
  return {};
}

/// What the levels of every attribute are called in the groups.
std::vector<std::vector<std::string>> attribute_levels(const BasePredictions& base) {
  std::vector<std::vector<std::string>> levels;
  for (const data::GroupRule& rule : base.group_rules) {
    std::vector<std::string> names = rule.names;
    if (!rule.others.empty()) names.push_back(rule.others);
    std::ranges::sort(names);
    names.erase(std::unique(names.begin(), names.end()), names.end());
    levels.push_back(std::move(names));
  }
  return levels;
}

/// By attribute, the level of every group, numbered as they appear.
/// @throws base::InputError  there are no two attributes.
std::vector<std::vector<std::int32_t>> levels_of_groups(const RegressionProblem& problem,
                                                        Attributes attributes) {
  const BasePredictions& base = *problem.base;
  const auto groups = static_cast<std::size_t>(problem.groups());
  std::vector<std::vector<std::int32_t>> levels;
  if (attributes == Attributes::together) {
    levels.emplace_back();
    for (std::size_t g = 0; g < groups; ++g) levels[0].push_back(static_cast<std::int32_t>(g));
    return levels;
  }
  const std::vector<std::vector<std::string>> names = attribute_levels(base);
  require(names.size() >= 2,
          "barycenter.attributes = one_after_other: data.sensitive must name two attributes or "
          "more");
  levels.resize(names.size());
  std::vector<std::vector<std::size_t>> seen(names.size());
  for (const std::string& group : base.group_names) {
    const std::vector<std::size_t> found = levels_in(group, names);
    require(!found.empty(),
            fmt::format("barycenter.attributes = one_after_other: the group '{}' is no "
                        "combination of the attributes' levels",
                        group));
    for (std::size_t a = 0; a < found.size(); ++a) {
      auto at = std::ranges::find(seen[a], found[a]);
      if (at == seen[a].end()) at = seen[a].insert(at, found[a]);
      levels[a].push_back(static_cast<std::int32_t>(at - seen[a].begin()));
    }
  }
  return levels;
}

void validate_for(const RegressionProblem& problem, const BarycenterOptions& options) {
  (void)levels_of_groups(problem, options.attributes);
}

std::vector<double> base_values(const RegressionProblem& problem, const RegressionPart& part) {
  std::vector<double> values = part.predicted.eta;
  for (double& value : values) value = problem.scale.inverse(value);
  return values;
}

/// The predictions of a part's rows by the level of their groups, sorted.
TransportStep step_of(std::vector<std::int32_t> level, std::span<const double> values,
                      std::span<const std::int32_t> group) {
  const auto levels = static_cast<std::size_t>(std::ranges::max(level)) + 1;
  TransportStep step{.level = std::move(level),
                     .shares = std::vector<double>(levels, 0.0),
                     .values = std::vector<std::vector<double>>(levels)};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::int32_t of_row = step.level[static_cast<std::size_t>(group[i])];
    step.values[static_cast<std::size_t>(of_row)].push_back(values[i]);
  }
  for (std::size_t m = 0; m < levels; ++m) {
    std::ranges::sort(step.values[m]);
    step.shares[m] =
        static_cast<double>(step.values[m].size()) / static_cast<double>(values.size());
  }
  return step;
}

/// Fitted to what the base model says of the unlabelled part, and to its groups.
std::vector<TransportStep> fitted_steps(const RegressionProblem& problem,
                                        const BarycenterOptions& options,
                                        const TransportOptions& transport) {
  const RegressionPart& part = problem.unlabelled;
  std::vector<double> values = base_values(problem, part);
  std::vector<TransportStep> steps;
  for (std::vector<std::int32_t>& level : levels_of_groups(problem, options.attributes)) {
    const std::size_t number = steps.size();
    steps.push_back(step_of(std::move(level), values, part.group));
    for (std::int64_t i = 0; i < part.rows(); ++i) {
      const auto row = static_cast<std::size_t>(i);
      values[row] = models::moved(steps.back(), number, transport, values[row], part.group[row],
                                  features_of(problem, part, i));
    }
  }
  return steps;
}

sweep::TaskResult run_barycenter(const Run<RegressionProblem, BarycenterOptions>& run) {
  const RegressionProblem& problem = run.problem;
  TransportOptions options = run.options.transport;
  options.seed = run.seed;
  const Transport transport(fitted_steps(problem, run.options, options), problem.groups(), options);
  const CertainPredictions predictions = [&](const RegressionPart& part) {
    std::vector<double> values = base_values(problem, part);
    for (std::int64_t i = 0; i < part.rows(); ++i) {
      base::stop_point();
      const auto row = static_cast<std::size_t>(i);
      values[row] = transport(values[row], part.group[row], features_of(problem, part, i));
    }
    return values;
  };
  sweep::TaskResult result = result_of(problem, predictions, run.resampling);
  add_evaluations(result, problem.base->evaluations_of_target(problem.unlabelled.rows()));
  result.metrics["deciding_groups_used"] = 1;
  for (const TransportStep& step : transport.steps()) {
    result.solutions["moved_levels"].emplace_back(
        std::vector<double>(step.level.begin(), step.level.end()));
    result.solutions["moved_shares"].emplace_back(step.shares);
    for (const auto& values : step.values) result.solutions["moved_values"].emplace_back(values);
  }
  result.model = models::ModelText{"transport",
                                   {{"values", "moved_values"},
                                    {"levels", "moved_levels"},
                                    {"shares", "moved_shares"},
                                    {"epsilon", base::format_double(options.epsilon)},
                                    {"ties", std::string(models::name_of(options.ties))},
                                    {"seed", fmt::format("{}", options.seed)}}}
                     .text();
  return result;
}

sweep::Columns barycenter_columns() {
  return {.metrics = {{"deciding_groups_used",
                       "share of the deciding part's groups that were learnt from: where it is "
                       "above 0 that part does not rank the run, only the reported part does",
                       "share", Direction::none, ""}},
          .solutions = {
              {"moved_values",
               "sorted predictions of the unlabelled part that are moved, of every level of the "
               "first step, then of the next",
               "target", Direction::none, barycenter_paper},
              {"moved_levels", "level of every group, one list for each step", "", Direction::none,
               barycenter_paper},
              {"moved_shares", "share of the rows of every level, one list for each step", "share",
               Direction::none, barycenter_paper}}};
}

}  // namespace

Method<RegressionProblem> barycenter_method() {
  return make_method<RegressionProblem, BarycenterOptions>(
      {.name = "barycenter",
       .title =
           "every group moved to the Wasserstein barycentre of all; needs the group to predict",
       .source = barycenter_paper,
       .revision = 3},  // 3: says that it has learnt from the groups of the part that decides
      barycenter_columns(),
      [](auto& problem, auto&) {
        const double resamples = 1 + static_cast<double>(problem.options.resamples);
        const double rows = measured_rows(problem);
        return sweep::Work{task_bytes(problem) + 2 * sizeof(double) * rows,
                           rows * static_cast<double>(problem.atoms.size()) * resamples,
                           "probabilities"};
      },
      run_barycenter);
}

}  // namespace fairfront::experiments
