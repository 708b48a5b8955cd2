#include "experiments/training.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/text.hpp"
#include "data/shared_fields.hpp"
#include "data/small_groups.hpp"
#include "experiments/supervised_sections.hpp"
#include "experiments/training_bounds.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_grid.hpp"
#include "experiments/training_methods.hpp"
#include "experiments/training_postprocessing.hpp"
#include "experiments/training_reductions.hpp"
#include "experiments/training_results.hpp"
#include "models/fitted_model.hpp"
#include "solvers/training/cell_values.hpp"
#include "solvers/training/rate_limits.hpp"
#include "solvers/training/shared_fields.hpp"

namespace fairfront::experiments {
namespace {

using base::at;
using data::SupervisedSet;

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::InputError(std::string{rule});
}

void check_set(const SupervisedSet& set) {
  require(set.target == data::TargetKind::binary, "data.label must have two values");
  data::require_two_groups(set.set.provenance, set.set.attributes, set.set.num_groups());
}

std::vector<std::int64_t> units_of(const std::vector<std::string>& hidden) {
  constexpr std::int64_t most = 100'000;
  std::vector<std::int64_t> units;
  for (const std::string& text : hidden) {
    const auto number = base::parse_int64(text);
    if (!number || *number < 1 || *number > most) {
      throw base::InputError(
          fmt::format("model.hidden = {}, must be numbers of units from 1 to {}", text, most));
    }
    units.push_back(*number);
  }
  return units;
}

training::Part solver_part(const SupervisedSet& set, const std::vector<double>& labels,
                           const std::vector<training::Cell>& cells, data::Part which) {
  const auto rows = set.rows(which);
  training::Part part =
      training::make_part({rows.begin(), rows.end()}, cells, labels, set.set.group);
  const std::int64_t empty = part.empty_cell();
  // Other parts are only measured: what lacks a group there is undefined, and decides nothing.
  const bool decides = which == data::Part::train || which == data::Part::validation;
  if (decides && part.size() > 0 && empty >= 0) {
    data::refuse_lack_of_rows(set.set.group_names, name_of(cells[at(empty)], set),
                              data::name_of(which));
  }
  return part;
}

TrainingPart measured_part(const SupervisedSet& set, data::Part which) {
  TrainingPart part{data::name_of(which), {}, {}};
  const auto rows = set.rows(which);
  part.label.reserve(rows.size());
  part.group.reserve(rows.size());
  for (const std::int64_t row : rows) {
    part.label.push_back(set.set.label[at(row)]);
    part.group.push_back(set.set.group[at(row)]);
  }
  return part;
}

std::vector<double> group_shares(const SupervisedSet& set) {
  std::vector<double> shares(at(set.set.num_groups()), 0.0);
  const auto rows = set.rows(data::Part::train);
  for (const std::int64_t row : rows) {
    shares[static_cast<std::size_t>(set.set.group[at(row)])] +=
        1 / static_cast<double>(rows.size());
  }
  return shares;
}

training::GapConstraints constraints_of(const SupervisedSet& set, const TrainingOptions& options) {
  check_bound_of(options);
  if (!options.rate) return {options.fairness, group_shares(set), options.bound_of};
  require(
      options.rate_of == training::RateOf::decisions || options.loss == models::LossKind::logistic,
      "training.rate_of = probabilities needs training.loss = logistic, of which scores are "
      "logits");
  return {training::RateBound{*options.rate, options.rate_of, options.rate_width},
          set.set.num_groups(), options.bound_of};
}

/// Of all rows, and of no part yet.
/// @param labels  -1 or +1, of all rows.
TrainingProblem without_parts(std::shared_ptr<const SupervisedSet> set,
                              std::shared_ptr<const std::vector<double>> labels,
                              const NetworkOptions& network, const TrainingOptions& options) {
  training::Problem problem{
      .model = {set->set.columns, units_of(network.hidden), network.activation},
      .features = set->set.features,
      .labels = *labels,
      .loss = options.loss,
      .constraints = constraints_of(*set, options),
      .train = {}};
  return {.set = std::move(set),
          .labels = std::move(labels),
          .network = network,
          .options = options,
          .problem = std::move(problem),
          .choice = {},
          .parts = {},
          .optima = std::make_shared<TrainingOptima>(),
          .unconstrained = std::make_shared<UnconstrainedModels>(),
          .grids = std::make_shared<GridModels>()};
}

constexpr std::array every_part{data::Part::train, data::Part::validation, data::Part::test,
                                data::Part::choice};

TrainingProblem problem_of(std::shared_ptr<const SupervisedSet> set, const NetworkOptions& network,
                           const TrainingOptions& options) {
  auto labels = std::make_shared<std::vector<double>>();
  labels->reserve(set->set.label.size());
  for (const double label : set->set.label) labels->push_back(label > 0 ? 1.0 : -1.0);
  TrainingProblem made = without_parts(std::move(set), std::move(labels), network, options);
  const auto part = [&](data::Part which) {
    return solver_part(*made.set, *made.labels, made.problem.constraints.cells(), which);
  };
  made.problem.train = part(data::Part::train);
  made.problem.validation = part(data::Part::validation);
  made.problem.test = part(data::Part::test);
  made.choice = part(data::Part::choice);
  for (std::size_t i = 0; i < every_part.size(); ++i) {
    made.parts[i] = measured_part(*made.set, every_part[i]);
  }
  return made;
}

Loaded<TrainingProblem> load_problem(const sweep::Task& task, const sweep::RunContext& context) {
  auto set = load_binary_set(task, context);
  check_set(*set);
  const auto options = sweep::read_section<TrainingOptions>(task, "training");
  training::validate(options.run);
  data::Provenance provenance = set->set.provenance;
  provenance.fitted = models::text_of({set->fitted, set->set.group_names, {}, set->group_rules});
  const std::vector<std::string> warnings = set->warnings;
  Loaded<TrainingProblem> loaded{
      .problem =
          problem_of(std::move(set), sweep::read_section<NetworkOptions>(task, "model"), options),
      .data = provenance,
      .text = {},
      .warnings = warnings};
  const training::Problem& problem = loaded.problem.problem;
  std::vector<std::string> of_cell;
  for (const auto& rows : problem.train.of_cell) of_cell.push_back(std::to_string(rows.size()));
  loaded.text = fmt::format(
      "{} train, {} validation, {} test, d = {}, {} weights, {} gaps of {} cells ({} train rows)",
      problem.train.size(), problem.validation.size(), problem.test.size(), problem.model.inputs(),
      problem.model.parameters(), problem.constraints.gaps(), of_cell.size(),
      base::join(of_cell, ", "));
  constexpr std::size_t bytes_a_row = 48;  // labels, groups, parts, cells
  loaded.bytes = loaded.problem.labels->size() * bytes_a_row;
  return loaded;
}

/// What a problem has of every row beside the set.
template <class Pages, class Loaded>
void walk_rows(Pages& pages, Loaded& loaded) {
  auto& of_rows = loaded.problem;
  pages(of_rows.problem.train, of_rows.problem.validation, of_rows.problem.test, of_rows.choice);
  for (auto& part : of_rows.parts) pages(part.label, part.group);
  pages(loaded.data, loaded.text, loaded.warnings, loaded.bytes);
}

void lay_down_problem(base::PageWriter& pages, const Loaded<TrainingProblem>& loaded) {
  pages(*loaded.problem.labels);
  walk_rows(pages, loaded);
}

Loaded<TrainingProblem> take_problem(const sweep::Task& task, const sweep::RunContext& context,
                                     base::PageReader& pages) {
  auto labels = std::make_shared<std::vector<double>>();
  pages(*labels);
  Loaded<TrainingProblem> loaded{
      .problem = without_parts(load_binary_set(task, context), std::move(labels),
                               sweep::read_section<NetworkOptions>(task, "model"),
                               sweep::read_section<TrainingOptions>(task, "training")),
      .data = {},
      .text = {},
      .warnings = {}};
  walk_rows(pages, loaded);
  for (std::size_t i = 0; i < every_part.size(); ++i) {
    loaded.problem.parts[i].name = data::name_of(every_part[i]);
  }
  return loaded;
}

results::Measures measures_found(const parallel::Comm& /*team*/, const TrainingProblem& problem,
                                 const sweep::Task& task, const sweep::Found& found) {
  if (task.method == "postprocessing") {
    return measures_of_postprocessing(problem, task, found.findings);
  }
  results::Measures measures = measures_of(problem, found.findings);
  if (task.method == "reductions") {
    measures.merge(rates_of_reductions(problem, task, found.findings));
  } else {
    measures.merge(bounded_rates_of(problem, found.findings));
  }
  return measures;
}

}  // namespace

std::vector<double> bounded_values(const TrainingProblem& problem, const training::Part& part,
                                   std::span<const double> scores) {
  std::vector<double> labels, values(scores.size());
  for (const std::int64_t row : part.rows) labels.push_back((*problem.labels)[at(row)]);
  training::cell_values(problem.problem, scores, labels, values);
  return values;
}

std::string name_of(const training::Cell& cell, const data::SupervisedSet& set) {
  return fmt::format("group '{}'{}", set.set.group_names[static_cast<std::size_t>(cell.group)],
                     cell.positive ? fmt::format(" with label {}", *cell.positive ? 1 : 0) : "");
}

const training::Part& TrainingProblem::rows(data::Part part) const {
  switch (part) {
    case data::Part::train:
      return problem.train;
    case data::Part::validation:
      return problem.validation;
    case data::Part::test:
      return problem.test;
    case data::Part::choice:
      break;
  }
  return choice;
}

bool TrainingProblem::is_logistic_regression() const {
  return std::ssize(problem.model.layers()) == 1 && options.loss == models::LossKind::logistic;
}

base::Condition is_fitted_exactly() {
  return base::empty("model.hidden") && base::is("training.loss", {"logistic"});
}

base::Condition is_trained() {
  return base::given("model.hidden") || base::is_not("training.loss", {"logistic"});
}

data::Part TrainingProblem::deciding() const {
  return problem.validation.size() > 0 ? data::Part::validation : data::Part::train;
}

base::OptionTable options_of(NetworkOptions& options) {
  using models::Activation;
  using models::Initialisation;
  base::OptionTable table("model");
  table.add("hidden", options.hidden,
            "The hidden layers have these numbers of units, from the input on; where there are "
            "none, the score is linear, the convex case.");
  table.add_choice<Activation>(
      "activation", options.activation,
      {{"relu", Activation::relu}, {"tanh", Activation::tanh}, {"sigmoid", Activation::sigmoid}},
      "This activation stands behind every layer but the last.");
  table.add_choice<Initialisation>(
      "initialisation", options.initialisation,
      {{"fan_in", Initialisation::fan_in},
       {"he", Initialisation::he},
       {"glorot", Initialisation::glorot}},
      "The first weights are drawn in this way; fan_in is PyTorch's default.");
  table.only_if({"activation"}, base::given("hidden"), "a linear score has no activation");
  return table;
}

base::OptionTable options_of(TrainingOptions& options) {
  using models::LossKind;
  using training::Fairness;
  base::OptionTable table("training");
  table.add_choice<Fairness>(
      "fairness", options.fairness,
      {{"loss_gap", Fairness::loss_gap},
       {"equal_opportunity", Fairness::equal_opportunity},
       {"equalised_odds", Fairness::equalised_odds},
       {"group_to_overall", Fairness::group_to_overall}},
      "These mean losses are to be close: those of all pairs of groups; of their rows with label "
      "1; of their rows with label 1 and with label 0, whose two differences add up without their "
      "signs; of each group and all rows.");
  using training::RateKind;
  std::vector<std::pair<std::string, std::optional<RateKind>>> rates{{"none", std::nullopt}};
  for (const auto& [name, kind] : training::rate_names()) rates.emplace_back(name, kind);
  table.add_choice<std::optional<RateKind>>(
      "rate", options.rate, rates,
      "Differences between groups of these rates of decisions are bounded, in place of mean "
      "losses: those of 1 in each group; in its rows with label 1; in those with label 1 and in "
      "those with label 0; in those with label 0; or of wrong decisions. With none losses are.");
  table.add_choice<training::RateOf>(
      "rate_of", options.rate_of,
      {{"decisions", training::RateOf::decisions},
       {"probabilities", training::RateOf::probabilities}},
      "Rates are shares of decisions, or means of their probabilities by the score.");
  table.add("rate_width", options.rate_width, base::between(1e-3, 1e3), "",
            "A decision has no slope in the score: that of a sigmoid stands for it, whose scores "
            "are divided by this. Rates themselves are always those of decisions.");
  table.assign_role(base::Role::tuning, {"rate_width"});
  table.add_choice<training::BoundOf>(
      "bound_of", options.bound_of, training::bound_of_names(),
      "With gap, every difference is at most the delta of a method; with ratio, the smallest rate "
      "of a group over the largest is at least delta, which the four-fifths rule sets to 0.8; with "
      "worst_group, the mean loss of every group in training.fairness, or its error on the rows "
      "that training.rate is of, is at most delta, and a delta that is out of reach asks for the "
      "least there is.");
  table.add_choice<LossKind>(
      "loss", options.loss,
      {{"logistic", LossKind::logistic}, {"square", LossKind::square}, {"hinge", LossKind::hinge}},
      "A score has this loss against a label -1 or +1; logistic is the binary cross-entropy of the "
      "score as a logit, square half the squared difference of the two, and hinge what label times "
      "score lacks of 1. Scores of the others are no probabilities: they have no Brier score, "
      "calibration error and log loss.");
  training::add_options(table, options.run);
  table.only_if({"data.label_divisor"}, base::never(), "labels are of two values");
  table.only_if({"rate_of", "rate_width"}, base::is_not("rate", {"none"}), "no rate is bounded");
  table.only_if({"rate_width"}, base::is_not("rate_of", {"probabilities"}),
                "probabilities have slopes of their own");
  table.only_if({"rate_width"},
                base::method_is({"alm", "ssl_alm", "switching_subgradient", "stochastic_ghost",
                                 "clamped_alm", "pi_duals", "certified_training"}),
                "[{}] takes no slope of a rate");
  table.only_if({"fairness"}, base::is("rate", {"none"}),
                "training.rate is bounded in place of losses");
  return table;
}

Family<TrainingProblem> training_family() {
  return {
      .name = "training",
      .title = "networks trained under bounds on losses or rates of groups and their differences",
      .shared =
          supervised_sections("label, groups, features", "train, validation and test part",
                              {config::make_section<NetworkOptions>(
                                   {.name = "model", .title = "the network that scores the rows"}),
                               config::make_section<TrainingOptions>(
                                   {.name = "training", .title = "loss, constraints and budget"})}),
      .objectives = training_objectives(),
      .columns = training_columns(),
      .units = {training_units()},
      .front_solutions = "weights",
      .load = load_problem,
      .lay_down = lay_down_problem,
      .take = take_problem,
      .rows = load_binary_set,
      .methods = training_methods(),
      .measure = measures_found,
      .prove = [](const TrainingProblem& problem, const sweep::Task& task,
                  const results::Findings& findings) -> std::vector<sweep::Claim> {
        if (task.method != "reductions") return {};
        return claims_of_reductions(problem, task, findings);
      }};
}

}  // namespace fairfront::experiments
