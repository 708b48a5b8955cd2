#include "experiments/training_postprocessed.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "base/random.hpp"
#include "experiments/group_measures.hpp"
#include "experiments/measured.hpp"
#include "experiments/training_exact.hpp"
#include "experiments/training_rates.hpp"
#include "experiments/training_results.hpp"

namespace fairfront::experiments {
namespace {

using sweep::TaskResult;
using Problem = TrainingProblem;

/// Scores less the threshold that is drawn of each row's group, so that 0 is that of decisions: the
/// same row has the same draw, whatever the bound.
std::vector<double> drawn_scores(const Postprocessed& model, data::Part which) {
  std::vector<double> scores = scores_of(model.problem, which, model.w, model.control);
  const std::vector<std::int64_t>& rows = model.problem.rows(which).rows;
  const TrainingPart& part = model.problem.parts[static_cast<std::size_t>(which)];
  const base::StreamKey key(0, "training", "drawn decisions");
  for (std::size_t i = 0; i < scores.size(); ++i) {
    double rest = base::Stream(key, static_cast<std::uint64_t>(rows[i])).uniform();
    const DrawnThreshold* drawn = nullptr;
    for (const DrawnThreshold& one : model.draw) {
      if (one.group != part.group[i]) continue;
      drawn = &one;
      rest -= one.probability;
      if (rest < 0) break;
    }
    scores[i] -= drawn->threshold;
  }
  return scores;
}

DecisionsOf expected_decisions_of(const Postprocessed& model) {
  return [&model](data::Part which, std::span<double> decisions) {
    const std::vector<double> scores = scores_of(model.problem, which, model.w, model.control);
    const TrainingPart& part = model.problem.parts[static_cast<std::size_t>(which)];
    for (std::size_t i = 0; i < scores.size(); ++i) {
      decisions[i] = 0;
      for (const DrawnThreshold& one : model.draw) {
        const bool reached = one.group == part.group[i] && scores[i] >= one.threshold;
        if (reached) decisions[i] += one.probability;
      }
    }
  };
}

/// Where decisions are bounded by training.rate, their gaps are expected ones.
std::vector<double> expected_gaps(const Postprocessed& model, data::Part which) {
  const training::GapConstraints& constraints = model.problem.problem.constraints;
  const training::Part& part = model.problem.rows(which);
  const TrainingPart& rows = model.problem.parts[static_cast<std::size_t>(which)];
  const training::RateKind kind = constraints.rate()->kind;
  std::vector<double> decisions(rows.label.size());
  expected_decisions_of(model)(which, decisions);
  std::vector<double> of_cell(part.of_cell.size(), 0.0);
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (part.cell[i] < 0) continue;
    const auto cell = static_cast<std::size_t>(part.cell[i]);
    const bool positive = rows.label[i] > 0;
    of_cell[cell] += (training::RateCells::at_zero_of(kind, positive) +
                      training::RateCells::slope_of(kind, positive) * decisions[i]) /
                     static_cast<double>(part.of_cell[cell].size());
  }
  std::vector<double> gaps(static_cast<std::size_t>(constraints.gaps()));
  constraints.gaps_of(of_cell, gaps);
  return gaps;
}

PartScores drawn_part(const Postprocessed& model, data::Part which) {
  PartScores part = with_losses(model.problem, which, drawn_scores(model, which));
  const auto& bounded = model.problem.problem.constraints.rate();
  if (bounded && bounded->of == training::RateOf::decisions) {
    part.losses.gaps = expected_gaps(model, which);
  }
  return part;
}

/// Errors and gaps of rates become those of the expected decisions; intervals hold them.
void expect(TaskResult& result) {
  std::vector<std::string> names{"error", "gap", "rate_gap"};
  for (const auto& [text, kind] : training::rate_names()) {
    names.emplace_back(training::gap_measure_of(kind));
  }
  for (const std::string& name : names) {
    const auto drawn = result.measured.find(name);
    const auto expected = result.measured.find("randomised_" + name);
    if (drawn == result.measured.end()) continue;
    for (auto& [rows, value] : drawn->second) {
      if (rows != sweep::MeasuredRows{rows.part}) continue;  // of a group
      if (expected != result.measured.end() && expected->second.contains(rows)) {
        value.value = expected->second.at(rows).value;
      }
      value.low = std::min(value.low, value.value);
      value.high = std::max(value.high, value.value);
    }
  }
}

/// The measure of single groups that is the rate of a kind; "" of a pair of rates.
std::string_view measure_of_groups(training::RateKind kind) {
  using training::RateKind;
  switch (kind) {
    case RateKind::demographic_parity:
      return "positive_rate";
    case RateKind::equal_opportunity:
      return "true_positive_rate";
    case RateKind::predictive_equality:
      return "false_positive_rate";
    case RateKind::error_rate_parity:
      return "error";
    case RateKind::equalised_odds:
      break;
  }
  return "";
}

/// Where it is known, the value becomes this one, which the interval holds.
void expect_at(TaskResult& result, std::string_view measure, const sweep::MeasuredRows& rows,
               double expected) {
  const auto found = result.measured.find(std::string{measure});
  if (found == result.measured.end() || std::isnan(expected)) return;
  const auto at = found->second.find(rows);
  if (at == found->second.end()) return;
  at->second.value = expected;
  at->second.low = std::min(at->second.low, expected);
  at->second.high = std::max(at->second.high, expected);
}

/// The rows of a part that has some, with their expected decisions.
struct ExpectedPart {
  data::Part which;
  training::RateProblem rows;
  std::vector<double> decisions;

  [[nodiscard]] std::vector<double> rates(training::RateKind kind) const {
    return training::rates_of(rows, {kind, rows.num_groups}, decisions).of_cell;
  }
  [[nodiscard]] MeasuredGroups groups(const Problem& problem) const {
    return {data::name_of(which), problem.set->set.group_names};
  }
};

std::vector<ExpectedPart> expected_parts(const Problem& problem, const DecisionsOf& expected) {
  std::vector<ExpectedPart> parts;
  for (const data::Part which :
       {data::Part::train, data::Part::validation, data::Part::choice, data::Part::test}) {
    ExpectedPart part{which, rate_problem(problem, which), {}};
    if (part.rows.rows.size() == 0) continue;
    part.decisions.resize(static_cast<std::size_t>(part.rows.rows.size()));
    expected(which, part.decisions);
    parts.push_back(std::move(part));
  }
  return parts;
}

bool is_nan(double value) { return std::isnan(value); }

void erase_groups(std::map<sweep::MeasuredRows, results::Measured>& of_rows,
                  std::string_view part) {
  std::erase_if(of_rows, [&](const auto& at) {
    return at.first.part == part && at.first.group != sweep::MeasuredRows{}.group;
  });
}

/// The groups with the largest difference of a rate, which stand in the measure's cells.
void expect_makers(TaskResult& result, const MeasuredGroups& groups, training::RateKind kind,
                   std::span<const double> of_cell) {
  const std::string measure{training::gap_measure_of(kind)};
  const auto found = result.measured.find(measure);
  if (found == result.measured.end() || std::ranges::any_of(of_cell, is_nan)) return;
  erase_groups(found->second, groups.part);
  metrics::Value gap = metrics::defined(0);
  const std::size_t count = groups.names.size();
  for (std::size_t first = 0; first < of_cell.size(); first += count) {
    const std::span<const double> rates = of_cell.subspan(first, count);
    const auto [least, most] = std::ranges::minmax_element(rates);
    if (*most - *least <= gap.value) continue;
    gap = metrics::defined_gap(*most - *least, static_cast<std::size_t>(most - rates.begin()),
                               static_cast<std::size_t>(least - rates.begin()));
  }
  add_makers(result, measure, groups, gap);
}

/// The rates of all rows of a part: what decides has the same meaning as what is reported.
void expect_of_all(TaskResult& result, const ExpectedPart& part) {
  const std::vector<std::int32_t> one_group(part.rows.groups.size(), 0);
  training::RateProblem together = part.rows;
  together.groups = one_group;
  together.num_groups = 1;
  for (const auto& [text, kind] : training::rate_names()) {
    const std::string_view measure = measure_of_groups(kind);
    if (measure.empty() || kind == training::RateKind::error_rate_parity) continue;  // known
    expect_at(result, measure, {std::string{data::name_of(part.which)}},
              training::rates_of(together, {kind, 1}, part.decisions).of_cell.front());
  }
}

/// On the test part errors and rates of single groups, and which groups make a gap of them, are of
/// expected decisions, too: a gap is the difference of what its groups have.
void expect_of_groups(TaskResult& result, const Problem& problem, const ExpectedPart& test) {
  const MeasuredGroups groups = test.groups(problem);
  for (const auto& [text, kind] : training::rate_names()) {
    const std::vector<double> of_cell = test.rates(kind);
    expect_makers(result, groups, kind, of_cell);
    const std::string_view measure = measure_of_groups(kind);
    if (measure.empty()) continue;
    for (std::size_t g = 0; g < groups.names.size(); ++g) {
      expect_at(result, measure, {std::string{groups.part}, cell_of_group(groups.names[g])},
                of_cell[g]);
    }
  }
}

/// The same of the largest error of a group.
void expect_worst_error(TaskResult& result, const Problem& problem, const ExpectedPart& part) {
  const std::string measure = "worst_group_error";
  const auto known = result.measured.find(measure);
  const std::vector<double> errors = part.rates(training::RateKind::error_rate_parity);
  if (known == result.measured.end() || std::ranges::any_of(errors, is_nan)) return;
  const auto most = std::ranges::max_element(errors);
  const MeasuredGroups groups = part.groups(problem);
  expect_at(result, measure, {std::string{groups.part}}, *most);
  if (part.which != data::Part::test) return;
  erase_groups(known->second, groups.part);
  add_makers(result, measure, groups,
             metrics::defined(*most, {static_cast<std::int32_t>(most - errors.begin()), *most}));
}

/// And of the ratio of the groups' shares decided 1, where the bound is of a ratio: other archives
/// keep the measure that they have, of one draw.
void expect_ratio(TaskResult& result, const Problem& problem, const ExpectedPart& part) {
  const std::string measure = "independence_ratio";
  const auto known = result.measured.find(measure);
  const std::vector<double> shares = part.rates(training::RateKind::demographic_parity);
  if (known == result.measured.end() || std::ranges::any_of(shares, is_nan)) return;
  const training::RateCells cells(training::RateKind::demographic_parity, part.rows.num_groups);
  const double ratio = training::smallest_ratio(cells, shares);
  const MeasuredGroups groups = part.groups(problem);
  expect_at(result, measure, {std::string{groups.part}}, ratio);
  if (part.which != data::Part::test || !(ratio < 1)) return;
  const auto [least, most] = std::ranges::minmax_element(shares);
  erase_groups(known->second, groups.part);
  add_makers(result, measure, groups,
             metrics::defined(ratio, {static_cast<std::int32_t>(least - shares.begin()), ratio},
                              {static_cast<std::int32_t>(most - shares.begin()), *most / *least}));
}

}  // namespace

std::vector<double> scores_of(const Problem& problem, data::Part which, std::span<const double> w,
                              const solvers::Control& control) {
  return training::FullData(problem.problem, control, training::any_mean_loss)
      .scores(problem.rows(which), w);
}

void add_measures_of(TaskResult& result, const Postprocessed& model) {
  const auto drawn = [&](data::Part which) { return drawn_scores(model, which); };
  add_measures(result, model.problem, [&](data::Part which) { return drawn_part(model, which); });
  add_gap_bounds(result, model.problem, std::nullopt, drawn);
  const DecisionsOf expected = expected_decisions_of(model);
  add_rate_gaps(result, model.problem, model.limit, expected);
  add_randomised_rates(result, model.problem, model.limit, expected);
  expect(result);
  for (const ExpectedPart& part : expected_parts(model.problem, expected)) {
    expect_of_all(result, part);
    if (part.which == data::Part::test) expect_of_groups(result, model.problem, part);
    expect_worst_error(result, model.problem, part);
    if (model.limit.of == training::BoundOf::ratio) expect_ratio(result, model.problem, part);
  }
}

}  // namespace fairfront::experiments
