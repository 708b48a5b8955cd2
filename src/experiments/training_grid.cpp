#include "experiments/training_grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "base/stop.hpp"
#include "base/text.hpp"
#include "experiments/training_rates.hpp"
#include "solvers/training/cost_learner.hpp"

namespace fairfront::experiments {
namespace {

using sweep::Claim;
using Numbers = std::vector<double>;

training::RateCells cells_of(const TrainingProblem& problem, training::RateKind rate) {
  return {rate, problem.set->set.num_groups()};
}

/// Of a part the error and the rates of a score.
class RatesOf {
 public:
  RatesOf(const TrainingProblem& problem, training::RateKind rate, data::Part which)
      : model_{problem.problem.model},
        part_{rate_problem(problem, which)},
        cells_{cells_of(problem, rate)},
        decisions_(static_cast<std::size_t>(part_.rows.size())) {}

  [[nodiscard]] Numbers operator()(const Numbers& w) {
    training::expected_decisions(model_, part_.rows, {&w, 1}, Numbers{1.0}, decisions_);
    const training::Rates rates = training::rates_of(part_, cells_, decisions_);
    Numbers all{rates.error};
    all.insert(all.end(), rates.of_cell.begin(), rates.of_cell.end());
    return all;
  }

 private:
  const models::Perceptron& model_;
  training::RateProblem part_;
  training::RateCells cells_;
  Numbers decisions_;
};

bool is_finite(const Numbers& numbers) {
  return std::ranges::all_of(numbers, [](double number) { return std::isfinite(number); });
}

/// All vectors of a solution; empty where one is of something else.
std::vector<Numbers> vectors_of(const results::Findings& findings, const std::string& name) {
  std::vector<Numbers> all;
  const auto found = findings.solutions.find(name);
  if (found == findings.solutions.end()) return all;
  for (const results::SolutionValues& values : found->second) {
    const auto* const numbers = std::get_if<Numbers>(&values);
    if (numbers == nullptr) return {};
    all.push_back(*numbers);
  }
  return all;
}

std::string text_of(const Numbers& values) {
  std::vector<std::string> texts;
  for (const double value : values) texts.push_back(base::format_double(value));
  return base::join(texts, ", ");
}

/// What is wrong with the rates stored of a part; empty: nothing.
std::string difference(const std::vector<Numbers>& stored, const std::vector<Numbers>& found,
                       std::string_view part) {
  if (stored.size() != found.size()) {
    return fmt::format("on the {} part {} have rates", part, stored.size());
  }
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (stored[i] == found[i]) continue;
    return fmt::format("classifier {} has {} on the {} part, not {}", i, text_of(found[i]), part,
                       text_of(stored[i]));
  }
  return "";
}

std::vector<Numbers> rates_on(const TrainingProblem& problem, training::RateKind rate,
                              data::Part which, const std::vector<Numbers>& networks) {
  std::vector<Numbers> all;
  if (problem.rows(which).size() == 0) return all;
  RatesOf rates_of(problem, rate, which);
  for (const Numbers& network : networks) {
    base::stop_point();
    all.push_back(rates_of(network));
    if (!is_finite(all.back())) return {};  // a cell without rows
  }
  return all;
}

/// @param rates  of the training part, as found again.
Claim choice_claim(const TrainingProblem& problem, const training::RateLimit& limit,
                   const std::vector<Numbers>& networks, const std::vector<Numbers>& rates,
                   const std::vector<Numbers>& chosen) {
  const training::RateCells cells = cells_of(problem, limit.rate);
  const auto value_of = [&](const Numbers& of) {
    return training::bounded_value(limit.of, cells, std::span(of).subspan(1));
  };
  const auto at = chosen.size() == 1 ? std::ranges::find(networks, chosen.front()) : networks.end();
  if (at == networks.end()) {
    return {"the single classifier is one of the grid", "it is none of them"};
  }
  const Numbers& mine = rates[static_cast<std::size_t>(at - networks.begin())];
  const double value = value_of(mine);
  const bool is_kept = training::keeps(limit, value);
  Claim claim{is_kept
                  ? fmt::format("no classifier of the grid within bound = {} on the training "
                                "part errs less than {}",
                                base::format_double(limit.bound), base::format_double(mine[0]))
                  : fmt::format("no classifier of the grid is within bound = {} on the training "
                                "part, or nearer to it than {}",
                                base::format_double(limit.bound), base::format_double(value)),
              ""};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    const double other = value_of(rates[i]);
    const bool is_better = training::keeps(limit, other)
                               ? !is_kept || rates[i][0] < mine[0]
                               : !is_kept && training::unfairness(limit.of, other) <
                                                 training::unfairness(limit.of, value);
    if (!is_better) continue;
    claim.refuted = fmt::format("classifier {} has an error of {} with {}", i,
                                base::format_double(rates[i][0]), base::format_double(other));
    break;
  }
  return claim;
}

std::unique_ptr<training::CostLearner> learner_of(const TrainingProblem& problem,
                                                  const training::ReductionsOptions& options,
                                                  const training::Address& address) {
  if (problem.is_logistic_regression()) {
    return std::make_unique<training::LogisticLearner>(
        rate_problem(problem, data::Part::train).rows, options.l2, options.learner_tolerance);
  }
  return std::make_unique<training::NetworkLearner>(
      problem.problem,
      training::NetworkLearnerOptions{
          .l2 = options.l2, .step = options.learner_step, .batch = options.batch},
      address,
      training::initial_weights(problem.problem.model, problem.network.initialisation,
                                address.seed),
      problem.options.run);
}

}  // namespace

training::ReductionsResult reductions_of(const TrainingProblem& problem,
                                         const training::ReductionsOptions& options,
                                         const training::Address& address,
                                         const solvers::Control& control) {
  const training::RateProblem train = rate_problem(problem, data::Part::train);
  const std::unique_ptr<training::CostLearner> learner = learner_of(problem, options, address);
  if (options.search != training::Search::grid) {
    return training::reductions(train, *learner, options, control);
  }
  const bool is_ratio = options.bound_of == training::BoundOf::ratio;
  auto& known =
      problem.grids
          ->known[{options.rate, options.bound_of, is_ratio ? options.bound : 0, options.grid_size,
                   options.grid_limit, options.l2, options.learner_tolerance, options.learner_step,
                   options.batch, address.seed, address.task_key}];
  training::ReductionsResult found = training::reductions(train, *learner, options, control, known);
  known = found.grid;
  return found;
}

void add_grid(sweep::TaskResult& result, const TrainingProblem& problem, training::RateKind rate,
              std::span<const training::GridClassifier> grid) {
  std::vector<Numbers> networks;
  for (const training::GridClassifier& one : grid) networks.push_back(one.w);
  const auto add = [&](const char* name, const std::vector<Numbers>& all) {
    for (const Numbers& numbers : all) result.solutions[name].emplace_back(numbers);
  };
  for (const training::GridClassifier& one : grid) {
    result.solutions["grid_multipliers"].emplace_back(one.costs);
  }
  add("grid_rates", rates_on(problem, rate, data::Part::train, networks));
  add("grid_test_rates", rates_on(problem, rate, data::Part::test, networks));
  add("grid_weights", networks);
}

sweep::Columns grid_columns() {
  using base::Direction;
  constexpr const char* source =
      "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018), section 3.4";
  const std::string rates =
      "of every classifier of the grid the error on the {} part, then the rate of every group, of "
      "equalised odds in the rows with label 1 and then in those with label 0";
  sweep::Columns columns;
  columns.solutions = {
      {"grid_weights",
       "of every classifier of the grid, the unconstrained one first: weights of a score that "
       "decides 1 from 0 on",
       "", Direction::none, source},
      {"grid_multipliers",
       "of every classifier of the grid, by group and label as in grid_rates: what a rate of 1 "
       "costs "
       "there, in errors",
       "", Direction::none, source},
      {"grid_rates", fmt::format(fmt::runtime(rates), "training"), "share", Direction::none,
       source},
      {"grid_test_rates", fmt::format(fmt::runtime(rates), "test"), "share", Direction::none,
       source}};
  return columns;
}

std::vector<Claim> claims_of_grid(const TrainingProblem& problem, const training::RateLimit& limit,
                                  const results::Findings& findings) {
  const std::vector<Numbers> networks = vectors_of(findings, "grid_weights");
  Claim stored{fmt::format("{} classifiers of the grid have the errors and rates that are stored",
                           networks.size()),
               ""};
  const auto weights = static_cast<std::size_t>(problem.problem.parameters());
  if (networks.empty() ||
      !std::ranges::all_of(networks, [&](const Numbers& w) { return w.size() == weights; })) {
    stored.refuted = "there are not the weights of one score a classifier";
    return {stored};
  }
  const auto check = [&](data::Part which, const char* name, std::string_view part) {
    std::vector<Numbers> found = rates_on(problem, limit.rate, which, networks);
    if (stored.refuted.empty()) {
      stored.refuted = difference(vectors_of(findings, name), found, part);
    }
    return found;
  };
  const std::vector<Numbers> rates = check(data::Part::train, "grid_rates", "training");
  (void)check(data::Part::test, "grid_test_rates", "test");
  return {std::move(stored),
          choice_claim(problem, limit, networks, rates, vectors_of(findings, "weights"))};
}

}  // namespace fairfront::experiments
