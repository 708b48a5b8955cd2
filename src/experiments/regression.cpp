#include "experiments/regression.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <string_view>
#include <utility>

#include "base/condition.hpp"
#include "base/elementary.hpp"
#include "base/error.hpp"
#include "base/index.hpp"
#include "base/sha256.hpp"
#include "base/text.hpp"
#include "data/small_groups.hpp"
#include "experiments/regression_methods.hpp"
#include "experiments/regression_optimum.hpp"
#include "experiments/regression_results.hpp"
#include "experiments/regression_shared.hpp"
#include "experiments/regression_stream.hpp"
#include "experiments/supervised_sections.hpp"
#include "metrics/interval.hpp"
#include "metrics/measure.hpp"
#include "models/fitted_model.hpp"

namespace fairfront::experiments {
namespace {

using base::at;
using base::Direction;

std::vector<double> shares_of(const BasePredictions& base, std::span<const std::int64_t> rows) {
  std::vector<double> shares(base.group_names.size(), 0.0);
  for (const std::int64_t row : rows) ++shares[at(base.group[at(row)])];
  for (double& share : shares) share /= static_cast<double>(rows.size());
  return shares;
}

std::vector<double> given_shares(const BasePredictions& base, const RegressionOptions& options) {
  std::vector<double> shares;
  for (const std::string& text : options.given_shares) {
    const auto share = base::parse_double(text);
    require(share && *share > 0 && *share < 1, "regression.given_shares must be in (0, 1)");
    shares.push_back(*share);
  }
  if (shares.size() != base.group_names.size()) {
    throw base::InputError(fmt::format("regression.given_shares must have {} numbers, for {}",
                                       base.groups(), base::join(base.group_names, ", ")));
  }
  constexpr double rounding = 1e-3;  // of shares with four digits
  require(std::abs(std::accumulate(shares.begin(), shares.end(), 0.0) - 1) <= rounding,
          "regression.given_shares must add up to 1");
  return shares;
}

std::vector<double> tau_of(const BasePredictions& base, std::span<const std::int64_t> rows) {
  const std::size_t groups = base.group_names.size();
  std::vector<double> tau;
  tau.reserve(rows.size() * groups);
  for (const std::int64_t row : rows) {
    const auto of_row = std::span{base.tau}.subspan(at(row) * groups, groups);
    tau.insert(tau.end(), of_row.begin(), of_row.end());
  }
  return tau;
}

std::vector<double> choose_shares(const BasePredictions& base, const RegressionOptions& options) {
  require(options.shares == SharesOf::given || options.given_shares.empty(),
          "regression.given_shares is for regression.shares = given");
  switch (options.shares) {
    case SharesOf::train:
      return shares_of(base, base.split.train);
    case SharesOf::table: {
      std::vector<std::int64_t> all(base.group.size());
      std::iota(all.begin(), all.end(), 0);
      return shares_of(base, all);
    }
    case SharesOf::given:
      return given_shares(base, options);
    case SharesOf::unlabelled:
      break;
  }
  return regression::mean_shares(tau_of(base, base.split.validation), base.groups());
}

/// The target's range becomes [-1, 1].
data::Affine choose_scale(const BasePredictions& base, const RegressionOptions& options) {
  double least = options.least;
  double greatest = options.greatest;
  if (options.range == RangeOf::table) {
    least = std::ranges::min(base.label);
    greatest = std::ranges::max(base.label);
  } else if (options.range == RangeOf::train) {
    least = greatest = base.label[at(base.split.train.front())];
    for (const std::int64_t row : base.split.train) {
      least = std::min(least, base.label[at(row)]);
      greatest = std::max(greatest, base.label[at(row)]);
    }
  }
  if (options.range != RangeOf::given && least == greatest) {
    throw base::InputError(fmt::format("all targets of the {} are {}: there is nothing to fit",
                                       options.range == RangeOf::table ? "table" : "training part",
                                       base::format_double(least)));
  }
  require(least < greatest, "regression.range: the least target must be below the greatest one");
  require(std::isfinite(greatest - least) && std::isfinite(2 / (greatest - least)),
          "regression.range: the greatest target less the least one, or one over that, overflows");
  return {(least + greatest) / 2, (greatest - least) / 2};
}

constexpr std::string_view unlabelled_name = "unlabelled";

RegressionPart part_of(const BasePredictions& base, std::span<const std::int64_t> rows,
                       const RegressionProblem& problem, std::string_view name) {
  RegressionPart part;
  std::vector<double> eta;
  std::vector<bool> seen(base.group_names.size(), false);
  for (const std::int64_t row : rows) {
    eta.push_back(problem.scale(base.eta[at(row)]));
    part.label.push_back(base.label[at(row)]);
    part.group.push_back(base.group[at(row)]);
    seen[at(part.group.back())] = true;
  }
  // Other parts are only measured: what lacks a group there is undefined, and decides nothing.
  for (std::size_t g = 0; g < seen.size() && name == unlabelled_name; ++g) {
    if (seen[g]) continue;
    data::refuse_lack_of_rows(base.group_names, fmt::format("group '{}'", base.group_names[g]),
                              name);
  }
  part.predicted = regression::predicted_rows(eta, tau_of(base, rows), problem.shares);
  return part;
}

double variance_of(std::span<const double> values) {
  const auto count = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum / count;
}

/// What [base_model] has for unfairness on a part; 1 where that is 0.
double distance_of_base(const RegressionProblem& problem, const RegressionPart& part) {
  const auto measures = metrics::regression();
  const auto values = metrics::evaluate(
      measures, metrics::Scored{part.predicted.eta, part.label, part.group, problem.groups(), 0});
  for (std::size_t m = 0; m < measures.size(); ++m) {
    if (measures[m].what.name == "kolmogorov_smirnov_to_all" && values[m].value > 0) {
      return values[m].value;
    }
  }
  return 1;
}

void choose_grid(RegressionProblem& problem) {
  const auto rows = static_cast<double>(problem.base->split.validation.size());
  const RegressionOptions& options = problem.options;
  problem.grid.bound = options.bound;
  problem.grid.half = options.half_atoms > 0
                          ? options.half_atoms
                          : static_cast<std::int64_t>(std::floor(std::sqrt(rows)));
  problem.beta = options.beta > 0 ? options.beta : 0.5 * std::sqrt(rows) * base::log2(rows);
  for (const double atom : problem.grid.values()) {
    problem.atoms.push_back(problem.scale.inverse(atom));
  }
  const bool ascend =
      std::ranges::adjacent_find(problem.atoms, std::greater_equal{}) == problem.atoms.end();
  require(ascend,
          "the atoms are not different numbers: regression.largest_atom or regression.half_atoms "
          "does not "
          "fit the range of the targets");
}

void check_parts(const BasePredictions& base) {
  require(base.split.validation.size() >= 2,
          "the unlabelled part has fewer than two rows: split.validation is its share");
  require(!base.split.test.empty(), "the test part is empty: split.test is its share");
}

void add_file(Loaded<RegressionProblem>& loaded, const UnlabelledFile& file) {
  loaded.data.files.push_back(file.path.filename().string());
  loaded.data.sha256.push_back(file.sha256);
  loaded.data.digest = base::sha256_of(loaded.data.digest + "\n" + file.sha256);
  loaded.data.recipe +=
      fmt::format("; a stream of {} rows in '{}'", file.rows, loaded.data.files.back());
  std::ranges::copy(file.warnings, std::back_inserter(loaded.warnings));
}

/// What all models of the problem share.
models::SharedFit shared_fit(const RegressionProblem& problem) {
  const BasePredictions& base = *problem.base;
  models::SharedFit shared{.preparation = {},
                           .groups = base.group_names,
                           .numbers = {{"scale", {problem.scale.shift, problem.scale.divisor}},
                                       {"grid", {double(problem.grid.half), problem.grid.bound}},
                                       {"shares", problem.shares}},
                           .group_rules = base.group_rules};
  models::set_target_unit(shared, base.unit);
  if (base.set) {
    shared.preparation = base.set->fitted;
    shared.numbers["eta"] = base.models.eta;
    shared.numbers["tau"] = base.models.tau;
  } else {
    shared.preparation = data::as_they_are(prediction_columns(base.options));
  }
  return shared;
}

Loaded<RegressionProblem> load_problem(const sweep::Task& task, const sweep::RunContext& context) {
  Loaded<RegressionProblem> loaded;
  RegressionProblem& problem = loaded.problem;
  problem.base = base_predictions(task, context);
  problem.options = sweep::read_section<RegressionOptions>(task, "regression");
  const BasePredictions& base = *problem.base;
  check_parts(base);
  require(problem.options.beta == 0 || problem.options.beta >= 1e-6,
          "regression.beta must be 0, for the default, or >= 1e-6");
  require(problem.options.resamples != 1,
          "regression.resamples must be 0, for none, or at least 2");
  problem.scale = choose_scale(base, problem.options);
  problem.shares = choose_shares(base, problem.options);
  choose_grid(problem);
  problem.unlabelled = part_of(base, base.split.validation, problem, unlabelled_name);
  problem.test = part_of(base, base.split.test, problem, "test");
  if (!base.split.choice.empty()) {
    problem.choice = part_of(base, base.split.choice, problem, "choice");
  }
  problem.unlabelled_file = unlabelled_file(task, context, base, problem.options.unlabelled_file);
  problem.optima = std::make_shared<KnownOptima>();
  problem.constant_risk = variance_of(problem.unlabelled.label);
  problem.constant_risk_test = variance_of(problem.test.label);
  problem.reference = {std::min(problem.constant_risk, problem.constant_risk_test),
                       std::min(distance_of_base(problem, problem.unlabelled),
                                distance_of_base(problem, problem.test))};
  loaded.data = base.provenance;
  loaded.data.recipe += fmt::format(
      "; eta and tau {}", base.set ? "by least squares and logistic regression" : "from columns");
  loaded.data.fitted = models::text_of(shared_fit(problem));
  loaded.warnings = base.warnings;
  if (problem.options.resamples > 0) {
    const std::string few =
        metrics::too_few_resamples(problem.options.resamples, problem.options.level);
    if (!few.empty()) loaded.warnings.push_back("regression.resamples: " + few);
  }
  if (problem.unlabelled_file) add_file(loaded, *problem.unlabelled_file);
  loaded.text =
      fmt::format("N = {} ({} train, {} unlabelled, {} test), K = {}, L = {}, beta = {:.4g}",
                  base.label.size(), base.split.train.size(), problem.unlabelled.rows(),
                  problem.test.rows(), base.groups(), problem.grid.half, problem.beta);
  const auto rows = static_cast<std::size_t>(problem.unlabelled.rows() + problem.test.rows());
  loaded.bytes = rows * (sizeof(double) * (2 + base.group_names.size()) + sizeof(std::int32_t));
  return loaded;
}

void lay_down_problem(base::PageWriter& pages, const Loaded<RegressionProblem>& loaded) {
  pages(loaded.problem, loaded.data, loaded.text, loaded.warnings, loaded.bytes);
}

Loaded<RegressionProblem> take_problem(const sweep::Task& task, const sweep::RunContext& context,
                                       base::PageReader& pages) {
  Loaded<RegressionProblem> loaded;
  RegressionProblem& problem = loaded.problem;
  problem.base = base_predictions(task, context);
  problem.options = sweep::read_section<RegressionOptions>(task, "regression");
  pages(problem, loaded.data, loaded.text, loaded.warnings, loaded.bytes);
  problem.unlabelled_file =
      unlabelled_file(task, context, *problem.base, problem.options.unlabelled_file);
  problem.optima = std::make_shared<KnownOptima>();
  return loaded;
}

}  // namespace

base::OptionTable options_of(RegressionOptions& options) {
  base::OptionTable table("regression");
  table.add("half_atoms", options.half_atoms, base::between<std::int64_t>(0, 1'000'000), "",
            "Predictions are one of 2 L + 1 atoms, L this number; 0 stands for the root of the "
            "number of unlabelled rows, rounded down.");
  table.add("beta", options.beta, base::between(0.0, 1e12), "",
            "The inverse temperature of the randomised prediction is this; 0 stands for 0.5 "
            "sqrt(N) log2(N) of the N unlabelled rows.");
  table.add(
      "largest_atom", options.bound, base::between(1e-6, 1e6), "",
      "Atoms reach from minus this number to this number where the target's range is [-1, 1].");
  table.formerly("largest_atom", "bound");
  table.add_choice<SharesOf>(
      "shares", options.shares,
      {{"unlabelled", SharesOf::unlabelled},
       {"train", SharesOf::train},
       {"table", SharesOf::table},
       {"given", SharesOf::given}},
      "The groups' shares p are the mean of tau over the unlabelled rows, with which every epsilon "
      "is feasible; the frequencies in the training part or in the whole table; or given_shares.");
  table.add("given_shares", options.given_shares,
            "The groups have these shares, in the order of the groups, for shares = given.");
  table.add_choice<RangeOf>(
      "range", options.range,
      {{"train", RangeOf::train}, {"table", RangeOf::table}, {"given", RangeOf::given}},
      "The least and the greatest target, which become -1 and 1, are those of the training part, "
      "of the whole table, or as given by least and greatest.");
  table.add("least", options.least, base::Range<double>{}, "",
            "This target becomes -1, for range = given.");
  table.add("greatest", options.greatest, base::Range<double>{}, "",
            "This target becomes 1, for range = given.");
  table.add("unlabelled_file", options.unlabelled_file,
            "This CSV file, plain or .gz, holds the rows that [dp_streaming] takes in place of the "
            "unlabelled part, with the columns of base.eta and base.tau, or else all features; "
            "they need neither target nor group, and are never in memory together. Measures, and "
            "p, L and beta where they are not given, stay those of the unlabelled part. Separator, "
            "header and missing cells are written as in data.file.");
  table.add("resamples", options.resamples, base::between<std::int64_t>(0, 10'000'000), "",
            "The bootstrap draws this many samples, whose intervals of the mean squared and the "
            "mean absolute error stand in place of those from formulas; with 0 nothing is drawn.");
  table.add("confidence", options.level, base::between(0.01, 0.9999), "",
            "Intervals have this confidence.");
  table.formerly("confidence", "level");
  table.add("bootstrap_seed", options.bootstrap_seed, base::at_least<std::int64_t>(0), "",
            "The bootstrap draws from this seed.");
  table.assign_role(base::Role::setting, {"half_atoms", "beta", "largest_atom", "shares",
                                          "given_shares", "resamples", "confidence"});
  table.assign_role(base::Role::replicate, {"bootstrap_seed"});
  table.only_if({"bootstrap_seed"}, base::above("resamples", 0),
                "regression.resamples = {} draws no samples");
  table.only_if({"unlabelled_file"}, base::method_is({"dp_streaming"}),
                "only [dp_streaming] reads it");
  table.only_if({"shares", "given_shares"},
                base::method_is({"dp_postprocessing", "dp_exact", "dp_lp", "dp_streaming"}),
                "[{}] does not ask for the groups' shares");
  table.only_if({"least", "greatest"}, base::is("range", {"given"}),
                "only regression.range = given uses it");
  return table;
}

Family<RegressionProblem> regression_family() {
  return {.name = "regression",
          .title = "regression under demographic parity, by post-processing of unlabelled rows",
          .shared = supervised_sections(
              "target, groups, features", "train, unlabelled (validation), test part",
              {config::make_section<BaseOptions>(
                   {.name = "base", .title = "base models, or columns of predictions"}),
               config::make_section<RegressionOptions>(
                   {.name = "regression", .title = "what all methods share"})}),
          .objectives = regression_objectives(),
          .columns = regression_columns(),
          .front_solutions = "multipliers",
          .load = load_problem,
          .lay_down = lay_down_problem,
          .take = take_problem,
          .rows = base_rows,
          .methods = regression_methods(),
          .measure = [](const parallel::Comm& /*team*/, const RegressionProblem& problem,
                        const sweep::Task& task, const sweep::Found& found) {
            return measures_of(problem, found, task.stream);
          }};
}

}  // namespace fairfront::experiments
