#include "experiments/regression_bounded_loss.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "base/condition.hpp"
#include "base/error.hpp"
#include "base/text.hpp"
#include "data/small_groups.hpp"
#include "experiments/evaluations.hpp"
#include "experiments/regression_results.hpp"
#include "experiments/remarks.hpp"
#include "models/linear_model.hpp"
#include "models/rows.hpp"
#include "solvers/regression/bounded_group_loss.hpp"

namespace fairfront::experiments {
namespace {

using base::Direction;
using regression::BoundedGroupLoss;
using regression::GroupLossResult;

constexpr const char* bounded_loss_paper = "Agarwal, Dudik, Wu (2019), definition 2";

struct BoundedLossOptions {
  regression::GroupLossOptions solver{};
  double epsilon = 0;
  double bound = 0;  ///< 0: by epsilon
};

base::OptionTable options_of(BoundedLossOptions& options) {
  base::OptionTable table("bounded_group_loss");
  table.add(
      "epsilon", options.epsilon, base::between(0.0, 1.0), "share",
      "The bound on the groups' mean squared errors on the training part lies evenly between 0, "
      "the least that the largest of them can be, and 1, what the largest one is without a bound.");
  table.add("largest_group_risk", options.bound, base::between(0.0, 1e100), "target squared",
            "Above 0, this is the bound itself, in place of epsilon.");
  table.add("ridge", options.solver.ridge, base::between(1e-12, 1e6), "",
            "The penalty of the squared weights is this, in units of the columns' deviations and "
            "the target's variance; with a small one there is an optimum for any design.");
  table.add("tolerance", options.solver.tolerance, base::between(1e-12, 1.0), "",
            "The method ends when the proven distance of the loss to the least one, over the loss, "
            "is no larger than this.");
  table.add("max_iterations", options.solver.max_iterations, base::at_least<std::int64_t>(1),
            "steps", "There are at most this many Newton steps. A task that needs more fails.");
  table.assign_role(base::Role::trade_off, {"epsilon", "largest_group_risk"});
  table.only_if({"seed"}, base::never(), "[bounded_group_loss] draws nothing");
  table.only_if({"epsilon"}, base::is("largest_group_risk", {"0"}),
                "bounded_group_loss.largest_group_risk is given");
  return table;
}

void validate_for(const RegressionProblem& problem, const BoundedLossOptions&) {
  if (problem.base->set == nullptr) {
    throw base::InputError(
        "[bounded_group_loss] learns from features, and base.eta names a column in their place");
  }
  std::vector<bool> seen(static_cast<std::size_t>(problem.groups()), false);
  for (const std::int64_t row : problem.base->split.train) {
    seen[static_cast<std::size_t>(problem.base->group[static_cast<std::size_t>(row)])] = true;
  }
  const auto missing = std::ranges::find(seen, false);
  if (missing == seen.end()) return;
  data::refuse_groups_of_numbers(problem.base->group_names);
  throw base::InputError(
      fmt::format("[bounded_group_loss]: no row of group '{}' in the training part: see [split]",
                  problem.base->group_names[static_cast<std::size_t>(missing - seen.begin())]));
}

double share_open(const GroupLossResult& found) {
  return found.upper > 0 ? (found.upper - found.lower) / found.upper : 0;
}

/// What has been proven of the loss, with all digits, as its two ends may share many.
std::string text_of_proof(const GroupLossResult& found) {
  return fmt::format(
      "after {} Newton steps it is proven to lie between {} and {}, which are {:.2g} "
      "of it apart",
      found.iterations, base::format_double(found.lower), base::format_double(found.upper),
      share_open(found));
}

/// @throws std::domain_error  it has not converged, and is not as good as rounding lets it be.
void require_optimum(const GroupLossResult& found, const BoundedLossOptions& options) {
  if (found.converged || found.rounding) return;
  if (found.weights.empty()) {
    throw std::domain_error(fmt::format(
        "after {} Newton steps no weights within the bound are found, as next to none are: raise "
        "bounded_group_loss.epsilon, ridge = {:.2g} or max_iterations = {}",
        found.iterations, options.solver.ridge, options.solver.max_iterations));
  }
  if (found.iterations >= options.solver.max_iterations) {
    throw std::domain_error(
        fmt::format("the least loss is not found: {}; raise bounded_group_loss.max_iterations = {}",
                    text_of_proof(found), options.solver.max_iterations));
  }
  throw std::domain_error(fmt::format(
      "the least loss is not found: {}, and rounding hides the rest, which more steps do not "
      "change; raise bounded_group_loss.ridge = {:.2g}, or tolerance = {:.2g} to {:.2g}",
      text_of_proof(found), options.solver.ridge, options.solver.tolerance,
      std::min(1.0, 2 * share_open(found))));
}

/// Where rounding has ended the method before its tolerance.
/// @param what  "the least loss", say.
std::string remark_of_rounding(const GroupLossResult& found, const BoundedLossOptions& options,
                               const char* what) {
  if (!found.rounding) return {};
  return fmt::format(
      "{} is proven to {:.2g} of it, not to bounded_group_loss.tolerance = {:.2g}: "
      "rounding hides the rest",
      what, share_open(found), options.solver.tolerance);
}

/// The bound of a task, and the weights that keep it at least loss.
struct BoundedFit {
  double bound;
  double least_bound;
  GroupLossResult found;
  std::string remark;  ///< of what rounding has hidden
};

BoundedFit fit_within(const BoundedGroupLoss& loss, const BoundedLossOptions& options,
                      const solvers::Control& control) {
  const GroupLossResult fairest = loss.least_largest(control);
  require_optimum(fairest, options);
  const double least = std::ranges::max(fairest.risks);
  const double free = std::ranges::max(loss.unbounded().risks);
  const double bound =
      options.bound > 0 ? options.bound : least + options.epsilon * std::max(free - least, 0.0);
  if (bound < least * (1 - options.solver.tolerance)) {
    throw base::InputError(
        fmt::format("bounded_group_loss.largest_group_risk = {}: some group's mean squared error "
                    "on the training part is "
                    "at least {} with this ridge",
                    base::format_double(bound), base::format_double(fairest.lower)));
  }
  std::string remark = remark_of_rounding(fairest, options, "the least bound on the groups' risks");
  if (least == 0) return {bound, least, fairest, remark};  // nothing is lost in any group
  // Many weights may keep the least bound, and those that were found may be the worst of them.
  const double kept = std::max(bound, least * (1 + options.solver.tolerance));
  GroupLossResult found = loss.within(kept, fairest, control);
  require_optimum(found, options);
  append(remark, remark_of_rounding(found, options, "the least loss within the bound"));
  return {kept, least, std::move(found), std::move(remark)};
}

sweep::TaskResult run_bounded_loss(const Run<RegressionProblem, BoundedLossOptions>& run) {
  const RegressionProblem& problem = run.problem;
  const BasePredictions& base = *problem.base;
  const data::SupervisedSet& set = *base.set;
  const BoundedGroupLoss loss({models::Rows(set.set.features, set.set.columns, base.split.train),
                               base.label, base.group, problem.groups()},
                              run.options.solver);
  const BoundedFit fit = fit_within(loss, run.options, run.control);
  const models::LinearModel model(set.set.columns);
  const CertainPredictions predictions = [&](const RegressionPart& part) {
    std::vector<double> values(static_cast<std::size_t>(part.rows()));
    models::LinearModel::Scratch scratch;
    for (std::int64_t i = 0; i < part.rows(); ++i) {
      base::stop_point();
      const std::vector<double> features = features_of(problem, part, i);
      model.scores(fit.found.weights, models::Rows(features, set.set.columns), scratch,
                   std::span{values}.subspan(static_cast<std::size_t>(i), 1));
    }
    return values;
  };
  sweep::TaskResult result = result_of(problem, predictions, run.resampling);
  append(result.remark, fit.remark);
  result.metrics["group_risk_bound"] = fit.bound;
  result.metrics["least_group_risk_bound"] = fit.least_bound;
  result.metrics["largest_group_risk_train"] = std::ranges::max(fit.found.risks);
  result.metrics["penalised_loss_upper"] = fit.found.upper;
  result.metrics["penalised_loss_lower"] = fit.found.lower;
  result.metrics["newton_steps"] = static_cast<double>(fit.found.iterations);
  add_evaluations(result, std::ssize(base.split.train));  // steps need their sums alone
  result.solutions["linear_weights"].emplace_back(fit.found.weights);
  result.solutions["group_risk_train"].emplace_back(fit.found.risks);
  result.solutions["group_multipliers"].emplace_back(fit.found.multipliers);
  result.model = "linear weights=linear_weights";
  return result;
}

sweep::Columns bounded_loss_columns() {
  return {
      .metrics = {{"group_risk_bound", "bound on the groups' mean squared errors", "target squared",
                   Direction::none, bounded_loss_paper},
                  {"least_group_risk_bound",
                   "the least that the largest of them can be on the training part, with the ridge",
                   "target squared", Direction::none, bounded_loss_paper},
                  {"largest_group_risk_train",
                   "largest mean squared error of a group on the training part", "target squared",
                   Direction::minimise, bounded_loss_paper},
                  {"penalised_loss_upper",
                   "mean squared error on the training part with the penalty of the ridge",
                   "target squared", Direction::minimise, ""},
                  {"penalised_loss_lower", "proven: no weights within the bound have a smaller one",
                   "target squared", Direction::none, ""},
                  {"newton_steps", "interior-point and proximal Newton steps", "", Direction::none,
                   ""}},
      .solutions = {{"linear_weights", "weights of the features, the intercept first", "target",
                     Direction::none, bounded_loss_paper},
                    {"group_risk_train", "mean squared error of every group on the training part",
                     "target squared", Direction::minimise, bounded_loss_paper},
                    {"group_multipliers", "multiplier of every group's bound", "", Direction::none,
                     bounded_loss_paper}}};
}

sweep::Work bounded_loss_work(const RegressionProblem& problem, const BoundedLossOptions& options) {
  if (!problem.base->set) return {};
  const auto columns = static_cast<double>(problem.base->set->set.columns) + 1;
  const auto groups = static_cast<double>(problem.groups());
  const auto rows = static_cast<double>(problem.base->split.train.size());
  constexpr double usual = 100;  // of Newton's method, about
  const double steps = std::min(usual, static_cast<double>(options.solver.max_iterations));
  return {task_bytes(problem) + sizeof(double) * (groups + 3) * columns * columns,
          rows * columns * columns +
              steps * (groups * columns * columns + columns * columns * columns / 3),
          "probabilities"};
}

}  // namespace

Method<RegressionProblem> bounded_loss_method() {
  return make_method<RegressionProblem, BoundedLossOptions>(
      {.name = "bounded_group_loss",
       .title = "least squares with a bound on every group's mean squared error, exactly",
       .source = bounded_loss_paper,
       .revision = 4},  // 4: what the objective's rounding hides is found by its gradient
      bounded_loss_columns(), bounded_loss_work, run_bounded_loss);
}

}  // namespace fairfront::experiments
