#include "experiments/training_reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "experiments/remarks.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_results.hpp"
#include "models/fitted_model.hpp"
#include "solvers/training/reductions.hpp"

namespace fairfront::experiments {
namespace {

struct ReducedTrainingOptions : training::ReductionsOptions {};
base::OptionTable options_of(ReducedTrainingOptions& options) {
  return training::options_of(static_cast<training::ReductionsOptions&>(options));
}

void validate_for(const TrainingProblem& problem, const ReducedTrainingOptions& options) {
  if (std::ssize(problem.problem.model.layers()) != 1 ||
      problem.options.loss != models::LossKind::logistic) {
    throw std::invalid_argument(
        "[reductions] fits linear scores by the logistic loss: model.hidden must be empty, and "
        "training.loss = logistic");
  }
  const data::SupervisedSet& set = *problem.set;
  const training::RateCells cells(options.rate, set.set.num_groups());
  const TrainingPart& part = problem.parts[static_cast<std::size_t>(data::Part::train)];
  std::vector<std::int64_t> rows(static_cast<std::size_t>(cells.size()), 0);
  for (std::size_t i = 0; i < part.label.size(); ++i) {
    const std::int64_t k = cells.cell_of(part.group[i], part.label[i] > 0);
    if (k >= 0) ++rows[static_cast<std::size_t>(k)];
  }
  const auto empty = std::ranges::find(rows, 0);
  if (empty == rows.end()) return;
  const std::int64_t cell = empty - rows.begin();
  const std::string with = cells.condition(cell);
  throw std::invalid_argument(fmt::format(
      "reductions.rate: the training part has no row of group {}{}{}: see [split] and data.groups",
      set.set.group_names[static_cast<std::size_t>(cell % cells.groups())],
      with.empty() ? "" : " with ", with));
}

std::vector<sweep::IdleOption> idle_options(const ReducedTrainingOptions&) {
  return {{"seed", "[reductions] draws nothing"}};
}

training::RateProblem rate_problem(const TrainingProblem& problem, data::Part which) {
  const training::Problem& solved = problem.problem;
  return {.rows = {solved.features, solved.model.inputs(), problem.rows(which).rows},
          .labels = solved.labels,
          .groups = problem.set->set.group,
          .num_groups = problem.set->set.num_groups()};
}

/// In the layout of the network: the intercept at the end.
std::vector<double> as_network(std::vector<double> w) {
  std::rotate(w.begin(), w.begin() + 1, w.end());
  return w;
}

/// Of a classifier, on every part of which each cell has rows.
void add_rates(sweep::TaskResult& result, const TrainingProblem& problem,
               const training::ReductionsOptions& options, const std::string& prefix,
               std::span<const std::vector<double>> members, std::span<const double> shares) {
  const training::RateCells cells(options.rate, problem.set->set.num_groups());
  for (const data::Part which : {data::Part::train, data::Part::validation, data::Part::test}) {
    const training::RateProblem part = rate_problem(problem, which);
    if (part.rows.size() == 0) continue;
    std::vector<double> decisions(static_cast<std::size_t>(part.rows.size()));
    training::expected_decisions(part.rows, members, shares, decisions);
    const training::Rates rates = training::rates_of(part, cells, decisions);
    result.metrics[fmt::format("{}error_{}", prefix, data::name_of(which))] = rates.error;
    const bool defined =
        std::ranges::none_of(rates.of_cell, [](double rate) { return std::isnan(rate); });
    if (!defined) continue;
    result.metrics[fmt::format("{}rate_gap_{}", prefix, data::name_of(which))] =
        training::largest_gap(cells, rates.of_cell);
  }
}

sweep::TaskResult run_reductions(const Run<TrainingProblem, ReducedTrainingOptions>& run) {
  training::ReductionsResult found =
      training::reductions(rate_problem(run.problem, data::Part::train), run.options, run.control);
  const std::vector<double>& best = found.members[found.best];
  sweep::TaskResult result;
  const std::vector<double> w = as_network(best);
  add_measures(result, run.problem, w, run.control);
  add_gap_bounds(result, run.problem, w, std::nullopt, run.control);
  add_rates(result, run.problem, run.options, "", {&best, 1}, std::vector<double>{1.0});
  add_rates(result, run.problem, run.options, "randomised_", found.members, found.shares);
  result.metrics["duality_gap"] = found.duality_gap;
  result.metrics["lower"] = found.lower;
  result.metrics["iterations"] = static_cast<double>(found.rounds);
  result.metrics["fits"] = static_cast<double>(found.fits);
  models::ModelText model = models::ModelText::parse(result.model);
  model.options["members"] = "members";
  model.options["shares"] = "shares";
  result.model = model.text();
  for (std::size_t m = 0; m < found.members.size(); ++m) {
    if (found.shares[m] == 0) continue;
    result.solutions["members"].emplace_back(as_network(std::move(found.members[m])));
  }
  std::erase(found.shares, 0.0);
  result.solutions["shares"].emplace_back(std::move(found.shares));
  if (!found.converged) {
    append(result.remark, fmt::format("the duality gap of the randomised classifier is {:.3g}, "
                                      "above reductions.tolerance",
                                      found.duality_gap));
  }
  if (std::all_of(w.begin(), w.end() - 1, [](double weight) { return weight == 0; })) {
    append(result.remark,
           "the best single classifier found within the bound decides all rows alike");
  }
  if (result.metrics["rate_gap_train"] > run.options.bound) {
    append(result.remark,
           fmt::format("no single classifier found is within reductions.bound = {} on the training "
                       "part: the one of least gap, {:.3g}, is returned",
                       run.options.bound, result.metrics["rate_gap_train"]));
  }
  return result;
}

sweep::Work reductions_work(const TrainingProblem& problem, const ReducedTrainingOptions& options) {
  constexpr double newton_steps = 6;
  sweep::Work work = training_work(problem, 0);
  const auto rows = static_cast<double>(problem.problem.train.size());
  const auto weights = static_cast<double>(problem.problem.parameters());
  const double fits = 2 * std::min(20.0, static_cast<double>(options.rounds)) + 1;
  work.amount = rows * (3 + fits * newton_steps * (2 + weights / 8));
  return work;
}

sweep::Columns reductions_columns() {
  using base::Direction;
  constexpr const char* source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)";
  sweep::Columns columns;
  for (const std::string who : {"", "randomised_"}) {
    const std::string of = who.empty() ? "the deterministic" : "the randomised";
    for (const char* part : {"train", "validation", "test"}) {
      columns.metrics.push_back({fmt::format("{}error_{}", who, part),
                                 fmt::format("expected share of wrong decisions of {} classifier "
                                             "on the {} part",
                                             of, part),
                                 "share", Direction::minimise, source});
      columns.metrics.push_back({fmt::format("{}rate_gap_{}", who, part),
                                 fmt::format("largest difference of two groups' rates in "
                                             "reductions.rate of {} classifier on the {} part",
                                             of, part),
                                 "share", Direction::minimise, source});
    }
  }
  columns.metrics.push_back(
      {"duality_gap",
       "error of the randomised classifier on the training part plus largest_multiplier times its "
       "excess over the bound, less lower; 0: the learner has no better answer",
       "share", Direction::minimise, source});
  columns.metrics.push_back(
      {"lower",
       "largest over multipliers of the least Lagrangian of the classifiers found: "
       "bounds the error within the bound as far as the learner answers best",
       "share", Direction::none, source});
  columns.metrics.push_back({"fits", "of the learner", "", Direction::none, ""});
  columns.solutions.push_back({"members",
                               "of the randomised classifier: weights of linear scores that decide "
                               "1 from 0 on, the intercept at the end",
                               "", Direction::none, source});
  columns.solutions.push_back({"shares", "probability with which each of the members decides",
                               "share", Direction::none, source});
  return columns;
}

}  // namespace

Method<TrainingProblem> reductions_method() {
  return make_method<TrainingProblem, ReducedTrainingOptions>(
      {.name = "reductions",
       .title = "bounds on rates of decisions by weighted logistic fits, randomised",
       .source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)",
       .revision = 1},
      reductions_columns(), reductions_work, run_reductions);
}

}  // namespace fairfront::experiments
