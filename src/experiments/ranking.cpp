#include "experiments/ranking.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "base/beside.hpp"
#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "data/shared_fields.hpp"
#include "data/small_groups.hpp"
#include "experiments/declared_option.hpp"
#include "experiments/ranking_methods.hpp"
#include "experiments/ranking_results.hpp"
#include "experiments/ranking_selection.hpp"
#include "experiments/ranking_tuning.hpp"
#include "experiments/supervised_sections.hpp"
#include "metrics/interval.hpp"
#include "models/indicator_rows.hpp"
#include "models/kernels.hpp"

namespace fairfront::experiments {
namespace {

using base::at;
using data::SupervisedSet;

void require(bool holds, std::string_view rule) {
  if (!holds) throw base::InputError(std::string{rule});
}

std::uint8_t cell_of(const data::Dataset& set, std::int64_t row) {
  return ranking::cell_of(set.label[at(row)] > 0, at(set.group[at(row)]), at(set.num_groups()));
}

/// @throws base::InputError  a group without rows of a label: then some AUC is undefined.
RankingPart part_of(const SupervisedSet& set, data::Part part) {
  RankingPart made{.name = data::name_of(part)};
  const std::size_t groups = at(set.set.num_groups());
  std::vector<bool> seen(2 * groups, false);
  const auto rows = set.rows(part);
  made.rows.assign(rows.begin(), rows.end());
  made.label.reserve(rows.size());
  made.group.reserve(rows.size());
  for (const std::int64_t row : rows) {
    made.label.push_back(set.set.label[at(row)]);
    made.group.push_back(set.set.group[at(row)]);
    seen[cell_of(set.set, row)] = true;
  }
  // Other parts are only measured: what lacks rows there is undefined, and decides nothing.
  const bool decides = part == data::Part::train || part == data::Part::validation;
  for (std::size_t c = 0; c < seen.size() && decides; ++c) {
    if (seen[c]) continue;
    data::refuse_lack_of_rows(
        set.set.group_names,
        fmt::format("group '{}' with label {}", set.set.group_names[c % groups], c / groups),
        made.name);
  }
  made.indicators =
      models::IndicatorRows(models::Rows(set.set.features, set.set.columns, made.rows));
  return made;
}

ranking::LinearScores training_rows(const SupervisedSet& set, const RankingPart& train) {
  std::vector<std::uint8_t> cells;
  cells.reserve(train.rows.size());
  for (const std::int64_t row : train.rows) cells.push_back(cell_of(set.set, row));
  return {models::Rows(set.set.features, set.set.columns, train.rows), std::move(cells),
          at(set.set.num_groups())};
}

/// The cells of a set of rows, and back.
ranking::CellSet cells_of(const metrics::RowSet& rows, std::size_t groups) {
  ranking::CellSet cells = 0;
  for (const bool positive : {false, true}) {
    for (std::size_t g = 0; g < groups; ++g) {
      if (!rows.contains(positive, static_cast<std::int32_t>(g))) continue;
      cells |= ranking::CellSet{1} << ranking::cell_of(positive, g, groups);
    }
  }
  return cells;
}
metrics::RowSet rows_of(ranking::CellSet set, std::size_t groups) {
  std::vector<bool> cells(2 * groups, false);
  ranking::for_each_cell(set, [&](std::size_t c) { cells[c] = true; });
  return {std::move(cells), "row of a set of ranking.metric"};
}

std::vector<metrics::ComparedRows> compared_rows(const RankingOptions& options,
                                                 std::span<const std::string> group_names) {
  if (!options.metric) {
    require(!options.difference.empty(),
            "ranking.metric = custom needs ranking.difference = auc(SET, SET) - auc(SET, SET)");
    try {
      return options.difference.compared(group_names);
    } catch (const base::InputError& error) {
      throw base::InputError(
          fmt::format("ranking.difference = '{}': {}", options.difference.text(), error.what()));
    }
  }
  const std::size_t groups = group_names.size();
  std::vector<metrics::ComparedRows> all;
  for (const auto& [first, second, group, other] :
       ranking::comparisons_of(*options.metric, groups)) {
    all.push_back({rows_of(first.above, groups), rows_of(first.below, groups),
                   rows_of(second.above, groups), rows_of(second.below, groups), group, other});
  }
  return all;
}

/// Differences by ranking.metric: to be measured, and as pair losses.
struct ComparedAucs {
  std::vector<ranking::Comparison> compared;
  std::vector<metrics::AucSum> differences;
  ranking::PairSets pairs;
};
ComparedAucs compared_aucs(const SupervisedSet& set, const RankingOptions& options) {
  const std::size_t groups = at(set.set.num_groups());
  ComparedAucs made;
  for (const metrics::ComparedRows& rows : compared_rows(options, set.set.group_names)) {
    made.compared.push_back(
        {{cells_of(rows.first_above, groups), cells_of(rows.first_below, groups)},
         {cells_of(rows.second_above, groups), cells_of(rows.second_below, groups)},
         rows.group,
         rows.other});
    made.differences.push_back(rows.difference(set.set.num_groups()));
  }
  made.pairs = ranking::pair_sets(made.compared, groups);
  return made;
}

/// What a problem has of every row beside the set.
struct RankingRows {
  RankingPart train, validation, test, choice;
  ranking::LinearScores training;
};
RankingRows rows_of_parts(const SupervisedSet& set) {
  RankingPart train = part_of(set, data::Part::train);
  RankingPart validation = part_of(set, data::Part::validation);
  RankingPart test = part_of(set, data::Part::test);
  RankingPart choice = part_of(set, data::Part::choice);
  ranking::LinearScores training = training_rows(set, train);
  return {std::move(train), std::move(validation), std::move(test), std::move(choice),
          std::move(training)};
}

RankingProblem problem_of(std::shared_ptr<const SupervisedSet> set, const RankingOptions& options,
                          ComparedAucs aucs, RankingRows rows, ranking::QuadraticLosses losses) {
  ranking::ExactAuc exact = base::beside(
      [losses = std::move(losses)]() mutable { return ranking::ExactAuc(std::move(losses)); });
  const double radius = options.radius_factor * norm_of(exact.unconstrained().w);
  require(radius > 0, "every feature has the same mean for both labels: there is no AUC to gain");
  const double interval = radius * exact.losses().mean_bound();
  return {.set = std::move(set),
          .options = options,
          .compared = std::move(aucs.compared),
          .differences = std::move(aucs.differences),
          .pairs = std::move(aucs.pairs),
          .training = std::move(rows.training),
          .exact = std::move(exact),
          .train = std::move(rows.train),
          .validation = std::move(rows.validation),
          .test = std::move(rows.test),
          .choice = std::move(rows.choice),
          .radius = radius,
          .interval = interval};
}

RankingProblem problem_of(std::shared_ptr<const SupervisedSet> set, const RankingOptions& options) {
  RankingRows rows = rows_of_parts(*set);
  ComparedAucs aucs = compared_aucs(*set, options);
  ranking::QuadraticLosses losses(rows.training, aucs.pairs, {options.scale, options.margin});
  return problem_of(std::move(set), options, std::move(aucs), std::move(rows), std::move(losses));
}

void check_set(const SupervisedSet& set) {
  require(set.target == data::TargetKind::binary, "data.label must have two values");
  data::require_two_groups(set.set.provenance, set.set.attributes, set.set.num_groups());
  const auto groups = at(set.set.num_groups());
  if (groups <= ranking::max_groups) return;
  data::refuse_groups_of_numbers(set.set.group_names);
  throw base::InputError(fmt::format("data.sensitive makes {} groups, must make at most {}", groups,
                                     ranking::max_groups));
}

/// "protected: women (120 of 300 train)", or "3 groups, 3 comparisons".
std::string text_of_groups(const RankingProblem& problem) {
  if (problem.groups() > 2) {
    return fmt::format("{} groups, {} comparisons", problem.groups(), problem.compared.size());
  }
  const auto& of_cell = problem.training.rows_of_cell();
  return fmt::format("protected: {} ({} of {} train)", problem.set->set.group_names[1],
                     of_cell[1] + of_cell[3], problem.training.rows());
}

std::size_t bytes_of_indicators(const RankingProblem& problem) {
  std::size_t bytes = 0;
  for (const RankingPart* part :
       {&problem.train, &problem.validation, &problem.test, &problem.choice}) {
    bytes += part->indicators.bytes();
  }
  return bytes;
}

Loaded<RankingProblem> load_problem(const sweep::Task& task, const sweep::RunContext& context) {
  auto set = load_binary_set(task, context);
  check_set(*set);
  const auto options = sweep::read_section<RankingOptions>(task, "ranking");
  require(options.resamples != 1, "ranking.resamples must be 0, for none, or at least 2");
  const data::Provenance provenance = set->set.provenance;
  std::vector<std::string> warnings = set->warnings;
  if (options.resamples > 0) {
    const std::string few = metrics::too_few_resamples(options.resamples, options.confidence);
    if (!few.empty()) warnings.push_back("ranking.resamples: " + few);
  }
  Loaded<RankingProblem> loaded{.problem = problem_of(std::move(set), options),
                                .data = provenance,
                                .text = {},
                                .warnings = warnings};
  const RankingProblem& problem = loaded.problem;
  const auto mean = problem.training.mean();
  loaded.data.fitted = models::text_of({problem.set->fitted,
                                        problem.set->set.group_names,
                                        {{"mean", {mean.begin(), mean.end()}}},
                                        problem.set->group_rules});
  loaded.text = fmt::format("{} train, {} validation, {} test, d = {}, {}, kappa_max = {:.4g}",
                            problem.train.rows.size(), problem.validation.rows.size(),
                            problem.test.rows.size(), problem.training.columns(),
                            text_of_groups(problem), problem.exact.void_kappa());
  loaded.bytes = static_cast<std::size_t>(bytes_of_moments(problem)) + problem.training.bytes() +
                 bytes_of_indicators(problem);
  return loaded;
}

/// What measures and selection have of the rows of a part.
template <class Pages, class Part>
void walk_part(Pages& pages, Part& part) {
  pages(part.rows, part.label, part.group, part.indicators);
}

RankingPart take_part(base::PageReader& pages, data::Part which) {
  RankingPart part{.name = data::name_of(which)};
  walk_part(pages, part);
  return part;
}

void lay_down_problem(base::PageWriter& pages, const Loaded<RankingProblem>& loaded) {
  const RankingProblem& problem = loaded.problem;
  for (const RankingPart* part :
       {&problem.train, &problem.validation, &problem.test, &problem.choice}) {
    walk_part(pages, *part);
  }
  problem.training.lay_down(pages);
  problem.exact.losses().lay_down(pages);
  pages(loaded.data, loaded.text, loaded.warnings, loaded.bytes);
}

Loaded<RankingProblem> take_problem(const sweep::Task& task, const sweep::RunContext& context,
                                    base::PageReader& pages) {
  auto set = load_binary_set(task, context);
  const auto options = sweep::read_section<RankingOptions>(task, "ranking");
  RankingPart train = take_part(pages, data::Part::train);
  RankingPart validation = take_part(pages, data::Part::validation);
  RankingPart test = take_part(pages, data::Part::test);
  RankingPart choice = take_part(pages, data::Part::choice);
  RankingRows rows{std::move(train), std::move(validation), std::move(test), std::move(choice),
                   ranking::LinearScores(pages)};
  ComparedAucs aucs = compared_aucs(*set, options);
  Loaded<RankingProblem> loaded{
      .problem = problem_of(std::move(set), options, std::move(aucs), std::move(rows),
                            ranking::QuadraticLosses(pages)),
      .data = {},
      .text = {},
      .warnings = {}};
  pages(loaded.data, loaded.text, loaded.warnings, loaded.bytes);
  return loaded;
}

sweep::Columns columns_of_all() {
  sweep::Columns columns = ranking_columns();
  add_columns(columns, front_columns());
  return columns;
}

}  // namespace

std::vector<double> RankingProblem::scores(const RankingPart& part,
                                           std::span<const double> w) const {
  double shift = 0;
  for (std::size_t j = 0; j < w.size(); ++j) shift += w[j] * training.mean()[j];
  std::vector<double> score(part.rows.size());
  const bool finite = std::ranges::all_of(w, [](double value) { return std::isfinite(value); });
  if (!part.indicators.empty() && finite) {
    part.indicators.dots(w, -shift, score);
    return score;
  }
  models::dots(models::Rows(set->set.features, set->set.columns, part.rows), w.data(), -shift,
               score);
  return score;
}

base::OptionTable options_of(RankingOptions& options) {
  using ranking::FairnessMetric;
  base::OptionTable table("ranking");
  table.add_choice<std::optional<FairnessMetric>>(
      "metric", options.metric,
      {{"group", FairnessMetric::group},
       {"inter_group", FairnessMetric::inter_group},
       {"intra_group", FairnessMetric::intra_group},
       {"positive_average", FairnessMetric::positive_average},
       {"negative_average", FairnessMetric::negative_average},
       {"background", FairnessMetric::background},
       {"custom", std::nullopt}},
      "This names the two AUCs that should be equal; of two groups the protected one is the "
      "second. custom means what `difference` says.");
  add_difference(table, options.difference, "is meant by metric = custom");
  table.add("scale", options.scale, base::between(1e-6, 1e6), "",
            "The surrogate is c1 (s - c2)^2 with this c1; what counts is (1 + kappa) / c1.");
  table.add("margin", options.margin, base::between(1e-6, 1e6), "",
            "The surrogate is least at this difference of scores, the paper's c2.");
  table.add("radius_factor", options.radius_factor, base::between(1e-6, 1e6), "",
            "The radius of the ball of weights is this times the norm of the exact optimum without "
            "constraints.");
  table.add("front_points", options.front_points, base::between<std::int64_t>(2, 100'000), "",
            "A task's front has at most this many points; those that add least hypervolume are "
            "left out.");
  table.add("confidence", options.confidence, base::between(0.01, 0.9999), "",
            "Intervals of AUCs and their differences on the test part have this confidence.");
  table.add("resamples", options.resamples, base::between<std::int64_t>(0, 10'000'000), "",
            "The bootstrap draws this many samples, whose intervals of the AUC and of signed "
            "differences stand in place of those from formulas; every group keeps its number of "
            "rows. With 0 nothing is drawn.");
  table.add("bootstrap_seed", options.bootstrap_seed, base::at_least<std::int64_t>(0), "",
            "The bootstrap draws from this seed.");
  table.assign_role(base::Role::setting,
                    {"radius_factor", "front_points", "confidence", "resamples"});
  table.assign_role(base::Role::replicate, {"bootstrap_seed"});
  table.only_if({"radius_factor"},
                base::method_is({"sfls", "proxy_lagrangian", "correlation_penalty"}),
                "[{}] has no ball of a linear score's weights");
  table.only_if({"front_points"},
                base::method_is({"sfls", "iqrc", "proxy_lagrangian", "correlation_penalty",
                                 "score_postprocessing"}),
                "[{}] finds a single point");
  table.only_if({"data.label_divisor"}, base::never(), "labels are of two values");
  table.only_if({"difference"}, base::is("metric", {"custom"}),
                "only ranking.metric = custom uses it");
  table.only_if({"bootstrap_seed"}, base::above("resamples", 0),
                "ranking.resamples = {} draws no samples");
  return table;
}

Family<RankingProblem> ranking_family() {
  return {.name = "ranking",
          .title = "AUC under AUC fairness constraints between groups",
          .shared = supervised_sections(
              "label, groups, features", "train, validation and test part",
              {config::make_section<RankingOptions>(
                   {.name = "ranking", .title = "fairness metric and surrogate loss"}),
               config::make_section<TuningOptions>(
                   {.name = "tuning", .title = "how long steps are, by trials"})}),
          .objectives = ranking_objectives(),
          .columns = columns_of_all(),
          .front_solutions = "weights",
          .load = load_problem,
          .lay_down = lay_down_problem,
          .take = take_problem,
          .rows = load_binary_set,
          .methods = ranking_methods(),
          .measure =
              [](const parallel::Comm& /*team*/, const RankingProblem& problem,
                 const sweep::Task& task, const sweep::Found& found) {
                results::Measures measures = measures_of(problem, found, task.stream);
                if (found.point) measures["auc_gap"] = measures["constrained_auc_gap"];
                return measures;
              },
          .point_measures = measures_of_ranking_points()};
}

}  // namespace fairfront::experiments
