#include "experiments/training_reductions.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "experiments/measured.hpp"
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

constexpr std::array measured_parts{data::Part::train, data::Part::validation, data::Part::choice,
                                    data::Part::test};

using Members = std::vector<std::vector<double>>;

/// The measures of single classifiers that are the largest gaps of rates.
const std::array<std::pair<training::RateKind, std::string>, 5> gaps_of_rates{
    {{training::RateKind::demographic_parity, "independence_gap"},
     {training::RateKind::equalised_odds, "separation_gap"},
     {training::RateKind::equal_opportunity, "true_positive_gap"},
     {training::RateKind::predictive_equality, "false_positive_gap"},
     {training::RateKind::error_rate_parity, "error_gap"}}};

/// Where each cell has rows.
void add_gap(sweep::TaskResult& result, const std::string& measure, std::string_view part,
             const training::RateCells& cells, const training::Rates& rates) {
  const bool defined =
      std::ranges::none_of(rates.of_cell, [](double of_cell) { return std::isnan(of_cell); });
  if (defined) add_value(result, measure, part, training::largest_gap(cells, rates.of_cell));
}

/// Largest gap in `rate` of a classifier on every part that has rows, and with a prefix also what a
/// single classifier's other measures tell of it.
void add_rates(sweep::TaskResult& result, const TrainingProblem& problem, training::RateKind rate,
               const std::string& prefix, const Members& members, std::span<const double> shares) {
  const training::RateCells cells(rate, problem.set->set.num_groups());
  for (const data::Part which : measured_parts) {
    const training::RateProblem part = rate_problem(problem, which);
    if (part.rows.size() == 0) continue;
    std::vector<double> decisions(static_cast<std::size_t>(part.rows.size()));
    training::expected_decisions(part.rows, members, shares, decisions);
    const training::Rates rates = training::rates_of(part, cells, decisions);
    const std::string_view name = data::name_of(which);
    add_gap(result, prefix + "rate_gap", name, cells, rates);
    if (prefix.empty()) continue;
    add_value(result, prefix + "error", name, rates.error);
    for (const auto& [kind, gap] : gaps_of_rates) {
      const training::RateCells of_kind(kind, problem.set->set.num_groups());
      add_gap(result, prefix + gap, name, of_kind, training::rates_of(part, of_kind, decisions));
    }
  }
}

/// As the learner has them: the intercept first.
std::vector<double> as_learnt(std::vector<double> w) {
  std::rotate(w.begin(), w.end() - 1, w.end());
  return w;
}

/// The rates of both classifiers that were found.
void add_rates(sweep::TaskResult& result, const TrainingProblem& problem, training::RateKind rate,
               const Members& single, const Members& members, std::span<const double> shares) {
  const auto learnt = [](const Members& networks) {
    Members all;
    for (const std::vector<double>& w : networks) all.push_back(as_learnt(w));
    return all;
  };
  add_rates(result, problem, rate, "", learnt(single), std::vector<double>{1.0});
  add_rates(result, problem, rate, "randomised_", learnt(members), shares);
}

sweep::TaskResult run_reductions(const Run<TrainingProblem, ReducedTrainingOptions>& run) {
  training::ReductionsResult found =
      training::reductions(rate_problem(run.problem, data::Part::train), run.options, run.control);
  const std::vector<double>& best = found.members[found.best];
  sweep::TaskResult result;
  const std::vector<double> w = as_network(best);
  add_measures(result, run.problem, w, run.control);
  add_gap_bounds(result, run.problem, w, std::nullopt, run.control);
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
  result.solutions["shares"].emplace_back(found.shares);
  Members members;
  for (const auto& member : result.solutions["members"]) {
    members.push_back(std::get<std::vector<double>>(member));
  }
  add_rates(result, run.problem, run.options.rate, {w}, members, found.shares);
  if (!found.converged) {
    append(result.remark, fmt::format("the duality gap of the randomised classifier is {:.3g}, "
                                      "above reductions.tolerance",
                                      found.duality_gap));
  }
  if (std::all_of(w.begin(), w.end() - 1, [](double weight) { return weight == 0; })) {
    append(result.remark,
           "the best single classifier found within the bound decides all rows alike");
  }
  const double gap = value_of(result, "rate_gap", "train");
  if (gap > run.options.bound) {
    append(result.remark,
           fmt::format("no single classifier found is within reductions.bound = {} on the training "
                       "part: the one of least gap, {:.3g}, is returned",
                       run.options.bound, gap));
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
  std::vector<std::string> parts;
  for (const data::Part which : measured_parts) parts.emplace_back(data::name_of(which));
  columns.measures = {
      {{"rate_gap",
        "largest difference of two groups' rates in reductions.rate of the single classifier",
        "share", Direction::minimise, source},
       parts},
      {{"randomised_error", "expected share of wrong decisions of the randomised classifier",
        "share", Direction::minimise, source},
       parts},
      {{"randomised_rate_gap",
        "largest difference of two groups' rates in reductions.rate of the randomised classifier",
        "share", Direction::minimise, source},
       parts}};
  for (const auto& [kind, gap] : gaps_of_rates) {
    columns.measures.push_back({{"randomised_" + gap,
                                 "the same as " + gap +
                                     ", of the randomised classifier's expected "
                                     "decisions",
                                 "share", Direction::minimise, source},
                                parts});
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

results::Measures rates_of_reductions(const TrainingProblem& problem, const sweep::Task& task,
                                      const results::Findings& findings) {
  const auto options = sweep::read_section<ReducedTrainingOptions>(task, task.method);
  const auto vectors = [&](const std::string& name) {
    Members all;
    for (const auto& values : findings.solutions.at(name)) {
      all.push_back(std::get<std::vector<double>>(values));
    }
    return all;
  };
  sweep::TaskResult result;
  add_rates(result, problem, options.rate, vectors("weights"), vectors("members"),
            only_vector(findings, "shares"));
  return std::move(result.measured);
}

Method<TrainingProblem> reductions_method() {
  return make_method<TrainingProblem, ReducedTrainingOptions>(
      {.name = "reductions",
       .title = "bounds on rates of decisions by weighted logistic fits, randomised",
       .source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)",
       .revision = 2},
      reductions_columns(), reductions_work, run_reductions);
}

}  // namespace fairfront::experiments
