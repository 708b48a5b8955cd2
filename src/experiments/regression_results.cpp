#include "experiments/regression_results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/error.hpp"
#include "base/stop.hpp"
#include "base/text.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/remarks.hpp"
#include "metrics/group_estimates.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "solvers/regression/certificate.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using base::Quantity;
using metrics::AtomSums;
using metrics::RandomisedMeasure;
using regression::DualProblem;
using regression::SoftPrediction;
using sweep::TaskResult;

struct NamedPart {
  std::string_view name;
  const RegressionPart& rows;
};
constexpr std::string_view choice = "choice";

std::vector<NamedPart> parts_of(const RegressionProblem& problem) {
  std::vector<NamedPart> parts{{"unlabelled", problem.unlabelled}, {"test", problem.test}};
  if (problem.choice.rows() > 0) parts.push_back({choice, problem.choice});
  return parts;
}

MeasuredGroups groups_of(const RegressionProblem& problem, const NamedPart& part) {
  return {part.name, problem.base->group_names, level_on(part.name, problem.options.level)};
}

metrics::BootstrapOptions bootstrap_options(const RegressionOptions& options,
                                            std::string_view part) {
  return {.resamples = options.resamples,
          .level = level_on(part, options.level),
          .strata = metrics::Strata::group};
}
base::StreamKey bootstrap_key(const RegressionOptions& options, const Resampling& resampling,
                              std::string_view part) {
  return {static_cast<std::uint64_t>(options.bootstrap_seed), resampling.key,
          fmt::format("regression/bootstrap/{}", part)};
}

/// Adds what a formula says; where it says nothing, and is known, the reason. Of two-Wasserstein
/// distances, and of randomised predictions' one-Wasserstein ones, none is: doc/methods.md says so.
void add_formula(TaskResult& result, Remarks& remarks, const std::string& name,
                 const NamedPart& part, const metrics::Interval& interval) {
  add_interval(result, name, part.name, interval);
  if (interval.defined() || name.starts_with("wasserstein")) return;
  remarks.add(interval.undefined_reason, "interval of " + text_of(name, part.name));
}

/// How the predictions of each group are distributed over the atoms, and their distances to all.
void add_distributions(TaskResult& result, const AtomSums& sums) {
  result.solutions["group_kolmogorov_smirnov"].emplace_back(
      metrics::kolmogorov_smirnov_of_groups(sums));
  auto& distributions = result.solutions["distribution"];
  for (std::size_t g = 0; g < static_cast<std::size_t>(sums.groups()); ++g) {
    std::vector<double> shares(sums.mass(g).begin(), sums.mass(g).end());
    for (double& share : shares) share /= sums.rows(g);
    distributions.emplace_back(std::move(shares));
  }
}

void add_randomised(TaskResult& result, const RegressionProblem& problem, const NamedPart& part,
                    std::span<const double> atoms, const Distribution& distribution,
                    PredictionRule rule, const Resampling& resampling) {
  const std::size_t n = atoms.size();
  const bool resampled = problem.options.resamples > 0;
  const auto rows = static_cast<std::size_t>(part.rows.rows());
  AtomSums sums({atoms.begin(), atoms.end()}, problem.groups());
  std::vector<double> table(resampled ? rows * n : n);
  for (std::size_t row = 0; row < rows; ++row) {
    base::stop_point();
    const auto pi = std::span{table}.subspan(resampled ? row * n : 0, n);
    distribution(part.rows, static_cast<std::int64_t>(row), pi);
    models::apply(rule, pi);
    sums.add(pi, part.rows.label[row], part.rows.group[row]);
  }
  Remarks remarks;
  for (const RandomisedMeasure& measure : metrics::randomised_regression()) {
    const std::string& name = measure.what.name;
    const metrics::Value value = measure.of(sums);
    add_value(result, name, part.name, value.value);
    if (!value.defined()) remarks.add(value.undefined_reason, text_of(name, part.name));
    if (part.name != choice) add_makers(result, name, groups_of(problem, part), value);
    if (value.defined()) {
      add_formula(result, remarks, name, part,
                  measure.interval(sums, level_on(part.name, problem.options.level)));
    }
  }
  if (part.name != choice) {
    const MeasuredGroups groups = groups_of(problem, part);
    add_rows(result, groups, part.rows.group);
    add_of_groups(result, remarks, metrics::randomised_regression(), sums, groups);
    add_distributions(result, sums);
  }
  append(result.remark, remarks.text(problem.base->group_names));
  if (!resampled) return;
  const auto measures = metrics::randomised_regression();
  const auto drawn = metrics::bootstrap_intervals(
      measures, atoms, table, part.rows.label, part.rows.group, problem.groups(),
      resampling.next(bootstrap_options(problem.options, part.name)),
      bootstrap_key(problem.options, resampling, part.name));
  for (std::size_t m = 0; m < measures.size(); ++m) {
    add_interval(result, measures[m].what.name, part.name, drawn[m].interval);
  }
}

std::size_t nearest(std::span<const double> atoms, double value) {
  const auto above = std::ranges::lower_bound(atoms, value);
  if (above == atoms.begin()) return 0;
  if (above == atoms.end()) return atoms.size() - 1;
  const bool lower = value - *(above - 1) <= *above - value;
  return static_cast<std::size_t>(above - atoms.begin()) - (lower ? 1 : 0);
}

/// Those of predictions that are no atoms: of the nearest ones.
void add_nearest_distributions(TaskResult& result, const RegressionProblem& problem,
                               const NamedPart& part, std::span<const double> predictions) {
  AtomSums nearest_atoms(problem.atoms, problem.groups());
  std::vector<double> pi(problem.atoms.size());
  for (std::size_t row = 0; row < predictions.size(); ++row) {
    base::stop_point();
    std::ranges::fill(pi, 0.0);
    pi[nearest(problem.atoms, predictions[row])] = 1;
    nearest_atoms.add(pi, part.rows.label[row], part.rows.group[row]);
  }
  add_distributions(result, nearest_atoms);
}

void add_certain(TaskResult& result, const RegressionProblem& problem, const NamedPart& part,
                 std::span<const double> predictions, const Resampling& resampling) {
  const metrics::Scored scored{predictions, part.rows.label, part.rows.group, problem.groups(), 0};
  const auto measures = metrics::regression();
  const auto values = metrics::evaluate(measures, scored);
  Remarks remarks;
  for (std::size_t m = 0; m < measures.size(); ++m) {
    const std::string& name = measures[m].what.name;
    add_value(result, name, part.name, values[m].value);
    if (!values[m].defined()) {
      remarks.add(values[m].undefined_reason, text_of(name, part.name));
    }
    if (part.name != choice) add_makers(result, name, groups_of(problem, part), values[m]);
    if (values[m].defined()) {
      add_formula(result, remarks, name, part,
                  measures[m].interval(scored, level_on(part.name, problem.options.level)));
    }
  }
  if (part.name != choice) {
    const MeasuredGroups groups = groups_of(problem, part);
    add_rows(result, groups, part.rows.group);
    add_of_groups(result, remarks, measures, scored, groups);
    add_nearest_distributions(result, problem, part, predictions);
  }
  append(result.remark, remarks.text(problem.base->group_names));
  if (problem.options.resamples == 0) return;
  const auto drawn = metrics::bootstrap_intervals(
      measures, scored, resampling.next(bootstrap_options(problem.options, part.name)),
      bootstrap_key(problem.options, resampling, part.name));
  for (std::size_t m = 0; m < measures.size(); ++m) {
    add_interval(result, measures[m].what.name, part.name, drawn[m].interval);
  }
}

/// The variance of a part's target, a mean of squares as the risk is.
void add_constant_risk(TaskResult& result, const RegressionProblem& problem, const NamedPart& part,
                       double variance) {
  const std::string name = "constant_risk";
  add_value(result, name, part.name, variance);
  double mean = 0;
  for (const double label : part.rows.label) mean += label;
  mean /= static_cast<double>(part.rows.rows());
  metrics::Moments squares;
  for (const double label : part.rows.label) squares.add((label - mean) * (label - mean));
  Remarks remarks;
  add_formula(result, remarks, name, part,
              metrics::mean_interval(squares, metrics::Law::positive_mean,
                                     level_on(part.name, problem.options.level)));
  append(result.remark, remarks.text(problem.base->group_names));
}

void finish(TaskResult& result, const RegressionProblem& problem) {
  const auto point = [&](std::string_view part) {
    return std::vector<double>{value_of(result, "risk", part),
                               value_of(result, "kolmogorov_smirnov_to_all", part)};
  };
  result.front = one_point_front(point("unlabelled"), problem.reference);
  result.front.report = point("test");
  result.metrics["half_atoms"] = static_cast<double>(problem.grid.half);
  result.metrics["beta"] = problem.beta;
  add_constant_risk(result, problem, {"unlabelled", problem.unlabelled}, problem.constant_risk);
  add_constant_risk(result, problem, {"test", problem.test}, problem.constant_risk_test);
}

/// The distribution of a row by the softmax of the dual.
Distribution soft_distribution(const SoftPrediction& prediction, std::span<const double> d) {
  return [&prediction, d](const RegressionPart& part, std::int64_t row, std::span<double> pi) {
    prediction(part.predicted.eta[static_cast<std::size_t>(row)], part.predicted.tilts(row), d, pi);
  };
}

double norm_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum);
}

/// What a fitted model says of a row of a part.
std::span<const double> predict_row(models::FittedModel& model, const RegressionProblem& problem,
                                    const RegressionPart& part, std::int64_t row) {
  const std::span<const std::int32_t> group{&part.group[static_cast<std::size_t>(row)], 1};
  return model.predict(features_of(problem, part, row), group);
}

std::vector<double> predictions_of(models::FittedModel& model, const RegressionProblem& problem,
                                   const RegressionPart& part) {
  std::vector<double> all;
  for (std::int64_t row = 0; row < part.rows(); ++row) {
    base::stop_point();
    all.push_back(predict_row(model, problem, part, row).front());
  }
  return all;
}

/// Root of sum_{l,s} (U_s(l) - eps_s)_+^2. The two halves of the gradient of F are eps_s + and -
/// the signed U_s(l).
double excess_of(std::span<const double> gradient) {
  double sum = 0;
  for (const double component : gradient) {
    const double excess = std::min(0.0, component);
    sum += excess * excess;
  }
  return std::sqrt(sum);
}

/// What a prediction loses against eta, without labels: mean of sum_l pi_l (eta - q_l)^2.
double loss_of(const DualProblem& dual, std::span<const double> d) {
  const SoftPrediction& prediction = dual.prediction();
  std::vector<double> pi(prediction.atoms().size());
  double sum = 0;
  for (std::int64_t row = 0; row < dual.rows().rows(); ++row) {
    base::stop_point();
    const double eta = dual.rows().eta[static_cast<std::size_t>(row)];
    prediction(eta, dual.rows().tilts(row), d, pi);
    for (std::size_t l = 0; l < pi.size(); ++l) {
      const double error = eta - prediction.atoms()[l];
      sum += pi[l] * (error * error);
    }
  }
  return sum / static_cast<double>(dual.rows().rows());
}

}  // namespace

std::vector<double> features_of(const RegressionProblem& problem, const RegressionPart& part,
                                std::int64_t row) {
  const BasePredictions& base = *problem.base;
  const data::Part which = &part == &problem.test     ? data::Part::test
                           : &part == &problem.choice ? data::Part::choice
                                                      : data::Part::validation;
  const std::int64_t number = base.split.rows(which)[static_cast<std::size_t>(row)];
  if (base.set) {
    const auto features = base.set->set.row(number);
    return {features.begin(), features.end()};
  }
  std::vector<double> columns{base.eta[static_cast<std::size_t>(number)]};
  const auto groups = static_cast<std::size_t>(base.groups());
  const auto tau = std::span{base.tau}.subspan(static_cast<std::size_t>(number) * groups, groups);
  columns.insert(columns.end(), tau.begin(), tau.end());
  return columns;
}

void add_rule(base::OptionTable& table, PredictionRule& rule) {
  table.add_choice<PredictionRule>(
      "rule", rule,
      {{"randomised", PredictionRule::randomised},
       {"argmax", PredictionRule::argmax},
       {"mean", PredictionRule::mean}},
      "A prediction is an atom drawn from the row's distribution, its most likely atom, or its "
      "mean. Constraints are those of the first.");
}

void describe(base::OptionTable& table, SlackOptions& options) {
  table.add("epsilon", options.epsilon, base::between(0.0, 1.0), "share",
            "The probability of an atom may differ by this much between a group and all rows.");
  table.add("epsilon_factors", options.epsilon_factors,
            "For each group, in their order, epsilon is multiplied by its factor here; where there "
            "are none, by 1 for all.");
  add_rule(table, options.rule);
  table.assign_role(base::Role::trade_off, {"epsilon"});
}

std::vector<double> slack_of(const RegressionProblem& problem, const SlackOptions& options) {
  std::vector<double> slack(static_cast<std::size_t>(problem.groups()), options.epsilon);
  if (options.epsilon_factors.empty()) return slack;
  if (options.epsilon_factors.size() != slack.size()) {
    throw base::InputError(fmt::format("epsilon_factors must have {} numbers, for {}",
                                       problem.groups(),
                                       base::join(problem.base->group_names, ", ")));
  }
  for (std::size_t s = 0; s < slack.size(); ++s) {
    const auto factor = base::parse_double(options.epsilon_factors[s]);
    if (!factor || !(*factor >= 0) || !std::isfinite(*factor)) {
      throw base::InputError("epsilon_factors must be finite numbers >= 0");
    }
    slack[s] *= *factor;
  }
  return slack;
}

void validate_for(const RegressionProblem& problem, const SlackOptions& options) {
  (void)slack_of(problem, options);
}

std::vector<double> feasible_slack_of(const RegressionProblem& problem, const SlackOptions& options,
                                      regression::ParityBound bound) {
  std::vector<double> slack = slack_of(problem, options);
  const auto least = regression::least_epsilons(problem.unlabelled.predicted, problem.grid, bound);
  constexpr double rounding = 1e-12;  // of means of the tilts
  for (std::size_t s = 0; s < slack.size(); ++s) {
    if (slack[s] >= least[s] - rounding) continue;
    throw base::InputError(fmt::format(
        "infeasible: the slack {} of group '{}' must be at least {} for these unlabelled rows and "
        "shares of the groups; with regression.shares = unlabelled every slack is feasible",
        base::format_double(slack[s]), problem.base->group_names[s],
        base::format_double(least[s])));
  }
  return slack;
}

DualProblem dual_of(const RegressionProblem& problem, const SlackOptions& options) {
  return {problem.unlabelled.predicted, problem.grid, problem.beta,
          feasible_slack_of(problem, options, regression::ParityBound::atom)};
}

std::string soft_model(double beta, PredictionRule rule) {
  return models::ModelText{"soft",
                           {{"multipliers", "multipliers"},
                            {"beta", base::format_double(beta)},
                            {"rule", std::string(models::name_of(rule))}}}
      .text();
}

TaskResult result_of(const RegressionProblem& problem, std::span<const double> atoms,
                     const Distribution& distribution, PredictionRule rule,
                     const Resampling& resampling) {
  TaskResult result;
  result.solutions["atoms"].emplace_back(std::vector<double>(atoms.begin(), atoms.end()));
  for (const NamedPart& part : parts_of(problem)) {
    if (rule != PredictionRule::mean) {
      add_randomised(result, problem, part, atoms, distribution, rule, resampling);
      continue;
    }
    std::vector<double> means;
    std::vector<double> pi(atoms.size());
    for (std::int64_t row = 0; row < part.rows.rows(); ++row) {
      base::stop_point();
      distribution(part.rows, row, pi);
      means.push_back(models::mean_of(pi, atoms));
    }
    add_certain(result, problem, part, means, resampling);
  }
  finish(result, problem);
  return result;
}

TaskResult result_of(const RegressionProblem& problem, const CertainPredictions& predictions,
                     const Resampling& resampling) {
  TaskResult result;
  result.solutions["atoms"].emplace_back(problem.atoms);
  for (const NamedPart& part : parts_of(problem)) {
    add_certain(result, problem, part, predictions(part.rows), resampling);
  }
  finish(result, problem);
  return result;
}

TaskResult result_of(const RegressionProblem& problem, const DualProblem& dual,
                     std::span<const double> w, PredictionRule rule, const Resampling& resampling) {
  const std::vector<double> d = regression::difference_of(w);
  TaskResult result =
      result_of(problem, problem.atoms, soft_distribution(dual.prediction(), d), rule, resampling);
  std::vector<double> gradient(w.size());
  const double value = dual.value_and_gradient(w, gradient);
  const double variance = regression::gradient_variance(problem.shares);
  result.metrics["dual_value"] = value;
  result.metrics["gradient_map_norm"] =
      regression::gradient_map_norm(w, gradient, 1 / (2 * problem.beta * variance));
  result.metrics["excess"] = excess_of(gradient);
  result.metrics["multiplier_norm"] = norm_of(w);
  result.metrics["loss"] = loss_of(dual, d);
  result.solutions["multipliers"].emplace_back(std::vector<double>(w.begin(), w.end()));
  result.model = soft_model(dual.prediction().beta(), rule);
  return result;
}

results::Measures measures_of(const RegressionProblem& problem, const sweep::Found& found,
                              const std::string& key) {
  if (found.model == nullptr) return {};
  models::FittedModel& model = *found.model;
  const std::span<const double> atoms = model.atoms();
  if (atoms.empty()) {
    const CertainPredictions predictions = [&](const RegressionPart& part) {
      return predictions_of(model, problem, part);
    };
    return result_of(problem, predictions, {key}).measured;
  }
  const Distribution distribution = [&](const RegressionPart& part, std::int64_t row,
                                        std::span<double> pi) {
    (void)predict_row(model, problem, part, row);
    std::ranges::copy(model.distribution(), pi.begin());
  };
  // The rule is in the model's distribution already.
  return result_of(problem, atoms, distribution, PredictionRule::randomised, {key}).measured;
}

std::vector<Quantity> regression_objectives() {
  return {{"risk", "mean squared error", "target squared", Direction::minimise, regression_paper},
          {"kolmogorov_smirnov_to_all",
           "largest Kolmogorov-Smirnov distance between a group's predictions and all", "share",
           Direction::minimise, "Agarwal, Dudik, Wu (2019)"}};
}

sweep::Columns regression_columns() {
  sweep::Columns columns;
  add_evaluations_column(columns);
  const std::vector<std::string> parts{"unlabelled", std::string{choice}, "test"};
  for (const RandomisedMeasure& measure : metrics::randomised_regression()) {
    columns.measures.push_back(
        {measure.what, parts,
         measure.of_each_group ? results::AtGroups::own : results::AtGroups::made_by});
  }
  columns.measures.push_back({rows_quantity(), parts});
  columns.measures.push_back({{"constant_risk",
                               "risk of the best constant prediction, whose unfairness is 0: the "
                               "variance of the target",
                               "target squared", Direction::none, ""},
                              parts});
  columns.metrics.push_back(
      {"half_atoms", "L: there are 2 L + 1 atoms", "", Direction::none, regression_paper});
  columns.metrics.push_back({"beta", "inverse temperature of the randomised prediction", "",
                             Direction::none, regression_paper});
  columns.solutions = {
      {"atoms", "what is predicted, ascending", "target", Direction::none, regression_paper},
      {"distribution",
       "probability of every atom in each group, of the unlabelled part and then of the test part; "
       "of predictions between the atoms that of the nearest one",
       "share", Direction::none, ""},
      {"group_kolmogorov_smirnov",
       "Kolmogorov-Smirnov distance of each group's predictions, at atoms, to all, of the "
       "unlabelled part and then of the test part",
       "share", Direction::minimise, "Agarwal, Dudik, Wu (2019)"}};
  return columns;
}

sweep::Columns dual_columns() {
  return {
      .metrics = {{"dual_value", "F at the multipliers, on the unlabelled part", "",
                   Direction::minimise, regression_paper},
                  {"gradient_map_norm",
                   "|G_alpha| at the multipliers, alpha = 1 / (2 beta sigma^2); bounds excess", "",
                   Direction::minimise, "Chzhen, Hebiri, Taturyan (2024), Lemma 3.5"},
                  {"excess",
                   "root of the sum over groups and atoms of (U - epsilon)_+ squared, on the "
                   "unlabelled part, by tau",
                   "share", Direction::minimise, "Chzhen, Hebiri, Taturyan (2024), Lemma 3.5"},
                  {"multiplier_norm", "Euclidean norm of the multipliers", "", Direction::none,
                   regression_paper},
                  {"loss",
                   "mean squared difference of the randomised prediction to eta, scaled to "
                   "[-1, 1], on the unlabelled part",
                   "", Direction::minimise, "Chzhen, Hebiri, Taturyan (2024), equation (3)"}},
      .solutions = {{"multipliers", "(Lambda, V): Lambda group by group, atoms ascending; then V",
                     "", Direction::none, "Chzhen, Hebiri, Taturyan (2024), Lemma 3.1"}}};
}

RiskAndDistance risk_and_distance(const RegressionProblem& problem, const RegressionPart& part,
                                  const SoftPrediction& prediction, std::span<const double> w) {
  const std::vector<double> d = regression::difference_of(w);
  AtomSums sums(problem.atoms, problem.groups());
  std::vector<double> pi(problem.atoms.size());
  const Distribution distribution = soft_distribution(prediction, d);
  for (std::int64_t row = 0; row < part.rows(); ++row) {
    base::stop_point();
    distribution(part, row, pi);
    sums.add(pi, part.label[static_cast<std::size_t>(row)],
             part.group[static_cast<std::size_t>(row)]);
  }
  return {metrics::randomised_regression().front().of(sums).value,
          metrics::kolmogorov_smirnov_to_all(sums).value};
}

double task_bytes(const RegressionProblem& problem) {
  const auto atoms = static_cast<double>(problem.atoms.size());
  const auto groups = static_cast<double>(problem.groups());
  const double rows = measured_rows(problem);
  const double table = problem.options.resamples > 0 ? rows * atoms : 0;
  return sizeof(double) * (table + 20 * groups * atoms + rows * (groups + 3));
}

double measured_rows(const RegressionProblem& problem) {
  return static_cast<double>(problem.unlabelled.rows() + problem.test.rows() +
                             problem.choice.rows());
}

}  // namespace fairfront::experiments
