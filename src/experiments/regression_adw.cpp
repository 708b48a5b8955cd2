#include "experiments/regression_adw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/regression_results.hpp"
#include "experiments/remarks.hpp"
#include "models/rows.hpp"
#include "solvers/regression/adw.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using sweep::TaskResult;
using sweep::Work;
using Problem = RegressionProblem;

constexpr const char* adw_paper = "Agarwal, Dudik, Wu (2019)";

/// A share above epsilon of which a remark speaks.
constexpr double most_excess = 0.01;

/// Which rows it learns from.
enum class LearnFrom {
  train_and_unlabelled,  ///< with the labels of both: ADW-1
  train,                 ///< ADW-2
};

/// Whose least and greatest target are the first and the last threshold.
enum class ThresholdRange {
  problem,  ///< those of [regression]
  given,
};

struct AdwMethodOptions {
  regression::AdwOptions solver{};
  LearnFrom learn_from = LearnFrom::train_and_unlabelled;
  regression::Thresholds thresholds{};
  ThresholdRange range = ThresholdRange::problem;
  double least = 0;     ///< of the target, for ThresholdRange::given
  double greatest = 1;  ///< of the target, for ThresholdRange::given
  bool intercept = true;
  PredictionRule rule = PredictionRule::randomised;
};
base::OptionTable options_of(AdwMethodOptions& options) {
  base::OptionTable table("adw");
  regression::add_options(table, options.solver);
  table.add_choice<LearnFrom>(
      "learn_from", options.learn_from,
      {{"train_and_unlabelled", LearnFrom::train_and_unlabelled}, {"train", LearnFrom::train}},
      "The method learns from the training part and the unlabelled part with its labels (ADW-1), "
      "or from the training part alone (ADW-2).");
  table.add("thresholds", options.thresholds.count, base::between<std::int64_t>(2, 10'000), "",
            "There are this many thresholds, evenly over the target's range, and as many atoms.");
  table.add_choice<ThresholdRange>(
      "range", options.range,
      {{"problem", ThresholdRange::problem}, {"given", ThresholdRange::given}},
      "The first and the last threshold are the targets that [regression] scales to -1 and 1, or "
      "least and greatest here. Targets outside are moved to these ends.");
  table.add("least", options.least, base::Range<double>{}, "target",
            "The first threshold is here, for range = given.");
  table.add("greatest", options.greatest, base::Range<double>{}, "target",
            "The last threshold is here, for range = given.");
  table.add("intercept", options.intercept,
            "A column of 1 stands before the features. The published comparison has none, on "
            "features that are not centred.");
  add_rule(table, options.rule);
  table.only_if({"seed"}, base::never(), "[adw] draws nothing");
  table.only_if({"least", "greatest"}, base::is("range", {"given"}),
                "only adw.range = given uses it");
  return table;
}

/// The target's value at the first threshold becomes -1, that at the last one 1.
data::Affine scale_of(const Problem& problem, const AdwMethodOptions& options) {
  if (options.range == ThresholdRange::problem) return problem.scale;
  return {(options.least + options.greatest) / 2, (options.greatest - options.least) / 2};
}

/// The thresholds in units of the target.
std::vector<double> atoms_of(const Problem& problem, const AdwMethodOptions& options) {
  const data::Affine scale = scale_of(problem, options);
  std::vector<double> atoms;
  for (std::int64_t k = 0; k < options.thresholds.count; ++k) {
    atoms.push_back(scale.inverse(2 * options.thresholds.atom(k) - 1));
  }
  return atoms;
}

void validate_for(const Problem& problem, const AdwMethodOptions& options) {
  if (options.range == ThresholdRange::given && !(options.least < options.greatest)) {
    throw base::InputError("adw.least must be below adw.greatest");
  }
  const std::vector<double> atoms = atoms_of(problem, options);
  if (std::ranges::adjacent_find(atoms, std::greater_equal{}) != atoms.end()) {
    throw base::InputError(
        "adw.thresholds: the thresholds are not different numbers between adw.least and "
        "adw.greatest, or the least and the greatest target");
  }
  if (problem.base->set) return;
  throw base::InputError("[adw] learns from features, and base.eta names a column in their place");
}

/// Features, targets in [0, 1] and groups of all rows.
struct Table {
  std::int64_t columns;
  std::vector<double> features;
  std::vector<double> targets;
};

Table table_of(const Problem& problem, const data::Affine& scale, bool intercept) {
  const auto& set = problem.base->set->set;
  Table table{set.columns + (intercept ? 1 : 0), {}, {}};
  table.features.reserve(static_cast<std::size_t>(set.rows * table.columns));
  for (std::int64_t row = 0; row < set.rows; ++row) {
    if (intercept) table.features.push_back(1);
    const auto first = set.features.begin() + row * set.columns;
    table.features.insert(table.features.end(), first, first + set.columns);
  }
  for (const double label : problem.base->label) {
    table.targets.push_back(std::clamp((scale(label) + 1) / 2, 0.0, 1.0));
  }
  return table;
}

TaskResult run_adw(const Run<Problem, AdwMethodOptions>& run) {
  const Problem& problem = run.problem;
  const AdwMethodOptions& options = run.options;
  const data::Split& split = problem.base->split;
  const data::Affine scale = scale_of(problem, options);
  const Table table = table_of(problem, scale, options.intercept);
  std::vector<std::int64_t> rows = split.train;
  if (options.learn_from == LearnFrom::train_and_unlabelled) {
    rows.insert(rows.end(), split.validation.begin(), split.validation.end());
  }
  const regression::ThresholdGame game({models::Rows(table.features, table.columns, rows),
                                        table.targets, problem.base->group, problem.groups()},
                                       options.thresholds);
  const regression::AdwResult found = regression::adw(game, options.solver, run.control);

  const std::vector<double> atoms = atoms_of(problem, options);
  const auto distribution = [&](const RegressionPart& part, std::int64_t row,
                                std::span<double> pi) {
    const auto& numbers = &part == &problem.test     ? split.test
                          : &part == &problem.choice ? split.choice
                                                     : split.validation;
    const auto number = static_cast<std::size_t>(numbers[static_cast<std::size_t>(row)]);
    const auto columns = static_cast<std::size_t>(table.columns);
    found.model.probabilities(std::span{table.features}.subspan(number * columns, columns), pi);
  };
  TaskResult result = result_of(problem, atoms, distribution, options.rule, run.resampling);
  result.metrics["rounds"] = static_cast<double>(found.rounds);
  result.metrics["responses"] = static_cast<double>(found.responses);
  // The design is factorised once; then every response is looked at on all rows.
  add_evaluations(result, (1 + found.responses) * game.rows());
  result.metrics["hypotheses"] = static_cast<double>(found.model.mixture.size());
  result.metrics["deciding_labels_used"] =
      options.learn_from == LearnFrom::train_and_unlabelled ? 1 : 0;
  result.metrics["game_gap"] = found.gap;
  result.metrics["game_gap_target"] = found.target_gap;
  result.metrics["game_error"] = found.error;
  result.metrics["game_excess"] = std::max(found.largest_gap - options.solver.epsilon, 0.0);
  result.model = models::ModelText{"mixture",
                                   {{"atoms", "atoms"},
                                    {"mixture", "mixture"},
                                    {"weights", "hypotheses"},
                                    {"intercept", options.intercept ? "1" : "0"},
                                    {"rule", std::string(models::name_of(options.rule))}}}
                     .text();
  result.solutions["mixture"].emplace_back(found.model.mixture);
  for (const regression::Hypothesis& h : found.model.hypotheses) {
    result.solutions["hypotheses"].emplace_back(h.weights);
  }
  if (!found.converged) {
    append(result.remark, fmt::format("after {} rounds (adw.rounds) the game's gap is above the "
                                      "target that adw.accuracy sets",
                                      found.rounds));
  }
  const double excess = result.metrics["game_excess"];
  if (found.converged && excess > most_excess) {
    append(result.remark,
           fmt::format("the largest gap of a threshold on the rows learnt from is {:.2g} "
                       "above epsilon (game_excess): the game holds no bound where its "
                       "fits of least squares do not reach one",
                       excess));
  }
  return result;
}

sweep::Columns adw_columns() {
  return {
      .metrics = {{"rounds", "rounds of exponentiated gradient", "", Direction::none, adw_paper},
                  {"responses", "least-squares fits", "", Direction::none, adw_paper},
                  {"hypotheses", "linear scores with a probability above 0", "", Direction::none,
                   adw_paper},
                  {"deciding_labels_used",
                   "share of the deciding part's labels that were learnt from: where it is "
                   "above 0 that part does not rank the run, only the reported part does",
                   "share", Direction::none, ""},
                  {"game_gap",
                   "gap of the saddle point against responses by least squares, which are not "
                   "the exact ones: it tells when the rounds end, bounds no distance to an "
                   "optimum, and certifies nothing; may be below 0",
                   "", Direction::none, adw_paper},
                  {"game_gap_target", "gap at which to stop", "", Direction::none, adw_paper},
                  {"game_error", "weighted error over rows and thresholds", "", Direction::minimise,
                   adw_paper},
                  {"game_excess",
                   "largest gap of a threshold on the rows learnt from, above "
                   "epsilon",
                   "share", Direction::minimise, adw_paper}},
      .solutions = {
          {"mixture", "probability of every linear score", "share", Direction::none, adw_paper},
          {"hypotheses",
           "weights of every linear score, of targets scaled to [0, 1]; the "
           "intercept first where there is one",
           "", Direction::none, adw_paper}}};
}

Work work_of(const Problem& problem, const AdwMethodOptions& options) {
  if (!problem.base->set) return {};
  const auto rows = static_cast<double>(problem.base->label.size());
  const auto columns = static_cast<double>(problem.base->set->set.columns);
  const auto thresholds = static_cast<double>(options.thresholds.count);
  const auto rounds = static_cast<double>(options.solver.rounds);
  return {task_bytes(problem) + sizeof(double) * rows * (3 * columns + 3 * thresholds),
          rows * (columns * columns + 4 * rounds * (columns + thresholds)), "probabilities"};
}

}  // namespace

Method<Problem> adw_method() {
  return make_method<Problem, AdwMethodOptions>(
      {.name = "adw",
       .title = "exponentiated gradient against the Kolmogorov-Smirnov distance, labelled rows",
       .source = "Agarwal, Dudik, Wu (2019), Algorithm 1, square loss",
       .revision = 5},  // 5: evaluations are counted
      adw_columns(), work_of, run_adw);
}

}  // namespace fairfront::experiments
