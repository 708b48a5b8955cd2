#include "experiments/ranking.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/error.hpp"
#include "experiments/ranking_methods.hpp"
#include "experiments/ranking_results.hpp"
#include "experiments/ranking_selection.hpp"
#include "experiments/ranking_tuning.hpp"
#include "models/kernels.hpp"

namespace fairfront::experiments {
namespace {

using data::SupervisedSet;

std::size_t at(std::int64_t index) { return static_cast<std::size_t>(index); }

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::InputError(std::string{rule});
}

std::uint8_t cell_of(const data::Dataset& set, std::int64_t row) {
  return ranking::cell_of(set.label[at(row)] > 0, set.group[at(row)] == 1);
}

/// @throws base::InputError  a group without rows of a label: then some AUC is undefined.
RankingPart part_of(const SupervisedSet& set, data::Part part) {
  RankingPart made{data::name_of(part), {}, {}, {}};
  std::array<bool, ranking::num_cells> seen{};
  for (const std::int64_t row : set.rows(part)) {
    made.rows.push_back(row);
    made.label.push_back(set.set.label[at(row)]);
    made.group.push_back(set.set.group[at(row)]);
    seen[cell_of(set.set, row)] = true;
  }
  for (std::size_t c = 0; c < seen.size(); ++c) {
    if (seen[c]) continue;
    throw base::InputError(
        fmt::format("no row of group '{}' with label {} in the {} part: see [split]",
                    set.set.group_names[c % 2], c / 2, made.name));
  }
  return made;
}

ranking::LinearScores training_rows(const SupervisedSet& set, const RankingPart& train) {
  std::vector<std::uint8_t> cells;
  for (const std::int64_t row : train.rows) cells.push_back(cell_of(set.set, row));
  return {models::Rows(set.set.features, set.set.columns, train.rows), std::move(cells)};
}

double norm_of(std::span<const double> w) {
  double sum = 0;
  for (const double value : w) sum += value * value;
  return std::sqrt(sum);
}

RankingProblem problem_of(std::shared_ptr<const SupervisedSet> set, const RankingOptions& options) {
  RankingPart train = part_of(*set, data::Part::train);
  RankingPart validation = part_of(*set, data::Part::validation);
  RankingPart test = part_of(*set, data::Part::test);
  ranking::LinearScores rows = training_rows(*set, train);
  const ranking::Surrogate surrogate{options.scale, options.margin};
  ranking::ExactAuc exact(
      ranking::QuadraticLosses(rows, ranking::pair_sets(options.metric), surrogate));
  const double radius = options.radius_factor * norm_of(exact.unconstrained().w);
  require(radius > 0, "every feature has the same mean for both labels: there is no AUC to gain");
  const double interval = radius * exact.losses().mean_bound();
  return {std::move(set),   options,          std::move(rows),
          std::move(exact), std::move(train), std::move(validation),
          std::move(test),  radius,           interval};
}

void check_set(const SupervisedSet& set) {
  require(set.target == data::TargetKind::binary, "data.label must have two values");
  require(set.set.num_groups() == 2, "data.sensitive must make two groups, the protected one last");
}

Loaded<RankingProblem> load_problem(const sweep::Task& task, const sweep::RunContext& context) {
  auto set = load_binary_set(task, context);
  check_set(*set);
  const auto options = sweep::read_section<RankingOptions>(task, "ranking");
  const data::Provenance provenance = set->set.provenance;
  const std::vector<std::string> warnings = set->warnings;
  Loaded<RankingProblem> loaded{.problem = problem_of(std::move(set), options),
                                .data = provenance,
                                .text = {},
                                .warnings = warnings};
  const RankingProblem& problem = loaded.problem;
  const auto& of_cell = problem.training.rows_of_cell();
  loaded.text = fmt::format(
      "{} train, {} validation, {} test, d = {}, protected: {} ({} of {} train), kappa_max = "
      "{:.4g}",
      problem.train.rows.size(), problem.validation.rows.size(), problem.test.rows.size(),
      problem.training.columns(), problem.set->set.group_names[1], of_cell[1] + of_cell[3],
      problem.training.rows(), problem.exact.void_kappa());
  const auto columns = at(problem.training.columns());
  loaded.bytes = problem.training.bytes() + 3 * columns * columns * sizeof(double);
  return loaded;
}

sweep::Columns columns_of_all() {
  sweep::Columns columns = ranking_columns();
  add_columns(columns, front_columns());
  return columns;
}

std::vector<sweep::IdleOption> idle_of_problem(const sweep::Task& task) {
  std::vector<sweep::IdleOption> idle = idle_data_options(task);
  std::ranges::move(idle_split_options(task), std::back_inserter(idle));
  std::ranges::move(idle_tuning_options(task), std::back_inserter(idle));
  return idle;
}

}  // namespace

std::vector<double> RankingProblem::scores(const RankingPart& part,
                                           std::span<const double> w) const {
  double shift = 0;
  for (std::size_t j = 0; j < w.size(); ++j) shift += w[j] * training.mean()[j];
  std::vector<double> score(part.rows.size());
  models::dots(models::Rows(set->set.features, set->set.columns, part.rows), w.data(), -shift,
               score);
  return score;
}

base::OptionTable options_of(RankingOptions& options) {
  using ranking::FairnessMetric;
  base::OptionTable table("ranking");
  table.add_choice<FairnessMetric>("metric", options.metric,
                                   {{"group", FairnessMetric::group},
                                    {"inter_group", FairnessMetric::inter_group},
                                    {"intra_group", FairnessMetric::intra_group},
                                    {"positive_average", FairnessMetric::positive_average},
                                    {"negative_average", FairnessMetric::negative_average},
                                    {"background", FairnessMetric::background}},
                                   "Which two AUCs should be equal; the protected group is the "
                                   "second one.");
  table.add("scale", options.scale, base::between(1e-6, 1e6), "",
            "c1 of the surrogate c1 (s - c2)^2; (1 + kappa) / c1 is what counts.");
  table.add("margin", options.margin, base::between(1e-6, 1e6), "", "c2 of the surrogate.");
  table.add("radius_factor", options.radius_factor, base::between(1e-6, 1e6), "",
            "Radius of the ball of weights, over the norm of the exact optimum without "
            "constraints.");
  table.add("front_points", options.front_points, base::between<std::int64_t>(2, 100'000), "",
            "Points of a task's front, at most; those that add least hypervolume are left out.");
  table.assign_role(base::Role::setting, {"radius_factor", "front_points"});
  return table;
}

Family<RankingProblem> ranking_family() {
  return {.name = "ranking",
          .title = "AUC under AUC fairness constraints between two groups",
          .shared = {config::make_section<data::SupervisedOptions>(
                         {.name = "data", .title = "the table: label, groups, features"}),
                     config::make_section<data::SplitOptions>(
                         {.name = "split", .title = "train, validation and test part"}),
                     config::make_section<data::PreparationOptions>(
                         {.name = "preparation", .title = "encoding and scaling of features"}),
                     config::make_section<RankingOptions>(
                         {.name = "ranking", .title = "fairness metric and surrogate loss"}),
                     config::make_section<TuningOptions>(
                         {.name = "tuning", .title = "how long steps are, by trials"})},
          .objectives = ranking_objectives(),
          .columns = columns_of_all(),
          .front_solutions = "weights",
          .load = load_problem,
          .methods = ranking_methods(),
          .idle = idle_of_problem};
}

}  // namespace fairfront::experiments
