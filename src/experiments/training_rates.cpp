#include "experiments/training_rates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <stdexcept>
#include <utility>
#include <variant>
#include <vector>

#include "data/small_groups.hpp"
#include "experiments/measured.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::experiments {
namespace {

constexpr std::array measured_parts{data::Part::train, data::Part::validation, data::Part::choice,
                                    data::Part::test};

/// Whether each cell has rows.
bool has_all(const training::Rates& rates) {
  return std::ranges::none_of(rates.of_cell, [](double of_cell) { return std::isnan(of_cell); });
}

void add_gap(sweep::TaskResult& result, const std::string& measure, std::string_view part,
             const training::RateCells& cells, const training::Rates& rates) {
  if (has_all(rates)) {
    add_value(result, measure, part, training::largest_gap(cells, rates.of_cell));
  }
}

/// The measure of what a bound is of, without its form.
std::string_view measure_of(training::BoundOf of) {
  switch (of) {
    case training::BoundOf::ratio:
      return "rate_ratio";
    case training::BoundOf::worst_group:
      return "rate_worst_error";
    case training::BoundOf::gap:
      break;
  }
  return "rate_gap";
}

/// The gap, and what else is bounded.
void add_bounded(sweep::TaskResult& result, std::string_view form, std::string_view part,
                 const training::RateLimit& limit, const training::RateCells& cells,
                 const training::Rates& rates) {
  add_gap(result, fmt::format("{}rate_gap", form), part, cells, rates);
  if (limit.of == training::BoundOf::gap || !has_all(rates)) return;
  const double value = training::bounded_value(limit.of, cells, rates.of_cell);
  if (std::isnan(value)) return;
  add_value(result, fmt::format("{}{}", form, measure_of(limit.of)), part, value);
}

/// Calls work(name of the part, its rows, decisions) for every part that has rows.
template <class Work>
void for_each_part(const TrainingProblem& problem, const DecisionsOf& decisions_of, Work&& work) {
  for (const data::Part which : measured_parts) {
    const training::RateProblem part = rate_problem(problem, which);
    if (part.rows.size() == 0) continue;
    std::vector<double> decisions(static_cast<std::size_t>(part.rows.size()));
    decisions_of(which, decisions);
    work(data::name_of(which), part, decisions);
  }
}

}  // namespace

training::RateProblem rate_problem(const TrainingProblem& problem, data::Part which) {
  const training::Problem& solved = problem.problem;
  return {.rows = {solved.features, solved.model.inputs(), problem.rows(which).rows},
          .labels = solved.labels,
          .groups = problem.set->set.group,
          .num_groups = problem.set->set.num_groups()};
}

void require_rows_of_rate(const TrainingProblem& problem, training::RateKind rate,
                          std::string_view option) {
  const data::SupervisedSet& set = *problem.set;
  const training::RateCells cells(rate, set.set.num_groups());
  const TrainingPart& part = problem.parts[static_cast<std::size_t>(data::Part::train)];
  std::vector<std::int64_t> rows(static_cast<std::size_t>(cells.size()), 0);
  for (std::size_t i = 0; i < part.label.size(); ++i) {
    const std::int64_t k = cells.cell_of(part.group[i], part.label[i] > 0);
    if (k >= 0) ++rows[static_cast<std::size_t>(k)];
  }
  const auto empty = std::ranges::find(rows, 0);
  if (empty == rows.end()) return;
  data::refuse_groups_of_numbers(set.set.group_names);
  const std::int64_t cell = empty - rows.begin();
  const std::string with = cells.condition(cell);
  throw std::invalid_argument(
      fmt::format("{}: the training part has no row of group {}{}{}: see [split] and data.groups",
                  option, set.set.group_names[static_cast<std::size_t>(cell % cells.groups())],
                  with.empty() ? "" : " with ", with));
}

void add_rate_gaps(sweep::TaskResult& result, const TrainingProblem& problem,
                   const training::RateLimit& limit, const DecisionsOf& decisions_of) {
  const training::RateCells cells(limit.rate, problem.set->set.num_groups());
  for_each_part(problem, decisions_of, [&](std::string_view name, const auto& part, auto& of_rows) {
    add_bounded(result, "", name, limit, cells, training::rates_of(part, cells, of_rows));
  });
}

void add_randomised_rates(sweep::TaskResult& result, const TrainingProblem& problem,
                          const training::RateLimit& limit, const DecisionsOf& decisions_of) {
  const training::RateCells cells(limit.rate, problem.set->set.num_groups());
  for_each_part(problem, decisions_of, [&](std::string_view name, const auto& part, auto& of_rows) {
    const training::Rates rates = training::rates_of(part, cells, of_rows);
    add_bounded(result, "randomised_", name, limit, cells, rates);
    add_value(result, "randomised_error", name, rates.error);
    for (const auto& [text, kind] : training::rate_names()) {
      const training::RateCells of_kind(kind, cells.groups());
      add_gap(result, fmt::format("randomised_{}", training::gap_measure_of(kind)), name, of_kind,
              training::rates_of(part, of_kind, of_rows));
    }
  });
}

DecisionsOf decisions_of(const TrainingProblem& problem, Draw draw) {
  return [&problem, draw = std::move(draw)](data::Part which, std::span<double> decisions) {
    training::expected_decisions(problem.problem.model, rate_problem(problem, which).rows,
                                 draw.members, draw.shares, decisions);
  };
}

Draw add_draw(sweep::TaskResult& result, const Draw& found) {
  models::ModelText model = models::ModelText::parse(result.model);
  model.options["members"] = "members";
  model.options["shares"] = "shares";
  result.model = model.text();
  Draw draw;
  for (std::size_t m = 0; m < found.members.size(); ++m) {
    if (found.shares[m] == 0) continue;
    draw.members.push_back(found.members[m]);
    draw.shares.push_back(found.shares[m]);
    result.solutions["members"].emplace_back(found.members[m]);
  }
  result.solutions["shares"].emplace_back(draw.shares);
  return draw;
}

Draw draw_of(const results::Findings& findings) {
  Draw draw{{}, only_vector(findings, "shares")};
  for (const auto& member : findings.solutions.at("members")) {
    draw.members.push_back(std::get<std::vector<double>>(member));
  }
  return draw;
}

sweep::Columns draw_columns() {
  constexpr const char* source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)";
  sweep::Columns columns;
  columns.solutions.push_back({"members",
                               "of the randomised classifier: weights of scores that decide 1 "
                               "from 0 on",
                               "", base::Direction::none, source});
  columns.solutions.push_back({"shares", "probability with which each of the members decides",
                               "share", base::Direction::none, source});
  return columns;
}

sweep::Columns randomised_rate_columns() {
  sweep::Columns columns;
  std::ranges::copy_if(rate_columns().measures, std::back_inserter(columns.measures),
                       [](const sweep::MeasuredQuantity& measure) {
                         return measure.what.name.starts_with("randomised_");
                       });
  return columns;
}

double bounded_on_train(const sweep::TaskResult& result, const training::RateLimit& limit,
                        std::string_view form) {
  const auto measure = result.measured.find(fmt::format("{}{}", form, measure_of(limit.of)));
  if (measure == result.measured.end()) return std::nan("");
  const auto found = measure->second.find({std::string{data::name_of(data::Part::train)}});
  return found == measure->second.end() ? std::nan("") : found->second.value;
}

base::Quantity least_bound_column() {
  return {
      "least_bound",
      "of a bound on the worst group: the least that is known to be kept on the training part, by "
      "a draw among the groups' thresholds or the classifiers found, by [exact_training] of a "
      "linear score, by a constant score beside [certified_training], or else by the result; of a "
      "bound out of reach the minimax error or loss",
      "share or loss", base::Direction::minimise, "Diana, Gill, Kearns, Kenthapadi, Roth (2021)"};
}

sweep::Columns rate_columns() {
  using base::Direction;
  constexpr const char* source = "Agarwal, Beygelzimer, Dudik, Langford, Wallach (2018)";
  sweep::Columns columns;
  std::vector<std::string> parts;
  for (const data::Part which : measured_parts) parts.emplace_back(data::name_of(which));
  const auto add = [&](const std::string& name, const std::string& definition) {
    columns.measures.push_back({{name, definition, "share", Direction::minimise, source}, parts});
  };
  const auto add_ratio = [&](const std::string& form, const std::string& decisions) {
    columns.measures.push_back(
        {{form + "rate_ratio",
          "smallest rate of a group over the largest in the method's rate, of " + decisions +
              "; of two rates the smaller ratio, of one that is 0 in every group none",
          "ratio", Direction::maximise, "Celis, Huang, Keswani, Vishnoi (2019)"},
         parts});
  };
  add("rate_gap",
      "largest difference of two groups' rates in the method's rate, of single decisions");
  add("randomised_error", "expected share of wrong decisions of the randomised classifier");
  add("randomised_rate_gap",
      "largest difference of two groups' rates in the method's rate of the randomised classifier");
  using training::RateKind;
  // Archives have the columns in this order, and digests of measures follow it.
  for (const RateKind kind :
       {RateKind::demographic_parity, RateKind::equalised_odds, RateKind::equal_opportunity,
        RateKind::predictive_equality, RateKind::error_rate_parity}) {
    const std::string_view gap = training::gap_measure_of(kind);
    add(fmt::format("randomised_{}", gap),
        fmt::format("the same as {}, of the randomised classifier's expected decisions", gap));
  }
  add_ratio("", "single decisions");
  add_ratio("randomised_", "the randomised classifier's expected decisions");
  add("rate_worst_error",
      "largest error of a group on the rows that the method's rate is of, of single decisions");
  add("randomised_rate_worst_error",
      "the same as rate_worst_error, of the randomised classifier's expected decisions");
  return columns;
}

}  // namespace fairfront::experiments
